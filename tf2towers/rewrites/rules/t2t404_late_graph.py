"""T2T404: graph building in the session."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T404",
    title="ops or variables made or asked for while the session runs",
    why="""
The session's part of the program builds more graph (tf.summary in the loop, tf.assign, a new placeholder), or
asks for the variables before any step has made them. In TF1 this grew the graph at every turn.
""",
    todo="""
Build it once, before the session, and fetch it.
""",
    sources=("tf.compat.v1.Graph.finalize",),
)
