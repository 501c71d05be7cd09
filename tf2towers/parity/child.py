"""The process trainers are recorded in: `python -m tf2towers.parity.child legacy|migrated`, the runs as JSON on stdin.

Its standard output is the stream of steps; what the trainers print goes to standard error.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tf2towers.parity.recording import Recorder

HOOKS = {"legacy": "hooks_legacy", "migrated": "hooks_migrated"}
MAX_TOWERS = 8


def main() -> None:
    """Runs each program in turn; after each, its error or None follows its steps."""
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    kind, runs = sys.argv[1], json.load(sys.stdin)
    import tensorflow as tf

    if kind != "legacy":  # a strategy's devices are set once a process: enough for any of the runs
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * MAX_TOWERS)
    recorder = Recorder(stream)
    importlib.import_module(f"tf2towers.parity.{HOOKS.get(kind, kind)}").watch(recorder)
    for run in runs:
        print(f"RUN {run['script']} {' '.join(run['flags'])}", file=sys.stderr, flush=True)
        error = None
        try:
            run_script(run["script"], run["flags"], run["tower_order"])
        except BrokenPipeError:  # nobody listens any more
            return
        except BaseException:
            error = traceback.format_exc()
            print(error, file=sys.stderr, flush=True)
        recorder.send(error)


def run_script(script: str, flags: list[str], tower_order: bool) -> None:
    """Runs `script` as `python script flags...` would, and cleans up for the next one."""
    from tf2towers.runtime import in_tower_order

    with _fresh_flags(), _own_modules(Path(script).parent), in_tower_order(tower_order):
        argv, sys.argv = sys.argv, [script, *flags]
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as ended:
            if ended.code not in (None, 0):
                raise
        finally:
            sys.argv = argv


@contextlib.contextmanager
def _fresh_flags() -> Iterator[None]:
    """Forgets the flags that the script defines."""
    from absl import flags

    before = set(flags.FLAGS)
    try:
        yield
    finally:
        for name in set(flags.FLAGS) - before:
            delattr(flags.FLAGS, name)
        flags.FLAGS.unparse_flags()


@contextlib.contextmanager
def _own_modules(folder: Path) -> Iterator[None]:
    """Lets the script import what lies beside it, and forgets those modules afterwards."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name, module in list(sys.modules.items()):
            if _lies_in(module, folder):
                del sys.modules[name]


def _lies_in(module: Any, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).parent == folder


if __name__ == "__main__":
    main()
