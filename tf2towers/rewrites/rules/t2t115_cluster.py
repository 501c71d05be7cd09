"""T2T115: a task of a cluster becomes a ClusterTask, its devices a strategy."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T115",
    title="a task of a cluster becomes a ClusterTask, its devices a strategy",
    why="""
tf.train.Server is started for every task. Asynchronous training becomes ParameterServerStrategy: the process of
worker 0 holds its own server and the coordinator too, so the launch commands stay as they were. Where the script has a
SyncReplicasOptimizer, its condition is handed to the task: TF2 never shipped synchronous parameter servers, and the
workers train with MultiWorkerMirroredStrategy. The block on replica_device_setter becomes the strategy's scope.
""",
    sources=(
        "tf.distribute.ParameterServerStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
        "issue 27725",
    ),
)
