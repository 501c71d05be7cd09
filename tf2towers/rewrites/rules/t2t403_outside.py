"""T2T403: tensors outside the session."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T403",
    title="a tensor of the graph is used outside a session call",
    why="""
After the migration a tensor exists inside its function only. Plain Python that reads one (its name, its
shape, a list of them) finds nothing.
""",
    todo="""
Compute what is needed from plain values, or fetch it.
""",
    sources=("tf.function",),
)
