"""TF2: which calls of a `tf.function` train, and what their losses are.

A function trains when an optimizer was called while it was traced; each call of it from eager code is a step. It is
traced before its first call, as that call would do: so it is known before it has done anything. A concrete function
that trains is known by its graph. Where an optimizer is called eagerly, that call is the end of a step.
"""

import contextlib
import threading
from typing import Any, Iterator, Optional

from tf2towers.sidebyside.watch.beginning import Beginning
from tf2towers.sidebyside.watch.graphs import first_dimension, most_common
from tf2towers.sidebyside.watch.optimizers import Optimizers, unconverted
from tf2towers.sidebyside.watch.replica_losses import ReplicaLosses
from tf2towers.sidebyside.watch.scheduled import ScheduledSteps, note_training, trains, workers_together
from tf2towers.sidebyside.watch.steps import Steps, clock

_LEARNING = 4  # calls in which the optimizer's own count of steps is read


class _Trained:
    """What is known of a function that trains."""

    def __init__(self) -> None:
        self.calls = 0
        self.iterations = None  # type: Optional[int]
        self.steps_a_call = 1


class FunctionWatch:
    """Looks at every call of a function, and at every optimizer."""

    def __init__(self, tf: Any, steps: Steps, beginning: Beginning) -> None:
        self._tf = tf
        self._steps = steps
        self._beginning = beginning
        self._inside = threading.local()
        self._applied = 0
        self._optimizer = None  # type: Any
        self._training = {}  # type: dict[int, Optional[_Trained]]
        self._kept = []  # type: list[Any]
        self._ended = None  # type: Optional[float]
        self._together = None  # type: Optional[int]
        self.losses = ReplicaLosses(tf)

    def applied(self, optimizer: Any, _: Any) -> None:
        """An optimizer was called: in a trace, or eagerly, which is a step."""
        outside = getattr(
            self._tf.compat.v1, "executing_eagerly_outside_functions", self._tf.executing_eagerly
        )
        if not outside():
            return
        self._applied += 1
        self._optimizer = optimizer
        note_training(self._tf.compat.v1.get_default_graph())
        if self._steps.in_cluster:
            self._together = workers_together(self._tf)
        if self._tf.executing_eagerly() and not getattr(self._inside, "on", False):
            context = self._tf.distribute.get_replica_context()
            if getattr(context, "replica_id_in_sync_group", 0) in (0, None):
                end = clock()
                self._beginning.eager_step()
                self._steps.towers(max(1, self.losses.count))
                self._steps.step(
                    end if self._ended is None else self._ended,
                    end,
                    self.losses.taken(None),
                    None,
                    together=self._together,
                )
                self._ended = end

    def call(self, original: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a function."""
        if getattr(self._inside, "on", False) or not self._tf.executing_eagerly():
            return original(function, *args, **kwargs)
        begin = clock()
        applied = self._applied
        self._inside.on = True
        try:
            trained = self._trained(function, args, kwargs)
            if trained is not None:
                self._steps.harmless(self._beginning.training_function)
            result = original(function, *args, **kwargs)
        finally:
            self._inside.on = False
        if trained is None and self._applied != applied:  # traced again for other arguments, or run eagerly
            self._beginning.eager_step()
            trained = self._training[id(function)] = _Trained()
        if trained is not None:
            self._steps.harmless(self._after, trained, begin, result, [args, kwargs])
        return result

    def call_concrete(self, original: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a concrete function."""
        if getattr(self._inside, "on", False) or not trains(function) or not self._tf.executing_eagerly():
            return original(function, *args, **kwargs)
        if id(function) not in self._training:
            self._kept.append(function)
            self._training[id(function)] = _Trained()
        trained = self._training[id(function)]
        assert trained is not None
        begin = clock()
        self._inside.on = True
        try:
            self._steps.harmless(self._beginning.training_function)
            result = original(function, *args, **kwargs)
        finally:
            self._inside.on = False
        self._steps.harmless(self._after, trained, begin, result, [args, kwargs])
        return result

    @contextlib.contextmanager
    def passed_over(self) -> Iterator[None]:
        """Calls of this thread are part of a step that somebody else tells of."""
        self._inside.on = True
        try:
            yield
        finally:
            self._inside.on = False

    def _trained(self, function: Any, args: Any, kwargs: Any) -> Optional[_Trained]:
        """What is known of a function that trains; None of one that does not. It is traced when it is new."""
        if id(function) not in self._training:
            applied = self._applied
            self._kept.append(function)  # so that its id stays its own
            if not self._tf.config.functions_run_eagerly():
                with contextlib.suppress(Exception):  # the call says so better
                    function.get_concrete_function(*args, **kwargs)
            self._training[id(function)] = _Trained() if self._applied != applied else None
        return self._training[id(function)]

    def _after(self, trained: _Trained, begin: float, result: Any, arguments: Any) -> None:
        end = clock()
        loss = self.losses.taken(self._scalar(result))
        self._steps.towers(max(1, self.losses.count))
        steps = self._steps_of(trained)
        self._steps.step(
            begin, end, loss, self._steps.harmless(self.rows, arguments), steps, together=self._together
        )

    def _steps_of(self, trained: _Trained) -> int:
        """More than one where a call loops (Keras's steps_per_execution): the optimizer's count says so."""
        iterations = getattr(self._optimizer, "iterations", None)
        if iterations is not None and trained.calls < _LEARNING:
            before, trained.iterations = trained.iterations, int(iterations.numpy())
            if before is not None:
                trained.steps_a_call = max(1, trained.iterations - before)
        trained.calls += 1
        return trained.steps_a_call

    def _scalar(self, result: Any) -> Any:
        """The one scalar of a floating type in what a function returned; None where there are none or more."""
        found = [
            one
            for one in self._tf.nest.flatten(result)
            if self._tf.is_tensor(one)
            and hasattr(one, "numpy")
            and one.shape.rank == 0
            and one.dtype.is_floating
        ]
        return found[0] if len(found) == 1 else None

    def rows(self, arguments: Any) -> Optional[int]:
        """The first dimension that most of the arguments have, replicas added up."""
        sizes = []  # type: list[Optional[int]]
        for one in self._tf.nest.flatten(arguments):
            inside = getattr(one, "element_spec", None) or getattr(one, "_element_spec", None)
            if inside is not None:  # an iterator, or the description of one
                sizes.extend(self._size(spec) for spec in self._tf.nest.flatten(inside))
            else:
                sizes.append(self._size(one))
        return most_common(sizes)

    def _size(self, one: Any) -> Optional[int]:
        parts = getattr(one, "values", None) or getattr(one, "_value_specs", None)
        if isinstance(parts, (list, tuple)):  # a value a replica
            each = [self._size(part) for part in parts]
            return None if None in each else sum(size for size in each if size is not None)
        shape = getattr(one, "shape", None)
        if isinstance(shape, tuple):
            return shape[0] if shape else None
        return first_dimension(shape)


def watch_functions(tf: Any, optimizers: Optimizers, steps: Steps, beginning: Beginning) -> None:
    """Looks at every `tf.function` and every `tf.GradientTape` from now on."""
    watch = FunctionWatch(tf, steps, beginning)
    optimizers.listen(lambda *told: steps.harmless(watch.applied, *told))
    function = type(tf.function(lambda: None))
    call = function.__call__

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return watch.call(call, self, args, kwargs)

    function.__call__ = __call__
    steps.harmless(_watch_concrete, watch)
    ScheduledSteps(watch.losses, watch.rows, watch.passed_over, steps, beginning).watch(tf)
    gradient = tf.GradientTape.gradient

    def tape_gradient(self: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        steps.harmless(watch.losses.note, target, True)
        return gradient(self, target, *args, **kwargs)

    tf.GradientTape.gradient = unconverted(tape_gradient)
    gradients = tf.gradients

    def tf_gradients(ys: Any, *args: Any, **kwargs: Any) -> Any:
        steps.harmless(watch.losses.note, ys, False)
        return gradients(ys, *args, **kwargs)

    tf.gradients = unconverted(tf_gradients)


def _watch_concrete(watch: FunctionWatch) -> None:
    """No such function is made to know its class: that would start TensorFlow, and some settings only go before."""
    try:
        from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction
    except ImportError:  # before 2.11
        from tensorflow.python.eager.function import ConcreteFunction
    call = ConcreteFunction.__call__

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return watch.call_concrete(call, self, args, kwargs)

    ConcreteFunction.__call__ = __call__
