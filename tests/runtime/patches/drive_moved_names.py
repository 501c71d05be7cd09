"""Runs a migrated program while private names of TensorFlow are gone, each time in a fork of one process.

    python drive_moved_names.py FOLDER PROGRAM [ARGUMENTS]

The program is first run once, and what it looks up is noted. A name counts as gone where `look_up`
does not find it, so that TensorFlow itself still has it. The names that only a feature needs are
removed at once, until the program runs: without a feature that it uses, its names are left where
they are. Each other name is removed by itself.

Prints a JSON object: a name, or `features` -> the feature or features, the status, and what the run
wrote to standard error; and `used` -> the features that the program uses, and what each of them
wrote.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import tensorflow  # noqa: F401 - before the forks

from tf2towers.runtime.graph_session import mode, session  # noqa: F401
from tf2towers.runtime.patches import devices, functions, operations, patch, private
from tf2towers.runtime.patches.private import MovedError
from tf2towers.runtime.patches.register import FOR_MIGRATED

FOLDER, PROGRAM, *ARGUMENTS = sys.argv[1:]
plain = private.look_up


def replace_look_up(look_up: Callable[[Any, str, str], Any]) -> None:
    private.private.cache_clear()
    for module in (private, patch, devices, functions, operations):
        if hasattr(module, "look_up"):
            module.look_up = look_up


def note_names(noted: dict[str, str]) -> None:
    """Puts the names that are looked up, as a MovedError has them, into `noted`, with their feature."""

    def look_up(owner: Any, name: str, feature: str) -> Any:
        if isinstance(owner, ModuleType) or (name.startswith("_") and not name.startswith("__")):
            noted.setdefault(private.whole_name(owner, name), feature)
        return plain(owner, name, feature)

    replace_look_up(look_up)


def remove(names: set[str]) -> None:
    def look_up(owner: Any, name: str, feature: str) -> Any:
        if (whole := private.whole_name(owner, name)) in names:
            raise MovedError(whole, feature)
        return plain(owner, name, feature)

    replace_look_up(look_up)


def run() -> None:
    sys.argv = [PROGRAM, *ARGUMENTS]
    os.chdir(FOLDER)
    sys.path.insert(0, FOLDER)
    runpy.run_path(PROGRAM, run_name="__main__")


def in_fork(function: Callable[[], dict[str, str] | None]) -> tuple[int, Any, str]:
    """Returns the status, what the function returned, and the last line of standard error."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.close(read)
        errors, status, returned = io.StringIO(), 0, None
        try:
            with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
                try:
                    returned = function()
                except SystemExit as end:
                    status = int(bool(end.code))
                except BaseException as error:
                    status, _ = 1, print(error, file=sys.stderr)
        finally:
            with os.fdopen(write, "w") as pipe:
                json.dump([returned, errors.getvalue()], pipe)
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as pipe:
        returned, errors = json.load(pipe)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), returned, errors


def noted_in_a_run() -> dict[str, str]:
    names: dict[str, str] = {}
    note_names(names)
    with contextlib.suppress(SystemExit):
        run()
    return names


def without(names: set[str]) -> Callable[[], None]:
    def remove_and_run() -> None:
        remove(names)
        run()

    return remove_and_run


status, used, errors = in_fork(noted_in_a_run)
assert status == 0, errors
features = {one.feature for one in FOR_MIGRATED}
for_a_feature = {name for name, feature in used.items() if feature in features}
results: dict[str, Any] = {"used": {}}
while True:
    status, _, errors = in_fork(without(for_a_feature))
    last = errors.strip().rpartition("\n")[2]
    needed = {used[name] for name in for_a_feature if status and f"which {used[name]} needs:" in last}
    if not needed:
        break
    results["used"] |= dict.fromkeys(needed, errors)
    for_a_feature -= {name for name in for_a_feature if used[name] in needed}
results["features"] = [sorted({used[name] for name in for_a_feature}), status, errors]
for name in sorted(name for name in used if name not in for_a_feature):
    results[name] = [used[name], *in_fork(without({name}))[::2]]
print(json.dumps(results))
