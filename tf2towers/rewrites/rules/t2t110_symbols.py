"""T2T110: names."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T110",
    title="TF1 symbols under their TF2 names",
    why="""
A name that means the same in TF2 gets its TF2 spelling; one that only compat.v1 has is written
tf.compat.v1.*; a name of before 1.0 (tf.concat's old order, tf.mul, tf.pack) gets today's, arguments and
keywords included; a layer that TF 2.21 has lost comes from tf2towers.runtime, with the same names and
numbers.
""",
    sources=("tf.compat.v1",),
)
