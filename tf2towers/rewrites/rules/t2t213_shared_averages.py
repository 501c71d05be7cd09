"""T2T213: moving averages that every synchronous worker updated."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T213",
    title="moving averages that every synchronous worker updated",
    why="""
On parameter servers the workers shared a moving average, and a graph built by each of them updated it once a step from
each: with four workers, four times a step, as it happened. Here it is updated once a step, with the decay that is
written. To keep the pace of before, take the decay to the power of the number of workers.
""",
    sources=("tf.train.ExponentialMovingAverage", "docs/semantics.md"),
)
