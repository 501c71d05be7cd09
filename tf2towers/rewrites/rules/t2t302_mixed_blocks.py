"""T2T302: state among tensors."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T302",
    title="state and tensors in one block, or devices that depend on them",
    why="""
Variables, optimizers and devices are made once, before the towers; tensors inside the functions. A loop or a
with block that makes both cannot be cut in two without knowing what it does.
""",
    todo="""
Move what is made once (variables, optimizers, the list of devices) in front of the block.
""",
    sources=("tf.distribute.Strategy.scope",),
)
