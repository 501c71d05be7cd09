"""Writes codemod/symbols.tsv, the replacement of each TF1 symbol, from dumps of both TensorFlows and rows kept by hand.

    python tables/make_symbols.py            # writes the table
    python tables/make_symbols.py --check    # exits with 1 if the committed table differs from a new one

It reads tables of programs in this folder: `tf1_symbols.tsv` (from `dump_tf1.py`),
`tf2_symbols.tsv` (`dump_tf2.py`) and `arguments.tsv` (`make_arguments.py`). And it reads tables
written by hand: `sessions.tsv`, `own.tsv`, `keras.tsv`, `runtime.tsv`, `renames.tsv`, `same.tsv`,
`private.tsv`, `contrib_files.tsv` and `gone.tsv`. Only this script decides which table has
precedence. A row is left out if a name above says it, or `ALIASES` or `PUBLIC_MODULES` in
codemod/symbols.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from tf2towers.codemod.symbols import (  # noqa: E402 - it is beside this folder
    ALIASES,
    PUBLIC_MODULES,
    Kind,
    Row,
    private_row,
    row_by_alias,
)

TABLE = FOLDER.parent / "tf2towers" / "codemod" / "symbols.tsv"
PRIVATE_NAMES = FOLDER.parent / "tf2towers" / "codemod" / "data" / "private_names.tsv"

#: modules of which the runtime has all names that scripts use, so that the whole module can be
#: imported from it
WHOLE_MODULES = frozenset(
    {
        "tf.layers", "tf.contrib.slim", "tf.contrib.slim.losses", "tf.contrib.layers", "tf.contrib.losses",
        "tf.contrib.framework", "tf.contrib.rnn", "tf.nn.rnn_cell",
    }
)  # fmt: skip
#: modules of contrib that were second names of other modules
_MOVED = (
    ("tf.contrib.cluster_resolver.", "tf.distribute.cluster_resolver."),
    ("tf.contrib.slim.initializers.", "tf.contrib.layers."),
    ("tf.contrib.slim.regularizers.", "tf.contrib.layers."),
    ("tf.contrib.slim.init_ops.", "tf."),
    ("tf.contrib.slim.layers.", "tf.contrib.layers."),
)
_NO_MODULES = ("tf.contrib", "tf.examples", "tf.estimator", "tf.python", "tf.core")
#: dictionaries of names that scripts look up at run time, and of which compat.v1 has all entries of
#: TF 1.15
_COMPLETE = frozenset({"tf.logging.__dict__"})
#: names that `tensorflow.compat.v1` has for itself
_OF_PLAIN = frozenset({"tf.__file__"})
#: TensorFlow 1's names for its Keras; the first is the public one
_KERAS = ("tf.keras", "tf.python.keras", "tf.contrib.keras.api.keras", "tf.contrib.keras")
_NOT_IN_KERAS = "tf_keras, which replaces TensorFlow 1's Keras, lacks this name, or has another object there"
_STRATEGY = "a strategy of the script's own, inside a TF1 graph"
_SERVERS = (
    "TF 2's strategy controls all workers from one process, and does not work with a tf.train.Server in each of them: "
    "remove it and its scope; migrate turns tf.train.replica_device_setter into a scope"
)
_RESOLVERS = "tf.distribute.cluster_resolver"
_SESSION_TENSORS = ("tf.get_session_handle", "tf.get_session_tensor", "tf.delete_session_tensor")
_NO_TENSORS = "a session no longer keeps tensors between its runs; keep the value in a variable"
_GENERATED = "a generated function that is gone, that takes other arguments, or a reference to a variable"


class Replacement(NamedTuple):
    """The replacement of a symbol: a row of the table without its marks. A target in the runtime is `module:name`."""

    kind: str
    target: str = ""
    code: str = ""
    advice: str = ""


def read(name: str, folder: Path = FOLDER) -> list[list[str]]:
    """The rows of a table, without the heading."""
    lines = (folder / name).read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t") for line in lines if line]


SESSIONS = dict(read("sessions.tsv"))
OWN = {name: f"{module}:{attribute}" for name, module, attribute in read("own.tsv")}
RUNTIME = {name: f"{module}:{attribute}" for name, module, attribute in read("runtime.tsv")}
RENAMES = {name: (target, note) for name, target, note, _ in read("renames.tsv")}
SAME_OBJECT = dict(read("same.tsv"))
PRIVATE = frozenset(row[0] for row in read("private.tsv"))
FILES = dict(read("contrib_files.tsv"))
KERAS = {module: frozenset(names.split()) for module, names in read("keras.tsv")}
GONE = dict(read("gone.tsv")) | dict.fromkeys(_KERAS, _NOT_IN_KERAS)
TF1 = {name: kind for name, kind, _ in read("tf1_symbols.tsv")}
TF2 = {name: (kind, target) for name, kind, target, _ in read("tf2_symbols.tsv")}
ONLY = {name: only for name, _, _, only in read("tf2_symbols.tsv") if only}
GENERATED: dict[str, frozenset[str]] = {}
for module, kind, names_of_it, _ in read(PRIVATE_NAMES.name, PRIVATE_NAMES.parent):
    if kind == "generated":
        GENERATED[module] = GENERATED.get(module, frozenset()).union(names_of_it.split())
ARGUMENTS = {name: words or "-" for name, words in read("arguments.tsv")}
IN_TF1 = frozenset(TF1) | {name.rpartition(".")[0] for name in TF1}
PUBLIC = {name: target for name, (kind, target) in TF2.items() if kind == "same"}


def beginnings(dotted: str) -> Iterator[tuple[str, str]]:
    """Yields the prefixes of a dotted name, the longest first, each with the rest of the name."""
    end = len(dotted)
    while end > 0:
        yield dotted[:end], dotted[end:]
        end = dotted.rfind(".", 0, end)


@cache
def modules() -> frozenset[str]:
    """The modules of the API: names in them must be in a table, too."""
    parents = {"tf.raw_ops", "tf.contrib.framework.nest", "tf.python.util.nest"}
    parents.update(name for name, kind in TF1.items() if kind == "module")
    for name in (*TF2, *RENAMES, *RUNTIME):
        parent = name.rpartition(".")[0]
        if parent.rpartition(".")[2].islower():
            parents.add(parent)
    return frozenset(parents)


OWN_MODULES = frozenset(name.rpartition(".")[0] for name in OWN)


@cache
def runtime_modules() -> dict[str, str]:
    """TF1 module -> the module of the runtime that replaces it: one that has all its names in the table."""
    found: dict[str, set[str]] = {}
    for name, target in RUNTIME.items():
        parent, _, attribute = name.rpartition(".")
        module, _, made = target.partition(":")
        found.setdefault(parent, set()).add(module if made == attribute else "")
    return {
        parent: ":".join(next(iter(made)).rsplit(".", 1))
        for parent, made in found.items()
        if len(made) == 1 and parent in WHOLE_MODULES and all(made)
    }


def stands_for(canonical: str) -> Replacement:
    """The replacement of a symbol; without one, the replacement of the public names of its private file."""
    made = _spelled(canonical)
    if made.kind == "left":
        for public in _by_files(canonical):
            if (other := _spelled(public)).kind != "left":
                return other
    return made


def _spelled(canonical: str) -> Replacement:
    if canonical in ("tf", "tf.compat") or canonical.startswith("tf.compat."):  # TF 2 by its own name
        return Replacement("v1", canonical)
    asked, canonical = canonical, _moved(canonical)
    public = PUBLIC.get(canonical, canonical)
    for name, rest in beginnings(public):
        if name in SESSIONS:
            kind = "session" if asked == name else "runtime"
            return Replacement(kind, f"tf2towers.runtime:{SESSIONS[name]}{rest}")
    for spelling in (canonical, public):
        if (target := _in_own(spelling)) is not None:
            return Replacement("runtime", target)
        if (refused := _refused(spelling)) is not None:
            return refused
    if canonical in _OF_PLAIN or any(ONLY.get(name) == "2" for name, _ in beginnings(canonical)):
        return Replacement("tf2", canonical)
    if canonical in _COMPLETE:
        return Replacement("v1", canonical)
    if canonical in PRIVATE or canonical in GENERATED:
        return Replacement("private", "tensorflow" + canonical[2:])
    module, _, name = canonical.rpartition(".")
    for spelling in (name, name.removeprefix("_")):  # all began with `_` until TF 1.5
        if spelling in GENERATED.get(module, ()):
            return Replacement("private", f"tensorflow{module[2:]}.{spelling}")
    if module in GENERATED:
        return Replacement("left", "", "T2T620", _GENERATED)
    return _in_tables(canonical)


def _moved(canonical: str) -> str:
    for old, new in SAME_OBJECT.items():
        if canonical == old or canonical.startswith(f"{old}."):
            return new + canonical[len(old) :]
    for old, new in _MOVED:
        if canonical.startswith(old):
            return new + canonical[len(old) :]
    return canonical


def _in_own(canonical: str) -> str | None:
    for spelling in (canonical, *_without_folders(canonical)):
        for name, rest in beginnings(spelling):
            if name in OWN and not (rest and name in OWN_MODULES):
                return OWN[name] + rest
    return None


def _by_files(canonical: str) -> list[str]:
    """The public names of a name in a private file: as a name of its folder first, then as the file itself."""
    folders = [FILES[name] + rest for name, rest in beginnings(canonical) if rest and name in FILES]
    return [*folders[:1], *([FILES[canonical]] if canonical in FILES else [])]


def _refused(canonical: str) -> Replacement | None:
    if found := _of_keras(canonical):
        return found
    if canonical in _SESSION_TENSORS:
        return Replacement("left", "", "T2T620", _NO_TENSORS)
    if canonical.startswith(_RESOLVERS):
        return None
    if canonical.endswith("ParameterServerStrategy") and canonical.startswith("tf.distribute."):
        return Replacement("left", "", "T2T622", _SERVERS)
    if canonical.startswith("tf.distribute.") or canonical == "tf.distribute":
        return Replacement("left", "", "T2T622", _STRATEGY)
    return None


def _of_keras(canonical: str) -> Replacement | None:
    """The replacement of a name of TensorFlow 1's Keras: the same name in tf_keras."""
    home = next((name for name in _KERAS if f"{canonical}.".startswith(f"{name}.")), None)
    if home is None:
        return None
    public = _KERAS[0] + canonical[len(home) :]
    module, rest = next((name, rest) for name, rest in beginnings(public) if name in KERAS)
    if not rest or rest.split(".")[1] in KERAS[module]:
        return Replacement("runtime", f"tf2towers.runtime.tf1:{public.removeprefix('tf.')}", "T2T621")
    return Replacement("left", "", "T2T621", _NOT_IN_KERAS)


def _in_tables(canonical: str) -> Replacement:
    found = _looked_up(canonical)
    if found.kind in ("gone", "unknown"):
        if canonical in modules() and not canonical.startswith(_NO_MODULES):
            return Replacement("v1", canonical)
        return Replacement("left", "", "T2T620", found.advice)
    if ":" in found.target:
        return Replacement("runtime", found.target)
    if found.target.startswith("tensorflow."):
        return Replacement("private", found.target)
    if found.target.startswith(("tf.core.", "tf.python.")):
        return Replacement("private", "tensorflow" + found.target[2:])
    if TF2.get(found.code, ("",))[0] in ("keep", "rename", "compat"):
        if canonical.startswith("tf.python."):  # TF 2's own function, still in the same module
            return Replacement("private", "tensorflow" + canonical[2:])
        return Replacement("v1", canonical)
    if canonical not in RENAMES and canonical in PUBLIC:
        return stands_for(PUBLIC[canonical])
    target = found.target
    if target.startswith("tf.compat.v1."):
        target = "tf" + target[len("tf.compat.v1") :]
    return stands_for(target) if target != canonical else Replacement("v1", canonical)


def _looked_up(canonical: str) -> Replacement:
    """The row of a symbol in the dumps, the renames or the runtime's table; its `code` is the name of that row."""
    if canonical == "tf":
        return Replacement("keep", "tf", "tf")
    if canonical.startswith("tf.core.") and "_pb2" in canonical:
        return Replacement("keep", canonical, canonical)
    if canonical == "tf.python.pywrap_tensorflow":
        return Replacement("keep", canonical, canonical)
    for name, rest in beginnings(canonical):
        found = _exact(name) if name != "tf" else None
        if found is not None and (not rest or name not in modules()):
            return found._replace(target=found.target + rest if found.target else "")
        if found is not None and found.kind == "gone":
            break
    return _absent(canonical)


def _exact(name: str) -> Replacement | None:
    kind, target = TF2.get(name, ("", ""))
    same = target if kind == "same" else ""
    for candidate in filter(None, (name, same)):
        if candidate in RENAMES:
            return Replacement("rename", RENAMES[candidate][0], name)
    for candidate in filter(None, (name, same)):
        if candidate in RUNTIME:
            return Replacement("runtime", RUNTIME[candidate], name)
    if same:
        other = _exact(same)
        return None if other is None else other._replace(code=name)
    if name in runtime_modules():
        return Replacement("runtime", runtime_modules()[name], name)
    if kind == "compat":
        return Replacement("compat", "tf.compat.v1" + name[2:], name)
    if kind == "gone":
        return _absent(name)
    return Replacement("keep", target or name, name) if kind else None


def _absent(canonical: str) -> Replacement:
    if canonical.startswith("tf.raw_ops."):
        return Replacement("keep", canonical, canonical)
    for name, _ in beginnings(canonical):
        if name in GONE:
            return Replacement("gone", "", name, GONE[name])
    if TF2.get(canonical, ("",))[0] == "gone":
        return Replacement("gone", "", canonical, "TF 2.21 no longer has it")
    return Replacement("unknown")


def _is_closed(name: str) -> bool:
    """True if names below a name are left if no table has them, although the name itself has a replacement."""
    above, below = stands_for(name), stands_for(f"{name}.no_such_name")
    return below.kind == "left" and (above.kind, above.code) != (below.kind, below.code)


def marks(name: str) -> str:
    """The marks of a name, one letter for each property (codemod/symbols.py)."""
    has = TF2.get(name, ("",))[0] in ("keep", "rename", "compat")
    return "".join(
        letter
        for letter, is_so in (
            ("0", name in RENAMES),
            ("1", name in IN_TF1),
            ("c", has),
            (
                "x",
                ONLY.get(name) == "1" or (name in RENAMES and name not in ("tf.__version__", "tf.__file__")),
            ),
            ("m", name in modules()),
            ("b", _is_closed(name)),
            ("f", name in FILES),
            ("s", name in OWN or name in SESSIONS),
            ("a", name in SAME_OBJECT),
        )
        if is_so
    )


def names() -> set[str]:
    """All names in all tables."""
    found = {*TF1, *IN_TF1, *TF2, *RENAMES, *RUNTIME, *OWN, *OWN_MODULES, *SESSIONS, *SAME_OBJECT, *PRIVATE}
    found |= {
        *GENERATED,
        *GONE,
        *FILES,
        *modules(),
        *_COMPLETE,
        *_SESSION_TENSORS,
        "tf",
        "tf.compat",
        "tf.keras",
        "tf.distribute",
    }
    found |= {"tf.python.pywrap_tensorflow", *_KERAS}
    found |= {*KERAS, *(f"{module}.{name}" for module in KERAS for name in KERAS[module])}
    found |= {
        home + name[len(_KERAS[0]) :] for name in found if name.startswith("tf.keras") for home in _KERAS
    }
    for old, new in _MOVED:
        found |= {old + name[len(new) :] for name in found if name.startswith(new) and new != "tf."}
    found |= {
        f"tf.contrib.slim.init_ops.{name[3:]}"
        for name in found
        if name.endswith("_initializer") and name.count(".") == 1
    }
    for module, homes in PUBLIC_MODULES.items():
        of_tf1 = (name for name in found if name in IN_TF1 or name.startswith("tf.contrib."))
        public = (name.rpartition(".") for name in of_tf1)
        found |= {f"{module}.{last}" for home, _, last in public if home in homes} - {*dict(ALIASES)}
    return {name for name in found if name and (name in TF1 or not name.startswith("tf.compat."))}


def rows() -> Iterator[Row]:
    """Yields a row for each name, sorted."""
    advice: dict[str, str] = {}
    for name in sorted(names()):
        made = stands_for(name)
        above = next((advice[each] for each, rest in beginnings(name) if rest and each in advice), "")
        given = made.advice if made.kind == "left" else GONE.get(name, above)
        if given != above:
            advice[name] = given
        target = "" if made.target == name else made.target
        public = PUBLIC.get(name) or FILES.get(name, "")
        shown = given if given != above else ""
        yield Row(
            name,
            cast(Kind, made.kind),
            target,
            made.code,
            shown,
            public,
            marks(name),
            ARGUMENTS.get(name, ""),
        )


def lines() -> Iterator[str]:
    """Yields the lines of the table: the rows that no alias, no name above and not private_names.tsv say."""
    yield "\t".join(Row._fields)
    table = {row.name: row for row in rows()}
    for name, row in table.items():
        if (private := private_row(name)) is not None and _without_c(row) == private:
            continue
        assert private is None or row.kind != "left", f"{name} is not the same: private_names.tsv is wrong"
        by_alias = row_by_alias(name, table.get)
        is_other = by_alias is not None and name.rpartition(".")[0] in PUBLIC_MODULES
        if row != by_alias and (is_other or not _is_said_above(row, table)):
            yield "\t".join(row).rstrip("\t")


def _without_folders(canonical: str) -> list[str]:
    """Returns `tf.contrib.crf.crf_decode` for `tf.contrib.crf.python.ops.crf.crf_decode`; nothing for other names."""
    parts = canonical.split(".")
    is_a_files = parts[:2] == ["tf", "contrib"] and "python" in parts[3:-1]
    return [".".join([*parts[: parts.index("python")], parts[-1]])] if is_a_files else []


def _without_c(row: Row) -> Row:
    return row._replace(marks=row.marks.replace("c", ""))


def _is_said_above(row: Row, table: dict[str, Row]) -> bool:
    """True if a name that TensorFlow 1 never had means without its row what it means with it."""
    if row.advice or row.public or row.arguments or not {*row.marks} <= {*"cs"} or row.kind == "session":
        return False
    above = [(table[name], rest) for name, rest in beginnings(row.name) if rest and name in table]
    if not above:
        return False
    nearest, rest = above[0]
    if "f" in nearest.marks and row.kind == "runtime":
        files, folders = (
            table.get(nearest.public + rest),
            [table.get(name) for name in _without_folders(row.name)],
        )
        return files is not None and all(
            each is None or each.target == row.target for each in [files, *folders]
        )
    if "b" in nearest.marks or nearest.kind == "left":
        return (row.kind, row.code) == ("left", nearest.code)
    return (row.kind, row.target or row.name) == (nearest.kind, (nearest.target or nearest.name) + rest)


def main() -> int:
    """Writes the table, or with --check tests whether it is up to date."""
    text = "\n".join(lines()) + "\n"
    if "--check" not in sys.argv:
        TABLE.write_text(text, encoding="utf-8")
    elif TABLE.read_text(encoding="utf-8") != text:
        print(f"{TABLE.name} is out of date: run `python tables/make_symbols.py`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
