"""T2T208: variables fetched with the update."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T208",
    title="a variable fetched in the same run as the update",
    why="""
sess.run([train_op, global_step]) read the variable before or after the update, whichever op came first: TF1
gave no order. The migrated step of towers returns its value after the update; that of a parameter server's worker
the one before, for TF1's worker was sent it at the start of the run. What it computes of variables behind the
update gets the exact form.
""",
    todo="""
Nothing, unless the old run's numbers count: a step number may be one more than the one that was printed.
""",
    safe=False,
    sources=("tf.compat.v1.Session.run", "tf.function"),
)
