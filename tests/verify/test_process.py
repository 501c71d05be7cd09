"""What the processes of a proof are started with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.runtime.tasks import run_python
from tf2towers.verify import process
from tf2towers.verify.process import ROOT, changed_environment, last_lines, portable, raised
from tf2towers.verify.recorder.imports import OwnModules
from tf2towers.verify.sides import RECORDER


def test_the_users_pythonpath_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/of/the/user")
    assert changed_environment()["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "/of/the/user"]


def test_another_interpreter_does_not_see_what_is_installed_here(monkeypatch: pytest.MonkeyPatch) -> None:
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
    paths = [str(tmp_path / "copy"), str(tmp_path / "own")]
    out, _ = run_python("-I", "-c", f"import sys; sys.path[:0] = {paths}; {code}")
    assert out.split() == [str(tmp_path / "copy/tf2towers/verify/recorder/writes.py"), "True"]


LOG = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    sess.run(x)
tensorflow.python.framework.errors_impl.InvalidArgumentError: 2 root error(s) found.
  (0) Invalid argument: You must feed a value for placeholder tensor 'x'
Original stack trace for 'x':
  File "train.py", line 2, in <module>
    x = tf.placeholder(tf.float32)
"""
LOG2 = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    sess.run(x)
tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

Detected at node 'x' defined at (most recent call last):
  File "train.py", line 2, in <module>
Node: 'x'
You must feed a value for placeholder tensor 'x'
\t [[{{node x}}]]
"""


def test_an_errors_own_line() -> None:
    assert raised(LOG2.splitlines()).endswith(
        "error: You must feed a value for placeholder tensor 'x' (train.py, line 3)"
    )
    of_task = LOG2.replace("Node: 'x'\n", "Node: 'x'\nFrom /job:worker/replica:0/task:0:\n")
    assert raised(of_task.splitlines()) == raised(LOG2.splitlines())
    lost = ["Traceback (most recent call last):", "errors_impl.UnavailableError: Graph execution error:", ""]
    lost += ["From /job:ps/replica:0/task:0:", "failed to connect to all addresses"]
    assert raised(lost) == f"{lost[1]} failed to connect to all addresses"
    said = raised(LOG.splitlines())
    assert said.startswith("tensorflow.python.framework.errors_impl.InvalidArgumentError")
    assert "You must feed a value" in said
    assert raised(["step 1: loss 2.0", "done"]) == ""
    restored = "NotFoundError: Restoring from checkpoint failed. Original error:"
    lines = ["Traceback (most recent call last):", restored, "", "Key w not found in checkpoint"]
    assert raised(lines) == f"{restored} Key w not found in checkpoint"
    deep = [
        "Traceback (most recent call last):",
        '  File "/home/me/model.py", line 7, in net',
        "    x = f(y)",
    ]
    deep += ['  File "/usr/lib/python3.11/json/__init__.py", line 1, in f', "ValueError: no"]
    assert raised(deep) == "ValueError: no (model.py, line 7)"
    task = ["[worker 1] Traceback (most recent call last):", "[worker 1]   File", "[worker 1] KeyError: 'a'"]
    assert raised(task) == "KeyError: 'a'"


@pytest.mark.parametrize("task", ["", "[worker 1] "])
def test_frames_of_an_operation_do_not_push_out_the_error(task: str) -> None:
    frames = [f'  File "train.py", line {number}, in <module>' for number in range(30)]
    lines = [task + line for line in [*LOG.splitlines(), *frames, "", *LOG2.splitlines(), "ended"]]
    shown = last_lines(lines)
    assert "You must feed a value for placeholder tensor 'x'\n" in shown
    assert "(0) Invalid argument: You must feed a value" in shown
    assert shown.endswith(f"{task}ended")
    assert "line 29" not in shown and "Original stack trace" not in shown


def test_a_migrated_script_imports_its_own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative entry of sys.path counts from its own folder; what it does not have there is the original's."""
    for folder, name in (("lib", "original"), ("out/lib", "migrated")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "its_model.py").write_text(f"WHOSE = {name!r}")
    (tmp_path / "lib" / "its_other.py").write_text("WHOSE = 'original'")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "out" / "scripts").mkdir()
    monkeypatch.chdir(tmp_path / "scripts")
    monkeypatch.setattr(sys, "path", [*sys.path, "../lib"])
    own = OwnModules(str(tmp_path / "out" / "scripts"), str(tmp_path / "scripts"))
    monkeypatch.setattr(sys, "meta_path", [own, *sys.meta_path])
    import its_model  # type: ignore[import-not-found]
    import its_other  # type: ignore[import-not-found]

    assert (its_model.WHOSE, its_other.WHOSE) == ("migrated", "original")
    assert own.of_the_original() == ["../lib/its_other.py"]


def test_a_script_finds_the_part_of_the_package_that_is_beside_it(tmp_path: Path) -> None:
    """As `migrate --python3` puts it there, for an interpreter without tf2towers."""
    home = portable(RECORDER, tmp_path / "copy").parents[3]
    script = tmp_path / "old" / "script.py"
    (script.parent / "tf2towers" / "runtime").mkdir(parents=True)
    script.write_text(
        dedent(
            """\
        from tf2towers.runtime import half

        print(half)
        """
        )
    )
    (script.parent / "tf2towers" / "__init__.py").touch()
    (script.parent / "tf2towers" / "runtime" / "__init__.py").write_text("half = 0.5\n")
    program = f"import sys; sys.path[0] = {str(home)!r}; from tf2towers.verify.recorder.running import run"
    out, _ = run_python("-I", "-c", f"{program}; run({str(script)!r}, [])")
    assert out == "0.5\n"
