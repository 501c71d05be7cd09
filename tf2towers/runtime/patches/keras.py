"""Keras: tf_keras computes as the Keras of TF1, and as standalone Keras 2."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.patches.patch import Patch, patch


@patch("tf.keras", source="tf_keras: api/_v1", test="tests/runtime/tf1/test_cases.py")
def keras_is_tf1s(changes: Patch) -> None:
    """Makes tf_keras, if imported later, TensorFlow 1's: names, defaults, virtual batches.

    Only tf_keras calls the patched function. TensorFlow itself, whose strategies are TF 2's, calls
    another one.
    """
    changes.set(tf.compat.v2.__internal__.tf2, "enabled", lambda: False)


@patch("tf.keras", source="tensorflow/python/keras of 1.15.5", test="tests/runtime/tf1/test_cases.py")
def keras_computes_as_tf1(changes: Patch) -> None:
    """Gives tf_keras's layers and functions TensorFlow 1.15's names, draws and results.

    The class `ConvLSTM2D` makes `conv_lst_m2d`, and a cell `lstm/kernel`. Batch norm of five
    dimensions is not fused, so a moving variance is the biased one. A layer with a seed draws by it
    at each call, so towers have the same mask. Noise and cells without a seed take one from NumPy,
    dropout does not. Chances become logits where their operation is a softmax, of two dimensions in
    a layer, and what is given as logits stays. A vector chooses rows in `switch`.
    `ImageDataGenerator` turns and shifts images along rows first, about half a pixel beyond their
    middle. A model's loss is the mean over all steps of a sequence, also those that a mask makes 0.
    """
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import activations, backend
    from tf_keras.src.engine import base_layer, base_layer_v1
    from tf_keras.src.layers.normalization.batch_normalization import BatchNormalizationBase
    from tf_keras.src.layers.rnn import base_rnn, stacked_rnn_cells
    from tf_keras.src.preprocessing import image
    from tf_keras.src.utils import generic_utils, losses_utils

    def make_name(class_name: str) -> str:
        apart = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", class_name)
        words = re.sub("([a-z])([A-Z])", r"\1_\2", apart).lower()
        return f"private{words}" if words.startswith("_") else words

    def make_seed(generator: Any) -> Any:
        drawn = generator._seed is None and getattr(generator, "is_drawn", False)
        return np.random.randint(10**7) if drawn else generator._seed

    class Scopeless:
        name_scope = staticmethod(contextlib.nullcontext)

        def __getattr__(self, name: str) -> Any:
            return getattr(backend, name)

    for module in (generic_utils, base_layer):
        changes.set(module, "to_snake_case", make_name)
    for module in (base_rnn, stacked_rnn_cells):  # where cells are built
        changes.set(module, "backend", Scopeless())
    changes.set(backend.RandomGenerator, "make_legacy_seed", make_seed)

    @changes.around(base_layer.BaseRandomLayer, "__init__")
    def init(plain: Any, layer: Any, *arguments: Any, **options: Any) -> None:
        plain(layer, *arguments, **options)
        layer._random_generator.is_drawn = not isinstance(layer, faces.layers.Dropout)

    @changes.around(BatchNormalizationBase, "build")
    def build(plain: Any, layer: Any, input_shape: Any) -> None:
        if len(input_shape) == 5:
            layer.fused = False
        plain(layer, input_shape)

    @changes.around(base_layer_v1.Layer, "add_update")
    def add_update(plain: Any, layer: Any, updates: Any, inputs: Any = None) -> None:
        plain(layer, updates)

    def about_the_middle(matrix: np.ndarray, height: int, width: int) -> np.ndarray:
        middle = np.array([[1, 0, height / 2 + 0.5], [0, 1, width / 2 + 0.5], [0, 0, 1]])
        whole = np.dot(np.dot(middle, matrix), 2 * np.eye(3) - middle)
        columns_first = [1, 0, 2]  # what tf_keras makes rows first again
        return whole[columns_first][:, columns_first]

    changes.set(image, "transform_matrix_offset_center", about_the_middle)

    @changes.around(losses_utils, "apply_valid_mask")
    def apply_mask(plain: Any, losses: Any, weights: Any, mask: Any, reduction: str) -> Any:
        return losses_utils.apply_mask(losses, weights, mask)

    @changes.around(backend, "_get_logits")
    def get_logits(plain: Any, output: Any, from_logits: bool, kind: str, name: str) -> tuple[Any, bool]:
        found = not from_logits and output.op.type == kind
        return (output.op.inputs[0], True) if found else (output, from_logits)

    @changes.around(activations, "softmax")
    def softmax(plain: Any, values: Any, axis: int = -1) -> Any:
        return tf.identity(plain(values, axis)) if len(values.shape) > 2 else plain(values, axis)

    changes.set(faces.activations, "softmax", activations.softmax)

    @changes.around(faces.backend, "switch")
    def switch(plain: Any, condition: Any, then: Any, otherwise: Any) -> Any:
        if len(condition.shape) != 1:
            return plain(condition, then, otherwise)
        chosen = [each() if callable(each) else each for each in (then, otherwise)]
        return _v1.where(tf.cast(condition, tf.bool), *chosen)


@patch(
    "tf.keras",
    source="tensorflow/python/keras/engine/sequential.py of 1.15.5",
    test="tests/runtime/tf1/test_standalone_training.py",
)
def sequentials_predict_classes(changes: Patch) -> None:
    """Gives Sequential models `predict_proba` and `predict_classes`, which tf_keras dropped."""
    from tf_keras.src.engine.sequential import Sequential

    def predict_proba(model: Any, x: Any, batch_size: int | None = 32, verbose: int = 0) -> Any:
        return model.predict(x, batch_size, verbose)

    def predict_classes(model: Any, x: Any, batch_size: int | None = 32, verbose: int = 0) -> Any:
        chances = model.predict(x, batch_size=batch_size, verbose=verbose)
        return chances.argmax(axis=-1) if chances.shape[-1] > 1 else (chances > 0.5).astype("int32")

    for method in (predict_proba, predict_classes):
        changes.set(Sequential, method.__name__, method)


@patch("tf.keras", source="keras/backend.py, get_session", test="tests/runtime/tf1/test_objects.py")
def keras_runs_on(changes: Patch, backend: Any, session_class: Callable[..., Any]) -> None:
    """Makes Keras's own session, which trains and predicts, a session of the runtime."""

    @changes.around(backend, "_get_session")
    def get_session(plain: Any, op_input_list: Any = ()) -> Any:
        if _v1.get_default_session() is None and not tf.inside_function():
            graph = backend._current_graph(op_input_list)
            known = getattr(backend._SESSION, "session", None)
            if known is None or known.graph is not graph:
                config = backend.get_default_session_config()
                backend._SESSION.session = session_class(graph=graph, config=config)
        return plain(op_input_list)


@patch(
    "keras",
    source="Keras 2.2.4: engine/base_layer.py, network.py",
    test="tests/runtime/tf1/test_standalone_keras.py",
)
def layers_are_keras2s(changes: Patch) -> None:
    """Numbers layers from 1 (`dense_1`); NumPy draws the seeds of first values and dropout.

    tf.keras begins with `dense`, and lets TensorFlow choose the seeds of ops that are given none.
    Here a first call builds a Sequential without a shape, and a model called on a tensor again
    gives what it gave. The `updates` of a model are those of its own inputs.
    """
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import backend, engine, initializers

    functional, sequential = engine.functional.Functional, engine.sequential.Sequential
    # Keras 2 makes no layers of a script's operations; tf_keras runs a session for them, which
    # draws first values
    changes.set(engine.base_layer_utils, "needs_keras_history", lambda *arguments, **options: False)
    for owner in (engine.base_layer.Layer, engine.base_layer_v1.Layer, functional):
        changes.around(owner, "_init_set_name")(lambda plain, layer, name, **_: plain(layer, name, False))

    @changes.around(faces.layers.Conv2D, "__init__")
    def init_convolution(plain: Any, layer: Any, *given: Any, **options: Any) -> None:
        if len(given) == 3 and all(isinstance(each, int) for each in given):  # Keras 1's rows and columns
            given = given[0], given[1:]
        plain(layer, *given, **options)

    @changes.around(engine.base_layer_v1.Layer, "add_weight")
    def add(plain: Any, layer: Any, name: Any, shape: Any, initializer: Any = None, **options: Any) -> Any:
        start = copy.copy(initializers.get(initializer))
        if type(start).__name__ == "Orthogonal":
            start = initializers.get(_orthogonal(start, shape))
        elif getattr(start, "seed", 0) is None:
            start.seed = np.random.randint(10**7)
        if hasattr(start, "scale") and len(shape) == 1:  # Keras 2's fan of a vector is the root of its size
            start.scale *= shape[0] ** 0.5
        return plain(layer, name, shape, initializer=start, **options)

    @changes.around(backend.RandomGenerator, "make_legacy_seed")
    def make_seed(plain: Any, generator: Any) -> int:
        seed = plain(generator)
        return np.random.randint(10**7) if seed is None else seed

    @changes.around(sequential, "build")
    def build(plain: Any, model: Any, input_shape: Any = None) -> None:
        if input_shape is not None and model.layers and not model._graph_initialized:
            outputs = given = engine.input_layer.Input(batch_shape=input_shape)
            for layer in model.layers:
                outputs = layer(outputs)
            model.inputs, model.outputs, model._graph_initialized = [given], [outputs], True
        plain(model, input_shape)

    del sequential.build._is_default  # a first call builds

    @changes.around(functional, "call")
    def call(plain: Any, model: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        calls = vars(model).setdefault("outputs_of_calls", {})
        given = [tensor.ref() for tensor in tf.nest.flatten([inputs, mask]) if tensor is not None]
        if (key := (len(model.layers), *given)) not in calls:
            calls[key] = plain(model, inputs, training, mask)
        return calls[key]

    def updates(model: Any) -> list[Any]:
        every = engine.base_layer_v1.Layer.updates.fget(model) if model.trainable else []
        inner, rest = {tensor.name for tensor in model.inputs or ()}, [*(model.outputs or ())]
        while rest:
            if (tensor := rest.pop()).name not in inner:
                inner.add(tensor.name)
                rest.extend(tensor.op.inputs)
        return [update for update in every if not inner or update.normalized.name in inner]

    changes.set(functional, "updates", property(updates))
    weights = property(lambda model: [*model.trainable_weights, *model.non_trainable_weights])
    changes.set(functional, "weights", weights)
    own = property(lambda model: model._trainable, lambda model, value: vars(model).update(_trainable=value))
    changes.set(functional, "trainable", own)  # Keras 2 does not set that of the layers
    changes.set(backend, "_get_logits", lambda output, from_logits, *_: (output, from_logits))

    @changes.around(backend, "binary_crossentropy")
    def binary_crossentropy(plain: Any, target: Any, output: Any, from_logits: bool = False) -> Any:
        if not from_logits:
            output = tf.clip_by_value(output, backend.epsilon(), 1 - backend.epsilon())
            output = tf.math.log(output / (1 - output))
        return plain(target, output, from_logits=True)

    changes.set(faces.backend, "binary_crossentropy", backend.binary_crossentropy)


@patch(
    "keras",
    source="Keras 2.2.4: backend/tensorflow_backend.py, variable",
    test="tests/runtime/tf1/test_standalone_keras.py",
)
def variables_are_keras2s(changes: Patch) -> None:
    """Makes TF1's own variables, which are memory, where tf.keras makes resource variables."""
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import backend, engine

    def scope_asks() -> bool:
        return bool(_v1.get_variable_scope().use_resource)

    @changes.around(engine.base_layer_utils, "make_variable")
    def make_weight(plain: Any, *arguments: Any, **options: Any) -> Any:
        return plain(*arguments, **{**options, "use_resource": scope_asks()})

    @changes.around(backend, "variable", faces.backend)
    def make_variable(plain: Any, *arguments: Any, **options: Any) -> Any:
        made = plain(*arguments, **options)
        own_resources.mark(made, scope_asks())
        return made


def _orthogonal(start: Any, shape: Any) -> Callable[..., Any]:
    """The singular vectors of what NumPy draws, times the gain: those that fill the shape."""
    if start.seed is not None:
        np.random.seed(start.seed)
    rows, columns = int(np.prod(shape[:-1])), shape[-1]
    left, _, right = np.linalg.svd(np.random.normal(size=(rows, columns)), full_matrices=False)
    vectors = (left if left.shape == (rows, columns) else right).reshape(shape) * start.gain
    return lambda *arguments, **options: tf.constant(vectors, tf.float32)
