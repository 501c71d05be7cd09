"""One line on what is being done, on a terminal and after two seconds; and the shells' completion."""

import io
import subprocess

import pytest

from tf2towers.cli import progress
from tf2towers.cli.errors import CommandError
from tf2towers.cli.main import main
from tf2towers.cli.progress import Progress
from tf2towers.cli.running import require_modules

from .conftest import Capture, Put


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def shown_after(seconds: float, terminal: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is written by two results, of which the first comes after so many seconds."""
    clock = iter([0.0, seconds, seconds + 1])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    stream = Stream(terminal)
    assert list(Progress(stream).of("ab", 2)) == ["a", "b"]
    return stream.getvalue()


def test_silence_of_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_after(2.5, True, monkeypatch) == "\r\x1b[K1 of 2 programs\r\x1b[K2 of 2 programs\r\x1b[K"
    assert shown_after(0.5, True, monkeypatch) == ""
    assert shown_after(2.5, False, monkeypatch) == ""


#: what bash does when Tab is pressed after $1, in the current folder
TAB = """
read -ra COMP_WORDS <<< "$1"
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_shtab_tf2towers tf2towers "${COMP_WORDS[COMP_CWORD]}" ""
echo "${COMPREPLY[@]}"
"""
COMPLETED = {
    "tf2towers mi": "migrate",
    "tf2towers migrate --stat": "--statistics",
    "tf2towers migrate --format s": "sarif",
    "tf2towers migrate tra": "train.py",
    "tf2towers verify train.py ou": "out",
    "tf2towers migrate -o ou": "out",
    "tf2towers explain tower-l": "tower-loop",
}


def test_completion_of_bash(capsys: Capture, put: Put) -> None:
    pytest.importorskip("shtab")
    put("train.py", "")
    folder = put("out/train.py", "").parents[1]
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    for words, meant in COMPLETED.items():
        done = subprocess.run(
            ["bash", "-c", script + TAB, "bash", words],
            cwd=folder,
            text=True,
            capture_output=True,
            check=True,
        )
        assert done.stdout.split() == [meant], (words, done)
    assert "\ncomplete -o default " in script  # else, as after a --, the names of files


def test_a_shell_that_an_old_shtab_does_not_know(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    shtab = pytest.importorskip("shtab")
    monkeypatch.setattr(shtab, "SUPPORTED_SHELLS", ["bash", "zsh", "tcsh"])
    assert main(["completion", "fish"]) == 2
    assert "does not know fish: pip install -U shtab" in capsys.readouterr().err


def test_what_completion_needs_is_one_package(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """TensorFlow is not installed for it."""
    monkeypatch.setattr("tf2towers.cli.running.find_spec", lambda _: None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err.endswith(" -m pip install shtab\n")
    with pytest.raises(CommandError, match=r"pip install 'tf2towers\[all\]' \('.\[all\]' in a clone\)"):
        require_modules("tensorflow", "numpy")
