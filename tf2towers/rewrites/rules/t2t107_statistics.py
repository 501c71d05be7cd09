"""T2T107: UPDATE_OPS."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T107",
    title="moving statistics are those of the tower whose UPDATE_OPS ran",
    why="""
TF1 towers shared one moving mean, and the script chose whose updates ran: get_collection(UPDATE_OPS, scope)
kept after the loop means the last tower's. A mirrored variable has one value a replica, so the choice is
written out: keep_statistics('last'), or 'none' where the updates were never run.
""",
    sources=("tf.compat.v1.GraphKeys.UPDATE_OPS", "issues 23770, 52986, 7439"),
)
