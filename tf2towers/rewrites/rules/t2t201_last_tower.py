"""T2T201: which tower's value is shown."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T201",
    title="the value fetched is the last tower's",
    why="""
After the loop, `loss` is the last tower's: the script printed the loss of one part of the batch as if it were
the whole's. The migrated program returns the same tower's value.
""",
    todo="""
Where the mean over the towers was meant, collect the losses in a list and fetch tf.reduce_mean of it.
""",
    sources=("tf.distribute.Strategy.run",),
)
