"""T2T609: what Python 2 did, and no certain conversion does."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.program import File
from tf2towers.codemod.python_versions import is_never_reached
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.source.python2.evidence import NAMES, lines_of_python2


def notes(file: File) -> None:
    """Notes the names that only Python 2 has in a file that counts as Python 3; in others the conversion does."""
    for name in missed_names(file):
        if not is_an_error(file, name):  # T2T611 writes another one
            doubt = ", and nothing shows for certain that the program is"
            note_site(file, name, "T2T609", f"only Python 2 has {name.value}", advice=doubt)


def missed_names(file: File) -> Iterator[cst.Name]:
    """The uses of names of Python 2 at which Python 3 stops, in a file that was not converted."""
    found = [name for name in file.all(cst.Name) if name.value in NAMES and file.is_read(name)]
    if not found or file.script.conversion is not None:
        return
    lines = lines_of_python2(file.script, is_main=file.main)
    for name in found:
        missed = (file.text.first_line(name), name.value) in lines and not file.meanings.bindings(name)
        if missed and not _may_have(file, name.value) and not is_never_reached(file, name):
            yield name


def _may_have(file: File, name: str) -> bool:
    """True if a file may have a name that it does not bind: by a star, or as one that is made Python's own."""
    return any(not module.startswith("tensorflow") for module in file.meanings.star_imports) or any(
        node.attr.value == name and other.is_bound(node)
        for other in file.program.all_files
        for node in other.all(cst.Attribute)
    )


def is_an_error(file: File, name: cst.Name) -> bool:
    """True if it is `StandardError`, which stops a program one way or the other, as `Exception` does."""
    return name.value == "StandardError" and "Exception" not in file.bound_names


RULE = Rule(
    code="T2T609",
    title="Python 2 meant something else here",
    does="refuses",
    notes=notes,
    programs=frozenset({"tf1", "migrated"}),
    modules=True,
    why="""
    Some of Python 2 lacks a certain counterpart: a method that Python 3 never calls (`__cmp__`), a name that it lacks,
    the variable of a list comprehension that is read after it. So does a division in place whose target would be
    computed twice. Others have one, and are rare: sorting by `cmp`, `StringIO`, the message of an error, `string.join`,
    `hashlib.md5` of a text, bytes above ASCII in a literal. The rest of the script is converted, and such a site is
    left.

    A name of Python 2 (`basestring`, `xrange`) is left too where a program that counts as Python 3 may reach it: Python
    3 stops there.
    """,
    todo="""Write in Python 3 what Python 2 did there. Where the message says that the program may not be Python 2,
    and it is, check its divisions as well: they were not changed.""",
    examples=(
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
    ),
)
