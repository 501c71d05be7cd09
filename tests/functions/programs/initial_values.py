"""Initializers with their seeds, and random numbers."""

import numpy as np
import tensorflow as tf
from cases import case, cases, normal

initializers, contrib = tf.initializers, tf.contrib.layers
INITIALIZERS = {
    "uniform": lambda: tf.random_uniform_initializer(-1, 1, seed=2),
    "uniform_of_tensors": lambda: tf.random_uniform_initializer(minval=-1.0, maxval=tf.constant(1.0), seed=2),
    "normal": lambda: tf.random_normal_initializer(1.0, 2.0, seed=2),
    "truncated_normal": lambda: tf.truncated_normal_initializer(1.0, 2.0, seed=2),
    "glorot_uniform": lambda: tf.glorot_uniform_initializer(seed=2),
    "glorot_normal": lambda: tf.glorot_normal_initializer(seed=2),
    "variance_scaling": lambda: tf.variance_scaling_initializer(seed=2),
    "variance_scaling_uniform": lambda: tf.variance_scaling_initializer(2.0, "fan_avg", "uniform", seed=2),
    "variance_scaling_normal": lambda: tf.variance_scaling_initializer(2.0, "fan_out", "normal", seed=2),
    "variance_scaling_untruncated": lambda: tf.variance_scaling_initializer(
        2.0, "fan_out", "untruncated_normal", seed=2
    ),
    "variance_scaling_truncated": lambda: tf.variance_scaling_initializer(
        mode="fan_in", distribution="truncated_normal", seed=2
    ),
    "unit_scaling": lambda: tf.uniform_unit_scaling_initializer(1.5, seed=2),
    "orthogonal": lambda: tf.orthogonal_initializer(1.1, seed=2),
    "constants": lambda: tf.constant_initializer(np.arange(12)),
    "constant": lambda: tf.constant_initializer(3),
    "zeros": lambda: tf.zeros_initializer(tf.float32),
    "ones": lambda: tf.ones_initializer(tf.float32),
    "he_normal": lambda: initializers.he_normal(seed=2),
    "he_uniform": lambda: initializers.he_uniform(seed=2),
    "lecun_normal": lambda: initializers.lecun_normal(seed=2),
    "lecun_uniform": lambda: initializers.lecun_uniform(seed=2),
    "identity": lambda: initializers.identity(2.0),
    "a_function": lambda: lambda shape, dtype, partition_info: tf.ones(shape, dtype) * 3.0,
    "xavier": lambda: contrib.xavier_initializer(seed=2),
    "xavier_normal": lambda: contrib.xavier_initializer(uniform=False, seed=2),
    "contrib_scaling": lambda: contrib.variance_scaling_initializer(seed=2),
    "contrib_scaling_uniform": lambda: contrib.variance_scaling_initializer(1.0, "FAN_AVG", True, seed=2),
    "keras_variance_scaling": lambda: tf.keras.initializers.VarianceScaling(seed=2),
    "keras_he_normal": lambda: tf.keras.initializers.he_normal(seed=2),
    "keras_glorot_uniform": lambda: tf.keras.initializers.glorot_uniform(seed=2),
    "keras_constant": lambda: tf.keras.initializers.Constant(2.0),
    "keras_orthogonal": lambda: tf.keras.initializers.Orthogonal(seed=2),
}


@case
def of_every_kind():
    made = []
    for name in sorted(INITIALIZERS):
        made.append(tf.get_variable(name, [3, 4], initializer=INITIALIZERS[name]()))
    return made


@case
def of_filters():
    return [
        tf.get_variable(name, [3, 3, 4, 5], initializer=INITIALIZERS[name]())
        for name in ("orthogonal", "glorot_uniform", "variance_scaling_normal", "xavier", "he_normal")
    ]


@case
def of_partitions():
    scope = tf.variable_scope("scope", partitioner=tf.fixed_size_partitioner(2))
    with scope:
        return [
            tf.convert_to_tensor(tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(5.0))),
            tf.convert_to_tensor(tf.get_variable("o", [4, 2], initializer=tf.ones_initializer())),
            tf.convert_to_tensor(
                tf.get_variable("r", [5, 2], initializer=tf.random_uniform_initializer(seed=4))
            ),
        ]


cases(
    __name__,
    {
        "drawn_gamma": lambda: tf.random_gamma([3], 2.0, seed=1),
        "drawn_poisson": lambda: tf.random_poisson(2.0, [3], seed=1),
        "drawn_classes": lambda: tf.multinomial(normal(2, 4), 3, seed=1),
        "drawn_categories": lambda: tf.random.categorical(normal(2, 4), 3, seed=1),
        "drawn_classes_as_int32": lambda: tf.multinomial(normal(2, 4), 3, output_dtype=tf.int32, seed=1),
        "drawn_order": lambda: tf.random_shuffle(tf.range(9), seed=1),
        "drawn_crop": lambda: tf.random_crop(normal(6, 6), [3, 3], seed=1),
    },
)


TABLE = {
    "in_other_types": lambda: [
        tf.get_variable(
            "doubles", [3, 4], tf.float64, tf.glorot_uniform_initializer(seed=2, dtype=tf.float64)
        ),
        tf.get_variable("halves", [3, 4], tf.float16, tf.random_normal_initializer(seed=2, dtype=tf.float16)),
        tf.get_variable("integers", [3], tf.int64, tf.random_uniform_initializer(0, 9, 2, tf.int64)),
        tf.get_variable("longer", [2, 3], initializer=tf.constant_initializer([1.0, 2.0])),
        tf.get_variable("filled", [3], tf.int32, initializer=tf.constant_initializer(7, tf.int32)),
        tf.get_variable("text", [], tf.string, tf.constant_initializer("text")),
        tf.get_variable("truth", [2], tf.bool, tf.zeros_initializer(tf.bool)),
    ],
    "called_by_hand": lambda: [
        tf.random_normal_initializer(seed=4)([2, 2]),
        tf.glorot_uniform_initializer(seed=4)([2, 2], tf.float64),
        tf.constant_initializer(5)([2], tf.int32),
        tf.zeros_initializer()([2], dtype=tf.int32),
        sorted(tf.random_normal_initializer(seed=4).get_config()),
        tf.orthogonal_initializer(seed=4)((2, 3)),
    ],
    "without_a_seed": lambda: [
        tf.get_variable("floats", [3]),
        tf.get_variable("integers", [3], tf.int32),
        tf.get_variable("doubles", [2], tf.float64),
    ],
    "random_numbers": lambda: [
        tf.random_uniform([3], seed=1),
        tf.random_uniform([3], 0, 10, tf.int32, seed=1),
        tf.random_uniform([3], minval=2.0, maxval=normal() + 5.0, seed=6),
        tf.random_normal([3], seed=1),
        tf.random_normal([3], mean=normal(3), stddev=0.1, seed=7),
        tf.truncated_normal([3], seed=1),
        tf.random.stateless_uniform([3], [1, 2]),
        tf.random.stateless_normal([3], [1, 2]),
        tf.random.stateless_truncated_normal([3], seed=[1, 2]),
    ],
}
cases(__name__, TABLE)
