"""T2T211: moving averages and summaries that the chief alone made."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T211",
    title="moving averages and summaries of the chief, made by every worker",
    why="""
In synchronous training with parameter servers the chief alone updated the moving averages, and all workers read them.
Under MultiWorkerMirroredStrategy each worker holds the variables, with the same values in each, and each keeps the
averages: the same numbers, without the condition on the task. Of summaries TensorFlow makes the first worker's only.
""",
    sources=("tf.train.ExponentialMovingAverage", "tf.distribute.MultiWorkerMirroredStrategy"),
)
