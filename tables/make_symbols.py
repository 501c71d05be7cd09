"""Writes symbols.tsv and plain_calls.tsv from the installed TensorFlow 2.21 and tf1_symbols.tsv.

    python tables/make_symbols.py            # write both
    python tables/make_symbols.py --check    # exit 1 if a committed table is not what would be written

symbols.tsv says for every public TF1 symbol (and every private one that scripts import) what a script that
does plain `import tensorflow as tf` writes for the *same object*; see `_kind_and_target`. plain_calls.tsv
holds the functions that differ from their TF2 namesake by deprecated parameters only: each row's example was
built with both, and the two graphs are equal node by node, names included.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from tf2towers.names.tables import DATA, read_table

#: Their names follow one rule each, which tables.py knows.
_BY_PREFIX = ("tf.raw_ops", "tf.compat.v1", "tf.compat.v2", "tf.estimator", "tf.mlir")


def reach(root: Any, dotted: str) -> Any:
    """The object behind a dotted name rooted at `tf`; AttributeError or ImportError when there is none."""
    for part in dotted.split(".")[1:]:
        root = getattr(root, part)
    return root


def unwrapped(value: Any) -> Any:
    """A module without the wrapper TensorFlow puts around some of its own."""
    return getattr(value, "_tfmw_wrapped_module", value)


def walk(name: str, module: Any) -> Iterator[tuple[str, Any]]:
    """Every public symbol of the API under a module."""
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
        except (AttributeError, ImportError):  # what Keras 3 no longer has
            continue
        if isinstance(value, types.ModuleType):
            real = unwrapped(value).__name__
            if "_api" in real or (real.startswith("keras.") and ".src" not in real):
                yield path, value
                yield from walk(path, value)
        else:
            yield path, value


def preference(obj: Any, path: str) -> tuple[object, ...]:
    """Sorts the public names of one object: the one its documentation uses first, then the shortest."""
    documented = tuple(vars(obj).get("_tf_api_names", ())) if hasattr(obj, "__dict__") else ()
    return (
        "experimental" in path,
        path[3:] != documented[0] if documented else True,
        path.count("."),
        len(path),
        path,
    )


class Symbols:
    """TensorFlow 2.21 seen as one dictionary of names."""

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
        if name.startswith("tf.keras"):  # one Keras 3, whichever way it is reached
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
        """The same for a name under tensorflow.python that had no public one in TF 1.15."""
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
    """symbols.tsv, line by line."""
    symbols = Symbols(tf)
    table: dict[str, tuple[str, str]] = {}
    for name, _, same_as in read_table("tf1_symbols.tsv"):
        if same_as and name.startswith(("tf.contrib.", "tf.python.")):
            table[name] = ("same", same_as)
        elif name.startswith("tf.python."):
            table[name] = symbols.private(name)
        elif not name.startswith("tf.contrib"):
            table[name] = symbols.kind_and_target(name)
    for name in [*symbols.v1, *symbols.modern]:
        if name not in table and name != "tf.flags" and not name.startswith("tf.flags."):
            table[name] = symbols.kind_and_target(name)
    yield "name\tkind\ttarget"
    for name, (kind, target) in sorted(table.items()):
        yield f"{name}\t{kind}\t{'' if kind in ('keep', 'compat') else target}"


def plain_call_lines(tf: Any) -> Iterator[str]:
    """plain_calls.tsv, line by line."""
    yield "name\ttarget\tpositional\tkeywords\trequired"
    for name, target, positional, without, required, example in read_table("calls_examples.tsv"):
        old, new = reach(tf.compat.v1, name), reach(tf, target)
        if old is new:
            raise ValueError(f"{name}: already the same object as {target}")
        if _graph(tf, old, example) != _graph(tf, new, example):
            raise ValueError(f"{name}: {target} builds another graph")
        accepted = set(inspect.signature(new).parameters) - set(without.split(","))
        keywords = [word for word in inspect.signature(old).parameters if word in accepted]
        yield "\t".join([name, target, positional, ",".join(keywords), required])


def _graph(tf: Any, function: Any, example: str) -> str:
    """The graph an example builds, as text; the running numbers of function bodies are left out."""
    feed = tf.compat.v1.placeholder
    with tf.Graph().as_default() as graph:
        names = {
            "tf": tf,
            "F": function,
            "X": feed(tf.float32, [2, 3]),
            "COLUMN": feed(tf.float32, [2, 1]),
            "LABELS": feed(tf.int32, [2]),
            "SEQUENCE": feed(tf.float32, [2, 6, 4]),
            "IMAGE": feed(tf.float32, [2, 4, 4, 4]),
            "VOLUME": feed(tf.float32, [2, 4, 4, 4, 4]),
            "FILTER": feed(tf.float32, [2, 2, 4, 3]),
            "FILTER_T": feed(tf.float32, [2, 2, 4, 4]),
            "FILTER1": feed(tf.float32, [3, 4, 4]),
            "FILTER3": feed(tf.float32, [2, 2, 2, 4, 4]),
            "POINTWISE": feed(tf.float32, [1, 1, 12, 4]),
        }
        eval(example, names)
    return re.sub(r"_(\d+)(?=\")", "", str(graph.as_graph_def(add_shapes=True).node))


def main(arguments: Iterable[str] | None = None) -> int:
    """Writes the tables, or with --check says whether they are up to date."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(None if arguments is None else list(arguments))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.pop("TF_USE_LEGACY_KERAS", None)
    import tensorflow as tf

    status = 0
    for name, lines in (("symbols.tsv", symbol_lines(tf)), ("plain_calls.tsv", plain_call_lines(tf))):
        text = "\n".join(lines) + "\n"
        if not options.check:
            (DATA / name).write_text(text, "utf-8")
        elif (DATA / name).read_text("utf-8") != text:
            print(
                f"{name} is not what tables/make_symbols.py writes with TensorFlow {tf.__version__}",
                file=sys.stderr,
            )
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
