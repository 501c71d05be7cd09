"""TF2 clusters: a task that is held for its turn sends no heartbeats, and must not be taken for dead.

TensorFlow's coordination service gives a task 10 s. Whoever really dies is seen by the launcher, which ends the others.
"""

from typing import Any

from tf2towers.instrumentation.wrapping import wrap

_PATIENCE = 24 * 60 * 60 * 1000  # ms
_NAME = "heartbeat_timeout_in_ms"
_PLACE = 4  # of it among the arguments, without self


def be_patient() -> None:
    """Makes the service of this process wait. To be called before a strategy is made; older TensorFlows have none."""
    from tensorflow.python.eager.context import Context

    def patient(configure: Any, context: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) <= _PLACE:
            kwargs[_NAME] = _PATIENCE
        configure(context, *args, **kwargs)

    if hasattr(Context, "configure_coordination_service"):
        wrap(Context, "configure_coordination_service", patient)
