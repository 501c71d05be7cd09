"""T2T108: placeholders, iterators, queues."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T108",
    title="inputs become parameters of the step",
    why="""
A placeholder becomes a parameter, with its dtype and shape in the input_signature. An iterator's get_next()
is called where the step is called, and the batch handed in. A pipeline of queues and readers has no TF2 form:
its own code runs as a TF1 graph of its own (GraphInput, one a tower: TowerInputs), and its batches are handed
in, in the same order.
""",
    sources=("tf.compat.v1.placeholder", "tf.TensorSpec", "tf.data.Iterator"),
)
