"""TensorFlow's own classes that make sessions, which are this package's `Session` here.

Each of them makes its session through a SessionManager, which it looks up in TensorFlow's module
`session_manager`. `graph_mode` puts the class below there, and `Session` as well
(`patches.sessions_of_managers_are`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.session import Session

_train: Any = tf.compat.v1.train
ChiefSessionCreator = _train.ChiefSessionCreator
WorkerSessionCreator = _train.WorkerSessionCreator
MonitoredSession = _train.MonitoredSession
SingularMonitoredSession = _train.SingularMonitoredSession
MonitoredTrainingSession = _train.MonitoredTrainingSession
Supervisor = _train.Supervisor

#: TF1's sessions waited for all tasks, so a worker checked the model only after the chief had
#: started. Here it may check earlier, and the next check, `recovery_wait_secs` (30) later, would
#: come after the end of a short training.
_LOOK_SECS = 0.2


class SessionManager(_train.SessionManager):
    """`tf.compat.v1.train.SessionManager`."""

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = float("inf")
    ) -> Session:
        """Waits until another process has made the model ready, and returns a session.

        Raises:
            tf.errors.DeadlineExceededError: the model was not ready in time.
        """
        self._target = master
        end = time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
        while True:
            session = Session(master, graph=self._graph, config=config)
            missing = None
            initialised, missing_locally = self._try_run_local_init_op(session)
            if initialised:
                ready, missing = self._model_ready(session)
                if ready:
                    return session
            if time.monotonic() + self._recovery_wait_secs > end:
                session.close()
                message = f"Session was not ready after waiting {max_wait_secs} secs."
                raise tf.errors.DeadlineExceededError(None, None, message)
            tf.compat.v1.logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                missing_locally,
                missing,
            )
            self._wait(session, self._model_ready if initialised else self._model_ready_for_local_init)
            session.close()

    def _wait(self, session: Session, look: Callable[[Session], tuple[bool, str | None]]) -> None:
        """Waits until `look` finds the model ready, or `recovery_wait_secs` have passed."""
        end = time.monotonic() + self._recovery_wait_secs
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(_LOOK_SECS, left))
            if look(session)[0]:
                break
