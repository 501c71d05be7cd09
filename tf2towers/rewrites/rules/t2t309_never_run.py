"""T2T309: towers nothing runs."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T309",
    title="no session call here runs the update that the towers build",
    why="""
The function that builds the towers does not run them itself: it returns the train op, or a helper of TF1
(slim.learning, a Supervisor's loop, a session passed elsewhere) runs it.
""",
    todo="""
Bring the session loop into the function that builds the towers, as `sess.run([train_op, loss])`.
""",
    sources=("tf.compat.v1.Session.run", "issues 6263 and 15793"),
)
