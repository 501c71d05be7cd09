"""T2T303: towers that differ."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T303",
    title="the towers do different things, or one hands a value to the next",
    why="""
A replica function is the same for every tower and sees no other tower. A value that goes from one turn of the
loop to the next, or statistics that one tower keeps for all, have no counterpart.
""",
    todo="""
Make every tower do the same; a running sum becomes a list that is added up after the loop.
""",
    sources=("tf.distribute.Strategy.run",),
)
