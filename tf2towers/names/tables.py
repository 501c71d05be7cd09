"""`lookup`: what a TF2 program writes for a canonical TF1 name. The tables are read on the first question."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from tf2towers.names.canonical import beginnings
from tf2towers.source.nodes import has_star

Kind = Literal["keep", "rename", "compat", "runtime", "gone", "unknown"]


class RuntimeName(NamedTuple):
    """Something to import from our own runtime: `from module import name`."""

    module: str
    name: str


@dataclass(frozen=True)
class PlainCall:
    """A TF2 function that builds the compat.v1 one's graph when a call uses only what both accept."""

    target: str
    #: how many arguments may be positional
    positional: int
    keywords: frozenset[str]
    #: keywords the call must have: without `name=` the op would get another default name
    required: frozenset[str] = frozenset()

    def fits(self, call: ast.Call) -> bool:
        """Whether a call may write `target`; one with * or ** never does."""
        keywords = {keyword.arg for keyword in call.keywords}
        if None in keywords or has_star(call):
            return False
        return len(call.args) <= self.positional and self.required <= keywords <= self.keywords


@dataclass(frozen=True)
class Replacement:
    """What stands for a name.

    `target` is the text to write (`tf.math.log`, `tf.compat.v1.get_variable`), a RuntimeName to import when
    `kind` is "runtime", and None when nothing stands for it ("gone", "unknown"). "keep", "rename" and
    "compat" name the same object unless `note` says what differs.
    """

    kind: Kind
    target: str | RuntimeName | None
    note: str = ""
    #: set for a "compat" function whose TF2 namesake does the same for a call that fits
    plain: PlainCall | None = None
    #: the name found in the tables: what comes after it in the question was carried over (`tf.GraphKeys` of
    #: `tf.GraphKeys.UPDATE_OPS`)
    found: str = ""


#: Modules of which the runtime has all that scripts use: `import tensorflow.contrib.slim as slim` can become
#: `from tf2towers.runtime import slim`, when lookup knows every attribute the script takes from it.
WHOLE_MODULES = frozenset(
    {
        "tf.layers",
        "tf.contrib.slim",
        "tf.contrib.slim.losses",
        "tf.contrib.layers",
        "tf.contrib.losses",
        "tf.contrib.framework",
        "tf.contrib.rnn",
        "tf.nn.rnn_cell",
    }
)

DATA = Path(__file__).parent / "data"


def read_table(name: str, folder: Path = DATA) -> list[list[str]]:
    """The rows of a table of a folder, heading left out."""
    text = (folder / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:] if line]


@cache
def _symbols() -> dict[str, tuple[str, str]]:
    return {name: (kind, target) for name, kind, target in read_table("symbols.tsv")}


@cache
def _renames() -> dict[str, tuple[str, str]]:
    return {name: (target, note) for name, target, note, _ in read_table("renames.tsv")}


@cache
def _runtime() -> dict[str, RuntimeName]:
    return {name: RuntimeName(module, attribute) for name, module, attribute in read_table("runtime.tsv")}


@cache
def _runtime_modules() -> dict[str, RuntimeName]:
    """The TF1 modules that one module of the runtime stands for, name by name, as far as it goes."""
    found: dict[str, set[str]] = {}
    for name, target in _runtime().items():
        parent, _, attribute = name.rpartition(".")
        found.setdefault(parent, set()).add(target.module if target.name == attribute else "")
    modules = {
        parent: next(iter(made))
        for parent, made in found.items()
        if len(made) == 1 and parent in WHOLE_MODULES
    }
    return {parent: RuntimeName(*made.rsplit(".", 1)) for parent, made in modules.items() if made}


@cache
def _plain_calls() -> dict[str, PlainCall]:
    return {
        name: PlainCall(
            target, int(count), frozenset(words.split(",")), frozenset(filter(None, need.split(",")))
        )
        for name, target, count, words, need in read_table("plain_calls.tsv")
    }


def renamed_to(canonical: str) -> tuple[str, str]:
    """The row of a name in the table of old names: what to write, and what differs; empty where there is none."""
    return _renames().get(canonical, ("", ""))


@cache
def _gone() -> dict[str, str]:
    return dict(read_table("gone.tsv"))


_KERAS = "Keras 3 stands behind this name now"


@cache
def lookup(canonical: str) -> Replacement:
    """What stands for a canonical name in a script that says `import tensorflow as tf`."""
    if canonical == "tf":
        return Replacement("keep", "tf", found="tf")
    if not canonical.startswith("tf."):
        return Replacement("unknown", None)
    if (
        canonical.startswith("tf.core.") and "_pb2" in canonical
    ) or canonical == "tf.python.pywrap_tensorflow":
        return Replacement(
            "keep", canonical, "a private module of TensorFlow, still there in 2.21", found=canonical
        )
    for name, rest in beginnings(canonical):
        found = _exact(name) if name != "tf" else None
        if found is not None and (not rest or not is_module(name)):
            return _carried(found, rest)
        if found is not None and found.kind == "gone":
            break
    return _absent(canonical)


def is_module(canonical: str) -> bool:
    """Whether a canonical name is a module of the API, so that what follows it must be in the tables too."""
    return canonical in _modules()


@cache
def _modules() -> frozenset[str]:
    parents: set[str] = {"tf.raw_ops", "tf.contrib.framework.nest", "tf.python.util.nest"}
    for name, kind, _ in read_table("tf1_symbols.tsv"):
        if kind == "module":
            parents.add(name)
    for name in (*_symbols(), *_renames(), *_runtime()):
        parent = name.rpartition(".")[0]
        if parent.rpartition(".")[2].islower():
            parents.add(parent)
    return frozenset(parents)


def _exact(name: str) -> Replacement | None:
    kind, target = _symbols().get(name, ("", ""))
    same = target if kind == "same" else ""
    for candidate in filter(None, (name, same)):
        if candidate in _renames():
            target, note = _renames()[candidate]
            return Replacement(_kind_of(name, target), target, note, found=name)
    for candidate in filter(None, (name, same)):
        if candidate in _runtime():
            return Replacement("runtime", _runtime()[candidate], found=name)
    if same:
        other = _exact(same)
        if other is None:
            return None
        return replace(other, kind="rename" if other.kind == "keep" else other.kind, found=name)
    if name in _runtime_modules():
        return Replacement(
            "runtime", _runtime_modules()[name], "a module that has less than the old one", found=name
        )
    if kind == "keep":
        return Replacement("keep", name, _KERAS if name.startswith("tf.keras.") else "", found=name)
    if kind == "rename":
        return Replacement("rename", target, found=name)
    if kind == "compat":
        return Replacement("compat", "tf.compat.v1" + name[2:], plain=_plain_calls().get(name), found=name)
    if kind == "private":
        return Replacement("keep", target, "a private module of TensorFlow, still there in 2.21", found=name)
    if kind == "gone":
        return _absent(name)
    return None


def _kind_of(name: str, target: str) -> Kind:
    if target.startswith("tf.compat.v1."):
        return "compat"
    return "keep" if target == name else "rename"


def _carried(found: Replacement, rest: str) -> Replacement:
    if not rest or found.target is None:
        return found
    if isinstance(found.target, RuntimeName):
        target: str | RuntimeName = RuntimeName(found.target.module, found.target.name + rest)
    else:
        target = found.target + rest
    return Replacement(found.kind, target, found.note, found=found.found)


def _absent(canonical: str) -> Replacement:
    if canonical.startswith("tf.raw_ops."):
        return Replacement("keep", canonical, found=canonical)
    if canonical.startswith("tf.compat.v2."):
        return Replacement("rename", "tf" + canonical[len("tf.compat.v2") :], found=canonical)
    for name, _ in beginnings(canonical):
        if name in _gone():
            return Replacement("gone", None, _gone()[name], found=name)
    if _symbols().get(canonical, ("",))[0] == "gone":
        return Replacement("gone", None, "TF 2.21 no longer has it", found=canonical)
    return Replacement("unknown", None)
