"""`Program`: a script and every local module it reaches, read once; and whether it is a TF1 program at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import libcst as cst

from tf2towers.codemod.file import File
from tf2towers.codemod.meanings import Defined
from tf2towers.codemod.nodes import Symbol, dotted, imported, module_of
from tf2towers.codemod.symbols import canonical_name, is_only_tf1, session_names
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.python2.reading import Reader, shows_python2
from tf2towers.source.script import Script

#: what a module that has TensorFlow from another one has in it
_MAY_USE = re.compile(r"\btf\b|import \*")

#: What only a program of sessions and graphs has, however it is spelled.
_GRAPHS = (
    "tf.Session", "tf.InteractiveSession", "tf.placeholder", "tf.get_variable", "tf.variable_scope", "tf.contrib",
    "tf.global_variables_initializer", "tf.layers", "tf.disable_v2_behavior", "tf.disable_eager_execution",
    "tf.trainable_variables", "tf.train.Server", "tf.train.Supervisor", "tf.train.MonitoredTrainingSession",
    "tf.get_collection", "tf.add_to_collection", "tf.train.Saver",
)  # fmt: skip

#: What a program has that builds graphs on TF 2.
_RUN_GRAPHS = frozenset(
    {
        "tf.Session", "tf.InteractiveSession", "tf.placeholder", "tf.disable_v2_behavior",
        "tf.disable_eager_execution", "tf.train.Server", "tf.train.Supervisor", "tf.train.MonitoredTrainingSession",
        "tf.get_default_session", "tf.keras.backend.get_session", "tf.keras.backend.set_session",
    }
)  # fmt: skip


class Program:
    """A script, `main`, and the local modules it reaches."""

    def __init__(
        self,
        script: Script,
        towers: str | None = None,
        mains: frozenset[Path] = frozenset(),
        python_path: tuple[Path, ...] = (),
    ) -> None:
        #: what the user gives as the number of towers
        self.towers = towers
        self._mains = mains
        self.read = Reader(script)
        self.imports = LocalImports(script, self.read, python_path=python_path)
        if (shown := shows_python2(script, self.imports, self.read)) is not None:
            self.read.convert_all(prints_are_calls=shown == "names")
            script = self.read.main
            self.imports = LocalImports(script, self.read, python_path=python_path)
        self.script = script
        self.main = File(script, self, main=True)
        self.files: list[File] = [self.main]
        #: local modules without TensorFlow, copied as they are
        self.others: list[Path] = []
        #: local modules that cannot be read, and why
        self.unreadable: list[tuple[Path, SourceError]] = []
        #: by absolute path; the script is here too, for modules may import it
        self._by_path: dict[Path, File] = {self.imports.main: self.main}
        self._plain_files: dict[Path, File] = {}
        self._active: set[tuple[Path, str]] = set()
        for path in self.imports.modules:
            self._add(path)
        self._add_by_others()

    def file(self, path: Path) -> File | None:
        """The file at a path, where it has TensorFlow in it."""
        return self._by_path.get(path)

    def module_of(self, file: File, dotted: str) -> File | None:
        """The local module that a dotted name of a file's imports means, where it has TensorFlow in it."""
        path = self.imports.imports_of(file.path).get(dotted)
        return self.file(path) if path is not None else None

    def defined(self, file: File, canonical: str) -> tuple[File, cst.FunctionDef | cst.ClassDef] | None:
        """The function or class that a canonical name means: in the file itself, or in a local module."""
        if "." not in canonical.lstrip("."):
            found = _top_level(file, canonical)
            return (file, found) if found is not None else None
        module, _, name = canonical.rpartition(".")
        other = self.module_of(file, module if module.strip(".") else canonical)
        if other is None:
            return None
        found = _top_level(other, name)
        return (other, found) if found is not None else None

    @cached_property
    def is_tf1(self) -> bool:
        """Whether anything in the program is TF1: sessions and graphs, or a name that TF 2 lacks.

        A program that runs on TF 2 may use some of `tf.compat.v1` without building graphs: then it is not TF1.
        """
        if self.is_tf2 or not any(_has_tf1(file) for file in self.files):
            return False
        return (
            not self.plain_is_tf2
            or any(_imports_v1(file) or "graph_mode" in file.script.text for file in self.files)
            or any(canonical in _RUN_GRAPHS for file in self.files for _, canonical in file.symbols)
        )

    @cached_property
    def is_tf2(self) -> bool:
        """Whether it computes eagerly, in functions or under tapes, and runs no graph; it may well say `compat.v1`."""
        used = {canonical for file in self.files for _, canonical in file.symbols}
        return any(map(_is_eager, used)) and not any(map(_runs_graphs, used))

    @cached_property
    def never_called(self) -> frozenset[cst.CSTNode]:
        """The functions and classes that nothing in the program names."""
        from tf2towers.codemod.reached import never_called

        return frozenset() if self.unreadable else never_called(self.all_files)

    @property
    def all_files(self) -> list[File]:
        """Its files, those without TensorFlow, too."""
        return [*self.files, *map(self.plain_file, self.others)]

    def plain_file(self, path: Path) -> File:
        """The file of a local module without TensorFlow."""
        if path not in self._plain_files:
            self._plain_files[path] = File(self.read(path), self, main=path in self._mains)
        return self._plain_files[path]

    @cached_property
    def plain_is_tf2(self) -> bool:
        """Whether `tf.x` means TF 2's `x`: the program runs on TF 2 already, and says `tf.compat.v1` for TF1.

        So it is when it names `compat.v1`, and nothing that TF 2 lacks by plain `tensorflow`: what tf_upgrade_v2
        wrote, or we did.
        """
        return any(_names_v1(file) for file in self.files) and not any(
            _needs_tf1(file) for file in self.files
        )

    def _add(self, path: Path) -> None:
        try:
            script = self.read(path)
        except SourceError as error:
            self.unreadable.append((path, error))
            return
        if "tensorflow" in script.text or "tf2towers" in script.text:
            file = File(script, self, main=path in self._mains)
            self.files.append(file)
            self._by_path[path] = file
        else:
            self.others.append(path)

    def _add_by_others(self) -> None:
        """Adds the modules that get TensorFlow from another local module: `from layers import tf`, or `*`."""
        waiting = []
        for path in self.others:
            script = self.read(path)
            if _MAY_USE.search(script.text) and "import" in script.text:
                waiting.append(self.plain_file(path))
        found = True
        while found:
            found = False
            for file in list(waiting):
                file.forget()
                if file.symbols:
                    waiting.remove(file)
                    self.files.append(file)
                    self._by_path[file.path] = file
                    self.others.remove(file.path)
                    found = True

    def through(self, file: File, dotted: str) -> str | None:
        """What a name of another local module means, where that is something of TensorFlow's."""
        module, _, name = dotted.rpartition(".")
        other = self.module_of(file, module) if module.strip(".") else None
        if other is None or other is file or (other.path, name) in self._active:
            return None
        self._active.add((other.path, name))
        try:
            canonical = other.meanings.canonical_of(name, other.meanings.module)
        finally:
            self._active.discard((other.path, name))
        return canonical if canonical is not None and canonical.partition(".")[0] == "tf" else None


def _top_level(file: File, name: str) -> cst.FunctionDef | cst.ClassDef | None:
    bindings = file.meanings.module.bindings.get(name, [])
    if len(bindings) == 1 and isinstance(bindings[0], Defined):
        return bindings[0].node
    return None


def _is_eager(canonical: str) -> bool:
    return canonical in ("tf.function", "tf.GradientTape")


def _runs_graphs(canonical: str) -> bool:
    """Whether this runs a graph, or is for one only. (A server serves TF 2's coordinators as well.)"""
    name = canonical.removeprefix("tf2towers.runtime.")
    if "Server" in (name, canonical.rpartition(".")[2]):
        return False
    return (
        canonical in _RUN_GRAPHS
        or canonical in session_names()
        or name in ("graph_mode", *session_names().values())
        or canonical.startswith(("tf.estimator.", "tf.contrib."))
    )


def _has_tf1(file: File) -> bool:
    for node in file.imports:
        for _, name in imported(node):
            if name.startswith("tensorflow") and _is_graphs(canonical_name(name)):
                return True
    for use, canonical in file.symbols:
        if _is_graphs(canonical):
            return True
        if (
            "compat.v1" not in (dotted(use) or "")
            and not file.imported_from_v1(use)
            and is_only_tf1(canonical)
        ):
            return True
    return any(_is_graphs(name) or is_only_tf1(name) for _, name in file.doubtful)


def _names_v1(file: File) -> bool:
    """Whether a file says `tensorflow.compat.v1` anywhere in its code."""
    return _imports_v1(file) or any("compat.v1" in (dotted(use) or "") for use, _ in file.symbols)


def _imports_v1(file: File) -> bool:
    return any(
        module_of(node).startswith("tensorflow.compat")
        if isinstance(node, cst.ImportFrom)
        else any(name.startswith("tensorflow.compat.v1") for _, name in imported(node))
        for node in file.imports
    )


def _needs_tf1(file: File) -> bool:
    """Whether a file takes something from plain `tensorflow` that only TF1 had."""
    for node in file.imports:
        for _, name in imported(node):
            if name.startswith("tensorflow.") and not name.startswith("tensorflow.compat."):
                canonical = canonical_name(name)
                if canonical.startswith("tf.contrib") or is_only_tf1(canonical):
                    return True
    return any(True for _ in only_tf1s(file))


def only_tf1s(file: File) -> Iterator[tuple[Symbol, str]]:
    """What a file takes from plain `tensorflow` that only TF1 had, with the name that it means."""
    for use, canonical in file.symbols:
        if file.is_plain(use) and (canonical.startswith("tf.contrib.") or is_only_tf1(canonical)):
            yield use, canonical


def _is_graphs(canonical: str) -> bool:
    return any(canonical == name or canonical.startswith(name + ".") for name in _GRAPHS) or (
        canonical.startswith("tf.train.") and canonical.endswith("Optimizer")
    )
