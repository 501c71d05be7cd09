"""T2T617: generators that end by `raise StopIteration`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.nodes import OWN_NAMES, block, is_name, is_plain, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule

_CATCH_IT = ("StopIteration", "Exception", "BaseException")


def edits(file: File) -> Iterator[Edit]:
    """`return`, with the value that the error had."""
    for node in file.all(cst.Raise):
        value = _value(file, node)
        if value is not None and _ends_generator(file, node):
            yield file.replace(node, f"return {value}".rstrip())


def _value(file: File, node: cst.Raise) -> str | None:
    """What the error says: nothing, or the text of its one argument; None where it is another error."""
    args = node.exc.args if isinstance(node.exc, cst.Call) else ()
    raised = node.exc.func if isinstance(node.exc, cst.Call) else node.exc
    is_end = is_name(raised) and raised.value == "StopIteration" and not file.meanings.bindings(raised)
    if not is_end or node.cause is not None or len(args) > 1 or not all(map(is_plain, args)):
        return None
    given = "".join(file.text.of(each.value) for each in args)
    return None if "\n" in given else given


def _ends_generator(file: File, node: cst.Raise) -> bool:
    """Whether a `raise` certainly ends the generator that it is in."""
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.FunctionDef):
            is_generator = any(isinstance(part, cst.Yield) for part in walk(*block(around), but=OWN_NAMES))
            return around.asynchronous is None and is_generator
        if isinstance(around, cst.ClassDef):
            return False
        if isinstance(around, cst.Try) and inner in block(around) and any(map(_catches, around.handlers)):
            return False
        names = [name for item in around.items for name in walk(item)] if isinstance(around, cst.With) else []
        if any(is_name(name) and name.value == "StopIteration" for name in names):
            return False
    return False


def _catches(handler: cst.ExceptHandler) -> bool:
    names = walk(handler.type) if handler.type is not None else ()
    return handler.type is None or any(is_name(name) and name.value in _CATCH_IT for name in names)


RULE = Rule(
    code="T2T617",
    title="A generator ends by `return`",
    why="""
    `raise StopIteration` ended a generator until Python 3.6. From 3.7 on the loop over it gets a RuntimeError, so the
    first epoch would end the program. `return` ends a generator in every Python. Where the generator itself catches
    the error it stays.
    """,
    sources=("PEP 479",),
    edits=edits,
    programs=frozenset({"tf1", "migrated"}),
    modules=True,
    examples=(
        Example(
            "batches of one epoch",
            "import tensorflow as tf\n\n\ndef batches(x, size):\n    start = 0\n    while True:\n"
            "        if start >= len(x):\n            raise StopIteration\n        yield x[start : start + size]\n"
            "        start += size\n\n\n"
            "for batch in batches([1, 2, 3], 2):\n    tf.Session().run(tf.constant(batch))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n"
            "\n\ndef batches(x, size):\n    start = 0\n    while True:\n        if start >= len(x):\n"
            "            return\n        yield x[start : start + size]\n        start += size\n\n\n"
            "for batch in batches([1, 2, 3], 2):\n    Session().run(tf.constant(batch))\n",
        ),
        Example(
            "one that the generator catches, and an iterator by a class: they stay",
            "import tensorflow as tf\n\n\nclass Steps:\n    def __next__(self):\n        raise StopIteration\n\n\n"
            "def steps(n):\n    try:\n        for step in range(n):\n"
            "            yield step\n        raise StopIteration\n    except StopIteration:\n        yield -1\n\n\n"
            "print(tf.Session().run(tf.constant(list(steps(2)))))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n\n"
            "class Steps:\n    def __next__(self):\n        raise StopIteration\n\n\n"
            "def steps(n):\n    try:\n        for step in range(n):\n"
            "            yield step\n        raise StopIteration\n    except StopIteration:\n        yield -1\n\n\n"
            "print(Session().run(tf.constant(list(steps(2)))))\n",
        ),
    ),
)
