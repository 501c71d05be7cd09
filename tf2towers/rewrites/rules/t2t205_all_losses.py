"""T2T205: collections that grow from tower to tower."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T205",
    title="a collection is read without the tower's scope",
    why="""
A TF1 collection belonged to the whole graph: tf.get_collection('losses') in tower 1 also gave the losses of
tower 0, so that later towers' gradients were computed from several losses. Each replica has a graph of its
own: here a tower sees its own losses alone. The gradients of the first tower are the same, those of the
others are what was probably meant.
""",
    todo="""
To keep the TF1 numbers, gather the losses (gather_towers) and add them yourself. Else do nothing.
""",
    safe=False,
    sources=("tf.compat.v1.get_collection",),
)
