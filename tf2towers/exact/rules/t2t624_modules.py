"""T2T624: a module that was not found, or cannot be read; T2T625 has the libraries on TF1."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tf2towers.exact.file import File
from tf2towers.source.known_modules import is_known, is_tf1_library
from tf2towers.exact.libraries.changed import changed
from tf2towers.exact.libraries.cython import gone_in_cython
from tf2towers.exact.lookup import was_in_tf1
from tf2towers.exact.never_called import leave, stays_in
from tf2towers.exact.rule import Example, Rule
from tf2towers.report.result import FindingKind
from tf2towers.source.built_modules import BuiltModule, is_of_an_old_protoc
from tf2towers.source.imports_by_text import ImportByText, imports_by_text
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.nodes import imported, module_of


def notes(file: File) -> None:
    """Notes each import that leads nowhere."""
    found = file.program.imports.imports_of(file.path)
    for node in file.imports:
        for dotted in missing(node, found):
            if (built := file.program.imports.built(file.path, dotted)) is not None:
                _tell_of_built(file, node, dotted, built)
                continue
            message = f"the module {dotted} was not found: it may have TF1 in it"
            _tell(file, node, message, guarded=_is_guarded(file, node))
        for path in sorted({found[name] for name in _named(node) if name in found}):
            if is_of_an_old_protoc(path):
                kind: FindingKind = "note" if _may_fail(file, node) else "left"
                message = (
                    "an old protoc wrote it, and protobuf 4 refuses it; today: make it anew of its .proto"
                )
                file.note(node, "T2T628", f"{path.name}: {message}", kind)
    for call, message in unseen_by_text(file.program.imports, file.path, file.tree, file.script.text):
        _tell(file, call.call, message, guarded=call.is_written_out and _is_guarded(file, call.call))
    for call in imports_by_text(file.tree, file.script.text):
        if call.start or _may_be_tensorflow(call):
            continue
        if found_here := file.program.imports.found_by_text(file.path, call):
            names = ", ".join(sorted({path: dotted for dotted, path in found_here}.values()))
            taken = " or ".join(sorted(call.attributes))
            message = f"{names}: any of them may be imported here, as they have {taken}"
            if call.walked is not None:
                message = f"{names}: all of them are imported here"
            file.note(call.call, "T2T624", message, "note")


def _tell(file: File, node: ast.Import | ast.ImportFrom | ast.Call, message: str, *, guarded: bool) -> None:
    """Says that a module was not found; it is only told where nothing leads to the import, or it may fail."""
    kind: FindingKind = "note" if guarded else "left"
    leave(file, node, "T2T624", message, stays="it is imported in {}", kind=kind)


def _tell_of_built(file: File, node: ast.Import | ast.ImportFrom, dotted: str, built: BuiltModule) -> None:
    """Says what a module that is no Python text is made of; what NumPy has no more in it is left."""
    file.compiled += built.files
    if built.by:
        message = f"{built.by} makes the module {dotted} of {built.made_of}: make it for this Python"
    else:
        message = f"the compiled module {dotted} is not looked into"
    file.note(node, "T2T624", f"{message}; -o copies {built.made_of}", "note")
    kind: FindingKind = "note" if _may_fail(file, node) else "left"
    for source in built.files:
        if source.suffix == ".pyx":
            for name, line in gone_in_cython(source.read_text(encoding="utf-8", errors="replace")):
                message = (
                    f"{name} is no more, and stands in {source.name}, line {line}, of which {dotted} is made"
                )
                today = changed()[name].target
                file.note(node, "T2T628", f"{message}; today: {today}" if today else message, kind)


def missing(node: ast.Import | ast.ImportFrom, found: Mapping[str, Path]) -> Iterator[str]:
    """The modules that an import needs and nobody knows: no local ones (`found`), no libraries."""
    for dotted in _asked(node):
        root = dotted.partition(".")[0]
        if not _is_found(dotted, found) and not (root and (is_known(root) or is_tf1_library(root))):
            yield dotted


def unseen_by_text(
    imports: LocalImports, path: Path, tree: ast.Module, text: str
) -> Iterator[tuple[ImportByText, str]]:
    """The imports by a text (`import_module('models.' + name)`) that no module can be named for, with the reason."""
    for call in imports_by_text(tree, text):
        root = call.start.partition(".")[0]
        known = not call.is_path and "." in call.start + "."[: call.is_written_out] and is_known(root)
        if known or (imports.found_by_text(path, call) and not _may_be_tensorflow(call)):
            continue
        if not call.start:
            yield call, "a module is imported by a computed text here: which one cannot be seen"
        elif call.is_written_out:
            yield call, f"the module {call.shown} was not found: it may have TF1 in it"
        else:
            yield (
                call,
                f"modules {call.shown} are imported by a computed text, and none was found: they may have TF1 in them",
            )


def _may_be_tensorflow(call: ImportByText) -> bool:
    """Whether TensorFlow itself has all that is taken from a module whose name is computed."""
    return not (call.start or call.walked) and all(was_in_tf1(f"tf.{name}") for name in call.attributes)


def _asked(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that an import needs for certain."""
    if isinstance(node, ast.ImportFrom) and node.module:
        yield module_of(node)
    else:
        yield from (dotted for alias, dotted in imported(node) if alias.name != "*")


def _named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that an import may name, as local ones are known: `data.cifar10`, `.model`."""
    yield from _asked(node)
    if isinstance(node, ast.ImportFrom) and node.module:
        yield from (dotted for _, dotted in imported(node))


def _may_fail(file: File, node: ast.Import | ast.ImportFrom) -> bool:
    """Whether the program goes on where an import fails, or does not come to it."""
    return _is_guarded(file, node) or stays_in(file, node, "") is not None


def _is_found(dotted: str, found: Mapping[str, Path]) -> bool:
    if dotted in found:
        return True
    return any(module.startswith(dotted + ".") for module in found)


def _is_guarded(file: File, node: ast.AST) -> bool:
    """Whether the program goes on without the module: the import stands in a `try` that catches its failure."""
    inner: ast.AST = node
    for around in file.ancestors(node):
        if isinstance(around, ast.Try) and around.handlers and inner not in around.finalbody:
            if not (inner in around.body and all(_ends(handler.body) for handler in around.handlers)):
                return True
        inner = around
    return False


def _ends(body: list[ast.stmt]) -> bool:
    """Whether statements end the program, as far as the last of them says: `raise`, `sys.exit()`."""
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return ast.unparse(last.value.func) in ("sys.exit", "exit", "quit", "os._exit")
    return isinstance(last, ast.Raise)


RULE = Rule(
    code="T2T624",
    title="A module that was not found",
    does="refuses",
    why="""
    Everything that a script imports belongs to the program: a module beside it is migrated with it. One that is neither
    beside the script, nor Python's, nor a library that is known to have no TF1 in it, cannot be looked into.
    An import by a text counts, too: of `import_module('models.' + name)` every module in the folder `models` belongs to
    the program, and in a loop over `pkgutil.iter_modules(models.__path__)` every one of that package; where nothing of
    the name is written out (`model = import_module(args.model)`), every module that has one of the names that are taken
    from it (`model.build`, `model.loss`), for another one the program would stop at.
    Where that cannot be seen, nobody can say which module it is. Only told is an import in a function that nothing
    calls, and a module that Cython, a local setup.py or protoc makes of files here without TensorFlow in them.
    It has to be made for this Python; what its Cython takes from NumPy that is no more is T2T628, and so is a module
    that protoc wrote before 3.19.
    """,
    todo="Put the module beside the script, in its package or in a folder of its sys.path, or name the folder of the "
    "PYTHONPATH that it is in (--python-path FOLDER), and migrate again. Write a computed import out: "
    "`import models.vgg`, or a dictionary of the modules that there are.",
    notes=notes,
    examples=(
        Example(
            "a module that is not there",
            "import tensorflow as tf\nimport my_model_zoo\n\nx = tf.placeholder(tf.float32, [])\n",
            left=True,
        ),
        Example(
            "a module that its user names",
            "import importlib\nimport sys\n\nimport tensorflow as tf\n\nmodel = importlib.import_module(sys.argv[1])\n"
            "x = tf.placeholder(tf.float32, [])\nprint(vars(model))\n",
            left=True,
        ),
    ),
)
