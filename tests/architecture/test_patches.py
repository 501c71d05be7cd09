"""TensorFlow is changed in one place, and its private modules are imported there alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import dedent

import pytest

from .test_imports import PACKAGE

LIBRARIES = ("tensorflow", "keras", "tf_keras", "tf_slim")
MAY = (
    "runtime/patches/",
    "verify/stand_ins/modules.py",  # makes of tf.compat.v1 the module `tensorflow` that an original imports
    "verify/recorder/",  # notes what an original calls, in its own Python and with its own TensorFlow
    "compare/watch/",  # the same for a trainer that is watched
)


def assigned(text: str) -> Iterator[str]:
    """The assignments of a module's to attributes of TensorFlow's, also by `setattr` and by a name given to a part."""
    tree = ast.parse(text)
    theirs = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).partition(".")[0] in LIBRARIES
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Attribute)
            and root(node.value) in theirs
        ):
            theirs |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = list(node.targets)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("setattr", "delattr") and root(node.args[0]) in theirs:
                yield f"{node.lineno}: {ast.unparse(node)}"
        while targets:
            target = targets.pop()
            if isinstance(target, ast.Tuple | ast.List):
                targets += target.elts
            elif isinstance(target, ast.Attribute | ast.Subscript) and root(target.value) in theirs:
                yield f"{node.lineno}: {ast.unparse(target)}"


def imported(text: str) -> Iterator[str]:
    """The imports of TensorFlow's private modules, also by `import_module` and `__import__`."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names = [
                part.value
                for part in ast.walk(node)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
        yield from (f"{node.lineno}: {name}" for name in names if name.startswith("tensorflow.python"))


def root(node: ast.expr) -> str | None:
    """`tf` of `tf.compat.v1.Session`; None of what comes of a call, or stands in a table (absl's flags)."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def test_tensorflow_is_changed_in_one_place() -> None:
    wrong = [
        f"{name}:{line}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if not (name := str(file.relative_to(PACKAGE))).startswith(MAY)
        for line in assigned(file.read_text())
    ]
    assert wrong == []


def test_private_modules_are_imported_in_one_place() -> None:
    wrong = [
        f"{name}:{line}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if not (name := str(file.relative_to(PACKAGE))).startswith(MAY)
        for line in imported(file.read_text())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("import tensorflow.python.ops.nn", 1),
        ("def f():\n    from tensorflow.python import ops", 1),
        ("from tensorflow import python", 1),
        ("import_module('tensorflow.python.' + name)", 1),
        ("import tensorflow.compat.v1 as tf", 0),
    ],
)
def test_which_imports_are_found(text: str, count: int) -> None:
    assert len(list(imported(text))) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("import tensorflow as tf\ntf.Graph.device = None", 1),
        ("from tensorflow.python.ops import variables\nsetattr(variables, 'x', 1)", 1),
        ("import tensorflow as tf\nhook = tf.compat.v1.train.Hook\nhook.__init__ = None", 1),
        ("import tf_keras.src as keras\nkeras.a.b['c'], d = 1, 2", 1),
        (
            dedent(
                """\
            import tensorflow as tf
            graph = tf.Graph()
            graph.seed = 1
            import os
            os.x = 1"""
            ),
            0,
        ),
    ],
)
def test_which_assignments_are_found(text: str, count: int) -> None:
    assert len(list(assigned(text))) == count
