"""`tf.layers`, as tf_keras has it."""

# the look at tf_keras comes before tf_keras
# isort: off
from tf2towers.runtime.tf1 import keras as _keras  # noqa: F401

from tf_keras.api._v1.keras.__internal__.legacy.layers import *  # noqa: F403 - a face, not a copy
