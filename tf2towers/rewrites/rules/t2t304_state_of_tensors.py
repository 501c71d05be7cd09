"""T2T304: state that depends on tensors."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T304",
    title="an optimizer, variable or dataset is made from a tensor of the graph",
    why="""
State is made once, before any step; a tensor exists only inside a step. In TF1 both were nodes of one graph.
""",
    todo="""
Pass the optimizer a number, a schedule or a function of nothing; initialize a variable from a NumPy array.
""",
    sources=("tf.compat.v1.train.Optimizer",),
)
