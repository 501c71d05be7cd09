"""`find_replacement`: what the exact register writes for a TF1 symbol.

Its name in `tensorflow.compat.v1`, which a migrated script imports as `tf`, else our runtime's; sessions and servers
are the runtime's. TF's own Saver, hooks, optimizers and moving averages are right in a graph: they stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from tf2towers.exact.data import rows
from tf2towers.names.canonical import beginnings
from tf2towers.names.tables import RuntimeName, is_module, lookup, read_table

#: What names that are not seen are looked up in, and where compat.v1 has all of TF 1.15's.
_COMPLETE = frozenset({"tf.logging.__dict__"})

_NO_MODULES = ("tf.contrib", "tf.examples", "tf.estimator", "tf.python", "tf.core")

Kind = Literal["v1", "tf2", "runtime", "private", "left"]


@dataclass(frozen=True)
class Found:
    """What stands for a symbol.

    `target` is rooted at `tf`, which stands for `tensorflow.compat.v1` ("v1") or for plain TensorFlow ("tf2"), or it is
    a dotted module path ("private").
    """

    kind: Kind
    target: str = ""
    runtime: RuntimeName | None = None
    #: the rule that says why it is left, and the reason
    code: str = ""
    why: str = ""


@cache
def sessions() -> dict[str, str]:
    """Symbol -> the runtime's name, for what makes sessions and servers."""
    return dict(rows("sessions.tsv"))


@cache
def own() -> dict[str, RuntimeName]:
    """Symbol -> the runtime's, for what is right in a graph only: queues, training loops."""
    return {name: RuntimeName(module, attribute) for name, module, attribute in rows("own.tsv")}


@cache
def _private() -> frozenset[str]:
    """Private names of TensorFlow that are the same in a graph from TF 1.15 to today (exact/data/private.tsv)."""
    return frozenset(row[0] for row in rows("private.tsv"))


@cache
def _private_names() -> dict[str, frozenset[str]]:
    """Module in `tensorflow.python` -> the names it has, in all versions of TF 2 that are served."""
    return {module: frozenset(names.split()) for module, names in rows("private_names.tsv")}


@cache
def find_replacement(canonical: str) -> Found:
    """What stands for a canonical name rooted at `tf`."""
    found = _find_spelled(canonical)
    if found.kind == "left":
        for public in _by_files(canonical):
            if (other := _find_spelled(public)).kind != "left":
                return other
    return found


def _find_spelled(canonical: str) -> Found:
    if canonical in ("tf", "tf.compat") or canonical.startswith("tf.compat."):  # TF 2 by its own name
        return Found("v1", canonical)
    canonical = _moved(canonical)
    for name, rest in beginnings(public_name(canonical)):
        if name in sessions():
            return Found("runtime", runtime=RuntimeName("tf2towers.runtime", sessions()[name] + rest))
    for spelling in (canonical, public_name(canonical)):
        if (ours := in_own(spelling)) is not None:
            return Found("runtime", runtime=ours)
        if refused := _refused(spelling):
            return refused
    if _is_only_tf2(canonical):
        return Found("tf2", canonical)
    if canonical in _COMPLETE:
        return Found("v1", canonical)
    if canonical in _private() or canonical in _generated():
        return Found("private", "tensorflow" + canonical[2:])
    module, _, name = canonical.rpartition(".")
    for spelling in (name, name.removeprefix("_")):  # all began with `_` until TF 1.5
        if spelling in _generated().get(module, ()):
            return Found("private", f"tensorflow{module[2:]}.{spelling}")
    if module in _generated():
        why = "a generated function that is gone, that takes other arguments, or a reference to a variable"
        return Found("left", code="T2T620", why=f"{canonical} has no counterpart in TF 2.21: {why}")
    return _in_tables(canonical)


@cache
def _generated() -> dict[str, frozenset[str]]:
    """Modules of generated functions, and those that are the same from TF 1.15 to today (exact/data/generated.tsv)."""
    return {module: frozenset(names.split()) for module, names in rows("generated.tsv")}


def is_gone_private(canonical: str) -> bool:
    """Whether a private module is there and has not the name, or no more.

    Functions have moved to other files (`array_ops.stack`, `control_flow_ops.cond`), or ended before TF 1.15
    (`rnn_cell_impl._linear`).
    """
    module, _, name = canonical.rpartition(".")
    if module in _generated():
        return name not in _generated()[module]
    return module in _private_names() and name not in _private_names()[module]


@cache
def _arguments() -> dict[str, tuple[str, ...]]:
    return {name: tuple(words.split()) for name, words in rows("arguments.tsv")}


def taken_arguments(canonical: str) -> tuple[str, ...] | None:
    """The arguments of a function or class of `tensorflow.compat.v1`, a star before keywords alone; None: not known."""
    return _arguments().get(canonical)


@cache
def unserved_arguments() -> dict[str, tuple[str, int]]:
    """An argument that one of our functions does not serve, and its place, by the function's name."""
    return {name: (argument, int(place)) for name, argument, place in rows("unserved_arguments.tsv")}


@cache
def _own_modules() -> frozenset[str]:
    """The names in own.tsv that are modules: what stands below them has a row of its own, or is not there."""
    return frozenset(name.rpartition(".")[0] for name in own())


def in_own(canonical: str) -> RuntimeName | None:
    """What own.tsv gives for a name, also by a file's name, or for an attribute of something that it has."""
    for spelling in _spellings(canonical):
        for name, rest in beginnings(spelling):
            if name in own() and not (rest and name in _own_modules()):
                module, attribute = own()[name]
                return RuntimeName(module, attribute + rest)
    return None


def _spellings(canonical: str) -> list[str]:
    """The name, and its public form where it names a file: `tf.contrib.crf.python.ops.crf.crf_decode`."""
    parts = canonical.split(".")
    if parts[:2] != ["tf", "contrib"] or "python" not in parts[3:-1]:
        return [canonical]
    return [canonical, ".".join([*parts[: parts.index("python")], parts[-1]])]


@cache
def _files() -> dict[str, str]:
    """A file or folder of contrib -> the public module that has its names: the same objects in TF 1.15."""
    return dict(rows("contrib_files.tsv"))


def _by_files(canonical: str) -> list[str]:
    """The public names of what was taken from a file: `tf.contrib.layers.python.layers.layers.conv2d`.

    In `...python.ops.arg_scope` the function is what its folder had, before the file of that name.
    """
    folders = [_files()[name] + rest for name, rest in beginnings(canonical) if rest and name in _files()]
    return [*folders[:1], *([_files()[canonical]] if canonical in _files() else [])]


def _in_tables(canonical: str) -> Found:
    found = lookup(canonical)
    if found.kind in ("gone", "unknown"):
        if is_module(canonical) and not canonical.startswith(_NO_MODULES):
            return Found("v1", canonical)
        why = f"has no counterpart in TF 2.21{': ' + found.note if found.note else ''}"
        return Found("left", code="T2T620", why=f"{canonical} {why}")
    if isinstance(found.target, RuntimeName):
        return Found("runtime", runtime=found.target)
    assert found.target is not None
    if found.target.startswith("tensorflow."):
        return Found("private", found.target)
    if found.target.startswith(("tf.core.", "tf.python.")):
        return Found("private", "tensorflow" + found.target[2:])
    if _symbol_kinds().get(found.found) in ("keep", "rename", "compat"):
        if canonical.startswith("tf.python."):  # TF 2's own function, in the module where it always was
            return Found("private", "tensorflow" + canonical[2:])
        return Found("v1", canonical)
    if canonical not in _old_names() and public_name(canonical) != canonical:
        return find_replacement(public_name(canonical))
    target = found.target
    if target.startswith("tf.compat.v1."):
        target = "tf" + target[len("tf.compat.v1") :]
    return find_replacement(target) if target != canonical else Found("v1", canonical)


@cache
def _symbol_kinds() -> dict[str, str]:
    return {name: kind for name, kind, _ in read_table("symbols.tsv")}


@cache
def _old_names() -> frozenset[str]:
    return frozenset(row[0] for row in read_table("renames.tsv"))


def both_or_neither_have(canonical: str) -> bool:
    """Whether it is certain that TF 1.15 and `tensorflow.compat.v1` both have a symbol, or neither.

    Neither has what ended with an older release (`tf.mul`).
    """
    if canonical in _in_tf1():
        has = _symbol_kinds().get(canonical) in ("keep", "rename", "compat") or is_module(canonical)
        return has and not canonical.startswith(_NO_MODULES)
    return canonical in _old_names() and canonical not in _symbol_kinds()


def was_in_tf1(canonical: str) -> bool:
    """Whether TensorFlow 1.15 had a symbol, or a module of that name."""
    return canonical in _in_tf1()


def ended_before_tf1(canonical: str) -> bool:
    """Whether TensorFlow 1.0 had a symbol no more: `tf.mul`, `tf.scalar_summary`."""
    return (
        canonical in _old_names() and canonical not in _in_tf1() and not canonical.startswith("tf.contrib.")
    )


@cache
def _in_tf1() -> frozenset[str]:
    """What a real TensorFlow 1.15 has, the modules too."""
    names = [row[0] for row in read_table("tf1_symbols.tsv")]
    return frozenset(names) | frozenset(name.rpartition(".")[0] for name in names)


@cache
def _only_tf2() -> frozenset[str]:
    """What TF 2 has, and neither TF 1 nor `tensorflow.compat.v1` (exact/data/only_tf2.tsv)."""
    return frozenset(row[0] for row in rows("only_tf2.tsv"))


def _is_only_tf2(canonical: str) -> bool:
    return any(name in _only_tf2() for name, _ in beginnings(canonical))


#: Modules of contrib that were other modules under a second name.
_MOVED = (
    ("tf.contrib.slim.initializers.", "tf.contrib.layers."),
    ("tf.contrib.slim.regularizers.", "tf.contrib.layers."),
    ("tf.contrib.slim.init_ops.", "tf."),
    ("tf.contrib.slim.layers.", "tf.contrib.layers."),
)


@cache
def _same() -> dict[str, str]:
    """What TF 1.15 had under a second name, where TF 2 has another object (data/same.tsv)."""
    return dict(rows("same.tsv"))


def is_another_object(canonical: str) -> bool:
    """Whether TF 2 has another object by that name than TF 1.15 had: a `device.DeviceSpec` without `merge_from`."""
    return any(canonical == name or canonical.startswith(f"{name}.") for name in _same())


def _moved(canonical: str) -> str:
    for old, new in _same().items():
        if canonical == old or canonical.startswith(f"{old}."):
            return new + canonical[len(old) :]
    for old, new in _MOVED:
        if canonical.startswith(old):
            return new + canonical[len(old) :]
    return canonical


@cache
def _same_as() -> dict[str, str]:
    return {name: target for name, kind, target in read_table("symbols.tsv") if kind == "same"}


def public_name(canonical: str) -> str:
    """The public TF1 name of a symbol that also had a private one, or one under contrib."""
    return _same_as().get(canonical, canonical)


@cache
def public_spelling(canonical: str) -> str:
    """What a script says that imports no private module: `tf.Session` for `tf.python.client.session.Session`.

    The name itself where TF 1.15 had no public name for the same object.
    """
    for name, rest in beginnings(canonical):
        for spelling in (name, *_by_files(name)) if ".python." in name else ():
            if ".python." not in public_name(spelling):
                return public_name(spelling) + rest
    return canonical


#: TensorFlow 1's names for its Keras; the first is the public one
_KERAS = ("tf.keras", "tf.python.keras", "tf.contrib.keras.api.keras", "tf.contrib.keras")


@cache
def _keras() -> dict[str, frozenset[str]]:
    """A module of TensorFlow 1.15's Keras -> the names in it that tf_keras has, of every release that is served."""
    return {module: frozenset(names.split()) for module, names in rows("keras.tsv")}


def _of_keras(canonical: str) -> Found | None:
    """What stands for a name of TensorFlow 1's Keras: the same name of tf_keras."""
    home = next((name for name in _KERAS if f"{canonical}.".startswith(f"{name}.")), None)
    if home is None:
        return None
    public = _KERAS[0] + canonical[len(home) :]
    module, rest = next((name, rest) for name, rest in beginnings(public) if name in _keras())
    if not rest or rest.split(".")[1] in _keras()[module]:
        return Found("runtime", runtime=RuntimeName("tf2towers.runtime.tf1", public.removeprefix("tf.")))
    return Found(
        "left",
        code="T2T621",
        why=f"{canonical}: tf_keras, which is TensorFlow 1's Keras now, lacks it or is another there",
    )


_SESSION_TENSORS = ("tf.get_session_handle", "tf.get_session_tensor", "tf.delete_session_tensor")


def _refused(canonical: str) -> Found | None:
    """What is no matter of the tables: Keras, and what is left whatever it is called by."""
    if found := _of_keras(canonical):
        return found
    if canonical in _SESSION_TENSORS:
        why = (
            f"{canonical}: a session of today keeps no tensors between its runs; keep the value in a variable"
        )
        return Found("left", code="T2T620", why=why)
    if canonical.startswith("tf.distribute.") or canonical == "tf.distribute":
        return Found(
            "left",
            code="T2T622",
            why=f"{canonical}: a strategy of the script's own, inside a TF1 graph",
        )
    return None
