"""T2T609: what Python 2 did, and no certain conversion does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.file import File
from tf2towers.exact.never_called import leave
from tf2towers.source.python2.evidence import NAMES, names_of_python2
from tf2towers.exact.python_versions import is_never_reached
from tf2towers.exact.rule import Example, Rule


def notes(file: File) -> None:
    """Notes the names that only Python 2 has in a file that counts as Python 3; in others the conversion tells them."""
    for name in missed_names(file):
        if not is_an_error(file, name):  # T2T611 writes another one
            doubt = ", and nothing shows for certain that the program is"
            leave(file, name, "T2T609", f"{name.id} is of Python 2 alone", advice=doubt)


def missed_names(file: File) -> Iterator[ast.Name]:
    """The uses of names of Python 2 at which Python 3 stops, in a file that was not converted."""
    if file.script.conversion is not None or not any(name.id in NAMES for name in file.all(ast.Name)):
        return
    for name in names_of_python2(file.tree, is_main=file.main):
        bound = file.meanings.bindings(name) or file.program.library_names.may_have(file, name.id)
        if not bound and not is_never_reached(file, name):
            yield name


def is_an_error(file: File, name: ast.Name) -> bool:
    """Whether it is `StandardError`, which stops a program one way or the other, as `Exception` does."""
    return name.id == "StandardError" and "Exception" not in file.bound_names


RULE = Rule(
    code="T2T609",
    title="Python 2 meant something else here",
    does="refuses",
    notes=notes,
    why="""
    Some of Python 2 has no counterpart that the text makes certain: a method that Python 3 never calls (`__cmp__`),
    a name that it has not, the variable of a list comprehension that is read after it, a division in place of a
    value that would be computed twice. The rest of the script is converted; such a site is left as it is. So is a name
    of Python 2 (`basestring`, `xrange`) that a program which counts as Python 3 may come to: Python 3 stops there.
    """,
    todo="""Write at this place what Python 2 did there, as Python 3 says it. Where the message says that nothing shows
    for certain that the program is Python 2, and it is, look at its divisions as well: they were not touched.""",
    examples=(
        Example(
            "a class with a base that is compared by __cmp__",
            "import tensorflow as tf\n\nsess = tf.Session()\n\nclass Item(Base):\n"
            "    def __cmp__(self, other):\n        return cmp(self.loss, other.loss)\n\n\nprint sess\n",
            left=True,
        ),
        Example(
            "a name of Python 2 that is only come to where something fails: that shows no Python 2",
            "import tensorflow as tf\n\n\ndef rate(steps):\n    if steps < 1:\n"
            "        raise ValueError(unicode(steps))\n    return 1 / steps\n\n\n"
            "tf.Session().run(tf.constant(rate(2)))\n",
            left=True,
        ),
    ),
)
