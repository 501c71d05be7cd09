"""T2T617: generators that end by `raise StopIteration`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.rule import Example, Rule
from tf2towers.source.nodes import Function

_CATCH_IT = ("StopIteration", "Exception", "BaseException")


def edits(file: File) -> Iterator[Edit]:
    """`return`, with the value that the error had."""
    for node in file.all(ast.Raise):
        value = _value(file, node)
        if value is not None and _ends_generator(file, node):
            yield file.replace(node, f"return {value}".rstrip())


def _value(file: File, node: ast.Raise) -> str | None:
    """What the error says: nothing, or the text of its one argument; None where it is another error."""
    raised, given = node.exc, ""
    if isinstance(raised, ast.Call) and not raised.keywords and len(raised.args) < 2:
        if any(isinstance(argument, ast.Starred) for argument in raised.args):
            return None
        given = "".join(map(file.text.of, raised.args))
        raised = raised.func
    is_end = (
        isinstance(raised, ast.Name) and raised.id == "StopIteration" and not file.meanings.bindings(raised)
    )
    return given if is_end and node.cause is None and "\n" not in given else None


def _ends_generator(file: File, node: ast.Raise) -> bool:
    """Whether a statement is a generator's own, which leaves it there."""
    inner: ast.AST = node
    while not isinstance(around := file.parent(inner), Function):
        if around is None or isinstance(around, ast.ClassDef):
            return False
        if isinstance(around, ast.Try) and inner in around.body and any(map(_catches, around.handlers)):
            return False
        if isinstance(around, ast.With) and "StopIteration" in " ".join(map(ast.unparse, around.items)):
            return False
        inner = around
    return isinstance(around, ast.FunctionDef) and _is_generator(around)


def _catches(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or any(name in ast.unparse(handler.type) for name in _CATCH_IT)


def _is_generator(function: ast.FunctionDef) -> bool:
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False


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
    examples=(
        Example(
            "batches of one epoch, and an iterator by a class, which stays",
            "import tensorflow as tf\n\n\ndef batches(x, size):\n    start = 0\n    while True:\n"
            "        if start >= len(x):\n            raise StopIteration\n"
            "        yield x[start : start + size]\n        start += size\n\n\n"
            "class Steps:\n    def __next__(self):\n        raise StopIteration\n\n\n"
            "for batch in batches([1, 2, 3], 2):\n    tf.Session().run(tf.constant(batch))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n\n"
            "def batches(x, size):\n    start = 0\n    while True:\n"
            "        if start >= len(x):\n            return\n"
            "        yield x[start : start + size]\n        start += size\n\n\n"
            "class Steps:\n    def __next__(self):\n        raise StopIteration\n\n\n"
            "for batch in batches([1, 2, 3], 2):\n    Session().run(tf.constant(batch))\n",
        ),
        Example(
            "one that the generator catches",
            "import tensorflow as tf\n\n\ndef steps(n):\n    try:\n        for step in range(n):\n"
            "            yield step\n        raise StopIteration\n    except StopIteration:\n        yield -1\n\n\n"
            "print(tf.Session().run(tf.constant(list(steps(2)))))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n\n"
            "def steps(n):\n    try:\n        for step in range(n):\n"
            "            yield step\n        raise StopIteration\n    except StopIteration:\n        yield -1\n\n\n"
            "print(Session().run(tf.constant(list(steps(2)))))\n",
        ),
    ),
)
