"""T2T103: the all-reduce."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T103",
    title="average_gradients becomes one all-reduce MEAN",
    why="""
The tutorial's average_gradients stacks each gradient of all towers and takes the mean: ReduceOp.MEAN. With
one or two towers the result is equal bit for bit; with more, an all-reduce adds in another order (measured:
1.5e-7 relative at 4 and at 8), and in_tower_order() brings the old order back.

Only a function that does exactly this is replaced. One that sums, clips or leaves out towers is kept, and
given every tower's gradients.
""",
    sources=("tf.distribute.ReduceOp.MEAN", "issues 31317, 25806, 45923, 55321"),
)
