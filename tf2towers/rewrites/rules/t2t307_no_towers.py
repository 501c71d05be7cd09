"""T2T307: training without towers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T307",
    title="training outside a tower loop the tool knows",
    why="""
A tower loop is `for ...: with tf.device(<from the loop's variable>): ... compute_gradients`. This script
computes or applies gradients, or names GPUs, in some other way.
""",
    todo="""
For one device nothing has to be distributed: tf_upgrade_v2 does such a script. Otherwise bring the towers
into one loop that collects compute_gradients in a list.
""",
    sources=("tf.device", "tf.compat.v1.train.Optimizer.compute_gradients"),
)
