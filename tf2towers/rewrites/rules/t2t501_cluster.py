"""T2T501: distributed training in a shape the tool does not know."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T501",
    title="distributed training in a shape the tool does not know",
    why="""
tf.train.Server, replica_device_setter, SyncReplicasOptimizer, Supervisor, monitored sessions are carried over together,
where one function makes the server, builds the graph under replica_device_setter and runs it. Alone, or spread over
functions that the tool does not follow, they are left and listed.
""",
    todo="""
Bring server, graph and session into one function, or move this part to ParameterServerStrategy by hand.
""",
    sources=("tf.distribute.ParameterServerStrategy", "issue 27725", "keras issues 18624 and 20585"),
)
