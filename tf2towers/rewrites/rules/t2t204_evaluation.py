"""T2T204: what an evaluation leaves alone."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T204",
    title="this step does not train, so it updates nothing",
    why="""
A sess.run that does not fetch the update leaves variables, moving averages and batch-norm statistics as they
are. The migrated step runs under variables.scope(update=False): what its functions would update on the way
gets its old value back.
""",
    sources=("tf.compat.v1.Session.run",),
)
