"""T2T624: a module that was not found, or cannot be read; T2T625 has the libraries on TF1."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Assigned, Defined
from tf2towers.codemod.nodes import Import, imported, module_of, name_of
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.reached import is_guarded, may_fail, note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.report.result import FindingKind
from tf2towers.source.built_modules import BuiltModule, is_of_an_old_protoc
from tf2towers.source.imports_by_text import ImportByText
from tf2towers.source.known_modules import is_known, is_tf1_library


def _folder_above(file: File, name: str, path: Path) -> Path | None:
    """The folder above the script that a module was found in, where Python finds none by itself."""
    depth = name.count(".") + 1 + (path.name == "__init__.py")
    is_local = not name.startswith(".") and len(path.parents) >= depth
    folder = path.parents[depth - 1] if is_local else None
    return folder if folder in file.program.imports.roots_above else None


@found_once
def _first_from_above(main: File) -> dict[Path, tuple[Import, str]]:
    """Folder above the script -> the first import of the program that needs it, and the module."""
    first: dict[Path, tuple[Import, str]] = {}
    for file in main.program.all_files:
        found = file.program.imports.imports_of(file.path)
        for node in file.imports:
            for name in _named_modules(node):
                folder = _folder_above(file, name, found[name]) if name in found else None
                if folder is not None:
                    first.setdefault(folder, (node, name))
    return first


def _searched(file: File, name: str) -> str:
    """The folders in which a module was looked for, where there are others than the script's own."""
    roots = [] if name.startswith(".") else file.program.imports.roots
    shown = [os.path.relpath(folder, file.program.imports.main.parent) for folder in roots]
    return f" (not in {', '.join(shown)})" if len(shown) > 1 else ""


def missing(node: Import, found: Mapping[str, Path]) -> Iterator[str]:
    """The modules that an import needs and that are unknown: neither local ones (`found`) nor libraries."""
    for name in _needed_modules(node):
        root = name.partition(".")[0]
        local = name in found or any(module.startswith(f"{name}.") for module in found)
        if not local and not (root and (is_known(root) or is_tf1_library(root))):
            yield name


def _why_unseen(file: File, call: ImportByText) -> str | None:
    """Why no module can be named for an import by a text (`import_module('models.' + name)`); None where one can."""
    root = call.start.partition(".")[0]
    if call.is_path and not file.program.imports.found_by_text(file.path, call):
        named = "" if call.shown in ("", "*") else f", {call.shown}, which was not found"
        return f"a file is loaded by its path here{named}: it may have TF1 in it"
    if call.is_path:
        return None
    known = "." in call.start + "."[: call.is_written_out] and is_known(root)
    if known or file.program.imports.found_by_text(file.path, call):
        return None
    if call.choices:
        return f"not all of {', '.join(call.choices)} were found: they may have TF1 in them"
    if not call.start:
        return "a module is imported by a computed text here: which one cannot be seen"
    if call.is_written_out:
        return f"the module {call.shown} was not found: it may have TF1 in it{_searched(file, call.start)}"
    shown = f"modules {call.shown} are imported by a computed text, and none was found"
    return f"{shown}: they may have TF1 in them{_searched(file, call.start)}"


def _is_of_package(file: File, name: str) -> bool:
    """True if `.version` of `from . import version` is a value, function or class of the package's `__init__.py`."""
    plain = name.lstrip(".")
    place = file.path.parents[max(0, len(name) - len(plain) - 1)] / "__init__.py"
    package = next((each for each in file.program.all_files if each.path == place), None)
    if package is None or plain == name or "." in plain:
        return False
    bound = package.meanings.at_top(plain)
    return bool(bound) and all(
        isinstance(each, Defined) or (isinstance(each, Assigned) and nodes.is_literal(each.value))
        for each in bound
    )


def _needed_modules(node: Import) -> Iterator[str]:
    """The modules that an import needs for certain."""
    if module_of(node).strip("."):
        yield module_of(node)
    else:
        yield from (name for alias, name in imported(node) if name_of(alias) != "*")


def _named_modules(node: Import) -> Iterator[str]:
    """The modules that an import may name, as local ones are known: `data.cifar10`, `.model`."""
    yield from _needed_modules(node)
    if module_of(node).strip("."):
        yield from (name for _, name in imported(node))


class MissingModule(Rule):
    """A module that was not found

    Everything that a script imports belongs to the program: a module beside it is migrated with it. A module is left if
    it is neither beside the script, nor Python's, nor of a library known to be without TF1. Beside the script is also
    what the setup.py of its project installs, and what lies in folders that the program adds to sys.path.

    An import by a computed name counts, too. `import_module('models.' + name)` means every module in the folder
    `models`. `import_module(args.model)` means every module of the package that the flag's default is in, or the flag's
    choices; `import_module(MODELS[name])` means the dictionary's. A file that is loaded by its path
    (`imp.load_source('m', 'models/%s.py' % name)`) is found in the same way. Where nothing says what it is, it is left.

    An import in a function that nothing calls is only a note. So is a module that Cython or protoc makes of a file
    beside it without TensorFlow: it has to be built for this Python. T2T628 reports a module that protoc wrote before
    3.19.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated", "other"})
    modules = True
    todo = """
    A module of the program: put it beside the script, or name the folder that it is in (--python-path FOLDER), and
    migrate again. A library that you install, without TensorFlow 1 in it: accept the line (`# noqa: T2T624`). With
    TensorFlow 1 in it: copy its package beside the script, and migrate again. Write a computed import out: `import
    models.vgg`, or a dictionary of the modules that there are.
    """
    examples = (
        Example(
            "a module that is not there",
            """
                import tensorflow as tf
                import my_model_zoo

                x = tf.placeholder(tf.float32, [])
                """,
            left=True,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """Notes each import whose module is not found."""
        for statement in self.file.imports:
            self._look(statement)
        file, by_text = self.file, self.file.program.imports.by_text(self.file.path)
        lines: dict[int, list[cst.Call]] = {}
        for call in file.all(cst.Call) if by_text else ():
            lines.setdefault(file.text.first_line(call), []).append(call)
        for each in by_text:
            line, column = each.place
            call = min(lines[line], key=lambda call: abs(file.text.column(call) - column))
            if (unseen := _why_unseen(file, each)) is not None:
                self._note_missing(call, unseen, guarded=each.is_written_out and is_guarded(file, call))
            elif not each.start and (paths := file.program.imports.found_by_text(file.path, each)):
                names = ", ".join(sorted({path: name for name, path in paths}.values()))
                self.note(call, f"{names}: any of them may be imported here", "note")

    def _look(self, node: Import) -> None:
        file = self.file
        found = file.program.imports.imports_of(file.path)
        for name in missing(node, found):
            if (built := file.program.imports.built(file.path, name)) is not None:
                self._note_built(node, name, built)
                continue
            if _is_of_package(file, name):
                continue
            message = f"the module {name} was not found: it may have TF1 in it{_searched(file, name)}"
            self._note_missing(node, message, guarded=is_guarded(file, node))
        local = [name for name in _named_modules(node) if name in found]
        for name in local:
            folder = _folder_above(file, name, found[name])
            if folder is not None and _first_from_above(file.program.main)[folder] == (node, name):
                shown = os.path.relpath(folder, file.program.imports.main.parent)
                message = f"{name} is in {shown}, above the script: it runs with PYTHONPATH={shown}, or by python -m"
                self.note(node, message, "note")
        for path in sorted({found[name] for name in local}):
            if is_of_an_old_protoc(path):
                message = "an old protoc wrote it, and protobuf 4 refuses it; instead: make it again from its .proto"
                kind: FindingKind = "note" if may_fail(file, node) else "left"
                file.note(node, "T2T628", f"{path.name}: {message}", kind)

    def _note_missing(self, node: cst.CSTNode, message: str, *, guarded: bool) -> None:
        """Reports that a module was not found; it is only a note if no run reaches the import, or if it may fail."""
        kind: FindingKind = "note" if guarded else "left"
        note_site(self.file, node, self.code, message, stays="it is imported in {}", kind=kind)

    def _note_built(self, node: Import, name: str, built: BuiltModule) -> None:
        """Reports the file that a compiled or generated module is made of."""
        self.file.decided.compiled += (built.file, *built.beside)
        if built.by:
            message = f"{built.by} makes the module {name} of {built.file.name}: make it for this Python"
        else:
            message = f"the compiled module {name} is not looked into"
        self.note(node, f"{message}; -o copies {built.file.name}", "note")
