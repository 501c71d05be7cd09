"""T2T106: what surrounds a session."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T106",
    title="session, initializers, queue runners and coordinators go",
    why="""
Variables have their value as soon as they are made, and a dataset's iterator starts when it is made, so there
is nothing to initialize and no session to open, configure or close. log_device_placement keeps its meaning
through tf.debugging.set_log_device_placement.
""",
    sources=("tf.compat.v1.Session", "tf.compat.v1.global_variables_initializer"),
)
