"""T2T301: several tower loops."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T301",
    title="more than one tower loop computes gradients",
    why="""
The script builds more than one set of towers (another model, or one graph for each of several modes). Which
of them a session trains is not clear from the text.
""",
    todo="""
Give each training a function of its own in a script of its own, and migrate them one by one.
""",
    sources=("tf.distribute.MirroredStrategy",),
)
