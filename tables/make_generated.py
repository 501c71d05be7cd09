"""Writes the functions of `tensorflow.python.ops.gen_*_ops` that are the same from TF 1.15 to the newest TF 2.

These are the rows of codemod/data/private_names.tsv with `generated` in the second column, added
there by hand.

    /opt/tf115/bin/python tables/make_generated.py > tf115.tsv
    python tables/make_generated.py tf115.tsv > oldest.tsv
    python tables/make_generated.py oldest.tsv names > generated.tsv

The first command runs under TensorFlow 1.15, the second under the oldest supported version, the
third under the newest. Each function makes one operation. It counts as the same if its arguments
are the same, in the same order and with the same defaults; a later version may have further
arguments after them. Functions that take a reference to a TF1 variable are left out, since
variables are resource variables now.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

#: text in a generated function for an argument that is a reference
REFERENCE = "is a ref."


def main(arguments: list[str]) -> None:
    """Prints the table: rows of a module, a function and its arguments; with `names`, of a module and its functions."""
    before = None
    if arguments:
        cells = [line.split("\t") for line in Path(arguments[0]).read_text().splitlines()]
        before = {(module, name): takes for module, name, takes in cells}
    names: dict[str, list[str]] = {}
    for module, name, takes in rows():
        known = takes if before is None else before.get((module, name))
        if known is None or not (takes == known or takes.startswith(known + " ")):
            continue
        if arguments[1:] == ["names"]:
            names.setdefault(module, []).append(name)
        else:
            print("\t".join([module, name, known]))
    if names:
        print("module\tnames")
    for module in sorted(names):
        print("\t".join([module, " ".join(names[module])]))


def rows() -> Iterator[tuple[str, str, str]]:
    """Yields each function of each module, with its arguments as words: `name`, or `name=default`."""
    ops = importlib.import_module("tensorflow.python.ops")

    for found in sorted(pkgutil.iter_modules(ops.__path__), key=lambda module: module[1]):
        short = found[1]
        if not (short.startswith("gen_") and short.endswith("_ops")):
            continue
        module = importlib.import_module("tensorflow.python.ops." + short)
        for name in sorted(vars(module)):
            function = inspect.unwrap(getattr(module, name))
            if name != name.lower() or name.endswith("_eager_fallback") or not inspect.isfunction(function):
                continue
            if name.startswith("_") and not hasattr(builtins, name[1:]):
                continue
            if function.__code__.co_filename.endswith(short + ".py") and REFERENCE not in inspect.getsource(
                function
            ):
                yield "tf.python.ops." + short, name, " ".join(words_of(function))


def words_of(function: Any) -> list[str]:
    """The arguments of a function, without the last one, which is the operation's name."""
    words = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "name":
            continue
        default = parameter.default
        words.append(
            parameter.name if default is inspect.Parameter.empty else f"{parameter.name}={default!r}"
        )
    return ["".join(word.split()) for word in words]


if __name__ == "__main__":
    main(sys.argv[1:])
