"""Writes arguments.tsv, beside it: the arguments that functions and classes of `tensorflow.compat.v1` take.

    python tables/make_arguments.py > oldest.tsv
    python tables/make_arguments.py oldest.tsv > arguments.tsv

The first command runs under the oldest supported TensorFlow, the second under the newest. A row has
a name of TF1 and the arguments that both versions take, a star before keyword-only ones. Functions
that take any arguments are left out.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

TABLE = Path(__file__).parent / "tf1_symbols.tsv"
#: names that the runtime replaces, or that are refused
LEFT_OUT = ("tf.contrib.", "tf.python.", "tf.keras.", "tf.estimator.")


def main(arguments: list[str]) -> None:
    """Prints the table."""
    oldest = (
        dict(line.split("\t") for line in Path(arguments[0]).read_text().splitlines()) if arguments else None
    )
    print("name\targuments")
    for name, takes in rows():
        if oldest is None:
            print(f"{name}\t{' '.join(takes)}")
        elif name in oldest:
            print(f"{name}\t{' '.join(word for word in takes if word in oldest[name].split())}")


def rows() -> Iterator[tuple[str, list[str]]]:
    """Yields each symbol with its arguments."""
    import tensorflow as tf

    for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        name = line.split("\t")[0]
        if name.startswith(LEFT_OUT) or not name.startswith("tf."):
            continue
        found: Any = tf.compat.v1
        try:
            for part in name.split(".")[1:]:
                found = getattr(found, part)
        except Exception:  # the name was removed, or its library is not installed
            continue
        if (takes := arguments_of(found)) is not None:
            yield name, takes


def arguments_of(found: Any) -> list[str] | None:
    """The arguments of a function or class; None if it takes any arguments, or if they are unknown."""
    from tensorflow.python.util import tf_inspect

    if inspect.isclass(found):
        found = found.__init__
        if found is object.__init__:
            return None
    elif not callable(found):
        return None
    try:
        takes = tf_inspect.getfullargspec(found)
    except TypeError:
        return None
    if takes.varargs or takes.varkw:
        return None
    bound = inspect.ismethod(found) or takes.args[:1] == ["self"]
    return [*takes.args[bound:], *(f"*{name}" for name in takes.kwonlyargs)]


if __name__ == "__main__":
    main(sys.argv[1:])
