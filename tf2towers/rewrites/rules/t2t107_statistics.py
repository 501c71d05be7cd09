"""T2T107: UPDATE_OPS."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T107",
    title="batch norm keeps the statistics of the tower whose UPDATE_OPS ran",
    why="""
TF1 towers shared one moving mean, and the script chose whose updates ran: get_collection(UPDATE_OPS, scope)
kept after the loop means the last tower's, one under `if i == 0` the first tower's, one without a scope all
of them in no fixed order. A mirrored variable has one value a replica, so the choice is written out:
keep_statistics('last'), 'first', 'mean' (for all of them) or 'none' (they were never run).

'mean' is the one that TF1 does not define: there, updates of one variable by several towers raced.
""",
    safe=False,
    sources=("tf.compat.v1.GraphKeys.UPDATE_OPS", "issues 23770, 52986, 7439"),
)
