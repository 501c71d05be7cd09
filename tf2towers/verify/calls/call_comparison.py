"""Compares session call k of one program with session call k of the other: all values by name, every bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind
from tf2towers.verify.comparison import Series, Tolerances, difference, largest_of

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
        values: arrays by kind and by name; the name of an input or a fetched value is its position. Kind 'before' are
            variables that other workers have changed since this one's last call.
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
#: whether a difference is within a tolerance, counts as rounding, or as a difference
Verdict = Literal["within", "rounding", "differs"]


@dataclass(frozen=True)
class Pair:
    """One value of a call on both sides.

    Attributes:
        key: the value's name; of an input or a fetched value, its position.
        label: its name for reports.
        values: the original's and the migrated script's; None where a side has none.
        calls: those of both sides.
        before, first: of a variable, the original's value before the call, and its first one; None where it had none.
        others: the value in the other recordings of the original.
    """

    kind: Kind
    key: str
    label: str
    values: tuple[np.ndarray | None, np.ndarray | None]
    calls: tuple[Call, Call]
    before: np.ndarray | None = None
    first: np.ndarray | None = None
    others: Sequence[np.ndarray | None] = ()

    @property
    def off(self) -> np.ndarray:
        """How far the elements are apart, where both sides have the value."""
        own, other = self.values
        assert own is not None and other is not None
        return difference(own, other)


#: judges a pair that differs, given the difference relative to the largest element
Judge = Callable[[Pair, float], Verdict]


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
    judge: Judge | None = None,
    left_out: Iterable[str] = (),
    others: Sequence[Run] = (),
) -> Compared:
    """Compares two recorded runs, call by call.

    Args:
        judge: judges what differs; None: every bit counts.
        left_out: variables that are not compared.
        others: other recordings of the original, which the judge compares with it.
    """
    left_out = frozenset(left_out)
    found = Compared()
    series: dict[tuple[Kind, str], Series] = {}
    verdicts: dict[tuple[Kind, str], set[Verdict]] = {}
    states: list[State] = [{} for _ in range(2 + len(others))]
    firsts: State = {}
    for call, match, *again in zip_longest(original, migrated, *others):
        if call is None and match is None:  # another recording made more calls
            break
        found.problem = _apart(call, match, original, migrated)
        if found.problem or call is None or match is None:
            break
        found.hooks_apart += _of_hooks(call) != _of_hooks(match)
        for pair in _pairs([call, match, *again], states, firsts):
            if pair.kind == "variable" and pair.key in left_out:
                continue
            name = pair.kind, pair.label
            of_value = series.setdefault(name, Series.like(*pair.values))
            apart = of_value.add(call.number, *pair.values)
            if not apart:
                continue
            verdict: Verdict = "differs" if judge is None or apart == float("inf") else judge(pair, apart)
            verdicts.setdefault(name, set()).add(verdict)
            if verdict == "differs":
                if found.first is None:
                    found.first = Difference(call, match, pair.kind, pair.label, pair.values)
                if found.first.original is call:
                    found.beside[pair.kind] = found.beside.get(pair.kind, 0) + 1
    for name, compared in series.items():
        given = verdicts.get(name, set())
        found.comparisons.append(compared.comparison(*name, given <= {"within"}, "differs" not in given))
    return found


def within(limits: Tolerances) -> Judge | None:
    """Judges by tolerances alone; None where every bit counts."""

    def judge(pair: Pair, apart: float) -> Verdict:
        return "within" if is_within(pair, apart, limits, pair.first) else "differs"

    return judge if limits.gradients or limits.variables else None


def is_within(pair: Pair, apart: float, limits: Tolerances, began: np.ndarray | None) -> bool:
    """True if the values of a pair differ at most by a tolerance.

    Args:
        apart: the difference relative to the largest element.
        began: the value from which a variable has moved; None for none.
    """
    own, part = pair.values[0], limits.of(pair.kind)
    if own is None or own.dtype.kind not in "fc":
        return False
    if not limits.moves:
        return apart <= part
    by = own
    if pair.kind == "variable" and began is not None and began.shape == own.shape:
        by = own - began
    off = pair.off
    return all(size(off) <= part * size(by) + size(_last_places(pair.kind, own)) for size in SIZES)


def _last_places(kind: Kind, value: np.ndarray) -> np.ndarray:
    """What an update of a variable may lose, however little it moves: four units in its last place."""
    return 4 * float(np.finfo(value.dtype).eps) * np.abs(value) if kind == "variable" else np.zeros(1)


def norm_of(value: np.ndarray) -> float:
    """The square root of the sum of the squares of the finite elements."""
    return float(np.sqrt(np.sum(np.square(np.abs(value), dtype=np.float64), where=np.isfinite(value))))


SIZES = (largest_of, norm_of)


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


def _pairs(calls: Sequence[Call | None], states: Sequence[State], firsts: State) -> Iterator[Pair]:
    """Yields all values that the first or the second call has.

    Args:
        calls: that of the original, of the migrated script, and of the other recordings of the original.
        states, firsts: the variables that each run has had before, and the original's first ones; updated.
    """
    call, match = calls[:2]
    assert call is not None and match is not None
    for kind in KINDS:
        values = [each.values.get(kind, {}) if each is not None else {} for each in calls]
        names = list(dict.fromkeys([*values[0], *values[1]]))
        before: dict[str, np.ndarray] = {}
        if kind == "variable":  # a variable that a call did not record is unchanged
            _update(states, calls, "before")
            before = _state_of(states[0], call, names)
            _update(states, calls, kind)
            values = [
                _state_of(state, each, names) if each is not None else {}
                for state, each in zip(states, calls, strict=True)
            ]
            for name, value in values[0].items():
                firsts.setdefault(_owned(call, name), value)
        for key in names:
            one, two, *others = (each.get(key) for each in values)
            yield Pair(
                kind, key, _label(kind, key, call, match), (one, two), (call, match), before.get(key),
                firsts.get(_owned(call, key)) if kind == "variable" else None, others,
            )  # fmt: skip


def _update(states: Sequence[State], calls: Sequence[Call | None], kind: str) -> None:
    for state, each in zip(states, calls, strict=True):
        if each is not None:
            state.update({_owned(each, name): value for name, value in each.values.get(kind, {}).items()})


def _state_of(state: State, call: Call, names: Iterable[str]) -> dict[str, np.ndarray]:
    return {name: state[_owned(call, name)] for name in names if _owned(call, name) in state}


def _label(kind: Kind, key: str, original: Call, migrated: Call) -> str:
    """The name for reports: the original's where it exists."""
    if kind == "input":
        return (original.inputs if int(key) < len(original.inputs) else migrated.inputs)[int(key)]
    return original.fetches[int(key)][0] if kind == "fetched" else key


def _owned(call: Call, name: str) -> tuple[str, int, str]:
    return call.worker, call.session, name
