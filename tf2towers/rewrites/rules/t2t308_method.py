"""T2T308: towers in a method."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T308",
    title="the tower loop is in a method of a class",
    why="""
The graph lives in attributes of an object (self.loss, self.train_op), which any other method may run: the
tool follows names of one function only.
""",
    todo="""
Turn the method that builds the towers and the one that runs the session into one function with plain names.
""",
    sources=("tf.compat.v1.Session.run",),
)
