"""T2T502: a cluster of another shape."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T502",
    title="a cluster of another shape",
    why="""
The function that makes the tf.train.Server is read as one worker's program: its graph under replica_device_setter, its
session, its loop. Other shapes cannot be told apart with certainty.
""",
    todo="""
Make one server, assigned to a name, in the function that has `with tf.device(tf.train.replica_device_setter(...))`.
""",
    sources=("tf.compat.v1.train.Server",),
)
