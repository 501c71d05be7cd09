"""T2T305: inputs of an unknown shape."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T305",
    title="an input in a shape the tool does not know",
    why="""
A batch has to come from outside the step: a parameter for each placeholder, a batch of an iterator or of a
pipeline that runs in a graph of its own. This one is not assigned to plain names, depends on something inside
the tower, or mixes with the rest of the graph.
""",
    todo="""
Assign placeholders and batches to plain names before the loop, and build a queue pipeline in a function that
returns its batch. Better: write it as a tf.data.Dataset.
""",
    sources=("tf.data.Dataset", "tf.compat.v1.train.batch"),
)
