"""Loops of tf.contrib for originals: the runtime's, under TensorFlow's own Supervisor and sessions."""

from __future__ import annotations

from functools import partial

import tensorflow as tf

from tf2towers.runtime.slim import evaluation as slim_evaluation
from tf2towers.runtime.slim import learning
from tf2towers.runtime.slim import repeated_evaluation as evaluation

_train = tf.compat.v1.train

train = partial(learning.train, _supervisor=_train.Supervisor)
evaluate_once = partial(evaluation.evaluate_once, _sessions=_train)
evaluate_repeatedly = partial(evaluation.evaluate_repeatedly, _sessions=_train)
evaluate_once_by_slim = partial(slim_evaluation.evaluate_once, _sessions=_train)
evaluation_loop = partial(slim_evaluation.evaluation_loop, _sessions=_train)
