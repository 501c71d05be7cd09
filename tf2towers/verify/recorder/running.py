"""Runs the script to be recorded, as `python SCRIPT ARGS` would, and ends it when there is enough."""

import builtins
import os
import platform
import runpy
import sys
import traceback
from typing import Any, Dict, List

from . import placement, seeds
from .overlay import keep_writes
from .session import SessionRecorder, watch
from .writing import Writer

#: a line of a task of a cluster: so many steps are recorded as were asked for
RECORDED = "tf2towers: recorded"
#: the same of worker 0, where its process makes the updates of all workers
RECORDED_ALL = "tf2towers: recorded, all workers"


def main(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    """Records a TF1 script; its exit status."""
    tf = prepare(options)
    recorder = SessionRecorder(
        tf,
        Writer(options["out"]),
        options["steps"],
        options.get("layers", False),
        options.get("double", False),
    )
    watch(tf, recorder)
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    seeds.fix_graph_seeds(tf, options.get("seed", seeds.SEED))
    return follow(tf, recorder, script, arguments)


def follow(tf: Any, recorder: Any, script: str, arguments: List[str], goes_on: bool = False) -> int:
    """Runs the script; its exit status. Facts of the run are written when there is enough, or at its end.

    Args:
        recorder: it has `facts`, a `writer` for them, and calls `on_enough`.
        goes_on: a task of a cluster, which says that there is enough, and goes on; else the process ends then.
    """
    over = []  # type: List[bool]

    def finish() -> None:
        if not over:
            over.append(True)
            recorder.writer.facts(dict(recorder.facts(), **versions(tf)))

    def enough() -> None:
        if not over:
            finish()
            if not goes_on:
                leave(0)
            print("\n" + (RECORDED_ALL if getattr(recorder, "records_all", False) else RECORDED), flush=True)

    recorder.on_enough = enough
    status = run(script, arguments)
    finish()
    return leave(status)


def prepare(options: Dict[str, Any]) -> Any:
    """The TF1 module that the script will import: its towers on the devices there are, its writes kept apart."""
    if options.get("stand_ins"):
        from tf2towers.verify import stand_ins

        stand_ins.install(placement.install)
    import tensorflow as tf

    keep_writes(options)
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
    # the one name of Python 2 that much of TF1's code needs and Python 3 lacks
    if not hasattr(builtins, "xrange"):
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
