"""Runs one side of a continuous comparison, as `python SCRIPT ARGS` would, and ends it when there is enough."""

import contextlib
import os
import time
from typing import Any, Dict, Iterator, List

from .. import seeds
from ..cluster.task import look_for_the_chief
from ..cluster.worker_turns import Turns
from ..overlay import keep_writes
from ..running import follow, leave, prepare, run
from ..session_runs import change_settings
from ..writing import Writer
from .calls import Alone, CallRecorder
from .variables import Effects


def main(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    """Records a script, or a task of a cluster that is a worker; its exit status.

    JOB_NAME and TASK_INDEX in the environment say which task it is.

    Args:
        options: as `__main__.py` says, and "calls": 'original' or 'migrated'; "resource_variables": the original's
            variables are resources; "tower_order": the migrated script's means are added up in TF1's order;
            "rounded": the other side runs on another TensorFlow.
    """
    tf = prepared(options)
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    seeds.same_draws(options.get("seed", seeds.SEED))
    in_cluster, out = "turns" in options, options["out"]
    if in_cluster:
        if os.environ["JOB_NAME"] == "ps":
            return leave(run(script, arguments))
        out = os.path.join(out, "worker-" + os.environ["TASK_INDEX"])
    folder = os.path.dirname(os.path.abspath(script))
    scratch, rounded = options.get("scratch") or "", options.get("rounded", False)
    recorder = CallRecorder(tf, Writer(out), options["steps"], folder, scratch, rounded)
    recorder.watch()
    if in_cluster:
        turns = Turns(options["turns"], int(os.environ["TASK_INDEX"]))
        recorder.schedule = InTurns(turns)
        look_for_the_chief(session_manager(options, tf), turns)
    return follow(tf, recorder, script, arguments, goes_on=in_cluster)


def prepared(options: Dict[str, Any]) -> Any:
    """The TF1 module, without graph rewriting, which rounds by what else is fetched."""
    if options["calls"] == "migrated":
        import tensorflow

        keep_writes(options)
        tensorflow.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
        # what GPUs run is what is compared, whatever the devices are here
        os.environ["TF2TOWERS_COLLECTIVES"] = "never" if options.get("tower_order") else "always"
        return tensorflow.compat.v1
    tf = prepare(options)
    change_settings(tf, lambda config: _without_rewriting(tf.ConfigProto(), config))
    if options.get("resource_variables"):
        from tensorflow.python.ops import variable_scope

        tf.enable_resource_variables()
        # `tf.disable_v2_behavior()` is the script's to say, and this is part of it
        variable_scope.disable_resource_variables = lambda: None
    return tf


def _without_rewriting(settings: Any, given: Any) -> Any:
    """The settings of a session as it was given them, with graph rewriting switched off."""
    if given is not None:
        settings.CopyFrom(given)
    rewriting = settings.graph_options.rewrite_options
    if hasattr(rewriting, "disable_meta_optimizer"):
        rewriting.disable_meta_optimizer = True
    return settings


# -- one task of a cluster: workers make the calls that count in turns, so that a run can be repeated ------------------

_PAUSE = 0.25  # seconds between two readings of variables that may still change


class InTurns(Alone):
    """Asynchronous workers: from its first training call on, one worker's call at a time, with what is read after it.

    Synchronous workers: all begin a step together. When all have made it, and the chief its update, each reads.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._begun = False

    @contextlib.contextmanager
    def call(self, effects: Effects) -> Iterator[None]:
        """A turn of its own; of synchronous workers a moment at which all are there."""
        self._begun = self._begun or effects.training
        counts = effects.training if self.synchronous else self._begun and bool(effects.used)
        if not counts:
            yield
        elif self.synchronous:
            with self._turns.turn():
                pass
            yield
        else:
            with self._turns.turn():
                yield

    @contextlib.contextmanager
    def after(self, effects: Effects) -> Iterator[None]:
        """Of synchronous workers: all have made the step."""
        if self.synchronous and effects.training:
            with self._turns.turn():
                yield
        else:
            yield

    def is_settled(self) -> bool:
        """Synchronous: the chief's thread may not have made its update yet."""
        if self.synchronous:
            time.sleep(_PAUSE)
        return not self.synchronous


def session_manager(options: Dict[str, Any], tf: Any) -> Any:
    """The class whose objects wait for the chief."""
    if options["calls"] == "migrated":
        from tf2towers.runtime.graph_session.managed import SessionManager

        return SessionManager
    return tf.train.SessionManager
