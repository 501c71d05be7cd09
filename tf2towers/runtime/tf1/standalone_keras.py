"""Standalone Keras 2 (`import keras`) in a TF1 graph: tf_keras by Keras 2.2.4's names, seeds.

What is served, and was measured with Keras 2.2.4 on TensorFlow 1.15, is in
tf2towers/codemod/data/standalone_keras.tsv.
"""

import sys
from typing import Any

import tensorflow as tf
from tf_keras.src import backend as _backend

from tf2towers.runtime.patches.keras import layers_are_keras2s, variables_are_keras2s
from tf2towers.runtime.patches.keras_training import (
    events_have_keras2s_names,
    losses_are_keras2s,
    methods_take_old_words,
    models_are_saved_as_keras2s,
    networks_have_keras2s_norm,
    optimizers_are_keras2s,
    rows_are_shuffled_as_keras2s,
)
from tf2towers.runtime.tf1 import keras as _keras
from tf2towers.runtime.tf1.keras import *  # noqa: F403 - a face, not a copy

layers_are_keras2s()
variables_are_keras2s()
losses_are_keras2s()
optimizers_are_keras2s()
rows_are_shuffled_as_keras2s()
models_are_saved_as_keras2s()
methods_take_old_words()
events_have_keras2s_names()
for _name, _module in list(sys.modules.items()):
    if _name.startswith(f"{_keras.__name__}."):
        sys.modules[__name__ + _name[len(_keras.__name__) :]] = _module
layers, objectives = (sys.modules[f"{__name__}.{name}"] for name in ("layers", "losses"))
sys.modules[f"{__name__}.objectives"] = objectives  # an older name
backend = sys.modules[f"{__name__}.backend"]
sys.modules[f"{__name__}.backend.tensorflow_backend"] = vars(backend)["tensorflow_backend"] = backend
for _name in ("data_utils", "generic_utils"):
    vars(sys.modules[f"{__name__}.utils"])[_name] = sys.modules[f"{__name__}.utils"]
    sys.modules[f"{__name__}.utils.{_name}"] = sys.modules[f"{__name__}.utils"]
_parts = "advanced_activations convolutional convolutional_recurrent core embeddings local merge noise normalization"
for _name in f"{_parts} pooling recurrent wrappers".split():
    vars(layers)[_name] = sys.modules[f"{__name__}.layers.{_name}"] = layers


class BatchNormalization(_keras.layers.BatchNormalization):  # type: ignore[name-defined]
    """Batch norm of Keras 2.2.4: each call's own averages set the moving statistics.

    The averages are Adam's (Kingma and Ba, 2015, section 3). TensorFlow's trainable variables have
    the statistics.
    """

    def build(self, input_shape: Any) -> None:
        """Makes the variables, each of one value for a channel."""
        self.gamma = self.beta = None
        for name in ["gamma"] * self.scale + ["beta"] * self.center + ["moving_mean", "moving_variance"]:
            kinds = ("initializer", "regularizer", "constraint")
            options = {kind: getattr(self, f"{name}_{kind}", None) for kind in kinds}
            setattr(self, name, self.add_weight(name, [int(input_shape[self.axis])], **options))
        self._non_trainable_weights.extend([self._trainable_weights.pop(-2), self._trainable_weights.pop()])

    def __call__(self, inputs: Any, training: Any = None, **options: Any) -> Any:
        """Remembers if `training` is given: None means what `set_learning_phase` has set."""
        self._training = training
        return super().__call__(inputs, training=training, **options)

    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator] # a look for GPUs runs a session
    def call(self, inputs: Any, training: Any = None) -> Any:
        """The tensor normalized by its own statistics in training, else by the moving ones."""
        training, rank, own = self._training, len(inputs.shape), self.axis % len(inputs.shape)

        def normalize_by_moving_statistics() -> Any:
            statistics = [self.moving_mean, self.moving_variance, self.beta, self.gamma]
            if rank == 4 and (own == 3 or (own == 1 and _backend._has_nchw_support())):
                return _backend.batch_normalization(inputs, *statistics, own, self.epsilon)
            shape = [-1 if axis == own else 1 for axis in range(rank)]
            statistics = [None if each is None else tf.reshape(each, shape) for each in statistics]
            return tf.nn.batch_normalization(inputs, *statistics, self.epsilon)

        if training is not None and not tf.is_tensor(training) and not training:
            return normalize_by_moving_statistics()
        given = inputs, self.gamma, self.beta, [axis for axis in range(rank) if axis != own], self.epsilon
        normalized, mean, variance = _backend.normalize_batch_in_training(*given)
        count = tf.cast(tf.size(inputs) // tf.size(mean), variance.dtype)
        variance *= count / (count - (1.0 + self.epsilon))
        for pair in (self.moving_mean, mean), (self.moving_variance, variance):
            update = tf.convert_to_tensor(_backend.moving_average_update(*pair, self.momentum))
            update._unconditional_update, update.normalized = False, inputs  # for `updates`, of models too
            self._updates.append(update)
        training = _backend.learning_phase() if training is None else training
        return _backend.in_train_phase(normalized, normalize_by_moving_statistics, training)


class ConvLSTM2D(_keras.layers.ConvLSTM2D):  # type: ignore[name-defined]
    """Keras 2.2.4's: the kernel of a call's first states is a variable of zeros."""

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """The states before the first step: `inputs` of zeros after a convolution with zeros."""
        cell = self.cell
        kernel = _backend.zeros((*cell.kernel_shape[:-1], cell.filters))
        return 2 * [cell.input_conv(tf.reduce_sum(tf.zeros_like(inputs), 1), kernel, padding=cell.padding)]


vars(layers).update(BatchNormalization=BatchNormalization, ConvLSTM2D=ConvLSTM2D)
networks_have_keras2s_norm(BatchNormalization)
