"""The entry, and the commands about rules."""

import subprocess
import sys

import pytest

from tf2towers import __version__
from tf2towers.cli import main as entry
from tf2towers.cli.main import main

from .conftest import Capture


def test_help_and_version(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    assert "migrate   turn TF1" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tf2towers {__version__}\n"
    assert main([]) == 2
    assert main(["fly"]) == 2
    assert "there is no command fly: known are migrate, explain" in capsys.readouterr().err
    assert main(["migrat", "x.py"]) == 2
    assert "did you mean migrate?" in capsys.readouterr().err
    assert main(["migrate", "--statistcs", "x.py"]) == 2
    assert "unrecognized arguments: --statistcs (did you mean --statistics?)\n" in capsys.readouterr().err
    assert main(["migrate", "--help"]) == 0
    assert "exit status: 0 nothing is left to you" in capsys.readouterr().out


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupt(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_dispatch", interrupt)
    assert main(["migrate", "x.py"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_closed_pipe_is_quiet() -> None:
    code = "m._dispatch = lambda given: print('x' * 10_000_000) or 0; m.run()"
    command = [sys.executable, "-c", f"from tf2towers.cli import main as m; {code}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_rules_and_explain(capsys: Capture) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:7] for line in lines] == sorted(line[:7] for line in lines) and len(lines) > 20
    assert any(line.startswith("T2T605  tower-loop") and "changes  safe" in line for line in lines)
    assert main(["explain", "t2t605", "Tower-Loop"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("T2T605 tower-loop: ")
    assert out.count("\nBefore:\n    ") >= 2 and "\nAfter:\n    " in out
    assert "(changes, safe: the result is the same bit for bit)\n\n" in out
    assert main(["explain", "T2T620"]) == 0
    out = capsys.readouterr().out
    assert "To do:\n  " in out and "\nLeft as it is:\n    " in out
    assert main(["explain", "--all"]) == 0
    assert capsys.readouterr().out.count("T2T6") >= len(lines)
    for line in lines:  # a page is at most a screen
        main(["explain", line.split()[0]])
        assert len(capsys.readouterr().out.splitlines()) <= 47, line
    assert main(["explain"]) == 2
    assert main(["explain", "T2T699"]) == 2
    assert "there is no rule T2T699: did you mean" in capsys.readouterr().err
    assert main(["explain", "what"]) == 2
    assert "`tf2towers rules` lists them" in capsys.readouterr().err
