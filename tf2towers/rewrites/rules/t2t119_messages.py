"""T2T119: messages that name the Session."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T119",
    title="messages that name TF1's Session say 'session'",
    why="""
'Session initialization complete.' is printed by many scripts with parameter servers. There is no tf.Session in the
migrated program; the line stays, with the word in lower case. Whoever looks for the line in a log should know.
""",
    sources=("tf.compat.v1.Session",),
)
