"""One task of a cluster: workers make the calls that count in turns, so that a run can be repeated."""

import contextlib
import os
import time
from typing import Any, Dict, Iterator, List

from .. import seeds
from ..cluster.task import look_for_the_chief
from ..cluster.worker_turns import Turns
from ..running import follow, leave, run
from ..writing import Writer
from .calls import Alone, CallRecorder
from .draws import same_draws
from .writes import Effects

_PAUSE = 0.25  # seconds between two readings of variables that may still change


class InTurns(Alone):
    """Asynchronous workers: from its first training call on, one worker's call at a time, with what is read after it.

    Synchronous workers: all begin a step together. When all have made it, and the chief its update, each reads.

    Args:
        turns: this worker's.
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


def main(options: Dict[str, Any], tf: Any, script: str, arguments: List[str]) -> int:
    """Records a task that is a worker; its exit status. JOB_NAME and TASK_INDEX in the environment say which it is."""
    seeds.fix_seeds(options.get("seed", seeds.SEED))
    same_draws(options.get("seed", seeds.SEED))
    if os.environ["JOB_NAME"] == "ps":
        return leave(run(script, arguments))
    worker = int(os.environ["TASK_INDEX"])
    writer = Writer(os.path.join(options["out"], "worker-%d" % worker))
    folder = os.path.dirname(os.path.abspath(script))
    recorder = CallRecorder(tf, writer, options["steps"], folder, options.get("scratch") or "")
    turns = Turns(options["turns"], worker)
    recorder.schedule = InTurns(turns)

    recorder.watch()
    look_for_the_chief(_session_manager(options, tf), turns)
    return follow(tf, recorder, script, arguments, goes_on=True)


def _session_manager(options: Dict[str, Any], tf: Any) -> Any:
    if options["calls"] == "migrated":
        from tf2towers.runtime.graph_session.managed import SessionManager

        return SessionManager
    return tf.train.SessionManager
