"""T2T203: the same batch on every tower."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T203",
    title="every tower is handed the same batch",
    why="""
The batch is made once, before the loop, and the loop does not slice it: every tower computes the same
gradients, and the mean of equal gradients is the gradient of one tower. More towers cost time and change
nothing. The migrated program does the same.
""",
    todo="""
Split the batch (tf.split(images, num_towers)[i]), or take a batch in each tower, if the towers were meant to
share the work.
""",
    sources=("tf.split",),
)
