"""T2T306: placeholders in the towers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T306",
    title="an input that every tower takes for itself",
    why="""
Each tower asks an iterator for a batch of its own. A step takes the whole batch, and every tower its part of
it.
""",
    todo="""
Take one batch for all towers before the loop, and let tower i take tf.split(batch, num_towers)[i].
""",
    sources=("tf.data.Iterator", "tf.split"),
)
