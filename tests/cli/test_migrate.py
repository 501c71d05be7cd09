"""`migrate`: what is printed, what is written where, and the exit status."""

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Put

pytestmark = pytest.mark.usefixtures("engine")

OLD, HARD = {"train.py": "x = OLD\n"}, {"train.py": "x = 1\nHARD\n"}
LATIN = b"# coding: latin-1\r\nx = '%s \xe9'\r\n"
SOURCES = {
    "src/train.py": "import model\nfrom net import layers\n", "src/model.py": "x = OLD\n", "src/net/__init__.py": "",
    "src/net/layers.py": "y = 1\n", "src/unused.py": "y = OLD\n",
}  # fmt: skip
PACKAGE = {
    "pkg/__init__.py": "", "pkg/util.py": "x = OLD\n", "pkg/train/__init__.py": "",
    "pkg/train/main.py": "from pkg import util\n",
}  # fmt: skip
MANY = {"train.py": "import model\nx = OLD\n" + "HARD\n" * 12, "model.py": "y = 1\n"}
WRONG = "usage: tf2towers migrate [options] PATH..."
#: the files, the command line, its status, the files that it writes, and what it says
CASES = {
    "a diff": (
        OLD, "train.py", 0, {}, ["-x = OLD\n+x = NEW\n", "train.py: 1 file to change, nothing left to you"],
    ),
    "a site left": (
        HARD, "train.py", 1, {},
        [dedent(
            """\
            train.py: nothing to change, 1 place left to you
              2:1: T2T900 hard
                  to do: think
            """
        )],
    ),
    "in place": ({"train.py": LATIN % b"OLD"}, "-w train.py", 0, {"train.py": LATIN % b"NEW"}, ["wrote train.py"]),
    "in place again": ({"train.py": "x = NEW\n"}, "-w train.py", 0, {}, ["train.py: nothing to change"]),
    "check: changes": (OLD, "--check train.py", 1, {}, []),
    "check: none": ({"train.py": "x = 1\n"}, "--check train.py", 0, {}, []),
    "check: left": (HARD, "--check train.py", 1, {}, []),
    "an output that runs by itself": (
        SOURCES, "src/train.py -o out", 0,
        {"out/train.py": SOURCES["src/train.py"], "out/model.py": "x = NEW\n", "out/net/__init__.py": "",
         "out/net/layers.py": "y = 1\n"}, [],
    ),
    "an output named as a file": (
        OLD, "train.py -o new.py", 2, {}, ["new.py looks like a file; -o needs a folder"],
    ),
    "an output of modules outside the script's folder": (
        PACKAGE, "pkg/train/main.py -o out", 0,
        {f"out/{name}": text.replace("OLD", "NEW") for name, text in PACKAGE.items()}, [],
    ),
    "an output of several scripts": (
        {"a/train.py": "x = OLD\n", "b/train.py": "y = OLD\n"}, "a/train.py b/train.py -o out", 0,
        {"out/a/train.py": "x = NEW\n", "out/b/train.py": "y = NEW\n"}, [],
    ),
    "an output over the source": ({"s/a.py": "x = OLD\n"}, "s/a.py -o s", 2, {}, ["-w writes in place"]),
    "no output of what is not changed": (HARD, "train.py -o out", 1, {}, []),
    "no text that is not Python": (
        {"train.py": "BREAK\n", "other.py": "x = OLD\n"}, "-w train.py other.py", 2, {"other.py": "x = NEW\n"},
        ["not written: the new text is wrong"],
    ),
    "a module of two scripts": (
        {"a.py": "import common\n", "b.py": "import common\n", "common.py": "x = OLD\n"}, "-w a.py b.py", 0,
        {"common.py": "x = NEW\n"}, ["wrote common.py"],
    ),
    "the worst status": (
        {"good.py": "x = OLD\n", "bad.py": "def (\n"}, "good.py bad.py good.py", 2, {},
        ["good.py: 1 file", "tf2towers: bad.py: line 1: not valid Python 3"],
    ),
    # read in the other processes, where there is no stand-in
    "several processes": ({f"s{n}.py": "def (\n" for n in range(4)}, "-j 2 s0.py s1.py s2.py s3.py", 2, {}, []),
    "no number of processes": (OLD, "-j -1 train.py", 2, {}, [WRONG]),
    "in two places": (OLD, "-w -o out train.py", 2, {}, [WRONG]),
    "written and checked": (OLD, "-w --check train.py", 2, {}, [WRONG]),
    "no such format": (OLD, "--format xml train.py", 2, {}, [WRONG]),
    "no such option": (OLD, "--no-such-option train.py", 2, {}, [WRONG]),
    "no path": ({}, "", 2, {}, [WRONG]),
    "no runtime without an output": (OLD, "--vendor train.py", 2, {}, ["--vendor goes with -o or -w"]),
    "quiet": (MANY, "-q train.py", 1, {}, ["train.py:3:1: T2T900 hard"]),
    "verbose": (MANY, "-v --no-diff train.py", 1, {}, ["14:1", "  model.py: read, unchanged\n"]),
    "quiet and verbose": (MANY, "-q -v train.py", 2, {}, [WRONG]),
    "exit zero": (HARD, "--exit-zero train.py", 0, {}, []),
    "an error all the same": ({}, "--exit-zero none.py", 2, {}, ["there is no such file"]),
}  # fmt: skip
#: how many lines are printed
LINES = {"quiet": 12, "no such option": 2, "in place": 2}


@pytest.mark.parametrize("name", CASES)
def test_a_migrate_command(put: Put, tmp_path: Path, capsys: Capture, name: str) -> None:
    files, arguments, status, written, said = CASES[name]
    for path, text in files.items():
        put(path, text)
    assert main(["migrate", *shlex.split(arguments)]) == status
    printed = capsys.readouterr()
    printed_all = printed.out + printed.err
    assert [printed_all.count(part) for part in said] == [1] * len(said), printed
    assert printed_all.count("wrote ") == len(written)
    assert LINES.get(name) in (None, len(printed_all.splitlines()))
    found = {
        str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    }
    wanted = files | written
    assert found == {
        path: text if isinstance(text, bytes) else text.encode() for path, text in wanted.items()
    }


class Standard(io.TextIOWrapper):
    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr(sys, "stdin", Standard(b"x = OLD\r\n"))
    assert main(["migrate", "-"]) == 0
    assert b"+x = NEW" in capsysbinary.readouterr().out
    monkeypatch.setattr(sys, "stdin", Standard(b"x = OLD\r\n"))
    assert main(["migrate", "-w", "-"]) == 0
    shown = capsysbinary.readouterr()
    assert shown.out == b"x = NEW\r\n"
    assert b"<stdin>: 1 file" in shown.err
    monkeypatch.setattr(sys, "stdin", Standard(b"x = OLD\n"))
    assert main(["migrate", "-qw", "-"]) == 0
    assert capsysbinary.readouterr() == (b"x = NEW\n", b"")
    assert main(["migrate", "-", "-o", "out"]) == main(["migrate", "-w", "-", "--format", "json"]) == 2


def test_the_diff_is_a_patch(put: Put, tmp_path: Path, capsys: Capture) -> None:
    """The summary and the findings are on standard error, and a module of two scripts is in the diff once."""
    texts = {
        "a.py": dedent(
            """\
            import model
            HARD
            x = OLD
            """
        ),
        "b.py": "import model\ny = OLD",
        "model.py": "z = OLD\n",
    }
    paths = [put(name, text) for name, text in texts.items()]
    assert main(["migrate", "a.py", "b.py"]) == 1
    shown = capsys.readouterr()
    assert "a.py: 2 files to change" in shown.err and "2:1: T2T900 hard" in shown.err
    subprocess.run(
        ["patch", "-p1"], cwd=tmp_path, input=shown.out, text=True, check=True, capture_output=True
    )
    assert [path.read_text() for path in paths] == [text.replace("OLD", "NEW") for text in texts.values()]
    assert main(["migrate", "--check", "a.py", "b.py"]) == 1
    out, errors = capsys.readouterr()
    assert "2:1: T2T900 hard" in out and not errors


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_formats_of_the_report(put: Put, form: str, capsys: Capture) -> None:
    put("train.py", "x = OLD\nHARD\n")
    assert main(["migrate", "train.py", "none.py", "--format", form]) == 2
    shown = capsys.readouterr()
    assert "T2T900" in shown.out
    assert "there is no such file" in shown.out
    assert (
        shown.err
        == "tf2towers migrate: 1 file to change, 1 place left to you, 1 that could not be migrated\n"
    )
    if form != "github":
        json.loads(shown.out)


def test_our_own_error_is_no_traceback(put: Put, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"bug.py": "BUG\n", "huge.py": "HUGE\n", "odd.py": "ODD\n", "other.py": "OLD\n"}
    paths = [put(name, text) for name, text in texts.items()]
    assert main(["migrate", "-w", *texts]) == 2
    bug, huge, odd, *_ = capsys.readouterr().err.splitlines()
    assert bug.startswith("tf2towers: bug.py: internal error, nothing was done: KeyError: 'bug'")
    assert huge.startswith("tf2towers: huge.py: internal error, nothing was done: ValueError: Tree(")
    assert "please report it" in huge and len(huge) < 300
    assert odd == "tf2towers: odd.py: line 3: too odd"
    assert [path.read_text() for path in paths] == ["BUG\n", "HUGE\n", "ODD\n", "NEW\n"]
    monkeypatch.setenv("TF2TOWERS_DEBUG", "1")
    with pytest.raises(KeyError):
        main(["migrate", "bug.py"])


def test_a_file_changed_in_the_meantime_is_left(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("train.py", "x = OLD\n")
    codemod = sys.modules["tf2towers.codemod.migrate"]
    engine = codemod.migrate

    def slow(script: object, options: object) -> object:
        path.write_text("x = 'somebody else was here'\n")
        return engine(script, options)

    monkeypatch.setattr(codemod, "migrate", slow)
    assert main(["migrate", "-w", "train.py"]) == 2
    assert path.read_text() == "x = 'somebody else was here'\n"


def test_an_output_that_is_there_already(put: Put, capsys: Capture) -> None:
    path = put("train.py", "x = OLD\n")
    for words in ("wrote out/train.py\n", "out: up to date\n"):
        assert main(["migrate", "train.py", "-o", "out"]) == 0
        assert capsys.readouterr().err.endswith(words)
    path.write_text("x = OLD + 1\n")
    assert main(["migrate", "train.py", "-o", "out"]) == 0
    assert capsys.readouterr().err.endswith("changed out/train.py\n")
