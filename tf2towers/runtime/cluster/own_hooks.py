"""Hooks of a script's own, written for TF1's `tf.train.SessionRunHook`, on the steps of a `MonitoredTraining`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.cluster.hooks import Hook
from tf2towers.runtime.cluster.watched import WATCHED

if TYPE_CHECKING:
    from tf2towers.runtime.cluster.monitored import MonitoredTraining


class SessionRunArgs:
    """What a hook asks of the next step.

    Args:
        fetches: a nest of names given to `watch`, and of variables.
    """

    def __init__(self, fetches: Any) -> None:
        self.fetches = fetches


class SessionRunValues(NamedTuple):
    """What a step had for a hook: `results` in the structure of its fetches, as NumPy values; None for no fetches."""

    results: Any
    options: Any = None
    run_metadata: Any = None


class SessionRunContext:
    """What a hook is called with: it can stop the training."""

    def __init__(self, training: MonitoredTraining) -> None:
        self._training = training
        self.stop_requested = False

    def request_stop(self) -> None:
        """Ends the training behind this step."""
        self.stop_requested = True
        self._training.request_stop()


class SessionRunHook:
    """The methods that a hook may have; they are called around the training steps, not around evaluations."""

    def begin(self) -> None:
        """Once, before the first step."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Once, when the variables have their values."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Before each step: what to fetch with it."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After each step."""

    def end(self, session: Any) -> None:
        """Once, where no error has ended the training."""


class RunHook(Hook):
    """Calls a `SessionRunHook` where a `Hook` is called."""

    def __init__(self, hook: SessionRunHook) -> None:
        self._hook = hook
        self._context: SessionRunContext | None = None
        self._args: SessionRunArgs | None = None

    def begin(self, training: MonitoredTraining) -> None:
        """Both beginnings of a hook."""
        self._hook.begin()
        self._hook.after_create_session(training, None)

    def wants(self, training: MonitoredTraining, step: Any) -> frozenset[str]:
        """The hook's fetches."""
        if not step.update:
            return frozenset()
        self._context = SessionRunContext(training)
        self._args = self._hook.before_run(self._context)
        return frozenset() if self._args is None else frozenset({WATCHED})

    def after_step(self, training: MonitoredTraining, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Their values."""
        if not step.update or self._context is None:
            return
        watched = found.get(WATCHED) or {}

        def value(fetch: Any) -> Any:
            return (watched[fetch] if isinstance(fetch, str) else fetch).numpy()

        fetched = None if self._args is None else tf.nest.map_structure(value, self._args.fetches)
        self._hook.after_run(self._context, SessionRunValues(fetched))

    def end(self, training: MonitoredTraining) -> None:
        """The hook's end."""
        self._hook.end(training)
