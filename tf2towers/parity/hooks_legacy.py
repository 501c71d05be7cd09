"""Records a TF1 tower program as it is: its optimizer and its session are watched, its text is not touched."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.parity.recording import Recorder

_v1 = tf.compat.v1


def watch(recorder: Recorder) -> None:
    """From now on every `Session.run` that applies gradients is a recorded step.

    Each `compute_gradients` is a tower, in the order they are built. An op that `apply_gradients` waits for hands over
    losses and gradients; the variables are read once the run has returned.
    """
    optimizer, session = _v1.train.Optimizer, _v1.Session
    compute, apply, run = optimizer.compute_gradients, optimizer.apply_gradients, session.run
    losses: list[Any] = []

    def compute_gradients(self: Any, loss: Any, *args: Any, **kwargs: Any) -> Any:
        losses.append(loss)
        return compute(self, loss, *args, **kwargs)

    def apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        given = [(variable.op.name, tf.convert_to_tensor(g)) for g, variable in pairs if g is not None]
        graph = _v1.get_default_graph()
        towers = [loss for loss in losses if loss.graph is graph]
        with tf.device("/cpu:0"):
            seen = [
                tf.numpy_function(lambda value, tower=tower: recorder.loss(tower, value), [loss], [])
                for tower, loss in enumerate(towers)
            ]
            keep = recorder.gradients([name for name, _ in given])
            seen.append(tf.numpy_function(keep, [gradient for _, gradient in given], []))
        with tf.control_dependencies(seen):
            return apply(self, pairs, *args, **kwargs)

    def session_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = run(self, *args, **kwargs)
        if recorder.pending:
            variables = self.graph.get_collection(_v1.GraphKeys.GLOBAL_VARIABLES)
            recorder.finish(run(self, {variable.op.name: variable for variable in variables}))
        return result

    optimizer.compute_gradients, optimizer.apply_gradients = compute_gradients, apply_gradients
    session.run = session_run
