"""T2T503: when the training is synchronous cannot be told."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T503",
    title="when the training is synchronous cannot be told",
    why="""
Synchronous and asynchronous training need different strategies, chosen before any variable is made. The condition under
which SyncReplicasOptimizer stood has to be known where the server is made.
""",
    todo="""
Make the SyncReplicasOptimizer once, in the function of the server, under conditions on flags only.
""",
    sources=("tf.compat.v1.train.SyncReplicasOptimizer",),
)
