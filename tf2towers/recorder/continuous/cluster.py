"""One task of a cluster: workers make the calls that count in turns, so that a run can be repeated."""

import contextlib
import time
from typing import Any, Dict, Iterator

from ..cluster.worker_turns import Turns
from .calls import Alone
from .writes import Effects

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
