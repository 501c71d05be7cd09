"""Runs one side of a verification as a process: in its own group, with a time limit, and without leftovers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tf2towers.launch.chatter import without_chatter
from tf2towers.launch.child_process import GuardedProcess
from tf2towers.launch.cluster import LaunchError

ROOT = Path(__file__).resolve().parents[2]
#: oneDNN is off on both sides: it fuses an op with its neighbours, which differ in a session's and a function's graph.
ENVIRONMENT = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
_POLL = 0.05
_STACKS = 0.5  # seconds to write them
#: lines to omit from error messages: the program's log, in which TF1's hooks report their begin and end
_TASK = re.compile(r"^\[[\w ]+\] ")  # before each line of a task
#: the line above the frames in which an operation was built
_ORIGIN = ("Original stack trace for ", "Detected at node ")
_LOGGED = re.compile(r"^(\[[\w ]+\] )?([IW]\d{4} |WARNING:tensorflow:|INFO:tensorflow:)")


class RunFailed(Exception):
    """A trainer could not be run to the end of its recording; the message gives the reason and the exit status."""


def changed_environment(other_python: bool = False) -> dict[str, str]:
    """The environment variables that every process of a verification gets in place of this process's.

    Args:
        other_python: whether the process runs on another interpreter, which must not import packages of this one.
    """
    installed = ROOT.name in ("site-packages", "dist-packages")  # then importable without PYTHONPATH
    home = "" if other_python or installed else str(ROOT)
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH", "")]))
    return {
        **ENVIRONMENT,
        "PYTHONPATH": path,
        "PYTHONHASHSEED": "0",
        **({"TF2_BEHAVIOR": "0"} if other_python else {}),  # importing TensorFlow 2 sets it to 1
    }


def portable(started: Path, folder: Path, others: Mapping[Path, bytes] | None = None) -> Path:
    """Copies the files that another interpreter runs into a folder of their own; returns the copy of `started`.

    An installed tf2towers lies in this interpreter's site-packages. On another interpreter's path, that folder would
    make it import this one's NumPy.

    Args:
        started: a file in `tf2towers/verify/recorder` or `tf2towers/compare/watch`.
        folder: the folder for the copy; created if it is missing.
        others: the contents of other files that are needed, by their paths in the folder.
    """
    for package in (Path("order"), Path("verify", "recorder"), Path("compare", "watch")):
        to = folder / "tf2towers" / package
        if not to.exists():
            shutil.copytree(ROOT / "tf2towers" / package, to, ignore=shutil.ignore_patterns("__pycache__"))
            (to.parent / "__init__.py").touch()
    for path, data in (others or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    # a script may import the tf2towers that its own interpreter has installed
    merged = "import pkgutil\n\n__path__ = pkgutil.extend_path(__path__, __name__)\n"
    (folder / "tf2towers" / "__init__.py").write_text(merged, encoding="utf-8")
    return folder / started.relative_to(ROOT)


def run(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str],
    timeout: float,
    other_python: bool = False,
    is_over: Callable[[], bool] = lambda: False,
) -> int:
    """Runs a command in its own session, without standard input; afterwards none of its processes is left.

    Args:
        log: the file for its output.
        environment: variables added to this process's own.
        timeout: the time limit in seconds.
        other_python: see `changed_environment`.
        is_over: whether all that is wanted is done; the command is ended then.

    Returns:
        The exit status; 0 where `is_over` has ended it.

    Raises:
        RunFailed: the command cannot be started.
        TimeoutError: the time limit is over.
    """
    variables = {**os.environ, **changed_environment(other_python), **environment}
    variables.pop("TF_USE_LEGACY_KERAS", None)
    if not other_python:
        variables.pop("TF2_BEHAVIOR", None)  # importing TensorFlow 2 sets it
    started = time.monotonic()
    try:
        process = GuardedProcess(command, variables, log)
    except LaunchError as problem:
        raise RunFailed(str(problem)) from None
    try:
        while (status := process.status()) is None:
            if is_over():
                return 0
            if time.monotonic() - started > timeout:
                process.send(signal.SIGTERM)  # the recorder leaves its stacks
                time.sleep(_STACKS)
                raise TimeoutError
            time.sleep(_POLL)
        return status
    finally:
        process.end()


#: the line with which Python reports an exception
_RAISED = re.compile(
    r"^[A-Za-z_][\w.]*(Error|Exception|Interrupt|Refused\w*|Exit|Iteration|OutOfRange)\b.*$|^[\w.]+: \S.*$"
)


_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+)')
#: files that are not the script's: those of packages, of Python, and the recorder
_LIBRARY = re.compile(r"[/\\](site-packages|dist-packages|lib[/\\]python\d|tf2towers[/\\]verify)[/\\.]|^<")


def raised(written: Sequence[str]) -> str:
    """The line of the last exception in an output, with its place in the script; empty where there is none.

    TensorFlow prints where an operation was built, "Original stack trace for ..", after the error itself.
    """
    lines, found, inside, place = [_TASK.sub("", line) for line in without_chatter(written)], "", False, ""
    for number, text in enumerate(lines):
        frame = _FRAME.match(text)
        if text.startswith("Traceback (most recent call last)"):
            inside, place = True, ""
        elif inside and frame is not None and not _LIBRARY.search(frame["file"]):
            place = f" ({Path(frame['file']).name}, line {frame['line']})"
        elif inside and text and not text[0].isspace() and _RAISED.match(text):
            cause = _cause_below(text, lines[number + 1 :])
            found, inside = f"{text.strip()} {cause}".strip() + place, False
    return found


#: lines above a cause: how many there are, the task in which it was raised
_LEADS = re.compile(r"found\.$|^\s*From /job:\S+:$")


def _cause_below(text: str, below: Sequence[str]) -> str:
    """The cause of an error in the lines below its name: after the nodes, or of the first of several errors."""
    if text.endswith("Graph execution error:"):
        nodes = [place for place, line in enumerate(below) if line.lstrip().startswith("Node: ")]
        below = below[nodes[-1] + 1 :] if nodes else below
    elif not text.endswith((":", "root error(s) found.")):
        return ""
    return next((line.strip() for line in below if line.strip() and not _LEADS.search(line)), "")


def last_lines(written: Sequence[str], count: int = 25) -> str:
    """The last lines of an output, without TensorFlow's messages about itself and where operations were built."""
    shown, of_origin = [], False
    for line in without_chatter(written):
        text = _TASK.sub("", line)
        of_origin = text.startswith(_ORIGIN) or (of_origin and (not text or text[0].isspace()))
        if not of_origin and not _LOGGED.search(line):
            shown.append(line)
    return "\n".join(shown[-count:])
