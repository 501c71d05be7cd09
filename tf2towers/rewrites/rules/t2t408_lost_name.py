"""T2T408: names without a definition."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T408",
    title="a name would lose its definition",
    why="""
The rewritten program would read a name that nothing defines any more, so nothing is written. It is a last
check, and a gap of the tool: please report it with the script.
""",
    todo="""
Report it. Meanwhile: make the name in front of the tower loop, from plain values.
""",
)
