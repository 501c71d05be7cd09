"""T2T312: weights of one tower alone."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T312",
    title="every tower makes weights of its own",
    why="""
A variable scope named after the tower, or after its part of the batch, makes new variables for every tower: the
towers do not share their weights. A mirrored variable is one variable on all
replicas, so there is no counterpart, and averaging the gradients of different variables is rarely what was
meant.
""",
    todo="""
Make the weights with tf.get_variable in a scope that every tower reuses; a name scope named after the tower
does no harm.
""",
    sources=("tf.Variable", "tf.compat.v1.get_variable", "tf.compat.v1.variable_scope"),
)
