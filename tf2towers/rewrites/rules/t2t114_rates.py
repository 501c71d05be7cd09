"""T2T114: learning rates."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T114",
    title="a learning rate that was a tensor becomes a function",
    why="""
In TF1 the learning rate was a tensor of the graph, evaluated at every step. A TF2 optimizer outlives the
function that calls it and cannot hold a tensor of it: it takes a function of nothing, which reads the step
when it is called. A rate that was fed becomes a FedRate, which the step sets from its parameter.
""",
    sources=("tf.compat.v1.train.exponential_decay", "tf.compat.v1.train.Optimizer"),
)
