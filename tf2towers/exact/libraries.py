"""What NumPy, SciPy and Python themselves renamed or dropped since TF1's days (data/libraries/names.tsv)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

_DATA = Path(__file__).parent / "data" / "libraries" / "names.tsv"

Kind = Literal["attribute", "builtin", "from", "module", "runtime", "left"]


class Changed(NamedTuple):
    """What stands for a name today.

    Attributes:
        kind: 'attribute': another name in the same module. 'builtin': Python's own. 'from': the same name in another
            module. 'module': a module itself. 'runtime': ours. 'left': nothing that is certain.
        target: that name or module; for 'left', what a person would write, where that is known.
        python2: whether no Python 3 ever had the name.
    """

    kind: Kind
    target: str
    python2: bool


@cache
def changed() -> dict[str, Changed]:
    """Dotted name (`numpy.float`) -> what stands for it. A module that is gone has one row, for all that was in it."""
    rows = (line.split("\t") for line in _DATA.read_text(encoding="utf-8").splitlines()[1:])
    return {name: Changed(kind, target, last == "python2") for name, kind, target, last in rows}  # type: ignore[arg-type]


def is_gone(dotted: str) -> bool:
    """Whether a dotted name, or a module that it is in, is no more."""
    return gone_part(dotted) is not None


def gone_part(dotted: str) -> str | None:
    """The longest part of a dotted name, from its beginning, that is no more."""
    while dotted:
        if dotted in changed():
            return dotted
        dotted = dotted.rpartition(".")[0]
    return None


@cache
def modules_in_parts() -> frozenset[str]:
    """The modules that are gone, but for names of theirs that have rows of their own (`scipy.misc`)."""
    return frozenset(name.rpartition(".")[0] for name in changed()) & frozenset(changed())


@cache
def _last_names() -> dict[str, frozenset[str]]:
    """Library -> the last parts of its names."""
    found: dict[str, set[str]] = {}
    for name in changed():
        found.setdefault(name.partition(".")[0], set()).add(name.rpartition(".")[2])
    return {library: frozenset(names) for library, names in found.items()}


def last_names(libraries: Collection[str]) -> frozenset[str]:
    """The last parts of these libraries' names, to look no further at others."""
    return frozenset[str]().union(*(_last_names().get(library, frozenset()) for library in libraries))


@cache
def _keras2() -> frozenset[str]:
    return frozenset((_DATA.parents[1] / "keras2.txt").read_text(encoding="utf-8").split())


def of_keras2(dotted: str) -> str | None:
    """The part of a dotted name, from its beginning, that Keras 1 or 2 had, and Keras 3 has not."""
    while dotted:
        if dotted in _keras2():
            return dotted
        dotted = dotted.rpartition(".")[0]
    return None
