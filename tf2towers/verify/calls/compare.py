"""The k-th session call of one program against the k-th of the other: everything by name, every bit."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind
from tf2towers.verify.calls.recording import KINDS, Call, Run
from tf2towers.verify.compare import Series, Tolerances, equal
from tf2towers.verify.recorder.variables import belongs_to

#: variables by worker, session and name
State = dict[tuple[int, int, str], np.ndarray]


@dataclass(frozen=True)
class Difference:
    """Two values that are not the same."""

    original: Call
    migrated: Call
    kind: Kind
    name: str
    values: tuple[np.ndarray | None, np.ndarray | None]


@dataclass
class Compared:
    """What came of it.

    Attributes:
        comparisons: by kind and name, over all calls.
        first: the first of them that is not within the tolerance; and the others of the same call, by kind.
        beside: how many others of its call differ, by kind.
        problem: why calls could not be held against each other, from some call on; empty if all could.
        hooks_apart: calls whose hooks fetched something on one side alone.
    """

    comparisons: list[Comparison] = field(default_factory=list)
    first: Difference | None = None
    beside: dict[Kind, int] = field(default_factory=dict)
    problem: str = ""
    hooks_apart: int = 0


def compare(
    original: Run,
    migrated: Run,
    tolerances: Tolerances | None = None,
    left_out: Iterable[str] = (),
    settled: Collection[str] = (),
    calls: int | None = None,
) -> Compared:
    """Compares two runs.

    Args:
        tolerances: what may differ, relative to the largest element; by default every bit counts.
        left_out: variables that are not compared.
        settled: variables whose training steps were judged otherwise (`rounding`): what a call that trains makes of
            them, of their gradients and slots is not held against the tolerance.
        calls: so many of the original's are compared; None: all.
    """
    limits, left_out = tolerances or Tolerances(), frozenset(left_out)
    found = Compared()
    series: dict[tuple[Kind, str], Series] = {}
    states: tuple[State, ...] = ({}, {})
    rounding: set[tuple[Kind, str]] = set()
    for call, match in zip_longest(islice(original, calls), migrated):
        found.problem = _apart(call, match, original, migrated)
        if found.problem or call is None or match is None:
            break
        found.hooks_apart += _of_hooks(call) != _of_hooks(match)
        for kind, key, label, mine, its in _pairs(call, match, states):
            if kind == "variable" and key in left_out:
                continue
            series.setdefault((kind, label), Series()).add(call.number, mine, its)
            if equal(mine, its) or _within(mine, its, limits.of(kind)):
                continue
            if call.trains and kind in ("gradient", "variable", "summary") and belongs_to(key, settled):
                rounding.add((kind, label))
                continue
            if found.first is None:
                found.first = Difference(call, match, kind, label, (mine, its))
            if found.first.original is call:
                found.beside[kind] = found.beside.get(kind, 0) + 1
    for (kind, name), compared in series.items():
        comparison = compared.comparison(kind, name, limits.of(kind))
        if (kind, name) in rounding and not comparison.within:
            comparison = dataclasses.replace(comparison, within=True, rounding=True)
        found.comparisons.append(comparison)
    return found


def _apart(call: Call | None, match: Call | None, original: Run, migrated: Run) -> str:
    """Why two calls are not the same call; empty if they may be."""
    if call is None or match is None:
        last, more, less = (call, original, migrated) if call is not None else (match, migrated, original)
        title = "the original" if call is not None else "the migrated script"
        fetched = ", ".join(name for name, _, _ in last.fetches[:3]) if last is not None else ""
        where = "" if last is None else f": the next is at {last.place}, and fetches {fetched}"
        return f"{title} makes {more.calls} session calls, the other {less.calls}{where}"
    which_call = (
        f"session call {call.number} ({call.place} of the original; {match.place} of the migrated script)"
    )
    if call.error != match.error:
        return f"{which_call} {_ends(call)} in the original, and {_ends(match)} in the migrated script"
    mine, its = _asked(call), _asked(match)
    if [kind for _, kind in mine] != [kind for _, kind in its]:
        return (
            f"{which_call} returns {_listed(mine)} in the original, and {_listed(its)} in the migrated script"
        )
    return ""


def _ends(call: Call) -> str:
    return f"raises {call.error}" if call.error else "returns"


def _asked(call: Call) -> list[tuple[str, str]]:
    return [(name, kind) for name, kind, hook in call.fetches if not hook]


def _of_hooks(call: Call) -> list[str]:
    return [kind for _, kind, hook in call.fetches if hook]


def _listed(asked: list[tuple[str, str]]) -> str:
    return ", ".join(f"{kind} ({name})" for name, kind in asked[:4]) + (", .." if len(asked) > 4 else "")


def _pairs(
    original: Call, migrated: Call, states: tuple[State, ...]
) -> Iterator[tuple[Kind, str, str, np.ndarray | None, np.ndarray | None]]:
    """Kind, key, name for a report and both values, of all that either call has."""
    for kind in KINDS:
        mine, its = original.values.get(kind, {}), migrated.values.get(kind, {})
        if kind == "variable":
            for state, call, values in zip(states, (original, migrated), (mine, its), strict=True):
                state.update({_owned(call, name): value for name, value in values.items()})
            for name in dict.fromkeys([*mine, *its]):
                yield (
                    kind,
                    name,
                    name,
                    states[0].get(_owned(original, name)),
                    states[1].get(_owned(migrated, name)),
                )
            continue
        for key in dict.fromkeys([*mine, *its]):
            yield kind, key, _label(kind, key, original, migrated), mine.get(key), its.get(key)


def _label(kind: Kind, key: str, mine: Call, its: Call) -> str:
    """The name that the original has for it, where it has it."""
    if kind == "input":
        return (mine.inputs if int(key) < len(mine.inputs) else its.inputs)[int(key)]
    return mine.fetches[int(key)][0] if kind == "fetched" else key


def _owned(call: Call, name: str) -> tuple[int, int, str]:
    return call.worker or 0, call.session, name


def _within(left: np.ndarray | None, right: np.ndarray | None, limit: float) -> bool:
    if not limit or left is None or right is None or left.shape != right.shape or left.dtype != right.dtype:
        return False
    if left.dtype.kind not in "fc":
        return False
    series = Series()
    series.add(0, left, right)
    return series.max_rel <= limit
