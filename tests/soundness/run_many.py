"""Runs many scripts one after the other in one process: `python run_many.py MODE OUT SCRIPT...`.

MODE `original`: `import tensorflow` is TF1, as `tf2towers.verify.stand_ins` gives it. What graphs
leave open has the order that `verify` gives it: each run prints the same. `migrated`: as it is. In
both TensorFlow does not rewrite graphs, so that rounding is the same, and the means over towers are
collectives, as on GPUs; `rewriting`: `migrated`, as users without GPUs have it.
OUT is a JSON object: script as named -> {"stdout", "error", "traceback", "seconds"}; error: None,
or what it was. Each script is `__main__`, in a working folder of its own, which is its argument as
well. One that kills the process or hangs is written down as such, and the others go on in a new
process.
"""

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

#: seconds without the end of a script, on a machine that does other things as well
LONGEST = 90.0
STARTING = 120.0


def run_all(mode: str, scripts: list[str], longest: float = LONGEST) -> dict[str, dict]:
    """Every script's result; a process for all of them, and another after each crash."""
    results: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "results.jsonl"
        lines.touch()
        while remaining := [script for script in scripts if script not in results]:
            command = [sys.executable, __file__, "--inside", mode, str(lines), *remaining]
            with (Path(folder) / "stderr").open("w+") as stderr:
                child = subprocess.Popen(command, stderr=stderr, stdout=subprocess.DEVNULL)
                _watch(child, lines, longest)
                stderr.seek(0)
                said = stderr.read()[-2000:]
            results = {row.pop("script"): row for row in map(json.loads, lines.read_text().splitlines())}
            stopped = [script for script in remaining if script not in results]
            if len(stopped) == len(remaining) == len(scripts) and child.returncode == 1:
                raise RuntimeError(f"no script could be started:\n{said}")
            if stopped:
                why = f"exit status {child.returncode}" if child.returncode else "ended early"
                row = {"script": stopped[0], "stdout": "", "error": f"the process: {why}", "traceback": said}
                with lines.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                results[row.pop("script")] = row
    return results


def _watch(child: subprocess.Popen, lines: Path, longest: float) -> None:
    """Waits for the child; ends it where no script has come to its end for too long."""
    size, since, allowed = lines.stat().st_size, time.monotonic(), STARTING
    while child.poll() is None:
        time.sleep(0.1)
        if (now := lines.stat().st_size) != size:
            size, since, allowed = now, time.monotonic(), longest
        elif time.monotonic() - since > allowed:
            child.kill()
            child.wait()


def inside(mode: str, lines: str, scripts: list[str]) -> None:
    """The one process."""
    if mode == "migrated":
        os.environ["TF2TOWERS_COLLECTIVES"] = "always"
    absolute = [str(Path(script).resolve()) for script in scripts]
    import_tensorflow(mode)
    if mode != "original":
        _four_devices()
    between = Between()
    home = Path.cwd()
    for name, path in zip(scripts, absolute, strict=True):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            os.chdir(folder)
            between.clean()
            started = time.monotonic()
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                row = run_one([path, folder])
            row |= {
                "script": name,
                "stdout": printed.getvalue(),
                "seconds": round(time.monotonic() - started, 3),
            }
            os.chdir(home)
        with Path(lines).open("a") as file:
            file.write(json.dumps(row) + "\n")
    os._exit(0)  # threads that a script left running are not waited for


def import_tensorflow(mode: str) -> None:
    """Imports TensorFlow for one of the modes, and starts nothing of it."""
    os.environ |= {"CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    if mode == "original":
        from tf2towers.verify.recorder import placement
        from tf2towers.verify.recorder.order import Order
        from tf2towers.verify.stand_ins import install

        install(placement.install)
        import tensorflow as tf

        tf.disable_v2_behavior()
        Order(tf).install()
        _sessions_without_grappler()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorflow as tf

        tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
        if mode == "migrated":
            tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})


def _four_devices() -> None:
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)


def _sessions_without_grappler() -> None:
    """No graph rewriting, here and in the functions of the migrated: it rounds by what else is in a graph.

    With it sums are reordered and `log(1 + x)` becomes `log1p` in one program and not in the other.
    """
    import tensorflow.compat.v1 as tf
    from tensorflow.python.client import session

    init = session.BaseSession.__init__

    def without(self, target="", graph=None, config=None):
        copied = tf.ConfigProto()
        if config is not None:
            copied.CopyFrom(config)
        copied.graph_options.rewrite_options.disable_meta_optimizer = True
        init(self, target, graph, copied)

    session.BaseSession.__init__ = without


def run_one(arguments: list[str]) -> dict:
    """Runs the script that the first of the arguments is: the error that it ended with, if any."""
    path = arguments[0]
    error, trace = None, ""
    modules, paths = set(sys.modules), list(sys.path)
    sys.argv = arguments
    sys.path.insert(0, str(Path(path).parent))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            error = f"SystemExit: {end.code}"
    except BaseException as problem:
        error, trace = f"{type(problem).__name__}: {problem}", traceback.format_exc()
        sys.last_value = problem
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).parent == Path(path).parent:
            del sys.modules[name]  # a sibling of this script: the next script may have one of the same name
    return {"error": error, "traceback": trace[-3000:]}


class Between:
    """Leaves nothing of one script to the next: graphs, sessions, flags, seeds."""

    def __init__(self) -> None:
        from absl import flags

        self.flags = flags.FLAGS
        self.names = set(self.flags)

    def clean(self) -> None:
        """Called before each script."""
        import random

        import numpy as np
        import tensorflow as tf
        from tensorflow.python.framework import ops, stack

        for name in set(self.flags) - self.names:
            if name in self.flags:
                delattr(self.flags, name)
        self.flags.unparse_flags()
        stack._default_session_stack.reset()
        ops._default_graph_stack.reset()
        getattr(tf, "reset_default_graph", tf.compat.v1.reset_default_graph)()
        random.seed(0)
        np.random.seed(0)


def main(arguments: list[str]) -> None:
    if arguments[0] == "--inside":
        inside(arguments[1], arguments[2], arguments[3:])
    else:
        mode, out, *scripts = arguments
        Path(out).write_text(json.dumps(run_all(mode, scripts), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
