"""T2T112: dimensions."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T112",
    title="a shape's dimension is an int",
    why="""
In TF1 x.get_shape()[1] was a Dimension and .value its int. A TF2 shape holds ints, which have no .value: it
is taken off.
""",
    sources=("tf.TensorShape", "tf.compat.v1.Dimension"),
)
