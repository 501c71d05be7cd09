"""T2T406: sessions in local modules."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T406",
    title="session code in a module that the script calls",
    why="""
Model code of a local module runs as it is inside the replica function, which has no session, no queue runners
and no cluster.
""",
    todo="""
Move the session code out of the function, into the script.
""",
    sources=("tf.compat.v1.Session",),
)
