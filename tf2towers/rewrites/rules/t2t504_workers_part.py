"""T2T504: the part that a worker runs cannot be told apart."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T504",
    title="the part that a worker runs cannot be told apart",
    why="""
Everything from the session on becomes a function. Statements of the training behind the block it stands in, results it
returns, or a session in another function do not fit.
""",
    todo="""
Keep session, loop and what follows in one block of the function that builds the graph.
""",
    sources=("tf.distribute.coordinator.ClusterCoordinator",),
)
