"""Runs the script to be recorded, as `python SCRIPT ARGS` would, and ends it when there is enough."""

import builtins
import os
import platform
import runpy
import sys
import traceback
from typing import Any, Dict, List

from . import optimizers, placement, seeds
from .overlay import Overlay, patch_python, patch_tensorflow
from .session import SessionRecorder
from .writing import Writer


def main(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    """Records a TF1 script; its exit status.

    Args:
        options: see __main__.py.
        script, arguments: what to run.
    """
    tf = prepare(options)
    writer = Writer(options["out"])
    recorder = SessionRecorder(
        tf, writer, options["steps"], options.get("layers", False), options.get("double", False)
    )

    def finish() -> None:
        facts = recorder.facts()
        facts.update(versions(tf), optimizers=len(recorder.applied), sessions=recorder.sessions)
        writer.facts(facts)

    def enough() -> None:
        finish()
        leave(0)

    recorder.on_enough = enough
    optimizers.watch(tf, recorder)
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    seeds.fix_graph_seeds(tf, options.get("seed", seeds.SEED))
    status = run(script, arguments)
    finish()
    return leave(status)


def prepare(options: Dict[str, Any]) -> Any:
    """The TF1 module that the script will import: its towers on the devices there are, its writes kept apart."""
    if options.get("stand_ins"):
        from tf2towers import stand_ins

        stand_ins.install(placement.install)
    import tensorflow as tf

    if options.get("scratch"):
        overlay = Overlay(options["scratch"], [options["out"]])
        patch_python(overlay)
        patch_tensorflow(overlay)
    if not options.get("stand_ins"):
        placement.install(tf)
        _leave_flags_to_scripts()
    return tf


def _leave_flags_to_scripts() -> None:
    """Lets a script define 'log_dir' and 'v' itself: a later absl than its own defines them, too."""
    try:
        from absl import flags, logging
    except ImportError:
        return
    for flag in flags.FLAGS.flags_by_module_dict().get(logging.__name__, []):
        flag.allow_override = True


def run(script: str, arguments: List[str]) -> int:
    """Runs it as the main program; 0, its exit status, or 1 with the traceback shown."""
    sys.argv = [script] + list(arguments)
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    if not hasattr(
        builtins, "xrange"
    ):  # the one name of Python 2 that much of TF1's code needs and Python 3 lacks
        builtins.xrange = range  # type: ignore[attr-defined]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
            return 1
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def leave(status: int) -> int:
    """Ends the process at once: threads, sessions and exit handlers of the script could keep it, or write."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def versions(tf: Any) -> Dict[str, str]:
    """Of TensorFlow and Python."""
    return {"tensorflow": str(tf.__version__), "python": platform.python_version()}
