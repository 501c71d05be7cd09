"""T2T501: parameter servers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T501",
    title="training with parameter servers",
    why="""
tf.train.Server, replica_device_setter and SyncReplicasOptimizer: asynchronous training has its counterpart in
ParameterServerStrategy, synchronous training over parameter servers was never shipped in TF2 and becomes
MultiWorkerMirroredStrategy.
""",
    todo="""
Not done yet by this tool: it lists the sites.
""",
    sources=("tf.distribute.ParameterServerStrategy", "issue 27725", "keras issues 18624 and 20585"),
)
