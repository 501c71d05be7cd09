"""T2T305: inputs of an unknown shape."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T305",
    title="an input in a shape the tool does not know",
    why="""
A batch has to come from outside the step: a parameter for each placeholder, a batch of an iterator. This one is
not assigned to plain names, is asked for where the session runs or in a function that the towers call, or comes
from two places.
""",
    todo="""
Assign placeholders and batches to plain names before the loop over towers.
""",
    sources=("tf.data.Dataset",),
)
