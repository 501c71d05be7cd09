"""Runs the script to be recorded, as `python SCRIPT ARGS` would, and ends it when enough is recorded."""

import builtins
import contextlib
import faulthandler
import json
import os
import pkgutil
import platform
import re
import signal
import sys
import threading
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import placement, seeds
from .calls.own_tasks import OwnTasks
from .calls.recording import CallRecorder
from .calls.shared_gradients import take_turns
from .calls.tokens import SyncReplicas
from .calls.turns import Turns
from .changed_ops import changed_ops
from .imports import OwnModules
from .order import Order
from .program import run_program
from .queues import Queues
from .session import SessionRecorder, watch
from .session_runs import change_settings, have_threads, meet_servers
from .tf_writes import protect_tensorflow
from .wrapping import wrap
from .writes import Writes, protect_python
from .writing import Before, Writer

#: the line that a task of a cluster prints when the requested number of steps is recorded
RECORDED = "tf2towers: recorded"


def main(
    options: Dict[str, Any], script: str, arguments: List[str], start: Optional[Callable[[], int]] = None
) -> int:
    """Records a script, or a worker of a cluster; returns its exit status.

    JOB_NAME and TASK_INDEX in the environment name the task. For the options see `__main__`.

    Args:
        start: runs what the process is to run, and returns its status; None: the script.
    """
    if options["record"] == "functions":
        return _record_functions(options, script, arguments)
    tf, writes = _prepared(options)
    home = os.path.dirname(os.path.abspath(script))
    own = OwnModules(home, options["beside"]) if options.get("beside") else None
    if own is not None:
        sys.meta_path.insert(0, own)
    order = Order(tf)
    if not options.get("migrated"):
        meet_servers(tf)
        order.install()
    out, in_cluster = options["out"], "workers" in options
    continuous = options["record"] == "calls" or options.get("continuous")
    seeds.fix_seeds()
    if continuous:
        seeds.same_draws()
    else:
        seeds.fix_graph_seeds(tf)
    task = options.get("task", "")
    if in_cluster:
        task = "%s-%s" % (os.environ["JOB_NAME"], os.environ["TASK_INDEX"])
    keep_stack(os.path.join(out, (task or "the-script") + ".stack"))
    if in_cluster and task not in options["workers"]:
        return end_process(run(script, arguments, options))
    server, manager = _of_clusters(options, tf)
    folder, turns = os.path.join(out, task), None
    writer, queues, before = Writer(folder), Queues(tf, folder, _given(options, task)), _before(options, task)
    queues.install()
    if options["record"] == "steps":
        recorder = SessionRecorder(tf, writer, options["steps"], before)  # type: Any
        watch(tf, recorder)
    else:
        scratch, rounded = options.get("scratch") or "", options.get("rounded", False)
        recorder = CallRecorder(tf, writer, options["steps"], home, scratch, rounded, before)
        if in_cluster:
            turns = Turns(out, options["workers"].index(task), len(options["workers"]))
            have_threads(tf, server)
            take_turns(tf, recorder, turns, SyncReplicas(tf), task, manager)
        recorder.watch()

    def more_facts() -> Dict[str, Any]:
        of_tf1 = order.graphs if str(tf.__version__).startswith("1.") else []
        return {
            "queues": queues.facts(),
            "open": sorted(order.open),
            "changed": changed_ops(of_tf1),
            "of_original": own.of_the_original() if own is not None else [],
            "restored": restored(tf, writes) if writes is not None else [],
        }

    process = _Process(tf, recorder, options, more_facts, queues, turns)
    if in_cluster:
        wrap(server, "join", process.serve)
        wrap(os, "_exit", process.leave)
    elif options["record"] == "calls":
        tasks = OwnTasks(tf, options, server, manager, script, process.begin, process.finish)
        process.follow(tasks)
    return process.run(start or (lambda: run(script, arguments, options)))


def run_spawned(settings: str, script: str, text: str) -> None:
    """Runs the program of a process that `multiprocessing` spawns, under a recorder of its own; ends the process.

    Args:
        settings: the file of the recorder's options.
        script: the script that spawned it.
        text: the program.
    """

    def start() -> int:
        try:
            exec(text, {"__name__": "__main__"})
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    with open(settings) as stream:
        options = json.load(stream)
    main(options, script, [], start)


def _given(options: Dict[str, Any], task: str) -> str:
    """The recording whose elements of queues a task is given; empty where it has none."""
    given = options.get("queues") or ""
    found = os.path.join(given, task) if given else ""
    return found if os.path.exists(os.path.join(found, "meta.json")) else ""


def _before(options: Dict[str, Any], task: str) -> Optional[Before]:
    """The variables to which a task is set before its calls; None where it has its own."""
    folder = os.path.join(options.get("in_step") or "", task)
    if not (options.get("in_step") and os.path.exists(os.path.join(folder, "meta.json"))):
        return None
    return Before(folder, options.get("rounding", 0))


def _record_functions(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    import tensorflow as tf

    from tf2towers.verify.rewrites.functions import FunctionRecorder

    keep_writes(options)
    recorder = FunctionRecorder(Writer(options["out"]), options["steps"], options["original"])
    seeds.fix_seeds()
    tf.random.set_seed(seeds.SEED)
    return _Process(tf, recorder, options).run(lambda: run(script, arguments, options))


class _Process(object):
    """What is recorded in this process. The facts are written when enough is recorded, or at the end.

    Args:
        recorder: has `facts`, a `writer` for them, and calls `on_enough`.
        more_facts: returns those of the process.
        queues: the watched queues.
        turns: in a cluster, those of the worker. The process then goes on when enough is recorded, and stays when the
            script has ended: TF 1's sessions wait for ever for a task that has gone.
    """

    def __init__(
        self,
        tf: Any,
        recorder: Any,
        options: Dict[str, Any],
        more_facts: Callable[[], Dict[str, Any]] = dict,
        queues: Optional[Queues] = None,
        turns: Optional[Turns] = None,
    ) -> None:
        self._tf, self._recorder, self._options, self._more_facts = tf, recorder, options, more_facts
        self._queues, self._turns, self._number = queues, turns, os.getpid()
        self._tasks: Optional[OwnTasks] = None
        self._open: List[Any] = []  # the recorders whose facts are not written
        self._open_recorder(recorder)

    def run(self, start: Callable[[], int]) -> int:
        """Runs the script; returns its exit status."""
        status = start()
        if self._turns is not None:
            self.leave(end_process, status)
        if status or self._tasks is None:
            self.finish()
        return end_process(status)

    def leave(self, leave: Callable[[int], Any], status: int) -> None:
        """The end of a worker of a cluster, also by `os._exit`; where it failed, its recording is not complete."""
        if self._turns is not None and not status and os.getpid() == self._number:
            self.finish()
            self._turns.end()
            while True:  # `verify` ends it, when the other workers are at their end
                time.sleep(60)
        leave(status)

    def serve(self, join: Callable[..., None], *args: Any) -> None:
        """A worker that only serves, as in in-graph replication, makes no call, and takes no turn."""
        self.finish()
        if self._turns is not None:
            self._turns.end()
        join(*args)

    def follow(self, tasks: OwnTasks) -> None:
        """Follows the tasks that the script starts by itself."""
        self._tasks = tasks
        tasks.install()
        if tasks.name:
            self._recorder.on_begin = lambda: tasks.note_sessions(tasks.name)

    def begin(self, name: str, target: str) -> Any:
        """Begins the recording of a task of this process; returns its recorder.

        Args:
            target: that of the task's server; empty for a process that was forked.
        """
        assert self._tasks is not None
        folder, recorder, tasks = os.path.join(self._options["out"], name), self._recorder, self._tasks
        if target and recorder.of_targets:
            recorder = recorder.beside(Writer(folder), _before(self._options, name))
        else:
            recorder.restart(Writer(folder), _before(self._options, name))
            if self._queues is not None:
                self._queues.restart(folder, _given(self._options, name))
            del self._open[:]
            recorder.of_targets.clear()
        self._open_recorder(recorder)
        recorder.thread = None if target else threading.current_thread()
        recorder.on_begin = lambda: tasks.note_sessions(name)
        if target:
            self._recorder.of_targets[target] = recorder
        return recorder

    def finish(self) -> None:
        """Writes the facts of all tasks of this process that have not been written."""
        for recorder in list(self._open):
            self._finish(recorder)

    def _open_recorder(self, recorder: Any) -> None:
        recorder.on_enough = lambda: self._has_enough(recorder)
        self._open.append(recorder)

    def _has_enough(self, recorder: Any) -> None:
        if recorder in self._open:
            self._finish(recorder)
            if self._turns is None and (self._tasks is None or not self._tasks.has_others()):
                end_process(0)

    def _finish(self, recorder: Any) -> None:
        self._open.remove(recorder)
        recorder.writer.facts({**recorder.facts(), **self._more_facts(), **versions(self._tf)})
        if self._turns is not None:
            print("\n" + RECORDED, flush=True)


def keep_stack(path: str) -> None:
    """Writes the stacks of all threads to a file when `verify` stops the process by SIGTERM."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT)  # stays open as long as the process lives
    faulthandler.register(signal.SIGTERM, file, all_threads=True, chain=True)


def restored(tf: Any, writes: Writes) -> List[Any]:
    """The folder and the step of the checkpoint that the script restored last, as it names them; empty for none."""
    name, path = writes.restored
    if not name:
        return []
    found = re.search(r"-(\d+)$", name)
    step = int(found.group(1)) if found else None
    with contextlib.suppress(Exception):  # the script may have deleted it, or it is of another format
        step = int(tf.train.NewCheckpointReader(path).get_tensor("global_step"))
    return [os.path.dirname(name) or os.curdir, step]


def _prepared(options: Dict[str, Any]) -> Tuple[Any, Optional[Writes]]:
    """Prepares the TF1 module that the script will import: maps its towers to CPU devices, and redirects its writes.

    Where every call is compared, graph rewriting is off: its rounding depends on the other fetches.
    """
    if options.get("migrated"):
        import tensorflow

        writes = keep_writes(options)
        tensorflow.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
        # the comparison uses the all-reduce that GPUs would use, whatever devices this machine has
        os.environ["TF2TOWERS_COLLECTIVES"] = "never" if options.get("tower_order") else "always"
        return tensorflow.compat.v1, writes
    if options.get("stand_ins"):
        from tf2towers.verify import stand_ins

        stand_ins.install(placement.install, v2_behavior=bool(options.get("v2_behavior")))
    import tensorflow as tf

    writes = keep_writes(options)
    if options.get("resources"):
        enable = getattr(tf, "enable_resource_variables", None)  # TensorFlow 1.12 has no `compat.v1`
        (enable or tf.compat.v1.enable_resource_variables)()
    if not options.get("stand_ins"):
        placement.install(tf)
        _leave_flags_to_scripts()
    if options["record"] == "calls" or options.get("continuous"):
        change_settings(tf, lambda config: _without_rewriting(tf.ConfigProto(), config))
    return tf, writes


def keep_writes(options: Dict[str, Any]) -> Optional[Writes]:
    """Redirects what the script writes, except into folders that the user allows."""
    if not options.get("scratch"):
        return None
    through = [options["out"], *options.get("allow", ())]
    writes = Writes(options["scratch"], through, options.get("empty", ()))
    protect_python(writes)
    protect_tensorflow(writes)
    return writes


def _without_rewriting(settings: Any, given: Any) -> Any:
    """A session's settings with graph rewriting switched off."""
    if given is not None:
        settings.CopyFrom(given)
    rewriting = settings.graph_options.rewrite_options
    if hasattr(rewriting, "disable_meta_optimizer"):
        rewriting.disable_meta_optimizer = True
    return settings


def _of_clusters(options: Dict[str, Any], tf: Any) -> Tuple[Any, Any]:
    """The class of servers, and that of objects that wait for the chief's initialization."""
    if options.get("migrated"):
        from tf2towers.runtime.graph_session.cluster.server import Server
        from tf2towers.runtime.graph_session.managed import SessionManager

        return Server, SessionManager
    return tf.train.Server, tf.train.SessionManager


def _leave_flags_to_scripts() -> None:
    """Lets a script define the flags 'log_dir' and 'v', which an absl newer than the script's also defines."""
    try:
        from absl import flags, logging
    except ImportError:
        return
    for flag in flags.FLAGS.flags_by_module_dict().get(logging.__name__, []):
        flag.allow_override = True


def run(script: str, arguments: List[str], options: Optional[Dict[str, Any]] = None) -> int:
    """Runs the script as the main program. Returns 0, its exit status, or, after printing a traceback, 1."""
    sys.argv = [script] + list(arguments)
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    # what `migrate --python3` wrote has the part of tf2towers that it needs beside it
    package = sys.modules["tf2towers"]
    package.__path__ = pkgutil.extend_path(package.__path__, "tf2towers")
    # `xrange` is the only name of Python 2 that much TF1 code needs and Python 3 lacks
    if not hasattr(builtins, "xrange"):
        builtins.xrange = range  # type: ignore[attr-defined]
    try:
        run_program(script, options or {})
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
            return 1
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def end_process(status: int) -> int:
    """Ends the process at once: the script's threads, sessions and exit handlers could block it, or write files."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def versions(tf: Any) -> Dict[str, str]:
    """The versions of TensorFlow and Python."""
    return {"tensorflow": str(tf.__version__), "python": platform.python_version()}
