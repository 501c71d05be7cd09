"""What NumPy, SciPy and Python themselves renamed or dropped since TF1's days (exact/data/libraries)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Literal, NamedTuple

from tf2towers.exact.data import FOLDER, rows
from tf2towers.names.canonical import beginnings

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
    return {
        name: Changed(kind, target, last == "python2")  # type: ignore[arg-type]
        for name, kind, target, last in rows("libraries/names.tsv")
    }


class ChangedArgument(NamedTuple):
    """How an argument of a function has to be given today.

    Attributes:
        kind: 'keyword': the arguments from a place on have to be named. 'renamed': another keyword. 'unnamed': its
            place alone is the same in all of today's releases. 'dropped': it said nothing any more. 'left': nothing
            that is certain.
        place: the place that it had; None where that place still means the same.
        names: the names of the arguments, from that place on, for 'keyword'; else the argument's own.
        today: the new keyword, or what a person would write.
    """

    kind: Literal["keyword", "renamed", "unnamed", "dropped", "left"]
    place: int | None
    names: tuple[str, ...]
    today: str


@cache
def changed_arguments() -> dict[str, list[ChangedArgument]]:
    """Dotted name of a function -> those of its arguments that are given otherwise today."""
    found: dict[str, list[ChangedArgument]] = {}
    for function, kind, place, argument, today in rows("libraries/arguments.tsv"):
        change = ChangedArgument(kind, int(place) if place else None, tuple(argument.split(",")), today)  # type: ignore[arg-type]
        found.setdefault(function, []).append(change)
    return found


class LostMethod(NamedTuple):
    """A method that values of a library have lost.

    Attributes:
        library: the module that a program which has such values imports; '' where it may have them without.
        unless: a library whose values still have the method.
        kind: 'renamed': another method. 'through': another method, where the result is gone through at once. 'list':
            `list(value)`. 'left': nothing that is certain.
        today: that method, or what a person would write.
        owner: what had it, in words.
    """

    library: str
    unless: str
    kind: Literal["renamed", "through", "list", "left"]
    today: str
    owner: str


@cache
def lost_methods() -> dict[str, list[LostMethod]]:
    """Name of a method -> the values that have lost it."""
    found: dict[str, list[LostMethod]] = {}
    for name, *rest in rows("libraries/methods.tsv"):
        found.setdefault(name, []).append(LostMethod(*rest))  # type: ignore[arg-type]
    return found


def is_gone(dotted: str) -> bool:
    """Whether a dotted name, or a module that it is in, is no more."""
    return gone_part(dotted) is not None


def gone_part(dotted: str) -> str | None:
    """The longest part of a dotted name, from its beginning, that is no more."""
    return next((name for name, _ in beginnings(dotted) if name in changed()), None)


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


def last_names(libraries: Collection[str] | None = None) -> frozenset[str]:
    """The last parts of these libraries' names, to look no further at others; of all libraries' without any given."""
    found = _last_names()
    return frozenset[str]().union(
        *(found.get(library, frozenset()) for library in (found if libraries is None else libraries))
    )


@cache
def _keras2() -> frozenset[str]:
    return frozenset((FOLDER / "keras2.txt").read_text(encoding="utf-8").split())


def of_keras2(dotted: str) -> str | None:
    """The part of a dotted name, from its beginning, that Keras 1 or 2 had, and Keras 3 has not."""
    return next((name for name, _ in beginnings(dotted) if name in _keras2()), None)
