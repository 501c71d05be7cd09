"""T2T310: symbols that are gone."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T310",
    title="a symbol that TF 2.21 no longer has",
    why="""
tf.contrib and a few modules did not come along to TF2, and neither TF 2.21 nor this package has something
that computes the same numbers.
""",
    todo="""
Write the few lines it stands for, or find its successor (tensorflow-addons' source, tf_slim, TF Probability)
and compare numbers.
""",
    sources=("tf.contrib", "issues 33309, 26461, 27340, 44103"),
)
