"""`migrate`: what is printed, what is written where, and the exit status."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tf2towers.cli.main import main

Put = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("engine")


def test_prints_a_diff_and_writes_nothing(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    path = put("train.py", "x = OLD\n")
    assert main(["migrate", "train.py"]) == 0
    out = capsys.readouterr().out
    assert "-x = OLD\n+x = NEW\n" in out
    assert "train.py: 1 file to change, nothing left by hand" in out
    assert path.read_text() == "x = OLD\n"


def test_sites_left(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("train.py", "x = 1\nHARD\n")
    assert main(["migrate", "train.py"]) == 1
    out = capsys.readouterr().out
    assert "train.py: nothing to change, 1 site left by hand\n  2:1: T2T900 hard\n      to do: think\n" in out


def test_in_place(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    path = put("train.py", b"# coding: latin-1\r\nx = 'OLD \xe9'\r\n")
    assert main(["migrate", "-w", "train.py"]) == 0
    assert path.read_bytes() == b"# coding: latin-1\r\nx = 'NEW \xe9'\r\n"
    out = capsys.readouterr().out
    assert "wrote train.py" in out
    assert "@@" not in out
    assert main(["migrate", "-w", "train.py"]) == 0
    assert "wrote" not in capsys.readouterr().out


@pytest.mark.parametrize(("text", "status"), [("x = OLD\n", 1), ("x = 1\n", 0), ("HARD\n", 1)])
def test_check(put: Put, text: str, status: int) -> None:
    path = put("train.py", text)
    assert main(["migrate", "--check", "train.py"]) == status
    assert path.read_text() == text


def test_output_directory_runs_by_itself(put: Put, tmp_path: Path) -> None:
    put("src/train.py", "import model\nfrom net import layers\n")
    put("src/model.py", "x = OLD\n")
    put("src/net/__init__.py", "")
    put("src/net/layers.py", "y = 1\n")
    put("src/unused.py", "y = OLD\n")
    assert main(["migrate", "src/train.py", "-o", "out"]) == 0
    written = {str(p.relative_to(tmp_path / "out")): p.read_text() for p in (tmp_path / "out").rglob("*.py")}
    assert written == {
        "train.py": "import model\nfrom net import layers\n",
        "model.py": "x = NEW\n",
        "net/__init__.py": "",
        "net/layers.py": "y = 1\n",
    }
    assert (tmp_path / "src/model.py").read_text() == "x = OLD\n"


def test_output_named_as_a_file(put: Put, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("train.py", "x = OLD\n")
    assert main(["migrate", "train.py", "-o", "new.py"]) == 2
    assert "new.py reads as a file: a folder is asked for" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.py"]


def test_output_of_modules_outside_the_scripts_directory(put: Put, tmp_path: Path) -> None:
    put("pkg/__init__.py", "")
    put("pkg/util.py", "x = OLD\n")
    put("pkg/train/__init__.py", "")
    put("pkg/train/main.py", "from pkg import util\n")
    assert main(["migrate", "pkg/train/main.py", "-o", "out"]) == 0
    names = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.py"))
    assert names == ["pkg/__init__.py", "pkg/train/__init__.py", "pkg/train/main.py", "pkg/util.py"]


def test_output_of_several_scripts_keeps_them_apart(put: Put, tmp_path: Path) -> None:
    put("a/train.py", "x = OLD\n")
    put("b/train.py", "y = OLD\n")
    assert main(["migrate", "a/train.py", "b/train.py", "-o", "out"]) == 0
    assert (tmp_path / "out/a/train.py").read_text() == "x = NEW\n"
    assert (tmp_path / "out/b/train.py").read_text() == "y = NEW\n"


def test_output_over_the_source_is_refused(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    path = put("src/train.py", "x = OLD\n")
    assert main(["migrate", "src/train.py", "-o", "src"]) == 2
    assert "-w writes in place" in capsys.readouterr().err
    assert path.read_text() == "x = OLD\n"


def test_output_of_what_could_not_be_changed_is_none(put: Put, tmp_path: Path) -> None:
    put("train.py", "HARD\n")
    assert main(["migrate", "train.py", "-o", "out"]) == 1
    assert not (tmp_path / "out").exists()


def test_text_that_is_not_python_is_never_written(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    path = put("train.py", "BREAK\n")
    other = put("other.py", "x = OLD\n")
    assert main(["migrate", "-w", "train.py", "other.py"]) == 2
    assert "not written: the new text is wrong" in capsys.readouterr().err
    assert path.read_text() == "BREAK\n"
    assert other.read_text() == "x = NEW\n"


def test_a_module_two_scripts_share_is_written_once(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("a.py", "import common\n")
    put("b.py", "import common\n")
    common = put("common.py", "x = OLD\n")
    assert main(["migrate", "-w", "a.py", "b.py"]) == 0
    assert common.read_text() == "x = NEW\n"
    assert capsys.readouterr().out.count("wrote common.py") == 1


def test_several_scripts_the_worst_status_counts(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("good.py", "x = OLD\n")
    put("bad.py", "def (\n")
    assert main(["migrate", "good.py", "bad.py", "good.py"]) == 2
    shown = capsys.readouterr()
    assert shown.out.count("good.py: 1 file") == 1
    assert "tf2towers: bad.py: line 1: not valid Python 3" in shown.err


def test_several_processes(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch
    for number in range(4):
        put(f"s{number}.py", "def (\n")  # read in the other processes, where there is no stand-in
    assert main(["migrate", "-j", "2", *(f"s{number}.py" for number in range(4))]) == 2
    assert main(["migrate", "-j", "-1", "s0.py"]) == 2


class Standard(io.TextIOWrapper):
    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")


def test_standard_input(
    put: Put, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    put("unused.py", "")
    monkeypatch.setattr(sys, "stdin", Standard(b"x = OLD\r\n"))
    assert main(["migrate", "-"]) == 0
    assert b"+x = NEW" in capsysbinary.readouterr().out
    monkeypatch.setattr(sys, "stdin", Standard(b"x = OLD\r\n"))
    assert main(["migrate", "-w", "-"]) == 0
    shown = capsysbinary.readouterr()
    assert shown.out == b"x = NEW\r\n"
    assert b"<stdin>: 1 file" in shown.err
    assert main(["migrate", "-", "-o", "out"]) == 2


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_formats(put: Put, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    put("train.py", "x = OLD\nHARD\n")
    assert main(["migrate", "train.py", "none.py", "--format", form]) == 2
    shown = capsys.readouterr()
    assert "T2T900" in shown.out
    assert "there is no such file" in shown.out
    assert shown.err == "tf2towers migrate: 1 file to change, 1 site left by hand, 1 that could not be read\n"
    if form != "github":
        json.loads(shown.out)


def test_our_own_error_is_no_traceback(
    put: Put, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put("train.py", "BUG\n")
    put("odd.py", "ODD\n")
    assert main(["migrate", "train.py", "odd.py"]) == 2
    err = capsys.readouterr().err
    assert "internal error, nothing was done: KeyError: 'bug'" in err
    assert "odd.py: line 3: too odd" in err
    assert "Traceback" not in err
    monkeypatch.setenv("TF2TOWERS_DEBUG", "1")
    with pytest.raises(KeyError):
        main(["migrate", "train.py"])


def test_a_file_changed_in_the_meantime_is_left(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("train.py", "x = OLD\n")
    engine = sys.modules["tf2towers.codemod.migrate"].migrate

    def slow(script: object) -> object:
        path.write_text("x = 'somebody else was here'\n")
        return engine(script, None)

    exact = sys.modules["tf2towers.codemod.migrate"]
    monkeypatch.setattr(exact, "migrate", lambda script, options: slow(script))
    assert main(["migrate", "-w", "train.py"]) == 2
    assert path.read_text() == "x = 'somebody else was here'\n"


@pytest.mark.parametrize("options", [["-w", "-o", "out"], ["-w", "--check"], ["--format", "xml"], []])
def test_wrong_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given = [*options, "train.py"] if options else []
    assert main(["migrate", *given]) == 2
    assert "usage: tf2towers migrate" in capsys.readouterr().err


def test_quiet_and_verbose(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("train.py", "import model\nx = OLD\n" + "HARD\n" * 12)
    put("model.py", "y = 1\n")
    assert main(["migrate", "-q", "train.py"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "train.py:3:1: T2T900 hard" and len(out) == 12
    assert main(["migrate", "-v", "--no-diff", "train.py"]) == 1
    out = capsys.readouterr().out
    assert "14:1" in out and "more (" not in out and "  model.py: read, unchanged\n" in out
    assert main(["migrate", "-q", "-v", "train.py"]) == 2


def test_exit_zero(put: Put) -> None:
    put("train.py", "HARD\n")
    assert main(["migrate", "--exit-zero", "train.py"]) == 0
    assert main(["migrate", "--exit-zero", "none.py"]) == 2


def test_an_output_that_is_there_already(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    path = put("train.py", "x = OLD\n")
    for words in ("wrote out/train.py\n", "out: up to date\n"):
        assert main(["migrate", "train.py", "-o", "out"]) == 0
        assert capsys.readouterr().out.endswith(words)
    path.write_text("x = OLD + 1\n")
    assert main(["migrate", "train.py", "-o", "out"]) == 0
    assert capsys.readouterr().out.endswith("wrote out/train.py\n")


def test_a_wrong_option_is_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--no-such-option", "train.py"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "usage: tf2towers migrate [options] PATH..." and len(lines) == 2
