"""Records a TF1 trainer by fetching a little more in the session calls that train."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.parity.recording import Recording, Step

_v1 = tf.compat.v1


class LegacyRecorder:
    """Watches `compute_gradients`, `apply_gradients` and `Session.run` of `tf.compat.v1`.

    A session call trains when it fetches an op (not a tensor) beside or without values, once gradients were applied to
    the graph: the first tensors of the towers' losses and the applied gradients are then fetched with it.
    """

    def __init__(self, tower_order: bool = False) -> None:
        self._recording = Recording()
        self._losses: list[Any] = []
        self._applied: list[tuple[Any, Any]] = []
        self._session: Any = None
        self._patch()

    def _patch(self) -> None:
        optimizer = _v1.train.Optimizer
        compute, apply, run = optimizer.compute_gradients, optimizer.apply_gradients, _v1.Session.run
        recorder = self

        def compute_gradients(self: Any, loss: Any, *args: Any, **kwargs: Any) -> Any:
            recorder._losses.append(loss)
            return compute(self, loss, *args, **kwargs)

        def apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            recorder._applied.extend((g, v) for g, v in pairs if g is not None)
            return apply(self, pairs, *args, **kwargs)

        def session_run(self: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
            if not recorder._trains(self, fetches):
                return run(self, fetches, *args, **kwargs)
            return recorder._run(run, self, fetches, *args, **kwargs)

        optimizer.compute_gradients, optimizer.apply_gradients = compute_gradients, apply_gradients
        _v1.Session.run = session_run

    def _trains(self, session: Any, fetches: Any) -> bool:
        if not self._applied or self._applied[0][0].graph is not session.graph:
            return False
        ops = [f for f in tf.nest.flatten(fetches) if isinstance(f, tf.Operation)]
        return any(op.type == "NoOp" and not op.name.startswith("init") for op in ops)

    def _run(self, run: Any, session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        self._session = (run, session)
        step = Step(variables=self._variables(run, session))
        extra = {"gradients": [tf.convert_to_tensor(g) for g, _ in self._applied], "losses": self._losses}
        values, seen = run(session, [fetches, extra], *args, **kwargs)
        for (_, variable), value in zip(self._applied, seen["gradients"], strict=True):
            step.gradients[variable.op.name] = value
        step.losses = list(seen["losses"])
        self._recording.steps.append(step)
        return values

    def _variables(self, run: Any, session: Any) -> dict[str, Any]:
        with session.graph.as_default():
            variables = _v1.global_variables()
            return {v.op.name: value for v, value in zip(variables, run(session, variables), strict=True)}

    def finish(self) -> Recording:
        """The recording, with the variables as the last step left them."""
        if self._session is not None:
            self._recording.final = self._variables(*self._session)
        return self._recording
