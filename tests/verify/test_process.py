"""What the processes of a proof are started with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tf2towers.verify import process
from tf2towers.verify.process import ROOT, changed_environment, portable
from tf2towers.verify.sides import RECORDER


def test_the_users_pythonpath_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/of/the/user")
    assert changed_environment()["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "/of/the/user"]


def test_another_interpreter_does_not_see_what_is_installed_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    assert changed_environment(other_python=True)["PYTHONPATH"] == ""
    monkeypatch.setattr(process, "ROOT", Path("/usr/lib/python3/site-packages"))
    assert changed_environment()["PYTHONPATH"] == ""


def test_the_copy_of_the_recorder_runs_alone(tmp_path: Path) -> None:
    """Nothing else of tf2towers is beside it, and what another interpreter has of that name is found as well."""
    copy = portable(RECORDER, tmp_path / "copy")
    assert copy == tmp_path / "copy" / RECORDER.relative_to(ROOT)
    own = tmp_path / "own" / "tf2towers"
    own.mkdir(parents=True)
    (own / "__init__.py").touch()
    (own / "data.py").write_text("HERE = True")
    code = "import tf2towers.verify.recorder.writes as w, tf2towers.data as d, sys; print(w.__file__, d.HERE)"
    paths = os.pathsep.join([str(tmp_path / "copy"), str(tmp_path / "own")])
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {paths.split(os.pathsep)!r}; {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [str(tmp_path / "copy/tf2towers/verify/recorder/writes.py"), "True"]
