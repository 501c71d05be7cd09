"""T2T509: `--collective`, and the training is not synchronous, or not certainly."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T509",
    title="--collective: nothing here says that the workers train synchronously",
    why="""
`migrate --collective` puts an all-reduce between the workers (MultiWorkerMirroredStrategy) in the place of
SyncReplicasOptimizer on parameter servers. Workers that do not wait for one another have no such sum, and towers in
one process have theirs without it. Only a SyncReplicasOptimizer that the tool has found says that they wait; a
condition on flags around it stays in the program and decides at every launch.
""",
    todo="""
Migrate without --collective: the exact register keeps parameter servers as they are, synchronous or not.
""",
    sources=("tf.distribute.MultiWorkerMirroredStrategy", "tf.compat.v1.train.SyncReplicasOptimizer"),
)
