"""A comparison in words: one line a variable, then the sentence that counts."""

from __future__ import annotations

from collections.abc import Iterable

from tf2towers.parity.compare import KINDS, Comparison, Difference


def line(difference: Difference) -> str:
    """What became of one value."""
    if difference.missing_in:
        return f"missing in {difference.missing_in} program"
    if difference.bitwise:
        return "bitwise equal"
    return (
        f"APART since step {difference.first}: at most {difference.max_abs:.3g}, "
        f"{difference.max_ulp:.3g} ulp of the largest element"
    )


def table(comparison: Comparison, kinds: Iterable[str] = KINDS) -> str:
    """The sections asked for, those that are empty left out."""
    sections = []
    for kind in kinds:
        differences = comparison.of(kind)
        if not differences:
            continue
        width = max(len(d.name) for d in differences)
        shapes = ["x".join(map(str, d.shape)) or "scalar" for d in differences]
        rows = [
            f"  {d.name:{width}}  {shape:>{max(map(len, shapes))}}  {line(d)}"
            for d, shape in zip(differences, shapes, strict=True)
        ]
        sections.append("\n".join([f"{kind}, {comparison.steps} steps", *rows]))
    return "\n\n".join(sections)


def sentence(comparison: Comparison) -> str:
    """The verdict."""
    if not comparison.steps:
        return "NO VERDICT: not one step to compare"
    if comparison.extra_steps:
        return f"APART: {comparison.extra_steps} program made more steps than the {comparison.steps} of the other"
    apart = comparison.apart()
    total = len(comparison.differences)
    if not apart:
        return f"PARITY: all {total} values bitwise equal at each of {comparison.steps} steps"
    worst = max(apart, key=lambda d: d.max_ulp)
    return f"APART: {len(apart)} of {total} values differ, most of all {worst.name} ({worst.kind}): {line(worst)}"
