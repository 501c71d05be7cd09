"""T2T508: arguments of a Supervisor, a session or an optimizer that have no counterpart."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T508",
    title="an argument that has no counterpart",
    why="""
Supervisor, MonitoredTrainingSession, Scaffold and SyncReplicasOptimizer did much of a trainer's work by arguments:
functions that are given a session, operations that run when it begins, averages that the chief's thread updates. What
the runtime's own classes do not take is left, for to drop it would change the training.
""",
    todo="""
Say it in the program itself. SyncReplicasOptimizer's variable_averages: leave it out, and after the update write
`with tf.control_dependencies([train_op]): train_op = averages.apply(variables_to_average)`. A function of the session:
do in the loop, before the first step, what it did. An operation to be run at the start: make it the initial value of
its variable.
""",
    sources=("tf.compat.v1.train.SyncReplicasOptimizer", "tf.compat.v1.train.Supervisor"),
)
