"""Pairs the variables of a TF2 program with the original's, where their names differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

#: other libraries' names (Keras layers, tf.layers, hand-written models) to those of TF-Slim
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
    original: Shapes, trainable: Sequence[str], migrated: Shapes, migrated_trainable: Sequence[str]
) -> dict[str, str]:
    """Pairs the original's names with the program's. Only variables of one shape are paired, each once.

    Args:
        original, migrated: every variable's shape, by name.
        trainable, migrated_trainable: those that the optimizer was given, in its order.

    The order of pairing: first the same names. Then the trainable ones of one shape, in order, first where their last
    words match but for synonyms ('kernel' and 'weights'). At last, others whose words and shape occur only once.
    """
    pairs: dict[str, str] = {}

    def add(name: str, other: str) -> None:
        if name in original and other in migrated and tuple(original[name]) == tuple(migrated[other]):
            if name not in pairs and other not in pairs.values():
                pairs[name] = other

    for name in original:
        add(name, name)
    # pairs trainable variables in order, within groups of similar names
    for alike in (_words, lambda name: _words(name)[-1:], lambda _: ()):
        unpaired = [name for name in trainable if name in original and name not in pairs]
        candidates = [name for name in migrated_trainable if name not in pairs.values()]
        for key, names in _grouped(unpaired, original, alike).items():
            others_alike = _grouped(candidates, migrated, alike).get(key, [])
            if len(names) == len(others_alike):
                for name, other in zip(names, others_alike, strict=True):
                    add(name, other)
    rest = _grouped([name for name in original if name not in pairs], original, _words)
    others = _grouped([name for name in migrated if name not in pairs.values()], migrated, _words)
    for key, names in rest.items():
        if len(names) == 1 == len(others.get(key, [])):  # no other variable has these words and this shape
            add(names[0], others[key][0])
    return pairs


def _grouped(
    names: Sequence[str], shapes: Shapes, alike: Callable[[str], tuple[str, ...]]
) -> dict[tuple[object, ...], list[str]]:
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in names:
        groups.setdefault((alike(name), tuple(shapes[name])), []).append(name)
    return groups


def _words(name: str) -> tuple[str, ...]:
    """The last two parts of a name, with synonyms replaced by TF-Slim's words."""
    words = filter(None, re.split(r"[/.]", name.lower()))
    parts = [re.sub(r"(_norm|_bn|_batch_normalization)$", "", word) for word in words]
    last = _WORDS.get(parts[-1], parts[-1])
    return (last,) if last == "global_step" else (*parts[:-1], last)[-2:]
