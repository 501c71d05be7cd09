"""Keras: models that train themselves do so as in standalone Keras 2.2.4."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.patch import Patch, patch

_SOURCE = (
    "Keras 2.2.4: engine/training.py, training_arrays.py, training_utils.py; optimizers.py; engine/saving.py"
)
_TEST = "tests/runtime/tf1/test_standalone_training.py"


@patch("keras", source=_SOURCE, test=_TEST)
def losses_are_keras2s(changes: Patch) -> None:
    """Weighs losses and metrics by samples and masks as Keras 2 did, and gives them its names.

    A loss is divided by the share of the weights that are not 0, and by the share of the steps that
    a mask leaves. The metric of an epoch is the mean of its batches' by their sizes.
    """
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import losses, metrics
    from tf_keras.src.engine import training_utils_v1, training_v1

    functions = _functions()
    for name, function in functions.items():
        changes.set(faces.metrics, name, function)
        if function is not functions["binary_accuracy"]:
            changes.set(faces.losses, name, function)
    changes.set(metrics, "binary_accuracy", functions["binary_accuracy"])
    for module in (losses, metrics):

        @changes.around(module, "get")
        def get(plain: Any, identifier: Any) -> Any:
            known = functions.get(identifier) if isinstance(identifier, str) else None
            return plain(identifier) if known is None else known

    changes.set(training_v1.Model, "_prepare_output_masks", lambda model: [None] * len(model.outputs))

    @changes.around(training_utils_v1, "get_loss_function")
    def get_loss_function(plain: Any, loss: Any) -> Any:
        return None if loss is None else _Loss(losses.get(loss))

    @changes.around(training_utils_v1, "get_metric_function")
    def get_metric_function(plain: Any, metric: Any, output_shape: Any = None, loss_fn: Any = None) -> Any:
        if metric not in ("accuracy", "acc", "crossentropy", "ce"):
            return metrics.get(metric)
        kind = "categorical_"
        if output_shape[-1] == 1 or getattr(loss_fn, "function", None) is losses.binary_crossentropy:
            kind = "binary_"
        elif getattr(loss_fn, "function", None) is losses.sparse_categorical_crossentropy:
            kind = "sparse_categorical_"
        return getattr(metrics, kind + ("accuracy" if metric in ("accuracy", "acc") else "crossentropy"))

    @changes.around(training_utils_v1, "collect_per_output_metric_info")
    def collect(plain: Any, *arguments: Any, **options: Any) -> Any:
        return [
            {name: _mean_of_batches(metric) for name, metric in each.items()}
            for each in plain(*arguments, **options)
        ]

    def _mean_of_batches(metric: Any) -> Any:
        if type(metric) is not metrics.MeanMetricWrapper:
            return metric
        mean = metrics.Mean(metric.name, "float64")  # Python's numbers
        mean.function, mean._from_serialized = metric._fn, False
        return mean

    @changes.around(training_utils_v1, "call_metric_function")
    def call_metric(
        plain: Any, metric: Any, labels: Any, given: Any = None, weights: Any = None, mask: Any = None
    ) -> Any:
        if not hasattr(metric, "function"):
            return plain(metric, labels, given, weights, mask)
        return metric(_Loss(metric.function)(labels, given, weights), sample_weight=_rows_of(given))

    @changes.around(training_v1.Model, "_prepare_total_loss")
    def prepare_loss(plain: Any, model: Any, masks: Any) -> Any:
        of_outputs = [(each, each._output_loss_metric) for each in model._training_endpoints]
        for endpoint, metric in of_outputs:
            if metric is not None:
                endpoint._output_loss_metric = partial(metric, sample_weight=_rows_of(endpoint.output))
        try:
            return plain(model, masks)
        finally:
            for endpoint, metric in of_outputs:
                endpoint._output_loss_metric = metric


class _Loss:
    """The mean of a function's values for a batch, weighed by weights and the outputs' mask."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function, self.name = function, getattr(function, "__name__", "loss")

    def __call__(self, labels: Any, given: Any, sample_weight: Any = None) -> Any:
        """Gives a scalar.

        Args:
            labels, given: tensors of a batch.
            sample_weight: a weight for each row, or each step of each.
        """
        values = self.function(labels, given)
        mask = getattr(given, "_keras_mask", None)
        if mask is not None:
            mask = tf.cast(mask, values.dtype)
            values = values * mask / tf.reduce_mean(mask)
        if sample_weight is not None:
            weights = tf.cast(sample_weight, values.dtype)
            rest = list(range(len(weights.shape), len(values.shape)))
            values = tf.reduce_mean(values, rest) * weights
            values /= tf.reduce_mean(tf.cast(tf.not_equal(weights, 0), values.dtype))
        return tf.reduce_mean(values)


def _rows_of(tensor: Any) -> Any:
    return tf.cast(tf.shape(tensor)[0], tf.float32)


def _functions() -> dict[str, Callable[[Any, Any], Any]]:
    """Losses and metrics that tf_keras computes otherwise, or by another name."""
    from tf_keras.src import backend

    def hinge(labels: Any, given: Any) -> Any:
        return tf.reduce_mean(tf.maximum(1.0 - labels * given, 0.0), axis=-1)

    def squared_hinge(labels: Any, given: Any) -> Any:
        return tf.reduce_mean(tf.square(tf.maximum(1.0 - labels * given, 0.0)), axis=-1)

    def logcosh(labels: Any, given: Any) -> Any:
        apart = given - labels
        return tf.reduce_mean(apart + tf.nn.softplus(-2.0 * apart) - tf.math.log(2.0), axis=-1)

    def kullback_leibler_divergence(labels: Any, given: Any) -> Any:
        labels, given = (tf.clip_by_value(each, backend.epsilon(), 1) for each in (labels, given))
        return tf.reduce_sum(labels * tf.math.log(labels / given), axis=-1)

    def binary_accuracy(labels: Any, given: Any) -> Any:
        return tf.reduce_mean(tf.cast(tf.equal(labels, tf.round(given)), tf.float32), axis=-1)

    def cosine_proximity(labels: Any, given: Any) -> Any:
        labels, given = (tf.math.l2_normalize(each, axis=-1) for each in (labels, given))
        return -tf.reduce_sum(labels * given, axis=-1)

    made = (hinge, squared_hinge, logcosh, kullback_leibler_divergence, binary_accuracy, cosine_proximity)
    others = {
        "cosine": cosine_proximity,
        "kld": kullback_leibler_divergence,
        "KLD": kullback_leibler_divergence,
    }
    return {**{each.__name__: each for each in made}, **others}


@patch("keras", source=_SOURCE, test=_TEST)
def optimizers_are_keras2s(changes: Patch) -> None:
    """Trains by the optimizers of Keras 2, whose first version tf_keras still has.

    `clipnorm` clips all gradients by their common norm. Adam's first step is 1, and a decay is of
    the steps before: Keras 2 read the number of steps beside its update, which TensorFlow 1 left
    open.
    """
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import backend, optimizers
    from tf_keras.src.engine import training_v1
    from tf_keras.src.optimizers import optimizer_v1

    names = ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam")
    known = {name.lower(): getattr(optimizer_v1, name) for name in names}

    @changes.around(optimizers, "get")
    def get(plain: Any, identifier: Any, **options: Any) -> Any:
        made = known.get(identifier.lower()) if isinstance(identifier, str) else None
        return plain(identifier, **options) if made is None else made()

    @changes.around(optimizers, "deserialize")
    def deserialize(plain: Any, config: Any, *arguments: Any, **options: Any) -> Any:
        made = known.get(str(config["class_name"]).lower())
        return plain(config, *arguments, **options) if made is None else made(**config["config"])

    made_public = {**known, **{made.__name__: made for made in known.values()}}
    for name, value in {**made_public, "get": optimizers.get, "deserialize": optimizers.deserialize}.items():
        changes.set(faces.optimizers, name, value)

    @changes.around(optimizer_v1.Optimizer, "get_gradients")
    def get_gradients(plain: Any, optimizer: Any, loss: Any, params: Any) -> list[Any]:
        largest = vars(optimizer).pop("clipnorm", 0)
        most = vars(optimizer).pop("clipvalue", 0)
        gradients: list[Any] = plain(optimizer, loss, params)
        vars(optimizer).update(clipnorm=largest, clipvalue=most)
        if largest > 0:
            norm = tf.sqrt(sum(tf.reduce_sum(tf.square(each)) for each in gradients))
            gradients = [tf.where(norm >= largest, each * largest / norm, each) for each in gradients]
        return [tf.clip_by_value(each, -most, most) for each in gradients] if most > 0 else gradients

    for made in known.values():

        @changes.around(made, "_create_all_weights")
        def create(plain: Any, optimizer: Any, params: Any) -> Any:
            known = vars(optimizer).setdefault("_created", {})
            key = tuple(map(id, params))
            if key not in known:
                known[key] = plain(optimizer, params), optimizer.weights
            made, optimizer.weights = known[key]
            return made

    # a function of training that is built anew for weights of samples, or after `load_model`, goes
    # on
    @changes.around(training_v1.Model, "compile")
    def compile_model(plain: Any, model: Any, *arguments: Any, **options: Any) -> None:
        plain(model, *arguments, **options)
        vars(model.optimizer).pop("_created", None)

    for made in (optimizer_v1.SGD, optimizer_v1.RMSprop, optimizer_v1.Adagrad, optimizer_v1.Adadelta):

        @changes.around(made, "get_updates")
        def get_updates(plain: Any, optimizer: Any, loss: Any, params: Any) -> list[Any]:
            updates: list[Any] = plain(optimizer, loss, params)
            with tf.control_dependencies(updates[1:]):
                updates[0] = tf.compat.v1.assign_add(optimizer.iterations, 1)
            return updates

    @changes.around(backend, "_get_variables")
    def get_variables(plain: Any, graph: Any) -> list[Any]:
        own = {id(variable): variable for variable in plain(graph)}
        own |= {id(variable): variable for variable in graph.get_collection("variables")}
        return list(own.values())  # those of moving averages, and of the script, are initialized as well


@patch("keras", source=_SOURCE, test=_TEST)
def rows_are_shuffled_as_keras2s(changes: Patch) -> None:
    """Shuffles the order of the epoch before, and loses nothing of a generator that validates.

    tf_keras begins each epoch with the rows in their order, and draws for the rows of a validation
    as well. What its queue had read of a generator ahead of one epoch's validation was lost for the
    next.
    """
    from tf_keras.src.engine import training_arrays_v1, training_generator_v1, training_utils_v1

    rows, loop = _Rows(), training_arrays_v1.ArrayLikeTrainingLoop
    for name in ("fit", "evaluate", "predict"):

        @changes.around(loop, name)
        def run_loop(plain: Any, *arguments: Any, **options: Any) -> Any:
            return rows.begin(plain, *arguments, **options)

    @changes.around(training_arrays_v1, "model_iteration")
    def validate_rows(plain: Any, *arguments: Any, **options: Any) -> Any:
        return rows.begin(plain, *arguments, **{**options, "shuffle": False})

    changes.set(training_arrays_v1, "np", rows)

    @changes.around(training_utils_v1, "batch_shuffle")
    def batch_shuffle(plain: Any, order: Any, batch_size: int) -> Any:
        order[:] = plain(order, batch_size)
        return order

    @changes.around(training_generator_v1, "model_iteration")
    def validate(plain: Any, *arguments: Any, **options: Any) -> Any:
        return plain(*arguments, **{**options, "workers": 0})


@patch("keras", source=_SOURCE, test=_TEST)
def models_are_saved_as_keras2s(changes: Patch) -> None:
    """Keeps a layer's weights together in a model's, and writes HDF5 files of any name."""
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import backend
    from tf_keras.src.engine import training_v1
    from tf_keras.src.saving.legacy import hdf5_format

    h5py = import_module("h5py")

    def weights_in_order(model: Any) -> list[Any]:
        return [weight for layer in model.layers for weight in layer.weights]

    def get_weights(model: Any) -> list[Any]:
        values: list[Any] = backend.batch_get_value(weights_in_order(model))
        return values

    def set_weights(model: Any, weights: Any) -> None:
        backend.batch_set_value(list(zip(weights_in_order(model), weights, strict=True)))

    def save_weights(model: Any, filepath: Any, overwrite: bool = True, **options: Any) -> None:
        with h5py.File(filepath, "w") as file:
            hdf5_format.save_weights_to_hdf5_group(file, model)

    def load_weights(
        model: Any, filepath: Any, by_name: bool = False, skip_mismatch: bool = False, reshape: bool = False
    ) -> None:
        with h5py.File(filepath, "r") as file:
            whole = "layer_names" not in file.attrs and "model_weights" in file
            given = file["model_weights"] if whole else file
            if by_name:
                hdf5_format.load_weights_from_hdf5_group_by_name(given, model, skip_mismatch)
            else:
                hdf5_format.load_weights_from_hdf5_group(given, model)

    def save(
        model: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True, **options: Any
    ) -> None:
        hdf5_format.save_model_to_hdf5(model, filepath, overwrite, include_optimizer)

    def load_model(filepath: Any, custom_objects: Any = None, compile: bool = True) -> Any:  # noqa: A002
        return hdf5_format.load_model_from_hdf5(filepath, custom_objects, compile)

    for changed in (get_weights, set_weights, save_weights, load_weights, save):
        changes.set(training_v1.Model, changed.__name__, changed)
    changes.set(faces.models, "load_model", load_model)
    changes.set(faces.models, "save_model", save)


#: Keras 1's words of methods that train -> those of Keras 2
_OLD_WORDS = {
    "max_q_size": "max_queue_size", "nb_epoch": "epochs", "nb_val_samples": "validation_steps",
    "nb_worker": "workers", "pickle_safe": "use_multiprocessing", "samples_per_epoch": "steps_per_epoch",
    "val_samples": "steps",
}  # fmt: skip


@patch("keras", source="Keras 2.2.4: legacy/interfaces.py, legacy_generator_methods_support", test=_TEST)
def methods_take_old_words(changes: Patch) -> None:
    """Takes Keras 1's words, such as `nb_epoch`, in `fit` and the methods of generators."""
    from tf_keras.src.engine import training_v1

    for method in ("fit", "fit_generator", "evaluate_generator", "predict_generator"):

        @changes.around(training_v1.Model, method)
        def call(plain: Any, model: Any, *arguments: Any, **options: Any) -> Any:
            return plain(model, *arguments, **{_OLD_WORDS.get(word, word): options[word] for word in options})


@patch("keras", source="Keras 2.2.4: callbacks.py, TensorBoard", test=_TEST)
def events_have_keras2s_names(changes: Patch) -> None:
    """Writes TensorBoard's logs under their own names, `loss` not `epoch_loss`; no profile."""
    from tf_keras.src.callbacks_v1 import TensorBoard

    @changes.around(TensorBoard, "__init__")
    def init(plain: Any, board: Any, *arguments: Any, **options: Any) -> None:
        plain(board, *arguments, **{"profile_batch": 0, **options})

    @changes.around(TensorBoard, "_write_custom_summaries")
    def write(plain: Any, board: Any, step: int, logs: Any = None) -> None:
        given = {name.removeprefix("epoch_").removeprefix("batch_"): logs[name] for name in logs or ()}
        plain(board, step, given)


@patch("keras", source="keras_applications 1.0.8", test=_TEST)
def networks_have_keras2s_norm(changes: Patch, batch_normalization: type) -> None:
    """Builds `applications` with this batch norm, whose updates a model of Keras 2 has."""
    from tf_keras.src.layers import VersionAwareLayers

    @changes.around(VersionAwareLayers, "__getattr__")
    def get(plain: Any, layers: Any, name: str) -> Any:
        return batch_normalization if name == "BatchNormalization" else plain(layers, name)


class _Rows:
    """NumPy for a loop of training: one array of the rows' order, shuffled each epoch."""

    def __init__(self) -> None:
        self.kept: Any = None

    def begin(self, run: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Runs a loop, which begins with the rows in order; the outer one goes on with its own."""
        outer, self.kept = self.kept, None
        try:
            return run(*arguments, **options)
        finally:
            self.kept = outer

    def arange(self, count: int) -> Any:
        """The order, in an epoch as the one before has left it."""
        if self.kept is None or len(self.kept) != count:
            self.kept = np.arange(count)
        return self.kept

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
