"""T2T506: hooks and sessions that ask the graph for tensors."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T506",
    title="hooks and sessions that ask the graph for tensors",
    why="""
A hook's before_run adds fetches to a session call, so what it fetches is part of every step. Without a session there is
no such call to add to.
""",
    todo="""
Give the hook tensors that have names of their own, and let it use nothing else of TensorFlow. Or fetch the values in
the loop's own session call, and do there what the hook did after the run.
""",
    sources=("tf.compat.v1.train.SessionRunHook",),
)
