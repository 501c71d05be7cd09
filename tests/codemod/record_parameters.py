"""Writes tf115_parameters.tsv: what the functions and classes of TensorFlow 1.15 take.

    /opt/tf115/bin/python tests/codemod/record_parameters.py > tests/codemod/tf115_parameters.tsv

A row is a name of tables/tf1_symbols.tsv, what can be given by place, in order, and what by keyword alone. The text
is Python 3.7 and imports nothing of tf2towers.
"""

import importlib
import inspect
import os
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

SYMBOLS = Path(__file__).parents[2] / "tables" / "tf1_symbols.tsv"


def value_of(name):
    """What a name rooted at `tf` stands for."""
    import tensorflow as tf

    first, _, last = name.rpartition(".")
    try:
        value = tf
        for part in name.split(".")[1:]:
            value = getattr(value, part)
    except AttributeError:
        value = getattr(importlib.import_module("tensorflow" + first[2:]), last)
    return value


def main():
    """Prints the table."""
    print("name\tby place\tby keyword")
    for row in SYMBOLS.read_text(encoding="utf-8").splitlines()[1:]:
        name, kind, _ = row.split("\t")
        if kind not in ("function", "class"):
            continue
        try:
            parameters = inspect.signature(value_of(name)).parameters.values()
        except (AttributeError, ImportError, TypeError, ValueError):
            continue
        by_place = [found.name for found in parameters if found.kind is found.POSITIONAL_OR_KEYWORD]
        by_keyword = [found.name for found in parameters if found.kind is found.KEYWORD_ONLY]
        if by_place or by_keyword:
            print("\t".join([name, ",".join(by_place), ",".join(by_keyword)]))


if __name__ == "__main__":
    main()
