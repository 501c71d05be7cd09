"""`tf.contrib.slim.learning.train` for originals: the runtime's, under TensorFlow's own Supervisor and sessions."""

from __future__ import annotations

from functools import partial

import tensorflow as tf

from tf2towers.runtime.slim import learning

train = partial(learning.train, _supervisor=tf.compat.v1.train.Supervisor)
