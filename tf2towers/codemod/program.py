"""`Program`: a script and every local module it reaches, read once; and `File`, one of them under migration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, TypeVar

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.decided import Decided
from tf2towers.codemod.meanings import Defined, Imported, Meanings
from tf2towers.codemod.names import Names
from tf2towers.codemod.symbols import (
    RUNTIME,
    beginnings,
    canonical_name,
    is_module,
    is_only_tf1,
    session_names,
)
from tf2towers.codemod.tree import Text, tree_of
from tf2towers.report.result import FindingKind
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.python2.reading import Reader, shows_python2
from tf2towers.source.script import Script

#: every module that gets TensorFlow from another local module contains this
_MAY_USE = re.compile(r"\btf\b|import \*")

#: Canonical names that only a program of sessions and graphs uses.
_GRAPHS = (
    "tf.Session", "tf.InteractiveSession", "tf.placeholder", "tf.get_variable", "tf.variable_scope", "tf.contrib",
    "tf.global_variables_initializer", "tf.layers", "tf.disable_v2_behavior", "tf.disable_eager_execution",
    "tf.trainable_variables", "tf.train.Server", "tf.train.Supervisor", "tf.train.MonitoredTrainingSession",
    "tf.get_collection", "tf.add_to_collection", "tf.train.Saver", "tf.estimator.inputs", "tf.estimator.tpu",
)  # fmt: skip

#: Canonical names by which a program that runs on TF 2 shows that it builds graphs.
_RUN_GRAPHS = frozenset({
    "tf.Session", "tf.InteractiveSession", "tf.placeholder", "tf.disable_v2_behavior",
    "tf.disable_eager_execution", "tf.train.Server", "tf.train.Supervisor", "tf.train.MonitoredTrainingSession",
    "tf.get_default_session", "tf.keras.backend.get_session", "tf.keras.backend.set_session",
})  # fmt: skip

Node = TypeVar("Node", bound=cst.CSTNode)
Kept = TypeVar("Kept")
Whole = TypeVar("Whole", "File", "Program")


def found_once(find: Callable[[Whole], Kept]) -> Callable[[Whole], Kept]:
    """Decorator of a function of a file, or of a program: it runs once for each, and `found` keeps the result."""

    @wraps(find)
    def found(whole: Whole) -> Kept:
        if find not in whole.found:
            whole.found[find] = find(whole)
        return whole.found[find]  # type: ignore[no-any-return]

    return found


class File:
    """One module of a program: its tree, what its names mean, and what is decided. What rules ask most is here."""

    def __init__(self, script: Script, program: Program, *, main: bool) -> None:
        self.script = script
        self.program = program
        self.main = main
        self.path = script.path
        #: its LibCST tree
        self.tree = tree = tree_of(script.text, script.path)
        self.body, self.imports, self.all = tree.body, tree.imports, tree.all
        self.parent, self.ancestors, self.steps_outwards = tree.parent, tree.ancestors, tree.steps_outwards
        self.statement, self.function_around, self.around = tree.statement, tree.function_around, tree.around
        self.is_read, self.is_bound = tree.is_read, tree.is_bound
        #: the results of functions that are `found_once`, and new names: function, and what for -> result
        self.found: dict[object, Any] = {}

    @cached_property
    def text(self) -> Text:
        """Its text, with the offsets of the nodes."""
        return Text(self.tree)

    @cached_property
    def meanings(self) -> Meanings:
        """What its names mean, those of other modules of the program, too."""
        through, holds = self.program.through, self.program.holds
        return Meanings(self.tree, lambda dotted: through(self, dotted), lambda dotted: holds(self, dotted))

    @cached_property
    def names(self) -> Names:
        """TensorFlow's names in it."""

        def names_of(module: str) -> Names | None:
            other = self.program.module_of(self, module)
            return other.names if other is not None else None

        return Names(self.tree, self.meanings, names_of, lambda: self.program.plain_is_tf2)

    @cached_property
    def decided(self) -> Decided:
        """What is decided for it."""

        def is_unreached(node: cst.CSTNode) -> bool:
            return self.program.find_unreached_context(self, node) is not None

        return Decided(self.names, self.text, lambda: self.program.names_by_stars, is_unreached)

    def canonical(self, node: cst.CSTNode | None) -> str | None:
        """The canonical name of a Name or Attribute: the public one, also where it comes from a private module."""
        return self.names.canonical(node)

    def called(self, node: cst.CSTNode | None) -> str:
        """The canonical name of the function that a node calls; empty where it is not known, or the node no call."""
        return (self.canonical(node.func) if isinstance(node, cst.Call) else None) or ""

    @property
    def symbols(self) -> list[tuple[nodes.Symbol, str]]:
        """Every use of something of TensorFlow outside imports: the longest attribute chain, and its canonical name."""
        return self.names.symbols

    def note(
        self, node: cst.CSTNode, code: str, message: str, kind: FindingKind = "left", todo: str = ""
    ) -> None:
        """Adds a note. Kind 'left': the site is left to the user, and the status is 1 (`Decided.note`)."""
        self.decided.note(node, code, message, kind, todo)

    def need(self, name: str, module: str = RUNTIME) -> str:
        """Adds `from module import name` to the file's imports; returns the name to write for it."""
        return self.decided.need(name, module)


class Program:
    """A script, `main`, and the local modules it reaches.

    `find_unreached_context` is a function of `reached.py`, `has_tf1_sign` one of `tf1_signs.py`.
    """

    def __init__(
        self,
        script: Script,
        find_unreached_context: Callable[[File, cst.CSTNode], str | None],
        has_tf1_sign: Callable[[File], bool],
        towers: str | None = None,
        mains: frozenset[Path] = frozenset(),
        python_path: tuple[Path, ...] = (),
        python: str | None = None,
    ) -> None:
        #: "2" or "3" where the user says for which Python the program is
        self.python = python
        #: the results of functions of the whole program that are `found_once`
        self.found: dict[object, Any] = {}
        self.find_unreached_context = find_unreached_context
        self.has_tf1_sign = has_tf1_sign
        #: what the user gives as the number of towers
        self.towers = towers
        #: lines for a requirements.txt: the releases of other libraries that the program needs as it stands
        self.requirements: set[str] = set()
        self._mains = mains
        self.read = Reader(script)
        self.imports = LocalImports(script, self.read, python_path=python_path)
        shown = shows_python2(script, self.imports, self.read) if python != "3" else None
        if python == "2":
            shown = shown or "names"
        if shown is not None:
            self.read.convert_all(prints_are_calls=shown == "names")
            script = self.read.main
            self.imports = LocalImports(script, self.read, python_path=python_path)
        self.script = script
        self.main = File(script, self, main=True)
        self.files: list[File] = [self.main]
        #: local modules without TensorFlow, copied as they are
        self.others: dict[Path, None] = {}
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
        """The file at a path, if it uses TensorFlow; else None."""
        return self._by_path.get(path)

    def module_of(self, file: File, dotted: str) -> File | None:
        """The local module that a dotted name in a file's imports means, if it uses TensorFlow; else None."""
        path = self.imports.imports_of(file.path).get(dotted)
        return self.file(path) if path is not None else None

    def defined(self, file: File, canonical: str) -> tuple[File, cst.FunctionDef | cst.ClassDef] | None:
        """The function or class that a canonical name means, with its file: this one, or a local module."""
        module, _, name = canonical.rpartition(".")
        home: File | None = file
        if "." in canonical.lstrip("."):
            home = self.module_of(file, module if module.strip(".") else canonical)
        else:
            name = canonical
        match home.meanings.at_top(name) if home is not None else []:
            case [Defined(found)] if home is not None and not home.meanings.is_replaced_by_star(name):
                return home, found
        return None

    @cached_property
    def is_tf1(self) -> bool:
        """True if anything in the program is TF1: sessions and graphs, or a name that TF 2 lacks.

        A program that runs on TF 2 may use some of `tf.compat.v1` without building graphs: then it is not TF1.
        """
        if self.is_tf2 or not any(_has_tf1(file) for file in self.files):
            return False
        if not self.plain_is_tf2 or any(map(_imports_v1, self.files)):
            return True
        has_mode = any("graph_mode" in file.script.text for file in self.files)
        return has_mode or any(name in _RUN_GRAPHS for file in self.files for _, name in file.symbols)

    @cached_property
    def is_tf2(self) -> bool:
        """True if the program uses `tf.function` or `tf.GradientTape`, and runs no graph; it may use `compat.v1`."""
        used = {canonical for file in self.files for _, canonical in file.symbols}
        return bool(used & {"tf.function", "tf.GradientTape"}) and not any(map(_runs_graphs, used))

    @property
    def all_files(self) -> list[File]:
        """All files of the program, also those without TensorFlow."""
        return [*self.files, *map(self.plain_file, self.others)]

    @cached_property
    def texts(self) -> frozenset[str]:
        """What the texts of all its files say."""
        return frozenset().union(*(file.tree.texts for file in self.all_files))

    def given_to_attributes(self, name: str) -> list[tuple[File, cst.BaseExpression]]:
        """What the program assigns to attributes of a name, item by item, with the file."""
        return [
            (file, value)
            for file in self.all_files
            for statement in file.all(cst.Assign)
            for target, value in nodes.assigned(statement)
            if isinstance(target, cst.Attribute) and target.attr.value == name
        ]

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names of all functions and classes that its files define."""
        files = self.all_files
        functions = (unit.name.value for file in files for unit in file.all(cst.FunctionDef))
        classes = (unit.name.value for file in files for unit in file.all(cst.ClassDef))
        return frozenset([*functions, *classes])

    @cached_property
    def names_by_stars(self) -> frozenset[str]:
        """What files call their own at the top, where one takes all names of another: it takes new ones, too."""
        stars = [(file, name) for file in self.files for name in file.meanings.star_imports]
        if not any(self.module_of(file, name) for file, name in stars):
            return frozenset()
        tops = (
            (name, file.meanings.top_meaning(name)) for file in self.files for name in file.meanings.top_names
        )
        return frozenset(name for name, meaning in tops if (meaning or "").partition(".")[0] != "tf")

    def plain_file(self, path: Path) -> File:
        """The file of a local module without TensorFlow."""
        if path not in self._plain_files:
            self._plain_files[path] = File(self.read(path), self, main=path in self._mains)
        return self._plain_files[path]

    @cached_property
    def plain_is_tf2(self) -> bool:
        """True if `tf.x` means TF 2's `x`: the program runs on TF 2 already, and says `tf.compat.v1` for TF1.

        That is so if it names `compat.v1`, and takes nothing from plain `tensorflow` that TF 2 lacks. Such programs are
        written by tf_upgrade_v2 or `migrate`.
        """
        return any(_names_v1(file) for file in self.files) and not any(
            _needs_tf1(file) for file in self.files
        )

    def _add(self, path: Path) -> None:
        try:
            script = self.read(path)
            if "tensorflow" in script.text or "tf2towers" in script.text:
                self._by_path[path] = File(script, self, main=path in self._mains)
                self.files.append(self._by_path[path])
            else:
                self.others[path] = None
        except SourceError as error:
            self.unreadable.append((path, error))

    def _add_by_others(self) -> None:
        """Adds the modules that get TensorFlow from another local module: `from layers import tf`, or `*`."""
        texts = {path: self.read(path).text for path in self.others}
        may_use = (path for path, text in texts.items() if _MAY_USE.search(text) and "import" in text)
        new = [file for file in map(self.plain_file, may_use) if file.symbols]
        for file in new:
            self.files.append(file)
            self._by_path[file.path] = file
            del self.others[file.path]

    def through(self, file: File, dotted: str) -> str | None:
        """The canonical name that a name of another local module means, if it is that of a library; else None."""
        module, _, name = dotted.rpartition(".")
        other = self._any_module_of(file, module)
        if other is None or other is file or (other.path, name) in self._active:
            return None
        if not other.meanings.may_have(name):
            return None
        self._active.add((other.path, name))
        try:
            canonical = other.meanings.top_meaning(name)
        finally:
            self._active.discard((other.path, name))
        if canonical is None or canonical.startswith("builtins.") or self.is_local(other, canonical):
            return None
        own = canonical == name and not all(
            isinstance(each, Imported) for each in other.meanings.at_top(name)
        )
        return None if own else canonical

    def holds(self, file: File, dotted: str) -> bool:
        """True if another local module has a name at its top, also by a star from a third one."""
        module, _, name = dotted.rpartition(".")
        other = self._any_module_of(file, module)
        if other is None or other is file or (other.path, name) in self._active:
            return False
        if name in other.meanings.top_names:
            return True
        self._active.add((other.path, name))
        try:
            return any(self.holds(other, f"{star}.{name}") for star in other.meanings.star_imports)
        finally:
            self._active.discard((other.path, name))

    def _any_module_of(self, file: File, dotted: str) -> File | None:
        """The local module that a dotted name in a file's imports means, with or without TensorFlow."""
        path = self.imports.imports_of(file.path).get(dotted) if dotted.strip(".") else None
        if path in self.others:
            return self.plain_file(path)
        return self.file(path) if path is not None else None

    def is_local(self, file: File, canonical: str) -> bool:
        """True if a name is in a local module that a file imports."""
        known = self.imports.imports_of(file.path)
        return any(module in known for module, rest in beginnings(canonical) if rest)


def _runs_graphs(canonical: str) -> bool:
    """True if a name runs graphs, or is of use to graphs only. A server is not: TF 2's coordinators use it as well."""
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
    taken = (name for node in file.imports for _, name in nodes.imported(node))
    if any(name.startswith("tensorflow") and _is_graphs(canonical_name(name)) for name in taken):
        return True
    for use, canonical in file.symbols:
        if _is_graphs(canonical):
            return True
        of_v1 = "compat.v1" in (nodes.dotted(use) or "") or file.names.imported_from_v1(use)
        if of_v1 and canonical.startswith("tf.estimator."):
            return True
        if is_only_tf1(canonical) and not of_v1:
            return True
    names = [name for _, name in file.names.doubtful]
    for _, module in passed_modules(file):
        perhaps = (f"{module}.{name}" for name in unknown_attributes(file))
        names += [name for name in perhaps if name.count(".") > 1 or name in _RUN_GRAPHS]
    return any(_is_graphs(name) or is_only_tf1(name) for name in names) or file.program.has_tf1_sign(file)


def passed_modules(file: File) -> Iterator[tuple[nodes.Symbol, str]]:
    """TensorFlow and its modules, where they are values: `{"run": tf.train}`."""
    owners = {node.value for node in file.all(cst.Attribute)}
    for use, name in file.symbols:
        if use not in owners and (name == "tf" or is_module(name)):
            yield use, name


@found_once
def unknown_attributes(file: File) -> set[str]:
    """The names that are read of objects that may be anything, and of the program's own classes."""
    known = ((node, file.canonical(node)) for node in file.all(cst.Attribute))
    own = file.program.own_names
    own_or_any = (node for node, name in known if name is None or not own.isdisjoint(name.split(".")))
    return {node.attr.value for node in own_or_any}


def _names_v1(file: File) -> bool:
    """True if a file says `tensorflow.compat.v1` anywhere in its code."""
    return _imports_v1(file) or any("compat.v1" in (nodes.dotted(use) or "") for use, _ in file.symbols)


def _imports_v1(file: File) -> bool:
    return any(
        nodes.module_of(node).startswith("tensorflow.compat")
        if isinstance(node, cst.ImportFrom)
        else any(name.startswith("tensorflow.compat.v1") for _, name in nodes.imported(node))
        for node in file.imports
    )


def _needs_tf1(file: File) -> bool:
    """True if a file takes something from plain `tensorflow` that only TF1 had."""
    for node in file.imports:
        for _, name in nodes.imported(node):
            if name.startswith("tensorflow.") and not name.startswith("tensorflow.compat."):
                canonical = canonical_name(name)
                if canonical.startswith("tf.contrib") or is_only_tf1(canonical):
                    return True
    return any(True for _ in only_tf1s(file)) or file.program.has_tf1_sign(file)


def only_tf1s(file: File) -> Iterator[tuple[nodes.Symbol, str]]:
    """What a file takes from plain `tensorflow` that only TF1 had, with the name that it means."""
    for use, canonical in file.symbols:
        if file.names.is_plain(use) and (canonical.startswith("tf.contrib.") or is_only_tf1(canonical)):
            yield use, canonical


def _is_graphs(canonical: str) -> bool:
    return any(canonical == name or canonical.startswith(name + ".") for name in _GRAPHS) or (
        canonical.startswith("tf.train.") and canonical.endswith("Optimizer")
    )
