"""T2T116: Supervisor and MonitoredTrainingSession become SupervisedTraining and MonitoredTraining."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T116",
    title="Supervisor and MonitoredTrainingSession become SupervisedTraining and MonitoredTraining",
    why="""
Both were a session with services around it: checkpoints restored and saved, a stop that every loop asks for, hooks.
The session goes, the services stay, with the arguments that have a meaning without a graph. Hooks that only look at the
step (StopAtStepHook, CheckpointSaverHook, SummarySaverHook, StepCounterHook) have counterparts of the same names.
""",
    sources=("tf.compat.v1.train.Supervisor", "tf.compat.v1.train.MonitoredTrainingSession", "issue 15793"),
)
