"""Trains many scripts in one process: `python run_programs.py legacy|migrated JOBS OUT`.

JOBS is a JSON list of {"name", "text", "argv"}; OUT a pickle of name -> {"weights", "printed", "error"}.
Legacy scripts run as TF1 (`import tensorflow` gives compat.v1), migrated ones as they are, on logical CPU devices.

"""

import builtins
import contextlib
import io
import json
import os
import pickle
import runpy
import sys
import tempfile
import traceback
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf2

tf1 = tf2.compat.v1


class Recorder:
    """Keeps the sessions and stores that a script makes, to read its variables from."""

    def __init__(self):
        self.weights = []

    def legacy(self):
        tf1.disable_v2_behavior()
        tf1.logging.set_verbosity(tf1.logging.ERROR)
        builtins.xrange = range
        from tf2towers.runtime import layers
        from tf2towers.runtime.printing import print_as_numpy1

        print_as_numpy1()  # as on TF 1.15
        tf1.layers = layers  # Keras 3 took TF1's; the runtime's give TF1's numbers (tests/runtime)
        sys.modules["tensorflow"] = tf1
        recorder = self

        def recorded(base):
            class Session(base):
                def __init__(self, target="", graph=None, config=None):
                    config = config or tf1.ConfigProto()
                    config.allow_soft_placement = True
                    super().__init__(target, graph, config)
                    recorder.weights.append(lambda: read_session(self))

                def close(self):
                    values = read_session(self)
                    recorder.weights = [lambda: values, *recorder.weights[1:]]
                    super().close()

                def __del__(self):
                    """A session that nobody closed is not read when it goes."""

            return Session

        tf1.Session = recorded(tf1.Session)
        tf1.InteractiveSession = recorded(tf1.InteractiveSession)

    def migrated(self):
        cpu = tf2.config.list_physical_devices("CPU")[0]
        tf2.config.set_logical_device_configuration(cpu, [tf2.config.LogicalDeviceConfiguration()] * 4)
        from tensorflow.python.distribute import cross_device_utils

        from tf2towers.runtime import saver, variable_store

        class Keys(cross_device_utils.CollectiveKeys):
            """Every program in this process has collectives of its own, though they all count from 1."""

            programs = 0

            def __init__(self, group_key_start=1):
                Keys.programs += 1
                super().__init__(group_key_start + 1000 * Keys.programs)

        cross_device_utils.CollectiveKeys = Keys

        make = variable_store.VariableStore.__init__

        def init(store, *args, **kwargs):
            make(store, *args, **kwargs)
            self.weights.append(lambda: read_store(saver.Saver(store)))

        variable_store.VariableStore.__init__ = init

    def values(self):
        return self.weights[0]() if self.weights else None


def read_session(session):
    with session.graph.as_default():
        variables = tf1.global_variables()
        ready = session.run([tf1.is_variable_initialized(v) for v in variables])
        variables = [v for v, ok in zip(variables, ready, strict=True) if ok]
        return dict(zip([v.op.name for v in variables], session.run(variables), strict=True))


def read_store(saver):
    return {name: variable.numpy() for name, variable in saver._named().items()}


def run(name, text, argv, folder, recorder):
    recorder.weights.clear()
    path = Path(folder) / f"{name}.py"
    if sys.modules["tensorflow"] is tf1:
        text = text.replace("import tensorflow.compat.v1 as tf", "import tensorflow as tf")
    path.write_text(text)
    sys.argv = [str(path), *argv]
    tf1.reset_default_graph()
    tf2.random.set_seed(87654321)  # what a program without a global seed has; an earlier one may have set it
    flags = set(tf1.flags.FLAGS)
    printed = io.StringIO()
    error = None
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as ended:
        error = None if not ended.code else f"exit {ended.code}"
    except Exception:
        error = traceback.format_exc()
    weights = None
    if error is None:
        weights = recorder.values()
    for flag in set(tf1.flags.FLAGS) - flags:
        delattr(tf1.flags.FLAGS, flag)
    tf1.flags.FLAGS.unparse_flags()
    return {"weights": weights, "printed": printed.getvalue(), "error": error}


def main(mode, jobs, out):
    recorder = Recorder()
    getattr(recorder, mode)()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for job in json.loads(Path(jobs).read_text()):
            results[job["name"]] = run(job["name"], job["text"], job["argv"], folder, recorder)
    Path(out).write_bytes(pickle.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
