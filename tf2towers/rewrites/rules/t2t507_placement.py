"""T2T507: variables placed by a strategy of their own."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T507",
    title="variables placed by a strategy of their own",
    why="""
`ps_strategy` chose the parameter server of each variable. ParameterServerStrategy places variables round-robin, and can
split large ones over the servers with a partitioner; it has no other way.
""",
    todo="""
Take `ps_strategy` out, for round-robin; or do, and give ParameterServerStrategy the partitioner named, as its
`variable_partitioner`.
""",
    sources=("tf.compat.v1.train.replica_device_setter", "tf.distribute.ParameterServerStrategy"),
)
