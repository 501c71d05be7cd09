"""`tf.contrib.estimator.replicate_model_fn`, `TowerOptimizer`: a `model_fn` for each GPU.

Written from their documentation, and from what TensorFlow 1.15 computed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import tensorflow.compat.v1 as tf

from tf2towers.runtime.strategy import TowerStrategy

Reduction = tf.losses.Reduction


@dataclass
class _Towers:
    """The towers of a graph while they are built."""

    count: int
    reduction: str
    tower: int = 0
    #: the scopes of the first tower, whose names have no prefix
    variables: Any = None
    names: str = ""
    #: for each tower, what each call of `apply_gradients` was given
    gradients: list[list[Any]] = field(default_factory=list)
    optimizer_used: bool = False

    def scaled(self, loss: Any) -> Any:
        """Returns a tower's part of the loss of all."""
        if loss is None or self.count == 1 or self.reduction == Reduction.SUM:
            return loss
        return tf.div(loss, 1.0 * self.count, name="averaged_loss")


#: the towers that are being built, the innermost last
_building: list[_Towers] = []


class ModelTowers:
    """The towers of a `model_fn` in one graph, each with its part of the batch.

    The optimizer of `model_fn` has to be a `TowerOptimizer`. Of predictions and export outputs the
    towers' parts are joined; metrics are the sums over the towers; of everything else the first or,
    in training, the last tower counts.

    Args:
        model_fn: as for an Estimator; the batch size has to be a multiple of the number of towers.
        loss_reduction: whether the loss is the mean over the towers or, with `Reduction.SUM`, the
            sum.
        devices: those of the towers; by default all GPUs, or the CPU.
        options: `mode`, `params` and `config`, as the Estimator gives them.

    Attributes:
        devices: those of the towers.

    Raises:
        ValueError: `loss_reduction` is `Reduction.NONE`.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
        devices: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        if loss_reduction == Reduction.NONE:
            raise ValueError(f"the losses of the towers have to be reduced: {loss_reduction}")
        self.devices = list(devices or _own_devices())
        self._model_fn, self._mode = model_fn, options["mode"]
        taken = inspect.signature(model_fn).parameters
        self._options = {name: deepcopy(value) for name, value in options.items() if name in taken}
        self._alone = len(self.devices) == 1
        self._shared = self.devices[0] if self._alone and "GPU" in self.devices[0].upper() else "/cpu:0"
        self._towers = _Towers(len(self.devices), loss_reduction)

    def split(self, features: Any, labels: Any) -> tuple[list[Any], list[Any]]:
        """The towers' features, and their labels: the parts of a batch along its first axis."""
        if self._alone:
            return [features], [labels]
        return _split(features, labels, len(self.devices), self._shared)

    def build(self, tower: int, features: Any, labels: Any) -> Any:
        """The EstimatorSpec of one tower, with its part of the loss."""
        towers, place = self._towers, _placed(self.devices[tower], self._shared)
        with _building_tower(towers, tower), tf.device(place):
            spec = self._model_fn(features=features, labels=labels, **self._options)
            if spec.train_op is not None and not self._alone and not towers.optimizer_used:
                raise ValueError("several towers need a TowerOptimizer around their optimizer")
            return spec._replace(loss=towers.scaled(spec.loss))

    def reduce(self, specs: Any) -> Any:
        """One EstimatorSpec of the towers', which are per-replica values."""
        made = list(specs.values)
        if len({len(calls) for calls in self._towers.gradients}) > 1:
            raise ValueError("the optimizers are not called equally often in all towers")
        if self._alone:
            return made[0]
        with tf.device(self._shared):
            return _REDUCED[self._mode](made)


def replicate_model_fn(
    model_fn: Callable[..., Any],
    loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Sequence[str] | None = None,
) -> Callable[..., Any]:
    """A `model_fn` that builds the given one as `ModelTowers`; for the arguments see there."""

    def of_towers(features: Any, labels: Any, mode: str, params: Any = None, config: Any = None) -> Any:
        towers = ModelTowers(model_fn, loss_reduction, devices, mode=mode, params=params, config=config)
        strategy = TowerStrategy(towers.devices)
        with strategy.scope():
            parts = [strategy.per_replica(each) for each in towers.split(features, labels)]
            specs = strategy.run(towers.build, args=(strategy.replica_ids, *parts))
            return towers.reduce(specs)

    return of_towers


class TowerOptimizer(tf.train.Optimizer):
    """An optimizer that adds up the gradients of all towers, and applies them in the last one.

    Without `replicate_model_fn`, and with one tower, it is the optimizer inside.

    Args:
        optimizer_or_optimizer_fn: an optimizer, or a function that makes one.
    """

    def __init__(self, optimizer_or_optimizer_fn: Any) -> None:
        self._inside = optimizer_or_optimizer_fn

    @property
    def _optimizer(self) -> Any:
        if callable(self._inside):
            self._inside = self._inside()
        if _building:
            _building[-1].optimizer_used = True
        return self._inside

    @staticmethod
    def has_been_used() -> bool:
        """True if one computed or applied gradients in the towers that are being built."""
        return bool(_building) and _building[-1].optimizer_used

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients of this tower's part of the loss."""
        loss = _building[-1].scaled(loss) if _building else loss
        return self._optimizer.compute_gradients(loss, *args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, **kwargs: Any) -> Any:
        """Waits for a tower's gradients; in the last one it applies the sums over all towers."""
        if not _building or _building[-1].count == 1:
            return self._optimizer.apply_gradients(grads_and_vars, global_step, **kwargs)
        towers = _building[-1]
        calls = towers.gradients[towers.tower]
        calls.append(list(grads_and_vars))
        if towers.tower < towers.count - 1:
            found = [getattr(gradient, "values", gradient) for gradient, _ in calls[-1]]
            with tf.control_dependencies([gradient for gradient in found if gradient is not None]):
                return tf.no_op(name="train_op_placeholder")
        sums: dict[Any, tuple[Any, list[Any]]] = {}
        for gradient, variable in (pair for tower in towers.gradients for pair in tower[len(calls) - 1]):
            if gradient is not None:
                sums.setdefault(variable.ref(), (variable, []))[1].append(gradient)
        with tf.variable_scope(towers.variables), tf.name_scope(towers.names):
            with tf.name_scope("gradient_aggregating"):
                pairs = [(_sum(parts, variable.device), variable) for variable, parts in sums.values()]
            return self._optimizer.apply_gradients(pairs, global_step=global_step, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the optimizer inside."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self) -> Any:
        """As the optimizer inside."""
        return self._optimizer.get_slot_names()

    def get_name(self) -> str:
        """As the optimizer inside."""
        return self._optimizer.get_name()

    def variables(self) -> Any:
        """As the optimizer inside."""
        return self._optimizer.variables()


@contextmanager
def _building_tower(towers: _Towers, i: int) -> Iterator[None]:
    """The scopes of a tower: variables are shared, the first tower's names have no prefix."""
    towers.tower = i
    towers.gradients.append([])
    _building.append(towers)
    try:
        with (
            tf.variable_scope("", reuse=bool(i)) as variables,
            tf.name_scope(f"tower_{i}" if i else "") as names,
        ):
            if not i:
                towers.variables, towers.names = variables, names
            yield
    finally:
        _building.pop()


def _own_devices() -> list[str]:
    gpus = len(tf.config.list_physical_devices("GPU"))
    return [f"/device:GPU:{index}" for index in range(gpus)] or ["/device:CPU:0"]


def _placed(device: str, shared: str) -> Callable[[Any], str]:
    """A device function: variables on the device that the towers share, all else on the tower's."""

    def place(operation: Any) -> str:
        is_variable = operation.type in ("Variable", "VariableV2", "VarHandleOp")
        spec = tf.DeviceSpec.from_string(shared if is_variable else device)
        return spec.make_merged_spec(tf.DeviceSpec.from_string(operation.device or "")).to_string()

    return place


def _split(features: Any, labels: Any, count: int, device: str) -> tuple[list[Any], list[Any]]:
    """The parts of a batch, along its first axis."""

    def parts(tensor: Any) -> list[Any]:
        if isinstance(tensor, tf.SparseTensor):
            return tf.sparse.split(sp_input=tensor, num_split=count, axis=0)
        size = tf.convert_to_tensor(tensor).shape.as_list()[0]
        if size is not None and size % count:
            raise ValueError(
                f"a batch of {size} cannot be split into {count} equal parts, one for each tower"
            )
        return tf.split(tensor, count)

    def each(batch: Any) -> list[Any]:
        if batch is None:
            return [None] * count
        if not isinstance(batch, dict):
            return parts(batch)
        by_name = {name: parts(tensor) for name, tensor in batch.items()}
        return [{name: of[i] for name, of in by_name.items()} for i in range(count)]

    with tf.name_scope("split_inputs"), tf.device(device):
        return each(features), each(labels)


def _sum(values: Sequence[Any], device: str, name: str | None = None) -> Any:
    with tf.device(device):
        if not isinstance(values[0], tf.IndexedSlices):
            return tf.add_n(values, name=name)
        rows = tf.concat([each.values for each in values], axis=0)
        return tf.IndexedSlices(
            rows, tf.concat([each.indices for each in values], axis=0), values[0].dense_shape
        )


def _for_training(specs: Sequence[Any]) -> Any:
    return specs[-1]._replace(loss=tf.add_n([spec.loss for spec in specs], name="loss"))


def _for_evaluation(specs: Sequence[Any]) -> Any:
    loss = tf.add_n([spec.loss for spec in specs], name="loss")
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with tf.control_dependencies(updates):
        update = _gather_metrics(len(specs))
    metrics = {name: (value, update) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(loss=loss, eval_metric_ops=metrics)


def _gather_metrics(count: int) -> Any:
    """Adds the metrics' variables of all towers to the first's, and sets the others' to zero."""
    variables = tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    size, rest = divmod(len(variables), count)
    if rest:
        raise ValueError("the towers have different eval_metric_ops")
    done = []
    for at in range(size):
        first, *others = variables[at::size]
        with tf.control_dependencies([tf.assign_add(first, tf.add_n([other.value() for other in others]))]):
            done += [tf.assign(other, tf.zeros_like(other)) for other in others]
    return tf.group(*done)


def _for_prediction(specs: Sequence[Any]) -> Any:
    def joined(structures: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {
            name: tf.concat([each[name] for each in structures], axis=0, name=name) for name in structures[0]
        }

    def output(outputs: Sequence[Any]) -> Any:
        kind = type(outputs[0])
        if hasattr(outputs[0], "outputs"):
            return kind(joined([each.outputs for each in outputs]))
        if hasattr(outputs[0], "value"):
            return kind(tf.concat([each.value for each in outputs], axis=0))
        scores, classes = outputs[0].scores, outputs[0].classes
        return kind(
            scores=None if scores is None else tf.concat([each.scores for each in outputs], axis=0),
            classes=None if classes is None else tf.stack([each.classes for each in outputs], axis=0),
        )

    exported = specs[0].export_outputs
    return specs[0]._replace(
        predictions=joined([spec.predictions for spec in specs]),
        export_outputs=exported
        and {name: output([spec.export_outputs[name] for spec in specs]) for name in exported},
    )


#: a mode of an Estimator -> what makes one spec of the towers'
_REDUCED = {"train": _for_training, "eval": _for_evaluation, "infer": _for_prediction}
