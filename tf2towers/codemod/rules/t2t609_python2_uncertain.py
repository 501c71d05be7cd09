"""T2T609: what Python 2 did, and no certain conversion does."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File, Program
from tf2towers.codemod.python_versions import is_never_reached
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.source.python2.evidence import NAMES, lines_of_python2
from tf2towers.source.python2.reading import convert_script

#: names whose counterpart in Python 3 does the same in whichever Python the program was written for
_SAME = {
    "xrange": "range",
    "long": "int",
    "raw_input": "input",
    "unichr": "chr",
    "reduce": "functools.reduce",
}
#: what is the same only as a class that is asked for: `isinstance(x, basestring)`
_SAME_CLASSES = {"basestring": "str", "unicode": "str"}
#: steps of a conversion from Python 2 after which the program computes something else
_DIFFERS = re.compile(r"integer|were bytes|as floats|of Python 2$|input\(\)|pickles")


def notes(file: File) -> None:
    """Notes the names that only Python 2 has in a file that counts as Python 3; in others the conversion does."""
    for name in missed_names(file):
        if counterpart(file, name) is not None:  # T2T611 writes it
            continue
        message = f"only Python 2 has {name.value}"
        if file.program.python is not None:
            note_site(file, name, "T2T609", message, kind="note")
            continue
        differs = _where_pythons_differ(file.program)
        also = f", and {differs} is another in each" if differs is not None else ""
        note_site(
            file, name, "T2T609", f"--python 2 or --python 3 says which Python this is: {message}{also}"
        )


def counterpart(file: File, name: cst.Name) -> str | None:
    """What Python 3 calls a missed name, where that is certain: the same whichever Python the program is."""
    if is_an_error(file, name):
        return "Exception"
    found = _SAME.get(name.value)
    if found is None and _is_asked_for(file, name):
        found = _SAME_CLASSES.get(name.value)
    if found is None or found in file.bound_names:
        return None
    if file.program.python is None and _where_pythons_differ(file.program) is not None:
        return None
    return found


def _is_asked_for(file: File, name: cst.Name) -> bool:
    """True if a name is a class that `isinstance` or `issubclass` asks for, alone or in a tuple."""
    around = file.parent(name)
    asked: cst.CSTNode = around if isinstance(around, cst.Tuple) else name
    call = file.parent(asked)
    if not isinstance(call, cst.Call) or asked not in nodes.positional(call)[1:2]:
        return False
    return file.canonical(call.func) in ("builtins.isinstance", "builtins.issubclass")


def _where_pythons_differ(program: Program) -> str | None:
    """What Python 2 would have computed otherwise than Python 3, and where: `integer division (train.py:12)`."""
    if "differs" not in program.found:
        program.found["differs"] = next(_differences(program), None)
    found: str | None = program.found["differs"]
    return found


def _differences(program: Program) -> Iterator[str]:
    for file in program.all_files:
        converted = convert_script(file.script, prints_are_calls=True)
        conversion = converted.conversion if converted is not None else None
        for step in conversion.steps if conversion is not None else ():
            if _DIFFERS.search(step.name):
                yield f"{step.name} ({file.path.name}:{step.line})"


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

    A program that counts as Python 3 may reach a name that only Python 2 has, at which Python 3 stops. `xrange`,
    `reduce`, `long` and `isinstance(x, basestring)` have a counterpart that is the same in both: it is written. Such a
    name is left where it has none, or where something else would differ between both, as a division of integers.
    `--python 2` or `--python 3` says which Python the program is.
    """,
    todo="""Say which Python it is, by --python 2 or --python 3, where the message asks for it. Else write in Python 3
    what Python 2 did there.""",
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
