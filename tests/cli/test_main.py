"""The entry, and the commands about rules."""

import subprocess
import sys

import pytest

from tf2towers import __version__
from tf2towers.cli import main as entry
from tf2towers.cli.main import main


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "migrate  turn TF1" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tf2towers {__version__}\n"
    assert main([]) == 2
    assert main(["fly"]) == 2
    assert "fly" in capsys.readouterr().err
    assert main(["migrate", "--help"]) == 0
    assert "exit status: 0 nothing left" in capsys.readouterr().out


def test_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "tf2towers", "--version"], capture_output=True, check=True)
    assert done.stdout.decode().startswith("tf2towers ")


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_dispatch", interrupt)
    assert main(["migrate", "x.py"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_closed_pipe_is_quiet() -> None:
    code = (
        "import sys; from tf2towers.cli import main as m\n"
        "def much(given):\n"
        "    print('x' * 10_000_000); return 0\n"
        "m._dispatch = much; m.run()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.usefixtures("registry")
def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    assert capsys.readouterr().out == (
        "T2T101  one        changes  safe     first\nT2T102  the-other  reports  look at  second\n"
    )


@pytest.mark.usefixtures("registry")
def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "t2t102", "T2T101"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "T2T102 the-other: second\n"
        "(reports: it changes nothing by itself; look at it: a number may differ, see below)\n\n"
        "Because it must be.\n"
    )
    assert (
        "To do:\n  Look at it.\n\nBefore:\n    x = OLD\n\nAfter:\n    x = NEW\n\nLeft as it is:\n    HARD\n"
        in out
    )
    assert main(["explain", "The-Other"]) == 0
    assert capsys.readouterr().out.startswith("T2T102 the-other: second")
    assert main(["explain", "--all"]) == 0
    assert capsys.readouterr().out.count("T2T10") == 2
    assert main(["explain"]) == 2
    assert main(["explain", "T2T103"]) == 2
    err = capsys.readouterr().err
    assert "there is no rule T2T103: did you mean" in err
    assert main(["explain", "what"]) == 2
    assert "`tf2towers rules` lists them" in capsys.readouterr().err
