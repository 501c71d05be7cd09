"""Parts of `tf.contrib.training` of TensorFlow 1.15: buckets, training, evaluation, hyperparameters, placement."""

from tf2towers.runtime.contrib.training.bucket_ops import bucket, bucket_by_sequence_length
from tf2towers.runtime.contrib.training.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from tf2towers.runtime.contrib.training.hparam import HParams, parse_values
from tf2towers.runtime.contrib.training.training_loop import (
    add_gradients_summaries,
    clip_gradient_norms,
    clip_gradient_norms_fn,
    create_train_op,
    multiply_gradients,
    train,
)
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
    "add_gradients_summaries",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "checkpoints_iterator",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "multiply_gradients",
    "parse_values",
    "train",
    "wait_for_new_checkpoint",
]
