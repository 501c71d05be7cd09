"""T2T405: plain names that change."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T405",
    title="a plain name that the graph read is changed afterwards",
    why="""
TF1 read the name once, when it built the graph. A tf.function reads it when it is traced, at the first call,
and may find the new value.
""",
    todo="""
Give the second value a name of its own.
""",
    sources=("tf.function",),
)
