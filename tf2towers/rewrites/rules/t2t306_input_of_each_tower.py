"""T2T306: placeholders and iterators that are made in the towers, and batches that only some take."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T306",
    title="an input that every tower makes, or that only some take",
    why="""
A step gives every tower its part of one batch, or a batch of its own from one iterator that is made beside the
towers. A placeholder or an iterator that each tower makes is none of these, nor is a run that computes one tower
only, and takes no batch for the others.
""",
    todo="""
Make the iterator before the loop; fetch what all towers gave: the mean of their losses, a step that trains.
""",
    sources=("tf.data.Iterator", "tf.split"),
)
