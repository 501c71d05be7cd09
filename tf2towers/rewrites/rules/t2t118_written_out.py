"""T2T118: a helper that builds state or inputs is written out where it is called."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T118",
    title="a helper that builds state or inputs is written out where it is called",
    why="""
A function that makes placeholders, optimizers or the placed graph, and is called once holds a part of the program:
its variables are made once, its inputs are parameters of the step. Its statements stand in the place of the call, under
their own names where these are free.
""",
    sources=("tf.compat.v1.placeholder",),
)
