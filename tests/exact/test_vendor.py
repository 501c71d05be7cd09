"""`--vendor`: the output runs without our package."""

import subprocess
import sys
from pathlib import Path

import pytest

from tf2towers.cli.main import main
from tf2towers.exact.vendor import vendored

ROOT = Path(__file__).parents[2]


def test_only_what_is_needed():
    files = {str(path) for path in vendored(["from tf2towers.runtime import Session, graph_mode\n"])}
    assert {"tf2towers/NOTICE.txt", "tf2towers/__init__.py", "tf2towers/runtime/__init__.py"} <= files
    assert "tf2towers/runtime/graph_session/session.py" in files
    assert not any(
        path.startswith(("tf2towers/cli", "tf2towers/rewrites", "tf2towers/verify")) for path in files
    )
    more = {str(path) for path in vendored(["from tf2towers.runtime import layers\n"])}
    assert (
        "tf2towers/runtime/layers/__init__.py" in more
        and "tf2towers/runtime/graph_session/session.py" not in more
    )
    assert vendored(["import numpy\n"]) == {}


def test_what_a_package_loads_on_its_first_use():
    slim = "tf2towers/runtime/slim"
    text = "from tf2towers.runtime import slim\nslim.conv2d(x, 3, 3)\n"
    plain = {str(path) for path in vendored([text])}
    assert not {f"{slim}/evaluation.py", f"{slim}/nets/__init__.py", f"{slim}/checkpoints.py"} & plain
    text += "slim.evaluation.evaluate_once('', p, d)\nslim.nets.vgg.vgg_16(x)\nslim.assign_from_checkpoint(p, v)\n"
    text += "slim.metrics.streaming_mean(x)\n"
    more = {str(path) for path in vendored([text])}
    assert {f"{slim}/evaluation.py", f"{slim}/repeated_evaluation.py", f"{slim}/nets/vgg.py"} <= more
    assert {f"{slim}/checkpoints.py", "tf2towers/runtime/contrib/metrics.py"} <= more


def test_it_goes_with_an_output(capsys):
    assert main(["migrate", "--vendor", str(ROOT / "legacy/single_device.py")]) == 2
    assert "--vendor goes with" in capsys.readouterr().err


def test_a_second_run_changes_nothing(tmp_path, capsys):
    script = str(ROOT / "legacy/single_device.py")
    assert main(["migrate", "--vendor", "-o", str(tmp_path), script]) == 0
    assert "Apache License" in (tmp_path / "tf2towers/NOTICE.txt").read_text()
    capsys.readouterr()
    assert main(["migrate", "--vendor", "-w", str(tmp_path / "single_device.py")]) == 0
    assert "nothing to change" in capsys.readouterr().out


@pytest.mark.tensorflow
def test_the_output_runs_by_itself(tmp_path):
    assert main(["migrate", "--vendor", "-o", str(tmp_path), str(ROOT / "legacy/single_device.py")]) == 0
    code = "import runpy, sys; sys.path[:] = [p for p in sys.path if 'tf2towers' not in p]; sys.path.insert(0, '.');"
    code += "runpy.run_path('single_device.py'); import tf2towers; print(tf2towers.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == str(tmp_path / "tf2towers/__init__.py")
    assert "[7. 7.]" in done.stdout
