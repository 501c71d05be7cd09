"""T2T407: local modules that cannot be read."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T407",
    title="a local module that cannot be read or parsed",
    why="""
The script imports a module of its own that is not text, or not Python that this tool reads.
""",
    todo="""
Repair the module, then migrate again.
""",
)
