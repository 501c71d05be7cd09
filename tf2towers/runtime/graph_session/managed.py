"""What makes sessions for a script: TensorFlow's own classes, whose sessions are `Session` of this package.

TensorFlow's SessionManager, which all of them use, names its session class in two methods; they are written
out here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.session import Session

_train: Any = tf.compat.v1.train
_USE_DEFAULT = object()

#: TF1's sessions waited for all tasks, so a worker's first look came when the chief had begun. Here it may come before,
#: and the next one `recovery_wait_secs` (30) later would find a short training over.
_LOOK_SECS = 0.2


class SessionManager(_train.SessionManager):
    """`tf.compat.v1.train.SessionManager`."""

    def _restore_checkpoint(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        self._target = master
        session = Session(master, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return session, False
        if checkpoint_filename_with_path:
            saver.restore(session, checkpoint_filename_with_path)
            return session, True
        waited = 0.0
        state = _train.get_checkpoint_state(checkpoint_dir)
        while not state or not state.model_checkpoint_path:
            if not wait_for_checkpoint or waited >= max_wait_secs:
                return session, False
            tf.compat.v1.logging.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            state = _train.get_checkpoint_state(checkpoint_dir)
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = float("inf")
    ) -> Session:
        """A session, once another process has made the model ready.

        Raises:
            tf.errors.DeadlineExceededError: it was not ready in time.
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
        """Returns when what was missing is there, or `recovery_wait_secs` have passed."""
        end = time.monotonic() + self._recovery_wait_secs
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(_LOOK_SECS, left))
            if look(session)[0]:
                break


class _Managing:
    """A session creator whose session manager is the one here."""

    _scaffold: Any
    _session_manager: Any

    def _get_session_manager(self) -> SessionManager:
        if self._session_manager is None:
            self._session_manager = SessionManager(
                local_init_op=self._scaffold.local_init_op,
                local_init_feed_dict=self._scaffold.local_init_feed_dict,
                ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
                graph=tf.compat.v1.get_default_graph(),
            )
        return self._session_manager


class ChiefSessionCreator(_Managing, _train.ChiefSessionCreator):
    """`tf.compat.v1.train.ChiefSessionCreator`."""


class WorkerSessionCreator(_Managing, _train.WorkerSessionCreator):
    """`tf.compat.v1.train.WorkerSessionCreator`."""


class MonitoredSession(_train.MonitoredSession):
    """`tf.compat.v1.train.MonitoredSession`."""

    def __init__(
        self, session_creator: Any = None, hooks: Any = None, stop_grace_period_secs: float = 120
    ) -> None:
        super().__init__(session_creator or ChiefSessionCreator(), hooks, stop_grace_period_secs)


_singular: Any = _train.SingularMonitoredSession


class SingularMonitoredSession(_singular):
    """`tf.compat.v1.train.SingularMonitoredSession`."""

    def __init__(
        self,
        hooks: Any = None,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        # past SingularMonitoredSession's own constructor, which makes a creator of TensorFlow's
        super(_singular, self).__init__(
            creator, hooks, should_recover=False, stop_grace_period_secs=stop_grace_period_secs
        )


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = _USE_DEFAULT,
    save_summaries_steps: Any = _USE_DEFAULT,
    save_summaries_secs: Any = _USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """`tf.compat.v1.train.MonitoredTrainingSession`: the same hooks under the same conditions."""
    if save_summaries_steps is _USE_DEFAULT and save_summaries_secs is _USE_DEFAULT:
        save_summaries_steps = 100
    if save_checkpoint_steps is _USE_DEFAULT and save_checkpoint_secs is _USE_DEFAULT:
        save_checkpoint_secs = 600
    save_summaries_steps, save_summaries_secs, save_checkpoint_steps, save_checkpoint_secs = (
        None if often is _USE_DEFAULT else often
        for often in (save_summaries_steps, save_summaries_secs, save_checkpoint_steps, save_checkpoint_secs)
    )
    scaffold = scaffold or _train.Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(
            scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs
        )
        return MonitoredSession(worker, hooks or [], stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    chief = ChiefSessionCreator(
        scaffold=scaffold, checkpoint_dir=checkpoint_dir, master=master, config=config
    )
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(
                _train.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps)
            )
        if (save_summaries_steps and save_summaries_steps > 0) or (
            save_summaries_secs and save_summaries_secs > 0
        ):
            all_hooks.append(
                _train.SummarySaverHook(
                    scaffold=scaffold,
                    save_steps=save_summaries_steps,
                    save_secs=save_summaries_secs,
                    output_dir=summary_dir,
                )
            )
    if checkpoint_dir and (
        (save_checkpoint_secs and save_checkpoint_secs > 0)
        or (save_checkpoint_steps and save_checkpoint_steps > 0)
    ):
        all_hooks.append(
            _train.CheckpointSaverHook(
                checkpoint_dir,
                save_steps=save_checkpoint_steps,
                save_secs=save_checkpoint_secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    return MonitoredSession(chief, all_hooks + list(hooks or []), stop_grace_period_secs)


class Supervisor(_train.Supervisor):
    """`tf.compat.v1.train.Supervisor`."""

    def _init_session_manager(self, session_manager: Any = None) -> None:
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=self._recovery_wait_secs,
            local_init_run_options=self._local_init_run_options,
        )
