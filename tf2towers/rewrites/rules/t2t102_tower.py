"""T2T102: the replica function."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T102",
    title="the tower loop's body becomes a function",
    why="""
The loop built the same graph once a device. TF2 calls one function on every device: the loop's body, moved
into def tower(...). Its parameters are the whole batch, which the tower slices as before. The loop's index
becomes tower_index(), a Python int, because the function is traced once a tower. Lists that the loop filled
are gathered from the towers where something other than the averaging reads them.
""",
    sources=("tf.distribute.Strategy.run", "tf.distribute.ReplicaContext"),
)
