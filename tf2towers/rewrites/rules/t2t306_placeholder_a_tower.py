"""T2T306: placeholders in the towers."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T306",
    title="a placeholder made in every tower",
    why="""
Each tower has placeholders of its own, and the script feeds them one by one. A step takes the whole batch,
and every tower its part of it.
""",
    todo="""
Make one placeholder for the whole batch before the loop, and let tower i take tf.split(batch, num_towers)[i].
""",
    sources=("tf.compat.v1.placeholder", "tf.split"),
)
