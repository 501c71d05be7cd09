"""T2T202: whose summaries are written."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T202",
    title="summaries are those of the first tower",
    why="""
tf.compat.v1.summary writes in the first replica only. TF1 wrote what the script collected: the last tower's
(SUMMARIES under its scope, kept after the loop), or, with merge_all(), every tower's under its own prefix.
""",
    todo="""
Fetch what you want to see from all towers and write it with tf.summary outside the step.
""",
    safe=False,
    sources=("tf.compat.v1.summary.scalar", "tf.compat.v1.summary.merge_all"),
)
