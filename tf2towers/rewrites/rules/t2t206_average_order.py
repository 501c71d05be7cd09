"""T2T206: order of update and moving average."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T206",
    title="the moving average is taken after the update",
    why="""
In TF1 tf.group(apply_gradient_op, variables_averages_op) ran both in no fixed order: the average saw the
weights before or after the step. In a tf.function the statements run as they are written: the average sees
the new weights.
""",
    todo="""
Nothing, unless you compare bit for bit with an old run: there the order was left to chance.
""",
    safe=False,
    sources=("tf.group", "tf.compat.v1.train.ExponentialMovingAverage"),
)
