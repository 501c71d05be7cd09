"""Parts of `tf.contrib.training` of TensorFlow 1.15: buckets, hyperparameters, placement by load."""

from tf2towers.runtime.contrib.training.bucket_ops import bucket, bucket_by_sequence_length
from tf2towers.runtime.contrib.training.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from tf2towers.runtime.contrib.training.hparam import HParams, parse_values

__all__ = [
    "GreedyLoadBalancingStrategy",
    "HParams",
    "RandomStrategy",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "parse_values",
]
