"""`find_replacement`: the replacement of a TF1 symbol, from symbols.tsv, which `tables/make_symbols.py` writes.

A symbol stays by its name in `tensorflow.compat.v1`, which a migrated script imports as `tf`, or it is the runtime's;
sessions and servers are the runtime's. TF's own Saver, hooks, optimizers and moving averages are right in a graph: they
stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

#: Builtins of Python 2 that Python 3 scripts of that age still name.
PYTHON2_BUILTINS = frozenset({
    "xrange", "unicode", "raw_input", "basestring", "long", "unichr", "reduce", "cmp", "execfile",
})  # fmt: skip

RUNTIME = "tf2towers.runtime"
#: the runtime's packages; a script imports all their names from the runtime itself
PARTS = (f"{RUNTIME}.tf1", f"{RUNTIME}.old_libraries")

_ROOTS = ("tensorflow.compat.v1", "tensorflow")
_SAME_MODULE = (
    ("tf.compat.v1", "tf"),
    ("tf.flags", "tf.app.flags"),
    ("tf.python.platform.flags", "tf.app.flags"),
)

#: what makes a session, and the keyword or the first argument that is its target
SESSIONS = re.compile(
    r"(Interactive|Monitored(Training)?)?Session|(prepare_or_wait_for|managed|prepare|wait_for)_session"
)
#: the names of TensorFlow's version
VERSIONS = frozenset({"tf.__version__", "tf.VERSION", "tf.version.VERSION"})
#: Calls that `graph_mode` replaces.
SWITCHES = frozenset({
    "tf.disable_v2_behavior", "tf.disable_eager_execution", "tf.disable_v2_tensorshape",
    "tf.disable_tensor_equality", "tf.disable_resource_variables", "tf.enable_resource_variables",
    "tf.disable_control_flow_v2", "tf.enable_control_flow_v2",
})  # fmt: skip

#: a function that `graph_mode` makes TF 1.15's again; TF 2's would compute something else without an error
STANDARDIZATION = "tf.image.per_image_standardization"

_NO_MODULES = ("tf.contrib", "tf.examples", "tf.estimator", "tf.python", "tf.core")

#: beginning of names -> that of the same objects' names in the table; the longest come first
ALIASES = (
    ("tf.contrib.keras.api.keras", "tf.keras"),
    ("tf.contrib.keras", "tf.keras"),
    ("tf.python.keras", "tf.keras"),
    ("tf.contrib.slim.initializers", "tf.contrib.layers"),
    ("tf.contrib.slim.layers", "tf.contrib.layers"),
    ("tf.contrib.slim.regularizers", "tf.contrib.layers"),
)

#: modules of TF 1.15 -> the public modules that have their names, for the same objects
PUBLIC_MODULES = {
    "tf.contrib.rnn": ("tf.nn.rnn_cell",),
    "tf.contrib.slim": ("tf.contrib.layers", "tf.contrib.framework"),
    "tf.python.layers.layers": ("tf.layers",),
    "tf.python.ops.distributions.distributions": ("tf.distributions",),
    "tf.python.ops.image_ops": ("tf.image",),
    "tf.python.ops.linalg.linalg": ("tf.linalg",),
    "tf.python.ops.losses.losses": ("tf.losses",),
    "tf.python.ops.metrics": ("tf.metrics",),
    "tf.python.ops.nn": ("tf.nn",),
    "tf.python.ops.rnn_cell": ("tf.nn.rnn_cell",),
    "tf.python.ops.rnn_cell_impl": ("tf.nn.rnn_cell",),
    "tf.python.platform.flags": ("tf.app.flags",),
    "tf.python.platform.gfile": ("tf.gfile",),
    "tf.python.platform.resource_loader": ("tf.resource_loader",),
    "tf.python.platform.test": ("tf.test",),
    "tf.python.platform.tf_logging": ("tf.logging",),
    "tf.python.summary.summary": ("tf.summary",),
    "tf.python.training.training": ("tf.train",),
}

Kind = Literal["v1", "tf2", "runtime", "session", "private", "left"]


class RuntimeName(NamedTuple):
    """A name to import from the runtime: `from module import name`."""

    module: str
    name: str


def import_home(module: str) -> str:
    """The module from which a script imports the names of another: all are imported from the runtime itself."""
    return RUNTIME if module in PARTS else module


@dataclass(frozen=True)
class Found:
    """The replacement of a symbol.

    `target` is rooted at `tf`, which stands for `tensorflow.compat.v1` ("v1") or for plain TensorFlow ("tf2"), or it is
    a dotted module path ("private").
    """

    kind: Literal["v1", "tf2", "runtime", "private", "left"]
    target: str = ""
    runtime: RuntimeName | None = None
    #: the rule that says why it is left, and the reason
    code: str = ""
    why: str = ""


class Row(NamedTuple):
    """A row of the table: the replacement of a name, and of the names below it unless it is a module.

    Attributes:
        target: the name to write; `module:name` for the runtime's; empty for the name itself.
        code: the rule that leaves it.
        advice: why it is left, or what is below it, where the name above says something else.
        public: the public name, or module, of the same object in TF 1.15.
        marks: `0` a name of an older release, `1` TF 1.15 had it, `c` compat.v1 has it, `x` plain TF 2 lacks,
            `m` a module, `b` what is below it has a row of its own or is not there, `f` a file or folder of contrib
            (`public` is the module that has its names), `s` the runtime's, for graphs that its sessions run,
            `a` another object in TF 2.
        arguments: of a function or class of `tensorflow.compat.v1`, a star before keywords alone; `-` for none.
    """

    name: str
    kind: Kind
    target: str = ""
    code: str = ""
    advice: str = ""
    public: str = ""
    marks: str = ""
    arguments: str = ""


def canonical_name(dotted: str) -> str:
    """The canonical form of an imported dotted name: TensorFlow rooted at `tf`, one name per module."""
    for root in _ROOTS:
        if dotted == root or dotted.startswith(root + "."):
            dotted = "tf" + dotted[len(root) :]
            break
    if dotted.startswith("tf."):
        for other, name in _SAME_MODULE:
            if dotted == other or dotted.startswith(other + "."):
                dotted = name + dotted[len(other) :]
    return dotted


def beginnings(dotted: str) -> Iterator[tuple[str, str]]:
    """Each beginning of a dotted name, the longest first, and the rest: `tf.train`, `.Saver` of `tf.train.Saver`."""
    end = len(dotted)
    while end > 0:
        yield dotted[:end], dotted[end:]
        end = dotted.rfind(".", 0, end)


def read_table(name: str) -> list[list[str]]:
    """The rows of a table, heading left out."""
    return [line.split("\t") for line in _lines_of(name) if line]


def _lines_of(name: str) -> list[str]:
    text = Path(__file__).parent.joinpath(name).read_text(encoding="utf-8")
    return text.splitlines()[1:]


@cache
def _lines() -> dict[str, str]:
    """The lines of the table, by name."""
    return {line.partition("\t")[0]: line for line in _lines_of("symbols.tsv")}


def _written_row(name: str) -> Row | None:
    line = _lines().get(name)
    return Row(*line.split("\t")) if line is not None else None  # type: ignore[arg-type]


@cache
def row_of(name: str) -> Row | None:
    """The row of a name, parsed when it is asked for: a script needs few of them."""
    return _written_row(name) or row_by_alias(name, _written_row) or private_row(name)


def row_by_alias(name: str, row_of: Callable[[str], Row | None]) -> Row | None:
    """The row of a name by an alias, made of that of the same object; None without an alias, or without that row.

    Its marks say only what is below it: other names of the object are neither public nor in `compat.v1`.
    """
    for other, home in ALIASES:
        if name == other or name.startswith(f"{other}."):
            row = row_of(home + name[len(other) :])
            if row is None or "f" in row.marks:
                return None
            target, marks = row.target or row.name, "b" if "b" in row.marks else ""
            return row._replace(name=name, target=target, marks=marks, arguments="")
    return _row_of_public(name, row_of)


def _row_of_public(name: str, row_of: Callable[[str], Row | None]) -> Row | None:
    """The row of a name in a module whose names are those of public modules."""
    module, _, last = name.rpartition(".")
    for home in PUBLIC_MODULES.get(module, ()):
        public = row_of(f"{home}.{last}")
        if public is None or "m" in public.marks or private_row(name) is not None:
            continue
        # TF 2 adds no names to contrib
        if "1" in public.marks or home.startswith("tf.contrib."):
            marks = "1s" if "s" in public.marks else "1"
            target, object_name = public.target or public.name, public.public or public.name
            return Row(name, public.kind, target, public.code, public=object_name, marks=marks)
    return None


def private_row(name: str) -> Row | None:
    """The row of a private name whose object is the same from TF 1.15 to TF 2.21: the name stays."""
    module, _, last = name.rpartition(".")
    known = _private_modules().get(module)
    if known is None or known.is_generated or last not in known.same:
        return None
    return Row(name, "private", f"tensorflow{name[2:]}", marks="1")


def symbol_table() -> dict[str, Row]:
    """The table, by name, with the names by aliases."""
    homes = ((module, home) for module, all_homes in PUBLIC_MODULES.items() for home in all_homes)
    by_alias = (
        other + name[len(home) :]
        for other, home in (*ALIASES, *homes)
        for name in _lines()
        if name == home or name.startswith(f"{home}.")
    )
    names = sorted({*_lines(), *by_alias})
    return {name: row for name in names if (row := row_of(name)) is not None}


class PrivateModule(NamedTuple):
    """A module in `tensorflow.python`.

    Attributes:
        is_generated: True for functions that make one operation each: without `there`, and all others are gone.
        same: the names of objects that are the same from TF 1.15 to TF 2.21.
        there: names that TF 1.15 and all versions of TF 2 have that are served, maybe for other objects.
    """

    is_generated: bool
    same: frozenset[str]
    there: frozenset[str]


@cache
def _private_modules() -> dict[str, PrivateModule]:
    """The modules in `tensorflow.python` of which a script may name something; a long list has several rows."""
    found: dict[str, PrivateModule] = {}
    for module, kind, same, there in read_table("data/private_names.tsv"):
        known = found.get(module, PrivateModule(kind == "generated", frozenset(), frozenset()))
        found[module] = known._replace(
            same=known.same.union(same.split()), there=known.there.union(there.split())
        )
    return found


@cache
def find_replacement(canonical: str) -> Found:
    """The replacement of a canonical name rooted at `tf`."""
    found = _spelled(canonical)
    if found.kind == "left":
        for public in (*_without_folders(canonical), *_by_files(canonical), *_by_names_of_files(canonical)):
            if (other := _spelled(public)).kind != "left":
                return other
    return found


def _spelled(canonical: str) -> Found:
    module, _, name = canonical.rpartition(".")
    if row_of(canonical) is None:
        if canonical in _private_modules():
            return Found("private", f"tensorflow{canonical[2:]}")
        known = _private_modules().get(module)
        if known is not None and known.is_generated:
            # all began with `_` until TF 1.5
            for spelling in (name, name.removeprefix("_")):
                if spelling in known.same:
                    return Found("private", f"tensorflow{module[2:]}.{spelling}")
            why = (
                "a generated function that is gone, that takes other arguments, or a reference to a variable"
            )
            return _left(canonical, "T2T620", why)
        if canonical.startswith("tf.core.") and "_pb2" in canonical:
            return Found("private", "tensorflow" + canonical[2:])
    for name, rest in beginnings(canonical):
        row = row_of(name)
        if row is not None and not (rest and "b" in row.marks):
            return _made(row, rest, canonical)
        if row is not None and row.code:
            break
    rows = (row_of(name) for name, _ in beginnings(canonical))
    codes = (row.code for row in rows if row is not None)
    return _left(canonical, next(filter(None, codes), "T2T620"), _advice(canonical))


def _made(row: Row, rest: str, canonical: str) -> Found:
    if row.kind == "left":
        return _left(canonical, row.code, _advice(canonical))
    target = (row.target or row.name) + rest
    if row.kind in ("runtime", "session"):
        module, _, attribute = target.partition(":")
        return Found("runtime", runtime=RuntimeName(module, attribute))
    return Found(row.kind, target)  # type: ignore[arg-type]


def _left(canonical: str, code: str, why: str) -> Found:
    says = " has no counterpart in TF 2.21" if code == "T2T620" else ""
    is_name = why.startswith(("tf.", "a ", "the "))
    if says and is_name and " ended" not in why and "no longer" not in why:
        why = f"use {why}"
    return Found("left", code=code, why=f"{canonical}{says}{': ' + why if why else ''}")


def _advice(canonical: str) -> str:
    rows = (row_of(name) for name, _ in beginnings(canonical))
    return next((row.advice for row in rows if row is not None and row.advice), "")


def _without_folders(canonical: str) -> list[str]:
    """`tf.contrib.crf.crf_decode` for `tf.contrib.crf.python.ops.crf.crf_decode`."""
    parts = canonical.split(".")
    is_a_files = parts[:2] == ["tf", "contrib"] and "python" in parts[3:-1]
    return [".".join([*parts[: parts.index("python")], parts[-1]])] if is_a_files else []


def _by_files(canonical: str) -> list[str]:
    """The public names of what was taken from a file of contrib: `tf.contrib.layers.python.layers.layers.conv2d`.

    `...python.ops.arg_scope` is the function of that name in its folder first, then the file.
    """
    rows = [(row_of(name), rest) for name, rest in beginnings(canonical)]
    files = [(row.public, rest) for row, rest in rows if row is not None and "f" in row.marks]
    return [public + rest for public, rest in files if rest][:1] + [
        public for public, rest in files if not rest
    ]


def _by_names_of_files(canonical: str) -> list[str]:
    """The public names of what old releases had in a file's name alone: `tf.contrib.layers.initializers.xavier`."""
    parts = canonical.split(".")
    if parts[:2] != ["tf", "contrib"] or len(parts) < 5:
        return []
    return [".".join([home, *parts[4:]]) for home in _homes_of_files().get((parts[2], parts[3]), ())]


@cache
def _homes_of_files() -> dict[tuple[str, str], list[str]]:
    """Folder of contrib and name of a file in it -> the module that has its names, and the file."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in _lines():
        if ".python." in name and (row := row_of(name)) is not None and "f" in row.marks:
            found.setdefault((name.split(".")[2], name.rpartition(".")[2]), []).extend([row.public, name])
    return found


@cache
def public_spelling(canonical: str) -> str:
    """The public name of a symbol: `tf.Session` for `tf.python.client.session.Session`.

    The name itself where TF 1.15 had no public name for the same object.
    """
    for name, rest in beginnings(canonical):
        for spelling in (name, *_by_files(name)) if ".python." in name else ():
            if ".python." not in public_name(spelling):
                return public_name(spelling) + rest
    return canonical


def public_name(canonical: str) -> str:
    """The public TF1 name of a symbol that also had a private one, or one under contrib."""
    row = row_of(canonical)
    has_one = row is not None and "f" not in row.marks
    return (row.public if row is not None and has_one else "") or canonical


def _marks(canonical: str) -> str:
    row = row_of(canonical)
    return row.marks if row is not None else ""


@cache
def session_names() -> dict[str, str]:
    """Canonical name of each session, server and the like -> its name in the runtime."""
    return {
        name: row.target.partition(":")[2]
        for name, line in _lines().items()
        if "\tsession\t" in line and (row := row_of(name)) is not None
    }


def names_in(module: str) -> list[str]:
    """The names of TensorFlow 1.15 in a module, as the table has them."""
    homes = {module, *PUBLIC_MODULES.get(module, ())}
    parted = (name.rpartition(".") for name in _lines())
    candidates = {f"{module}.{last}" for home, _, last in parted if home in homes}
    return sorted(filter(was_in_tf1, candidates))


def is_module(canonical: str) -> bool:
    """True if a canonical name is a module of the API."""
    return "m" in _marks(canonical)


def was_in_tf1(canonical: str) -> bool:
    """True if TensorFlow 1.15 had a symbol, or a module of that name."""
    return "1" in _marks(canonical)


def is_still_there(canonical: str) -> bool:
    """True if TensorFlow 2 has a symbol by the same name, in `compat.v1`, or in Keras 3."""
    return "c" in _marks(canonical)


def is_for_sessions(canonical: str) -> bool:
    """True if its replacement is right only in a graph that the runtime's sessions run."""
    return "s" in _marks(canonical)


def is_of_old_release(canonical: str) -> bool:
    """True if it is a name of a release before TF 1.15 for something that TF 2.21 has under another name."""
    return "0" in _marks(canonical)


def is_only_tf1(canonical: str) -> bool:
    """True if plain TF 2 lacks the name, or a module or class in its beginning."""
    return any("x" in _marks(name) for name, _ in beginnings(canonical))


def both_or_neither_have(canonical: str) -> bool:
    """True if it is certain that TF 1.15 and `tensorflow.compat.v1` both have a symbol, or neither.

    Neither has what ended with an older release (`tf.mul`).
    """
    marks = _marks(canonical)
    if "1" in marks:
        return ("c" in marks or "m" in marks) and not canonical.startswith(_NO_MODULES)
    return "0" in marks and "c" not in marks


def is_another_object(canonical: str) -> bool:
    """True if TF 2 has another object by that name than TF 1.15 had: a `device.DeviceSpec` without `merge_from`."""
    return any("a" in _marks(name) for name, _ in beginnings(canonical))


def is_gone_private(canonical: str) -> bool:
    """True if a private module is there and lacks the name, or no longer has it.

    Functions have moved to other files (`array_ops.stack`, `control_flow_ops.cond`), or ended before TF 1.15
    (`rnn_cell_impl._linear`).
    """
    module, _, name = canonical.rpartition(".")
    known = _private_modules().get(module)
    return known is not None and name not in known.same and name not in known.there


def taken_arguments(canonical: str) -> tuple[str, ...] | None:
    """The arguments of a function or class of `tensorflow.compat.v1`, a star before keywords alone; None: not known."""
    row = row_of(canonical)
    if row is None or not row.arguments:
        return None
    return () if row.arguments == "-" else tuple(row.arguments.split())


@cache
def unserved_arguments() -> dict[str, list[tuple[str, int, str]]]:
    """Function -> arguments that the runtime's does not serve: names of one, its position, a value served.

    None is served as well, unless that value is `-`.
    """
    found: dict[str, list[tuple[str, int, str]]] = {}
    for name, given, at, value in read_table("data/unserved_arguments.tsv"):
        found.setdefault(name, []).append((given, int(at), value))
    return found
