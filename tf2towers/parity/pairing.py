"""Which variable of a TF2 program is which of the original's, where the names differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

#: what other libraries call the same thing (Keras layers, TF-Slim, tf.layers, hand-written models)
_WORDS = {
    "kernel": "weights",
    "weight": "weights",
    "w": "weights",
    "bias": "biases",
    "b": "biases",
    "scale": "gamma",
    "offset": "beta",
    "embeddings": "weights",
    "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
    "iterations": "global_step",
    "iteration": "global_step",
}
Shapes = Mapping[str, tuple[int, ...]]


def pair(
    original: Shapes,
    trainable: Sequence[str],
    migrated: Shapes,
    migrated_trainable: Sequence[str],
    given: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The original's names to the program's. Only variables of one shape are paired, each once.

    Args:
        original, migrated: every variable's shape, by name.
        trainable, migrated_trainable: those that the optimizer was given, in its order.
        given: pairs that the user gives; they come first.

    In turn: the same name; the trainable ones in order, where all shapes are the same one by one; the same words in the
    name but for what libraries call differently ('kernel' and 'weights'), where no other has them.
    """
    pairs: dict[str, str] = {}

    def add(name: str, other: str) -> None:
        if name in original and other in migrated and tuple(original[name]) == tuple(migrated[other]):
            if name not in pairs and other not in pairs.values():
                pairs[name] = other

    for name, other in (given or {}).items():
        add(name, other)
    for name in original:
        add(name, name)
    if [tuple(original[n]) for n in trainable if n in original] == [
        tuple(migrated[n]) for n in migrated_trainable
    ]:
        by_words = _by_words(trainable, migrated_trainable, original, migrated)
        for name, other in by_words.items() or zip(trainable, migrated_trainable, strict=False):
            add(name, other)
        if not all(name in pairs for name in trainable):
            for name, other in zip(trainable, migrated_trainable, strict=False):
                add(name, other)
    rest = [name for name in original if name not in pairs]
    for name, other in _by_words(
        rest, [n for n in migrated if n not in pairs.values()], original, migrated
    ).items():
        add(name, other)
    return pairs


def _by_words(
    names: Sequence[str], others: Sequence[str], shapes: Shapes, other_shapes: Shapes
) -> dict[str, str]:
    """Those whose words and shape are unique on both sides."""
    mine, theirs = _grouped(names, shapes), _grouped(others, other_shapes)
    return {
        found[0]: theirs[key][0] for key, found in mine.items() if len(found) == 1 == len(theirs.get(key, []))
    }


def _grouped(names: Sequence[str], shapes: Shapes) -> dict[tuple[object, ...], list[str]]:
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in names:
        groups.setdefault((_words(name), tuple(shapes[name])), []).append(name)
    return groups


def _words(name: str) -> tuple[str, ...]:
    parts = [
        re.sub(r"(_norm|_bn|_batch_normalization)$", "", part)
        for part in re.split(r"[/.]", name.lower())
        if part
    ]
    last = _WORDS.get(parts[-1], parts[-1])
    return (*parts[:-1], last)[-2:]
