"""T2T210: synchronous updates without parameter servers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T210",
    title="synchronous updates without parameter servers",
    why="""
SyncReplicasOptimizer gathered the workers' gradients on the parameter servers; MultiWorkerMirroredStrategy averages
them by an all-reduce between the workers, each of which holds the variables. The parameter servers end at once. The
update is the same mean, but no straggler is left behind: replicas_to_aggregate must be the number of workers. Summaries
are made by worker 0 alone; what another worker gives its writer is empty.
""",
    sources=("tf.compat.v1.train.SyncReplicasOptimizer", "issue 27725"),
)
