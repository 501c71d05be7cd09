"""The entry point: finds the command, and turns any error into one sentence and an exit status.

A command is a module with `add_arguments(parser)` and `run(options) -> int`. Only the module of the
requested command is imported. The words after a -- on the command line, the arguments of scripts,
are `options.arguments`.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import gc
import importlib
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from tf2towers import __version__
from tf2towers.cli.errors import CommandError, internal_error, wants_traceback
from tf2towers.launch.cluster import LaunchError

_PAIR = "[options] {} -- [ARGUMENTS OF BOTH SCRIPTS]"
#: of each command: its usage after the name, and its line in the help; its module has the command's
#: name
COMMANDS = {
    "migrate": ("[options] PATH...", "turn TF1 tower and parameter-server scripts into tf.distribute"),
    "explain": ("[--all] [RULE...]", "what a rule does and why, with examples"),
    "rules": ("[--output-format text|json]", "the list of rules"),
    "verify": (
        _PAIR.format("LEGACY MIGRATED"),
        "run two scripts, and say whether they are the same trainer, bit for bit",
    ),
    "launch": (
        "[--ps N] [--workers M] [options] -- SCRIPT [ARGS ...]",
        "run a parameter-server script as a whole local cluster",
    ),
    "compare": (_PAIR.format("LEGACY MODERN"), "two trainings side by side: loss, speed, memory, the ratio"),
    "completion": ("bash|zsh|fish|tcsh", "a script that lets your shell complete these commands and options"),
}
#: the words after a -- are the arguments of the scripts that these run; so they are for `migrate
#: --verify`
RUN_SCRIPTS = ("verify", "launch", "compare")


def run() -> NoReturn:
    """The console script: runs the command line of this process."""
    # a syntax tree has some hundred thousand objects, none of them garbage. With Python's default
    # thresholds, garbage collection takes half of the time of a long script
    gc.set_threshold(100_000, 20, 100)
    status = main()
    gc.freeze()  # Python goes through all objects once more at its end: a sixth of the time of a short script
    sys.exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not _prepare_streams():
        print("tf2towers: the standard output is closed: nothing was done", file=sys.stderr)
        return 2
    try:
        status = _dispatch(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe, such as `| head`, has ended
        _discard_output()
        return 141
    except SystemExit as ended:  # argparse
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 2
    except Exception as problem:
        # an OSError with a filename is about that file; this one is about the standard output
        if isinstance(problem, OSError) and problem.filename is None and problem.errno in _FULL:
            _discard_output()
            print(f"tf2towers: the output cannot be written ({problem.strerror})", file=sys.stderr)
            return 2
        if wants_traceback():
            raise
        print(f"tf2towers: {internal_error(problem)}", file=sys.stderr)
        return 2
    return status


def _dispatch(given: list[str]) -> int:
    options = parse(given)
    try:
        status: int = options.run(options)
    except (CommandError, LaunchError) as problem:
        print(f"tf2towers {given[0]}: {problem}", file=sys.stderr)
        return 2
    return status


def make_parser(
    *wanted: str,
) -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """The parser of the command line, and the commands'; only those `wanted` have options."""
    parser = argparse.ArgumentParser(
        prog="tf2towers",
        usage="tf2towers COMMAND ...",
        description="From TF1 towers and parameter servers to tf.distribute, with proof.",
        epilog="`tf2towers COMMAND --help` lists the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"tf2towers {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="tf2towers", required=True)
    for name, (usage, does) in COMMANDS.items():
        command = commands.add_parser(
            name, usage=f"tf2towers {name} {usage}", description=does, help=does,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        if name in wanted:
            module = importlib.import_module(f"tf2towers.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser, commands.choices


def parse(given: list[str]) -> argparse.Namespace:
    """Parses a command line into options; `options.run` is the function that runs the command."""
    parser, commands = make_parser(*given[:1])
    if not given:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    if not given[0].startswith("-") and given[0] not in COMMANDS:
        parser.error(f"there is no command {given[0]}: {_nearest(given[0], COMMANDS)}")
    runs = given[0] in RUN_SCRIPTS or "--verify" in given
    own, arguments = _split_arguments(given) if runs else (given, [])
    options, unknown = parser.parse_known_args(own, argparse.Namespace(arguments=arguments))
    if unknown:
        command = commands[given[0]]
        flags = re.findall(r"--[a-z][a-z-]*", command.format_help())
        near = {word: _nearest(word.partition("=")[0], flags) for word in unknown if word.startswith("--")}
        words = (
            f"{word} ({near[word]})" if near.get(word, "").startswith("did") else word for word in unknown
        )
        command.error(f"unrecognized arguments: {' '.join(words)}")
    return options


def _nearest(word: str, known: Iterable[str]) -> str:
    """What the user may have meant by an unknown word, or what is known."""
    names = list(dict.fromkeys(known))
    near = difflib.get_close_matches(word, names, 1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"


def _split_arguments(words: list[str]) -> tuple[list[str], list[str]]:
    """The command's own words, and the scripts' arguments after a --.

    The value of --task-flags itself begins with --, so argparse would take it for an option: the
    two are joined by =.
    """
    end = words.index("--") if "--" in words else len(words)
    own, arguments = words[:end], words[end + 1 :]
    if "--task-flags" in own[:-1]:
        at = own.index("--task-flags")
        own[at : at + 2] = [f"--task-flags={own[at + 1]}"]
    return own, arguments


# -- the standard streams, which may be closed or full ---------------------------------------------

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.ENXIO})


def _prepare_streams() -> bool:
    """Makes both streams escape what they cannot encode; returns whether there is an output."""
    if sys.stderr is None:  # closed: what is written there is discarded
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as long as the process
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # the terminal may lack characters of a script's text
            stream.reconfigure(errors="backslashreplace")
    return sys.stdout is not None


def _discard_output() -> None:
    """Redirects the standard output to the null device, so that a flush at exit does not fail."""
    with contextlib.suppress(OSError, ValueError):
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, sys.stdout.fileno())
        os.close(nobody)
