"""Functions of TF1 in programs that are migrated compute what TensorFlow 1.15 computed."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.runtime.tasks import QUIET
from tf2towers.codemod.migrate import migrate
from tf2towers.source.script import Script

from exceptions import EXCEPTIONS
from outcomes import differences, goldens, read

pytestmark = pytest.mark.tensorflow

PROGRAMS = Path(__file__).with_name("programs")
#: case of `faults.py` -> what a migration that is wrong might have made of its text, and the fact
#: that must tell
FAULTS = {
    "another_value": ("tf.reduce_sum(normal(3, 4), 1)", "tf.reduce_mean(normal(3, 4), 1)", "runs"),
    "value_near_it": ("* 1.0001", "* 1.0002", "runs"),
    "another_gradient": ("tf.identity(values)", "tf.stop_gradient(values)", "gradients"),
    "another_name": ('"weights"', '"kernel"', "variables"),
    "another_shape": ("[None, 2]", "[1, 2]", "shapes"),
    "another_type": ("tf.float32", "tf.float64", "shapes"),
    "another_collection": ('"kept"', '"dropped"', "collections"),
    "another_second_run": ("tf.assign_add(count, 1.0)", "tf.assign(count, 1.0)", "after"),
    "error": ("[0])", "[1])", "error"),
}
#: subjects that need a library which is not here
WITHOUT = tuple(
    subject
    for subject, library in (
        ("estimators", "tensorflow_estimator"),
        ("probability", "tensorflow_probability"),
    )
    if not find_spec(library)
)
GOLDENS = {name: golden for name, golden in goldens().items() if name.partition(".")[0] not in WITHOUT}


@cache
def migrated_programs() -> dict[Path, str]:
    """The programs as `tf2towers migrate` writes them."""
    result = migrate(Script.read(PROGRAMS / "main.py"))
    assert result.status == 0, [str(finding) for finding in result.findings]
    texts = {path: path.read_text() for path in PROGRAMS.glob("*.py")}
    return {**texts, **{change.path: change.after for change in result.changes}}


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outcome of every case in TensorFlow 2, and of those with a fault as `planted.NAME`."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow")
    folder = tmp_path_factory.mktemp("functions")
    for path, text in migrated_programs().items():
        (folder / path.name).write_text(text)
    planted = (folder / "faults.py").read_text()
    for right, wrong, _ in FAULTS.values():
        assert planted.count(right) == 1, right
        planted = planted.replace(right, wrong)
    (folder / "planted.py").write_text(planted)
    main = (folder / "main.py").read_text()
    for subject in WITHOUT:
        main = main.replace(f"import {subject}  # noqa: F401\n", "")
    (folder / "main.py").write_text(main.replace("\nimport faults", "\nimport planted\nimport faults", 1))
    subjects = sorted(
        {path.stem for path in PROGRAMS.glob("*.py")} - {"main", "cases", *WITHOUT} | {"planted"}
    )
    running = []
    for number, half in enumerate((subjects[::2], subjects[1::2])):
        log = (folder / f"log{number}").open("w+")
        command = [sys.executable, "main.py", f"outcomes{number}", *half]
        running.append(
            (subprocess.Popen(command, cwd=folder, env={**os.environ, **QUIET}, stdout=log, stderr=log), log)
        )
    outcomes = {}
    for number, (process, log) in enumerate(running):
        with log:
            process.wait(timeout=600)
            log.seek(0)
            assert process.returncode == 0, log.read()[-3000:]
        outcomes.update(read(folder / f"outcomes{number}"))
    return outcomes


@pytest.mark.parametrize("name", GOLDENS)
def test_same_as_tf1(name: str, found: dict[str, Any]) -> None:
    differing = differences(GOLDENS[name], found[name])
    reasons = EXCEPTIONS.get(name, {})
    unexpected = {fact: where for fact, where in differing.items() if fact not in reasons}
    assert unexpected == {}
    assert set(reasons) == set(differing), "an exception that is none"


def test_every_case_has_a_golden(found: dict[str, Any]) -> None:
    assert sorted(name for name in found if not name.startswith("planted.")) == sorted(GOLDENS)
    assert set(EXCEPTIONS) <= set(GOLDENS)


def test_cases_run_at_all() -> None:
    """A case that fails in TensorFlow 1.15 says nothing."""
    assert [name for name, golden in GOLDENS.items() if "error" in golden] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, found: dict[str, Any]) -> None:
    assert FAULTS[name][2] in differences(GOLDENS[f"faults.{name}"], found[f"planted.{name}"])
