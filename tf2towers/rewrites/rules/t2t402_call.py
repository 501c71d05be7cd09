"""T2T402: session calls that cannot be a call."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T402",
    title="a session call that cannot be turned into a call of the step",
    why="""
The step's parameters come from the placeholders and iterators its values need. This call feeds others, feeds
a dict made elsewhere, or uses the value of an op, which is None.
""",
    todo="""
Feed every placeholder the fetched values need, in a dict written out in this function.
""",
    sources=("tf.compat.v1.Session.run",),
)
