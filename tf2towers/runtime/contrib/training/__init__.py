"""Parts of `tf.contrib.training` of TensorFlow 1.15: buckets, evaluation, hyperparameters, placement by load."""

from tf2towers.runtime.contrib.training.bucket_ops import bucket, bucket_by_sequence_length
from tf2towers.runtime.contrib.training.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from tf2towers.runtime.contrib.training.hparam import HParams, parse_values
from tf2towers.runtime.slim.repeated_evaluation import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    checkpoints_iterator,
    evaluate_once,
    evaluate_repeatedly,
    get_or_create_eval_step,
    wait_for_new_checkpoint,
)

__all__ = [
    "GreedyLoadBalancingStrategy",
    "HParams",
    "RandomStrategy",
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "checkpoints_iterator",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "parse_values",
    "wait_for_new_checkpoint",
]
