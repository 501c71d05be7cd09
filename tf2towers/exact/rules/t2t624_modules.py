"""T2T624: a module that was not found, or cannot be read; T2T625 has the libraries on TF1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.known_modules import is_known, is_tf1_library
from tf2towers.exact.rule import Example, Rule
from tf2towers.report.result import FindingKind


def edits(file: File) -> Iterator[Edit]:
    """Notes each import that leads nowhere."""
    found = file.program.imports.imports_of(file.path)
    for node in file.imports:
        for dotted in _asked(node):
            if _is_found(dotted, found):
                continue
            root = dotted.partition(".")[0]
            if root and (is_known(root) or is_tf1_library(root)):
                continue
            kind: FindingKind = "note" if _is_guarded(file, node) else "left"
            file.note(node, "T2T624", f"the module {dotted} was not found: it may have TF1 in it", kind)
    yield from ()


def _asked(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that an import needs for certain."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif node.module:
        yield "." * node.level + node.module
    else:
        yield from ("." * node.level + alias.name for alias in node.names if alias.name != "*")


def _is_found(dotted: str, found: dict[str, object] | dict[str, str] | object) -> bool:
    assert isinstance(found, dict)
    if dotted in found:
        return True
    return any(one.startswith(dotted + ".") for one in found)


def _is_guarded(file: File, node: ast.AST) -> bool:
    """Whether the program goes on without the module: the import stands in a `try` that catches its failure."""
    return any(
        isinstance(one, ast.Try) and one.handlers and node not in ast.walk(ast.Module(one.finalbody, []))
        for one in file.ancestors(node)
    )


RULE = Rule(
    code="T2T624",
    title="A module that was not found",
    does="refuses",
    why="""
    Everything that a script imports belongs to the program: a module beside it is migrated with it. One that is neither
    beside the script, nor Python's, nor a library that is known to have no TF1 in it, cannot be looked into.
    """,
    todo="Put the module beside the script, in its package or in a folder of its sys.path, and migrate again.",
    edits=edits,
    examples=(
        Example(
            "a module that is not there",
            "import tensorflow as tf\nimport my_model_zoo\n\nx = tf.placeholder(tf.float32, [])\n",
            left=True,
        ),
    ),
)
