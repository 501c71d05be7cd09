"""`tf.contrib.learn.ModeKeys` and `tf.estimator.ModeKeys`: what a model is built for."""

from __future__ import annotations


class ModeKeys:
    """Names of modes. 'infer' had one name in `tf.contrib.learn`, and another in `tf.estimator`."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"
    PREDICT = "infer"
