"""T2T105: session calls."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T105",
    title="each sess.run becomes a call of a tf.function",
    why="""
A sess.run computed what it fetched and nothing else. It becomes a tf.function with the statements that the
fetched values need: its parameters are the fed placeholders or the iterator's batch, its results the fetched
values. Ops that were fetched for their effect are simply run, and their None is left out where nothing takes
it.
""",
    sources=("tf.compat.v1.Session.run", "tf.function"),
)
