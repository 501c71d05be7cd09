"""T2T303: towers that differ."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T303",
    title="the towers do different things, or one hands a value to the next",
    why="""
A replica function is the same for every tower and sees no other tower. A condition on the tower's index that
gives names a different meaning on some towers, or a value that goes from one turn of the loop to the next,
has no counterpart.
""",
    todo="""
Make every tower do the same. What one tower keeps for all (`if i == 0:`) is understood when it only binds
names; a running sum becomes a list that is added up after the loop.
""",
    sources=("tf.distribute.Strategy.run",),
)
