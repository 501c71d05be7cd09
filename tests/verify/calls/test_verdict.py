"""The verdict on two recordings: threads, hooks, errors, other calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.verify.calls.recordings import call, run
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.report.parity_text import render_parity
from tf2towers.verify.calls import verdict
from tf2towers.verify.calls.call_comparison import Run
from tf2towers.verify.process import RunFailed
from tf2towers.verify.sides import Options


def result_of(original: Run, migrated: Run) -> ParityResult:
    result = ParityResult(Side("original", Path("a.py")), Side("migrated", Path("b.py")))
    verdict.judge(result, original, migrated)
    return result


def test_one_bit_makes_a_difference(tmp_path: Path) -> None:
    calls = [call(fetched_0000=np.float32(3), variable_w=[1.0, np.nan]), call(fetched_0000=np.float32(2))]
    result = result_of(run(tmp_path / "a", *calls), run(tmp_path / "b", *calls))
    assert result.outcome == "bitwise"
    assert render_parity(result).startswith(
        "PARITY: every variable and fetched value of 2 session calls, 2 training steps on 2 towers is bit-identical"
    )
    changed = [calls[0], call(fetched_0000=np.nextafter(np.float32(2), np.float32(3)))]
    result = result_of(run(tmp_path / "a", *changed), run(tmp_path / "c", *calls))
    assert result.outcome == "differs"
    assert result.first_step == 1
    assert "session call 1 (train.py, line 7 of the original" in result.diagnoses[0].message


def test_a_variable_that_one_side_alone_changes(tmp_path: Path) -> None:
    first = call(variable_w=[1.0])
    result = result_of(run(tmp_path / "a", first, call(variable_w=[2.0])), run(tmp_path / "b", first, call()))
    assert "variable w: 2.0 in the original, 1.0 in the migrated script at [0]" in result.diagnoses[0].message


OTHER_CALLS = [
    ([call()], "makes 2 session calls, the other 1"),
    ([call(), call(error="OutOfRangeError")], "returns in the original, and raises OutOfRangeError"),
    (
        [call(), call([["loss:0", "an array", False]])],
        "returns a number (loss:0) in the original, and an array",
    ),
]


@pytest.mark.parametrize(("other", "says"), OTHER_CALLS)
def test_other_session_calls_differ(other: list[dict[str, Any]], says: str, tmp_path: Path) -> None:
    result = result_of(run(tmp_path / "a", call(), call()), run(tmp_path / "b", *other))
    assert result.outcome == "differs"
    assert says in result.diagnoses[-1].message


def test_hooks_have_times_of_their_own(tmp_path: Path) -> None:
    hook = call([["loss:0", "a number", False], ["summary:0", "bytes", True]], fetched_0000=1.0)
    result = result_of(run(tmp_path / "a", call(fetched_0000=1.0)), run(tmp_path / "b", hook))
    assert result.outcome == "bitwise"
    assert "hooks fetched other things in 1 call" in result.notes[0]


def test_threads_are_listed_and_may_not_change_what_counts(tmp_path: Path) -> None:
    queue = {"of_threads": 3, "written_by_threads": ["epochs"]}
    alike = [run(tmp_path / name, call(variable_epochs=number), **queue) for number, name in enumerate("ab")]
    result = result_of(*alike)
    assert result.outcome == "bitwise" or not result.comparisons
    assert result.notes[0] == "not compared: 3 calls of the original's threads; they change epochs"
    trains = {"of_threads": 3, "written_by_threads": ["w"], "shared": ["w"]}
    result = result_of(run(tmp_path / "c", call(), **trains), run(tmp_path / "d", call()))
    assert (result.outcome, result.status) == ("error", 2)
    assert "calls of threads change w" in result.error


def test_a_rounding_rule_that_applies_is_named(tmp_path: Path) -> None:
    calls = [call(gradient_w=np.float32([1, 2]))], [call(gradient_w=np.float32([1, 2.000001]))]
    for name, facts, rule in (
        ("a", {"towers": 3}, "rule 'order of the sum': 3 towers"),
        ("b", {"tensorflow": "1.15.5"}, "rule 'another TensorFlow' (1.15.5 and 2.21.0)"),
    ):
        original = run(tmp_path / name, *calls[0], **facts)
        result = result_of(original, run(tmp_path / f"{name}2", *calls[1]))
        assert result.outcome == "within"
        assert result.notes[0].startswith(rule)


TWO = [call(fetched_0000=1.0), call(fetched_0000=2.0)]
AGAIN = [
    (TWO, ""),
    (
        [TWO[0], call(fetched_0000=2.5)],
        "first at session call 1 (train.py, line 7): fetched loss:0: 2.0 in one run, 2.5 in the other",
    ),
    (TWO[:1], "the two runs make other session calls, or other errors end them"),
]


@pytest.mark.parametrize(("again", "difference"), AGAIN)
def test_where_two_runs_of_one_script_differ(again: list[Any], difference: str, tmp_path: Path) -> None:
    assert verdict.first_apart(run(tmp_path / "a", *TWO), run(tmp_path / "b", *again)) == difference


OTHER = [TWO[0], call(fetched_0000=3.0)]
#: the calls of each recording, in order of the folders below; who differs from itself, if any; the runs that are made
RUNS = {
    "equal": ({}, "bitwise", "", ["original", "migrated"]),
    "different": (
        {"migrated": OTHER, "migrated-again": OTHER},
        "differs", "", ["original", "migrated", "original-again", "migrated-again"],
    ),
    "the original races": (
        {"migrated": OTHER, "original-again": OTHER},
        "unrepeatable", "the original differs from itself", ["original", "migrated", "original-again"],
    ),
    "the migrated script races": (
        {"migrated": OTHER},
        "unrepeatable", "the migrated script differs from itself",
        ["original", "migrated", "original-again", "migrated-again"],
    ),
    "it fails the second time": (
        {"migrated": OTHER, "original-again": None},
        "unrepeatable", "it ran once, and failed the second time: no memory",
        ["original", "migrated", "original-again"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_each_side_is_recorded_twice_before_it_is_said_to_differ(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And once only where nothing differs."""
    recordings, outcome, says, runs = RUNS[name]
    made: list[str] = []

    def record(script: Path, arguments: list[str], folder: Path, *_: Any, **__: Any) -> Run:
        made.append(folder.name)
        calls = recordings.get(folder.name, TWO)
        if calls is None:
            raise RunFailed("no memory")
        return run(folder, *calls, open=[["w", "first", "second"]], python_functions=["PyFunc"])

    monkeypatch.setattr(verdict, "record_calls", record)
    searched: list[Path] = []
    monkeypatch.setattr(verdict, "_mistakes", lambda _, __, place: searched.append(place) or [])
    monkeypatch.setattr(verdict, "makes_session_calls", lambda _: False)
    result = ParityResult(Side("original", Path("a.py")), Side("migrated", Path("b.py")))
    verdict.verify_calls(result, Options(), tmp_path)
    assert (result.outcome, made) == (outcome, runs)
    assert says in result.error
    assert bool(result.diagnoses) == (outcome == "differs")
    assert searched == [tmp_path] * (outcome == "differs")  # once, and only where there is a verdict
    if says:
        lines = render_parity(result).splitlines()
        assert lines[0].startswith("UNREPEATABLE: ") and says in lines[0]
        assert lines[1] == (
            "  It leaves open the order of 1 pair: w (first, second); what its Python functions do (PyFunc)."
        )
        assert lines[2].startswith("  To do: order that in both scripts")


@pytest.mark.parametrize("alike", [True, False])
def test_the_order_of_a_gradients_terms_explains_what_differs(
    alike: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With resources in the original these are equal; a step that is fetched beside its update may be another one."""
    one = np.array([1.0, 2.0], np.float32)
    near = np.nextafter(one, np.float32(3.0))
    calls = {
        "original": call(gradient_w=one, fetched_0000=1),
        "migrated": call(gradient_w=near, fetched_0000=1),
        "original-with-resources": call(gradient_w=near if alike else one, fetched_0000=0),
    }
    calls["original-again"], calls["migrated-again"] = calls["original"], calls["migrated"]
    monkeypatch.setattr(
        verdict, "record_calls", lambda _, __, folder, *___, **____: run(folder, calls[folder.name])
    )
    monkeypatch.setattr(verdict, "_mistakes", lambda *_: [])
    monkeypatch.setattr(verdict, "makes_session_calls", lambda _: False)
    result = ParityResult(Side("original", Path("a.py")), Side("migrated", Path("b.py")))
    verdict.verify_calls(result, Options(), tmp_path)
    assert result.outcome == ("within" if alike else "differs")
    assert any("order of a gradient's terms" in note for note in result.notes) == alike
