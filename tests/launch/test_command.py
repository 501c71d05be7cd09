"""`tf2towers launch`: what is shown, the status, and what it says to a mistake."""

import time
from pathlib import Path
from textwrap import dedent

import pytest

from tests.runtime.tasks import run_python
from tf2towers.cli.main import main

from .conftest import Capture, Start, Write


def test_output_is_prefixed(script: Write, capfd: Capture) -> None:
    path = script("""
        print("of", me)
        print("error of", me, file=sys.stderr)
    """)
    assert main(["launch", "--", path]) == 0
    out, errors = capfd.readouterr()
    tasks = ("ps 0", "worker 0", "worker 1")
    assert sorted(out.splitlines()) == [f"[{me}] {text}{me}" for me in tasks for text in ("error of ", "of ")]
    assert errors == ""


def test_output_comes_at_once(script: Write, start: Start) -> None:
    path = script("print('waiting'); wait_for('go')")
    process = start("--ps", "0", "--workers", "1", "--", path)
    assert process.stdout is not None
    assert process.stdout.readline() == "[worker 0] waiting\n"
    Path("go").touch()
    assert process.wait(20) == 0


def test_the_last_lines_of_the_task_that_failed(script: Write, capfd: Capture) -> None:
    path = script("""
        if me != "worker 1": time.sleep(60)
        for number in range(100): print("step", number)
        raise ValueError("bad batch")
    """)
    assert main(["launch", "--", path]) == 1
    first, second, *last = capfd.readouterr().err.splitlines()
    assert first == "tf2towers launch: worker 1 ended with status 1: every other task is stopped"
    assert second == "tf2towers launch: worker 1 ended with status 1; it wrote last:"
    assert last[-1] == "  ValueError: bad batch"
    assert "  step 99" in last
    assert len(last) == 20


@pytest.mark.parametrize(
    ("said", "advised"),
    [
        ("AttributeError(\"module 'tensorflow' has no attribute 'app'\")", True),
        ("AttributeError(\"module 'tensorflow._api.v2.train' has no attribute 'Server'\")", True),
        ("ModuleNotFoundError(\"No module named 'tensorflow.contrib'\")", True),
        ("AttributeError(\"module 'tensorflow._api.v2.compat.v1' has no attribute 'contrib'\")", False),
    ],
)
def test_for_an_original_on_tensorflow_2_the_advice_is_migrate(
    script: Write, capfd: Capture, said: str, advised: bool
) -> None:
    assert main(["launch", "--ps", "0", "--workers", "1", "--", script(f"raise {said}")]) == 1
    last = capfd.readouterr().err.splitlines()[-1]
    assert ("`tf2towers migrate` it first" in last) == advised


def test_a_task_that_fails_silently(script: Write, capfd: Capture) -> None:
    path = script("os.kill(os.getpid(), signal.SIGKILL)")
    assert main(["launch", "--ps", "0", "--workers", "1", "--", path]) == 137
    last = capfd.readouterr().err.splitlines()[-1]
    assert last == "tf2towers launch: worker 0 was killed by SIGKILL and wrote nothing"


def test_timeout(script: Write, capfd: Capture) -> None:
    path = script("if me != 'worker 0': time.sleep(60)")
    began = time.monotonic()
    assert main(["launch", "--timeout", "2", "--", path]) == 124
    assert time.monotonic() - began < 5
    assert capfd.readouterr().err.splitlines() == [
        "tf2towers launch: not over after 2 seconds (worker 1 had not ended): every task is stopped"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the script and its arguments follow a --"),
        (["train.py"], "the script and its arguments follow a --"),
        (["--ps", "1", "train.py", "--steps=3"], "the script and its arguments follow a --"),
        (["train.py", "--", "x"], "the script and its arguments follow a --"),
        (["--"], "the script and its arguments follow a --"),
        (["--", "none.py"], "none.py: no such script"),
        (["--", "."], ".: not a file"),
        (["--workers", "0", "--", "train.py"], "0 workers: there must be at least 1"),
        (["--ps", "-1", "--", "train.py"], "-1 parameter servers: a number from 0"),
        (["--ps", "x", "--", "train.py"], "argument --ps: invalid int value: 'x'"),
        (["--workers", "1.5", "--", "train.py"], "argument --workers: invalid int value: '1.5'"),
        (["--timeout", "0", "--", "train.py"], "a timeout of 0 seconds: it must be more than 0"),
        (["--timeout", "nan", "--", "train.py"], "a timeout of nan seconds: it must be more than 0"),
        (["--timeout", "soon", "--", "train.py"], "argument --timeout: invalid float value: 'soon'"),
        (["--task-flags", "--i={i}", "--", "train.py"], "task flags: there is no {i}; there are {ps_hosts}"),
        (["--task-flags", "'", "--", "train.py"], "No closing quotation"),
        (["--task-flags", "--", "train.py"], "argument --task-flags: expected one argument"),
        (["--python", "snake", "--", "train.py"], "snake: no such interpreter"),
        (["--fast", "--", "train.py"], "--fast"),
    ],
)
def test_wrong_arguments_of_launch(script: Write, capfd: Capture, arguments: list[str], message: str) -> None:
    script("tell()")
    assert main(["launch", *arguments]) == 2
    out, errors = capfd.readouterr()
    assert message in errors
    assert out == ""
    assert [path.name for path in Path().iterdir()] == ["train.py"]


def test_help(capsys: Capture) -> None:
    assert main(["launch", "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: tf2towers launch [--ps N] [--workers M] [options] -- SCRIPT [ARGS ...]\n")
    assert "--task_index={task_index}" in out


def test_nothing_heavy_is_imported(script: Write) -> None:
    code = dedent(
        """\
            import sys; from tf2towers.cli.main import main
            assert main(['launch', '--', 'train.py']) == 0
            heavy = {'tensorflow', 'keras', 'numpy', 'libcst'} & set(sys.modules)
            assert not heavy, heavy"""
    )
    script("print(sorted({'tensorflow', 'tf2towers'} & set(sys.modules)))")
    root = Path(__file__).parents[2]
    out, errors = run_python("-c", f"import sys; sys.path[0] = {str(root)!r}\n{code}")
    assert errors == ""
    assert set(out.splitlines()) == {"[ps 0] []", "[worker 0] []", "[worker 1] []"}
