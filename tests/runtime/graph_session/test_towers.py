"""Towers on a strategy: copies, all-reduces, placement and errors, as the functions that are made show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    out, _ = run_python(str(Path(__file__).with_name("drive_towers.py")))
    return json.loads(out.splitlines()[-1])


@pytest.mark.parametrize("form", ["reduced", "stacked", "added", "sliced", "clipped"])
def test_a_plain_mean_is_one_all_reduce(made: dict[str, Any], form: str) -> None:
    assert made[form]["collectives"] == 2, "one collective, a node on each tower"
    assert made[form]["updates"] == ["CPU:0", "CPU:0", "CPU:1", "CPU:1"], "each tower updates its own copies"


@pytest.mark.parametrize("form", ["summed", "weighted", "never"])
def test_anything_else_stays_the_scripts_own(made: dict[str, Any], form: str) -> None:
    assert made[form]["collectives"] == 0
    assert made[form]["updates"] == ["CPU:0", "CPU:0", "CPU:1", "CPU:1"]


@pytest.mark.parametrize("form", ["of_cpus", "four_of_cpus"])
def test_towers_without_gpus_share_the_cpu_and_one_copy(made: dict[str, Any], form: str) -> None:
    assert made[form]["collectives"] == 0
    assert made[form]["updates"] == ["CPU:0", "CPU:0"]
    assert made[form]["copies"] == {}


def test_all_forms_of_the_mean_train_alike(made: dict[str, Any]) -> None:
    forms = [made[form] for form in ("reduced", "stacked", "of_cpus", "never", "added", "sliced")]
    assert all(form["losses"] == forms[0]["losses"] for form in forms)
    assert all(form["variables"] == forms[0]["variables"] for form in forms)


@pytest.mark.parametrize("form", ["reduced", "never", "clipped", "summed", "weighted", "four"])
def test_copies_are_equal_and_slots_have_them_too(made: dict[str, Any], form: str) -> None:
    copies = made[form]["copies"]
    assert set(copies) == {"net/w", "net/b", "net/w/Momentum", "net/b/Momentum"}
    for values in copies.values():
        assert len(values) == (4 if form == "four" else 2)
        assert all(value == values[0] for value in values)


@pytest.mark.parametrize("form", ["reduced", "sliced"])
def test_no_tower_receives_the_whole_batch(made: dict[str, Any], form: str) -> None:
    assert made[form]["parts"] == ["CPU:0"]


def test_a_variable_written_in_a_branch_has_one_copy(made: dict[str, Any]) -> None:
    assert made["branch"] == {"copies": {}, "values": [2.0, 4.0]}


def test_a_variable_of_a_parameter_server_has_one_copy(made: dict[str, Any]) -> None:
    """Other workers read and write it there."""
    assert made["on_a_server"] == {"towers": 2, "copies": {}, "home": "/job:ps/task:0"}


def test_an_average_waits_for_what_the_scripts_own_waited_for(made: dict[str, Any]) -> None:
    for form in made["waits"]:
        assert form == {"collectives": 2, "values": [3.0, -3.5], "after": [True, True]}


def test_a_run_reads_what_there_was_before_its_writes(made: dict[str, Any]) -> None:
    assert made["read_first"] is True
    assert made["step_of_hooks"] == {"read": [0, *range(5)], "waits": ["^cond/Read/ReadVariableOp/end_0"]}
