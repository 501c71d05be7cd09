"""Records the training steps of a TF1 script: session calls that train fetch some tensors in addition."""

import contextlib
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Tuple

from .run_arguments import entries_of, feeds_of, fetched_ops, is_number
from .session_runs import around_every_run
from .training import Applied, Computed, Training, layers_note, name_of, plan
from .updates import watch_gradients, watch_updates
from .variables import Variables
from .writing import Before, Writer

#: the original `Session.run`
Run = Callable[..., Any]


class SessionRecorder(object):
    """Watches optimizers and sessions, and records each training step.

    Args:
        steps: the number of steps to record; then `on_enough` is called, which ends the script.
        in_step: the variables of another run, to which this run is set before each step.
    """

    def __init__(self, tf: Any, writer: Writer, steps: int, in_step: Optional[Before] = None) -> None:
        self._tf = tf
        self.writer = writer
        self._wanted = steps
        self.computed: List[Computed] = []
        self.applied: List[Applied] = []
        self.sessions = 0
        self.notes: List[str] = []
        self.on_enough: Callable[[], None] = lambda: None
        self._trainings: Dict[FrozenSet[Any], Optional[Training]] = {}
        self._variables: Dict[Any, Variables] = {}
        self._ready: Dict[Any, Dict[str, bool]] = {}
        self._last: Optional[Training] = None
        self._busy = False
        self._in_step = in_step

    # -- called by the patches ---------------------------------------------------------------------------------------

    def run(self, run: Run, session: Any, fetches: Any, feed_dict: Any, *options: Any) -> Any:
        """Runs a session call, and records it if it trains."""
        if self._busy:
            return run(session, fetches, feed_dict, *options)
        self.sessions += 1
        training = self._training(session, fetches)
        if training is None:
            return run(session, fetches, feed_dict, *options)
        return self._train(training, run, session, fetches, feed_dict, *options)

    def facts(self) -> Dict[str, Any]:
        """The run's facts for meta.json."""
        found: Dict[str, Any] = {
            "notes": self.notes + layers_note(),
            "towers": 1,
            "optimizers": len(self.applied),
            "sessions": self.sessions,
        }
        if self._last is not None:
            found["towers"] = self._last.towers
            found["trainable"] = self._last.trainable
            found["without_gradient"] = self._last.without_gradient
        return found

    # -- a step ------------------------------------------------------------------------------------------------------

    def _train(
        self, training: Training, run: Run, session: Any, fetches: Any, feed_dict: Any, *options: Any
    ) -> Any:
        if self._in_step is not None:
            self._set_variables(run, session, self._in_step.values(0, self.writer.steps))
        before = self._values(run, session)
        fed = feeds_of(session, feed_dict)
        values, extra = run(session, [fetches, training.tensors], feed_dict, *options)
        after = self._values(run, session)
        step = {"before|" + name: value for name, value in before.items()}
        step.update({"variable|" + name: value for name, value in after.items()})
        for name, value in zip(training.names, extra):
            step[name] = value
        step.update(entries_of(session, fed))
        self._last = training
        self.writer.step(step)
        if self.writer.steps >= self._wanted:
            self.on_enough()
        return values

    def _training(self, session: Any, fetches: Any) -> Optional[Training]:
        """The tensors to fetch in addition; None for a call that does not train."""
        if not self.applied:
            return None
        ops = fetched_ops(self._tf, session, fetches)
        if not ops:
            return None
        key = frozenset(ops)
        if key not in self._trainings:
            self._trainings[key] = plan(session.graph, ops, self.applied, self.computed)
        return self._trainings[key]

    def _values(self, run: Run, session: Any) -> Dict[str, Any]:
        """The values of all initialized global variables."""
        with session.graph.as_default():
            names = {name_of(variable) for variable in self._tf.global_variables() if is_number(variable)}
        with self._quiet():
            known = self._ready.setdefault(session, {})
            return self._variables_of(session).read(lambda fetches: run(session, fetches), known, names)

    def _set_variables(self, run: Run, session: Any, values: Dict[str, Any]) -> None:
        with self._quiet():
            self._variables_of(session).write(lambda *call: run(session, *call), values)

    def _variables_of(self, session: Any) -> Variables:
        return self._variables.setdefault(session.graph, Variables(session.graph))

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        """A context in which session calls are the recorder's own, and are not recorded."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False


def watch(tf: Any, recorder: SessionRecorder) -> None:
    """From now on, the recorder sees every gradient, update and session call of the program."""

    def differentiated(losses: List[Any], pairs: List[Tuple[Any, Any]], by_hand: bool) -> None:
        if by_hand:  # only `tf.gradients(loss, variables)`, not other derivatives
            pairs = [(gradient, source) for gradient, source in pairs if isinstance(source, tf.Variable)]
            if len(losses) > 1 or losses[0].shape.ndims != 0 or not pairs:
                return
        recorder.computed.append(Computed(losses[0], pairs))

    watch_gradients(tf, differentiated)
    watch_updates(tf.train.Optimizer, callback=lambda *update: recorder.applied.append(Applied(*update)))
    around_every_run(tf, recorder.run)
