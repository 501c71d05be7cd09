"""What the tasks of a recorded cluster are started with."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tf2towers.launch.job import Outcome
from tf2towers.launch.plan import Plan
from tf2towers.verify.cluster import tasks
from tf2towers.verify.sides import Options


def test_the_users_pythonpath_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plans: list[Plan] = []

    def run_cluster(plan: Plan, _: object) -> tuple[Outcome, list[object]]:
        plans.append(plan)
        return Outcome(0), []

    monkeypatch.setattr(tasks, "run_cluster", run_cluster)
    monkeypatch.setenv("PYTHONPATH", "/of/the/user")
    tasks.run_recorded("the original", sys.executable, Path(__file__), [], tmp_path / "recording", Options())
    assert plans[0].env["PYTHONPATH"].split(os.pathsep)[-1] == "/of/the/user"
