"""Which variable of a TF2 program is which of the original's, where the names differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

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

    In turn: the same name; the trainable ones of one shape in order, those first whose last words are the same but for
    what libraries call differently ('kernel' and 'weights'); of all others those whose words no other has.
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
    for alike in (_words, _last_word, lambda name: ()):  # in order, within those that are called alike
        mine = [name for name in trainable if name in original and name not in pairs]
        theirs = [name for name in migrated_trainable if name not in pairs.values()]
        for key, names in _grouped(mine, original, alike).items():
            others = _grouped(theirs, migrated, alike).get(key, [])
            if len(names) == len(others):
                for name, other in zip(names, others, strict=True):
                    add(name, other)
    rest = [name for name in original if name not in pairs]
    for name, other in _by_words(
        rest, [name for name in migrated if name not in pairs.values()], original, migrated
    ).items():
        add(name, other)
    return pairs


def _by_words(
    names: Sequence[str], others: Sequence[str], shapes: Shapes, other_shapes: Shapes
) -> dict[str, str]:
    """Those whose words and shape are unique on both sides."""
    mine, theirs = _grouped(names, shapes, _words), _grouped(others, other_shapes, _words)
    return {
        found[0]: theirs[key][0] for key, found in mine.items() if len(found) == 1 == len(theirs.get(key, []))
    }


def _grouped(
    names: Sequence[str], shapes: Shapes, alike: Callable[[str], tuple[str, ...]]
) -> dict[tuple[object, ...], list[str]]:
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in names:
        groups.setdefault((alike(name), tuple(shapes[name])), []).append(name)
    return groups


def _last_word(name: str) -> tuple[str, ...]:
    return _words(name)[-1:]


def _words(name: str) -> tuple[str, ...]:
    """The last two parts of a name, in TF1's words."""
    parts = [
        re.sub(r"(_norm|_bn|_batch_normalization)$", "", part)
        for part in re.split(r"[/.]", name.lower())
        if part
    ]
    last = _WORDS.get(parts[-1], parts[-1])
    return (last,) if last == "global_step" else (*parts[:-1], last)[-2:]
