"""`tf.layers`, as tf_keras has it."""

from tf2towers.runtime.tf1 import keras as _keras  # noqa: F401, I001 - before tf_keras itself
from tf_keras.api._v1.keras.__internal__.legacy.layers import *  # noqa: F403 - a face, not a copy
