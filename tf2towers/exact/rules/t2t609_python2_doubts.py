"""T2T609: what Python 2 did, and no certain conversion does."""

from __future__ import annotations

from tf2towers.exact.rule import Example, Rule

RULE = Rule(
    code="T2T609",
    title="Python 2 meant something else here",
    does="refuses",
    why="""
    Some of Python 2 has no counterpart that the text makes certain: a method that Python 3 never calls (`__cmp__`),
    a name that it has not, the variable of a list comprehension that is read after it, a division in place of a
    value that would be computed twice. The rest of the script is converted; such a site is left as it is.
    """,
    todo="Write at this place what Python 2 did there, as Python 3 says it.",
    examples=(
        Example(
            "a class with a base that is compared by __cmp__",
            "import tensorflow as tf\n\nsess = tf.Session()\n\nclass Item(Base):\n"
            "    def __cmp__(self, other):\n        return cmp(self.loss, other.loss)\n\n\nprint sess\n",
            left=True,
        ),
    ),
)
