"""T2T111: local modules."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T111",
    title="model code in local modules keeps its TF1 spelling",
    why="""
Model code runs unchanged inside the replica function. A module that the script imports gets the smallest edit
that makes it run: `import tensorflow.compat.v1 as tf`, and what compat.v1 has lost from tf2towers.runtime.
""",
    sources=("tf.compat.v1",),
)
