"""T2T311: libraries for TF1."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T311",
    title="a library that builds TF1 graphs",
    why="""
The script imports a library written for TF1 graphs and sessions, which TF 2.21 with Keras 3 does not run.
""",
    todo="""
Replace what it gives by TF2 code, then migrate again.
""",
    sources=("tf.contrib",),
)
