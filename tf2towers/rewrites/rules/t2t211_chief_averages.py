"""T2T211: moving averages that the chief alone kept."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T211",
    title="moving averages of the chief, kept by every worker",
    why="""
In synchronous training with parameter servers the chief alone updated the moving averages, and all workers read them.
Under MultiWorkerMirroredStrategy each worker holds the variables, with the same values in each, and each keeps the
averages: the same numbers, without the condition on the task.
""",
    sources=("tf.train.ExponentialMovingAverage", "tf.distribute.MultiWorkerMirroredStrategy"),
)
