"""Compares session call k of one program with session call k of the other: all values by name, every bit."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind
from tf2towers.verify.comparison import Series, Tolerances, is_of, sizes_of

# -- the recording that `tf2towers.verify.recorder.calls` wrote, call by call ------------------------------------------

#: the kinds of a call's values, in the order in which differences are searched
KINDS: tuple[Kind, ...] = ("input", "fetched", "gradient", "summary", "variable")


@dataclass
class Call:
    """One session call.

    Attributes:
        number: the call's number, from 0.
        session: the number of its session, in its process.
        file, line: the innermost line of the script that made the call.
        inputs: the names of the tensors that are fed. A variable's value has one name in TF1 and another in TF 2.
        fetches: for each fetched value, its name, its kind, and whether a hook fetched it.
        error: the name of the exception that it raised; empty if it returned.
        trains: whether the call runs an optimizer's update.
        values: arrays by kind and by name; the name of an input or a fetched value is its position.
        worker: the task that made the call, 'worker 1'; empty in a program of one process.
    """

    number: int
    session: int
    file: str
    line: int
    inputs: list[str]
    fetches: list[list[Any]]
    error: str
    trains: bool
    values: dict[str, dict[str, np.ndarray]]
    worker: str = ""

    @property
    def place(self) -> str:
        """The location for messages: 'train.py, line 44', or 'worker 1: train.py, line 44'."""
        worker = f"{self.worker}: " if self.worker else ""
        return worker + (f"{self.file}, line {self.line}" if self.line else "no line of the script")


class Run:
    """The recording of one side's session calls; in a cluster, the calls of one worker after those of another.

    Args:
        folders: the recording's folders, one for each worker, and named after its task ('worker-1').
        seconds: the time of the whole process.
    """

    def __init__(self, folders: Sequence[Path], seconds: float) -> None:
        self.folders, self.seconds = list(folders), seconds
        found: list[dict[str, Any]] = [
            json.loads((folder / "meta.json").read_text(encoding="utf-8")) for folder in folders
        ]
        self.tensorflow, self.python = str(found[0]["tensorflow"]), str(found[0]["python"])
        self.calls = sum(facts["calls"] for facts in found)
        self.optimizers = sum(facts.get("optimizers", 0) for facts in found)
        self.trained = sum(facts["trained"] for facts in found)
        self.towers = max(facts["towers"] for facts in found)
        self.open: list[list[str]] = [pair for each in found for pair in each.get("open", ())]
        self.changed: list[str] = sorted({what for each in found for what in each.get("changed", ())})
        self.of_original: list[str] = found[0].get("of_original", [])
        self.python_functions = sorted({name for each in found for name in each.get("python_functions", ())})
        self.trainable: list[str] = found[0]["trainable"]
        #: the folder of the checkpoint that the program went on from, and its step; empty for none
        self.restored: list[Any] = found[0].get("restored", [])
        queues = [each.get("queues") or {} for each in found]
        #: queues whose order depends on threads, and why; those whose elements could not be recorded or given
        self.chance = {name: why for each in queues for name, why in each.get("chance", {}).items()}
        self.lost = sorted({name for each in queues for name in each.get("lost", ())})
        #: digests of the constants that fill these queues, by the names of their operations
        self.constants = {name: value for each in queues for name, value in each.get("constants", {}).items()}
        #: calls in threads other than the main one; variables that they may change; those that the main thread uses too
        self.of_threads = sum(each.get("of_threads", 0) for each in found)
        self.written_by_threads = {name for each in found for name in each.get("written_by_threads", ())}
        self.shared = {name for each in found for name in each.get("shared", ())}

    def __iter__(self) -> Iterator[Call]:
        number = 0
        for folder in self.folders:
            for path in sorted(folder.glob("step-*.npz")):
                with np.load(path) as flat:
                    call = _call(number, {name: flat[name] for name in flat.files})
                if len(self.folders) > 1:
                    call.worker = folder.name.replace("-", " ")
                yield call
                number += 1


def _call(number: int, flat: dict[str, np.ndarray]) -> Call:
    about = json.loads(flat.pop("about").tobytes().decode("utf-8"))
    values: dict[str, dict[str, np.ndarray]] = {}
    for key, value in flat.items():
        kind, _, name = key.removeprefix("digest|").partition("|")
        values.setdefault(kind, {})[name] = value
    return Call(number=number, values=values, **about)


# -- comparing calls -------------------------------------------------------------------------------------------------

#: variables by worker, session and name
State = dict[tuple[str, int, str], np.ndarray]


@dataclass(frozen=True)
class Difference:
    """A difference between two values."""

    original: Call
    migrated: Call
    kind: Kind
    name: str
    values: tuple[np.ndarray | None, np.ndarray | None]


@dataclass
class Compared:
    """The result of comparing all calls.

    Attributes:
        comparisons: the comparisons by kind and name, over all calls.
        first: the first difference outside the tolerance.
        beside: the number of values that differ in that call, by kind.
        problem: why, from some call on, the calls could not be compared; empty if all could.
        hooks_apart: the number of calls whose hooks fetched other kinds of values than on the other side.
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
    """Compares two recorded runs, call by call.

    Args:
        tolerances: the tolerances, relative to the largest element; by default every bit counts.
        left_out: variables that are not compared.
        settled: variables whose training steps were judged separately. Where a training call changes them, their
            gradients or their slots, differences outside the tolerance count as rounding.
        calls: the number of the original's calls that are compared; None: all.
    """
    limits, left_out = tolerances or Tolerances(), frozenset(left_out)
    found = Compared()
    series: dict[tuple[Kind, str], Series] = {}
    states: tuple[State, ...] = ({}, {})
    began: dict[tuple[str, int, str], np.ndarray | None] = {}
    rounding: set[tuple[Kind, str]] = set()
    different: set[tuple[Kind, str]] = set()
    for call, match in zip_longest(islice(original, calls), migrated):
        found.problem = _apart(call, match, original, migrated)
        if found.problem or call is None or match is None:
            break
        found.hooks_apart += _of_hooks(call) != _of_hooks(match)
        for kind, key, label, value, other in _pairs(call, match, states):
            if kind == "variable" and key in left_out:
                continue
            of_value = series.setdefault((kind, label), Series.like(value, other))
            first = began.setdefault(_owned(call, key), value) if kind == "variable" else None
            apart = of_value.add(call.number, value, other, sizes_of(limits, kind, first, value))
            if not apart or (apart <= limits.of(kind) and value is not None and value.dtype.kind in "fc"):
                continue
            if call.trains and is_of(kind, key, settled):
                rounding.add((kind, label))
                continue
            different.add((kind, label))
            if found.first is None:
                found.first = Difference(call, match, kind, label, (value, other))
            if found.first.original is call:
                found.beside[kind] = found.beside.get(kind, 0) + 1
    found.comparisons = [
        compared.comparison(*key, limits.of(key[0]), key in rounding - different)
        for key, compared in series.items()
    ]
    return found


def _apart(call: Call | None, match: Call | None, original: Run, migrated: Run) -> str:
    """Why two calls cannot be the same call; empty if they can."""
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
    first, second = _script_fetches(call), _script_fetches(match)
    if [kind for _, kind in first] != [kind for _, kind in second]:
        return f"{which_call} returns {_listed(first)} in the original, and {_listed(second)} in the migrated script"
    return ""


def _ends(call: Call) -> str:
    return f"raises {call.error}" if call.error else "returns"


def _script_fetches(call: Call) -> list[tuple[str, str]]:
    return [(name, kind) for name, kind, hook in call.fetches if not hook]


def _of_hooks(call: Call) -> list[str]:
    return [kind for _, kind, hook in call.fetches if hook]


def _listed(found: list[tuple[str, str]]) -> str:
    return ", ".join(f"{kind} ({name})" for name, kind in found[:4]) + (", .." if len(found) > 4 else "")


def _pairs(
    original: Call, migrated: Call, states: tuple[State, ...]
) -> Iterator[tuple[Kind, str, str, np.ndarray | None, np.ndarray | None]]:
    """Yields kind, key, name for reports, and both values, of all values that either call has."""
    for kind in KINDS:
        one, two = original.values.get(kind, {}), migrated.values.get(kind, {})
        names = list(dict.fromkeys([*one, *two]))
        if kind == "variable":  # a variable that a call did not record is unchanged
            for state, call, values in zip(states, (original, migrated), (one, two), strict=True):
                state.update({_owned(call, name): value for name, value in values.items()})
            one, two = (
                {name: state[_owned(call, name)] for name in names if _owned(call, name) in state}
                for state, call in zip(states, (original, migrated), strict=True)
            )
        for key in names:
            yield kind, key, _label(kind, key, original, migrated), one.get(key), two.get(key)


def _label(kind: Kind, key: str, original: Call, migrated: Call) -> str:
    """The name for reports: the original's where it exists."""
    if kind == "input":
        return (original.inputs if int(key) < len(original.inputs) else migrated.inputs)[int(key)]
    return original.fetches[int(key)][0] if kind == "fetched" else key


def _owned(call: Call, name: str) -> tuple[str, int, str]:
    return call.worker, call.session, name
