"""T2T609: what Python 2 did, and no certain conversion does."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.python_versions import (
    are_lists_in_both,
    counterpart,
    lists_of_python2,
    missed_names,
    where_pythons_differ,
)
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule

_ASK = "--python 2 or --python 3 says which Python this is"


class Python2Uncertain(Rule):
    """Python 2 meant something else here

    Some of Python 2 lacks a certain counterpart: a method that Python 3 never calls (`__cmp__`), a name that it lacks,
    the variable of a list comprehension that is read after it. So does a division in place whose target would be
    computed twice. Others have one, and are rare: sorting by `cmp`, `StringIO`, `string.join`,
    `hashlib.md5` of a text, bytes above ASCII in a literal. The rest of the script is converted, and such a place is
    left.

    A program that counts as Python 3 may reach a name that only Python 2 has, at which Python 3 stops. `xrange`,
    `reduce`, `long` and `isinstance(x, basestring)` have a counterpart that is the same in both: it is written. Such a
    name is left where it has none, or where something else would differ between both, as a division of integers.
    `--python 2` or `--python 3` says which Python the program is.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated"})
    modules = True
    todo = """
    Say which Python it is, by --python 2 or --python 3, where the message asks for it. Else write in Python 3 what
    Python 2 did there.
    """
    examples = (
        Example(
            "a class with a base that is compared by __cmp__",
            """
                import tensorflow as tf

                sess = tf.Session()

                class Item(Base):
                    def __cmp__(self, other):
                        return cmp(self.loss, other.loss)


                print sess
                """,
            left=True,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """Notes the names that only Python 2 has in a file that counts as Python 3; in others the conversion does."""
        file = self.file
        for name in missed_names(file):
            if counterpart(file, name) is not None:  # T2T611 writes it
                continue
            message = f"only Python 2 has {name.value}"
            if file.program.python is not None:
                note_site(file, name, self.code, message, kind="note")
                continue
            differs = where_pythons_differ(file.program)
            also = f", and {differs} is another in each" if differs is not None else ""
            note_site(file, name, self.code, f"{_ASK}: {message}{also}")
        for call in lists_of_python2(file):
            if not are_lists_in_both(file.program):
                differs = where_pythons_differ(file.program)
                made_by = f"only Python 2 makes a list by {file.text.of(call.func)}"
                note_site(file, call, self.code, f"{_ASK}: {made_by}, and {differs} is another in each")
