"""T2T401: sessions the tool cannot follow."""

from tf2towers.rewrites.rule import Rule

RULE = Rule(
    code="T2T401",
    title="a session in a shape the tool does not follow",
    why="""
Every sess.run has to become a call of a function, so what it fetches and feeds has to be readable where it
stands. In a session that is given to a helper, or a run of the operation itself (`init.run()`), they are not.
""",
    todo="""
Write `sess.run([...], feed_dict={...})` with plain names in the function that builds the graph.
""",
    sources=("tf.compat.v1.Session.run", "issues 6263 and 15793"),
)
