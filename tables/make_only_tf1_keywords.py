"""Writes only_tf1_keywords.tsv: keywords that plain TF 2's function or class of the same name does not take.

    python tables/make_only_tf1_keywords.py > newest.tsv
    python tables/make_only_tf1_keywords.py newest.tsv > tf2towers/codemod/data/only_tf1_keywords.tsv

The first command runs under the newest TensorFlow, the second under the oldest supported one. What
TF 1.15 took stands in tests/codemod/tf115_parameters.tsv.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
#: what changed its arguments within TF 2 as well
PARTS_LEFT_OUT = frozenset({"experimental", "autograph", "test", "OptionalSpec", "RaggedTensor"})


def main(arguments: list[str]) -> None:
    """Prints the table."""
    others = (
        dict(line.split("\t") for line in Path(arguments[0]).read_text().splitlines()) if arguments else None
    )
    print("name\tkeywords")
    for name, words in rows():
        in_both = [word for word in words if others is None or word in others.get(name, "").split()]
        if in_both:
            print(f"{name}\t{' '.join(in_both)}")


def rows() -> Iterator[tuple[str, list[str]]]:
    """Yields each name of plain TensorFlow with the keywords that only TF 1.15 took."""
    import tensorflow as tf
    from make_arguments import LEFT_OUT, arguments_of

    table = HERE.parent / "tests" / "codemod" / "tf115_parameters.tsv"
    for line in table.read_text(encoding="utf-8").splitlines()[1:]:
        name, *taken = line.split("\t")
        found: Any = tf
        if name.startswith(LEFT_OUT) or not PARTS_LEFT_OUT.isdisjoint(name.split(".")):
            continue
        try:
            for part in name.split(".")[1:]:
                found = getattr(found, part)
        except Exception:  # plain TF 2 lacks the whole name
            continue
        takes = {word.lstrip("*") for word in arguments_of(found) or ()}
        if takes:
            yield name, [word for words in taken for word in words.split(",") if word and word not in takes]


if __name__ == "__main__":
    main(sys.argv[1:])
