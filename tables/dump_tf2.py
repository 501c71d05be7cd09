"""Writes tf2_symbols.tsv from the installed TensorFlow 2.21 and tf1_symbols.tsv.

    python tables/dump_tf2.py            # writes the table
    python tables/dump_tf2.py --check    # exits with 1 if the committed table differs from a new one

For every public TF1 symbol (and every private one that scripts import) it has the name of the *same
object* in a script that imports plain TensorFlow (see `kind_and_target`). The last column is kept
from the old table: `1` if a use of the name in plain `tensorflow` is evidence of a TF 1 program;
`2` if TF 1 programs take it from plain TensorFlow.
"""

from __future__ import annotations

import argparse
import os
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TABLE = FOLDER / "tf2_symbols.tsv"

#: modules whose names follow one rule each, which make_symbols.py knows
_BY_PREFIX = ("tf.raw_ops", "tf.compat.v1", "tf.compat.v2", "tf.estimator", "tf.mlir")


def reach(root: Any, dotted: str) -> Any:
    """The object of a dotted name rooted at `tf`; raises AttributeError or ImportError if there is none."""
    for part in dotted.split(".")[1:]:
        root = getattr(root, part)
    return root


def unwrapped(value: Any) -> Any:
    """A module without TensorFlow's wrapper around some of its modules."""
    return getattr(value, "_tfmw_wrapped_module", value)


def walk(name: str, module: Any) -> Iterator[tuple[str, Any]]:
    """Yields every public symbol of the API under a module."""
    try:
        attributes = sorted(dir(module))
    except ImportError:  # a lazy module that needs Keras 2
        return
    for attribute in attributes:
        path = f"{name}.{attribute}"
        if attribute.startswith("_") or path in _BY_PREFIX:
            continue
        try:
            value = getattr(module, attribute)
        except (AttributeError, ImportError):  # a name that Keras 3 has removed
            continue
        if isinstance(value, types.ModuleType):
            real = unwrapped(value).__name__
            if "_api" in real or (real.startswith("keras.") and ".src" not in real):
                yield path, value
                yield from walk(path, value)
        else:
            yield path, value


def preference(obj: Any, path: str) -> tuple[object, ...]:
    """The sort key for the public names of one object: the name in its documentation first, then the shortest."""
    documented = tuple(vars(obj).get("_tf_api_names", ())) if hasattr(obj, "__dict__") else ()
    return (
        "experimental" in path,
        path[3:] != documented[0] if documented else True,
        path.count("."),
        len(path),
        path,
    )


class Symbols:
    """The names of TensorFlow 2.21, as dictionaries."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf
        self.modern = dict(walk("tf", tf))
        self.v1 = dict(walk("tf", tf.compat.v1))
        aliases: dict[int, list[str]] = {}
        for path, value in self.modern.items():
            if not isinstance(value, types.ModuleType) and not _plain(value):
                aliases.setdefault(id(value), []).append(path)
        self._alias = {
            key: min(paths, key=lambda p: preference(reach(tf, p), p)) for key, paths in aliases.items()
        }

    def kind_and_target(self, name: str) -> tuple[str, str]:
        """(keep, name), (rename, TF2 name of the same object), (compat, compat.v1 name) or (gone, "")."""
        if name.startswith("tf.keras"):  # the same Keras 3 under all its names
            return ("keep", name) if name in self.modern else ("gone", "")
        try:
            value = reach(self.tf.compat.v1, name)
        except (AttributeError, ImportError):
            return ("keep", name) if name in self.modern else ("gone", "")
        if not isinstance(value, types.ModuleType):
            if self._same(name, value):
                return "keep", name
            if not _plain(value) and id(value) in self._alias:
                return "rename", self._alias[id(value)]
        return "compat", "tf.compat.v1" + name[2:]

    def private(self, name: str) -> tuple[str, str]:
        """Like `kind_and_target`, for a name under tensorflow.python whose object had only private names in 1.15."""
        module, _, attribute = name.rpartition(".")
        try:
            owner = __import__("tensorflow" + module[2:], fromlist=[attribute])
        except ImportError:
            return "gone", ""
        value = getattr(owner, attribute, None)
        if value is None:
            return "gone", ""
        if not isinstance(value, types.ModuleType) and not _plain(value) and id(value) in self._alias:
            return "rename", self._alias[id(value)]
        return "private", "tensorflow" + name[2:]

    def _same(self, name: str, value: Any) -> bool:
        try:
            modern = reach(self.tf, name)
        except (AttributeError, ImportError):
            return False
        return modern is value or (_plain(value) and type(modern) is type(value) and modern == value)


def _plain(value: Any) -> bool:
    return isinstance(value, bool | int | float | str | bytes | tuple | list | type(None))


def symbol_lines(tf: Any) -> Iterator[str]:
    """The table, line by line."""
    symbols = Symbols(tf)
    table: dict[str, tuple[str, str]] = {}
    for line in (FOLDER / "tf1_symbols.tsv").read_text("utf-8").splitlines()[1:]:
        name, _, same_as = line.split("\t")
        if same_as and name.startswith(("tf.contrib.", "tf.python.")):
            table[name] = ("same", same_as)
        elif name.startswith("tf.python."):
            table[name] = symbols.private(name)
        elif not name.startswith("tf.contrib"):
            table[name] = symbols.kind_and_target(name)
    for name in [*symbols.v1, *symbols.modern]:
        if name not in table and name != "tf.flags" and not name.startswith("tf.flags."):
            table[name] = symbols.kind_and_target(name)
    yield "name\tkind\ttarget\tonly"
    kept = {line.split("\t")[0]: line.split("\t")[3] for line in TABLE.read_text("utf-8").splitlines()}
    for name, (kind, target) in sorted(table.items()):
        yield f"{name}\t{kind}\t{'' if kind in ('keep', 'compat') else target}\t{kept.get(name, '')}"


def main(arguments: Iterable[str] | None = None) -> int:
    """Writes the table, or with --check tests whether it is up to date."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(None if arguments is None else list(arguments))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.pop("TF_USE_LEGACY_KERAS", None)
    import tensorflow as tf

    text = "\n".join(symbol_lines(tf)) + "\n"
    if not options.check:
        TABLE.write_text(text, "utf-8")
    elif TABLE.read_text("utf-8") != text:
        print(f"{TABLE.name} differs from a new table of TensorFlow {tf.__version__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
