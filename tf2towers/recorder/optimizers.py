"""The places where a TF1 script tells TensorFlow what to train: optimizers, `tf.gradients`, sessions."""

from typing import Any, List, Tuple

from tf2towers.instrumentation.gradients import watch_gradients
from tf2towers.instrumentation.optimizer_calls import watch_updates
from tf2towers.instrumentation.session_runs import around_runs

from .moving_averages import Averages
from .session import SessionRecorder
from .training import Applied, Computed


def watch(tf: Any, recorder: SessionRecorder) -> None:
    """Lets the recorder see every gradient, update and session call of the program from now on."""

    def differentiated(losses: List[Any], pairs: List[Tuple[Any, Any]], by_hand: bool) -> None:
        if by_hand:  # `tf.gradients(loss, variables)`, and not some other derivative
            pairs = [(g, x) for g, x in pairs if isinstance(x, tf.Variable)]
            if len(losses) > 1 or losses[0].shape.ndims != 0 or not pairs:
                return
        recorder.computed.append(Computed(losses[0], pairs))

    watch_gradients(tf, differentiated)
    watch_updates(tf.train.Optimizer, told=lambda *told: recorder.applied.append(Applied(*told)))
    around_runs(tf, recorder.run)
    recorder.averages = Averages(tf)
