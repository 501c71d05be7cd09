"""T2T109: imports."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T109",
    title="imports of TF1 modules become those of TF2",
    why="""
`import tensorflow.compat.v1 as tf` and disable_v2_behavior() go: the program is a TF2 program. An import of a
symbol is written for the place the symbol has today. An import of something TF 2.21 has lost, and that the
script does not use, goes.
""",
    sources=("tf.compat.v1", "issues 33309, 26461, 27340, 44103"),
)
