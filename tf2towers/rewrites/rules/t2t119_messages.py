"""T2T119: messages and docstrings that name what there is no more."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T119",
    title="messages and docstrings that name what there is no more",
    why="""
'Session initialization complete.' is printed by many scripts with parameter servers. There is no tf.Session in the
migrated program; the line stays, with the word in lower case. Whoever looks for the line in a log should know. A
docstring that names a Supervisor, or another object of TF1's sessions and clusters, names what the program has in its
place.
""",
    sources=("tf.compat.v1.Session",),
)
