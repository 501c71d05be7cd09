"""`tf.contrib.distributions`: TensorFlow's own `tf.compat.v1.distributions`, and of the others what scripts need."""

from typing import Any

import tensorflow as tf

from tf2towers.runtime.contrib.distributions.mixture import Mixture
from tf2towers.runtime.contrib.distributions.mvn_diag import MultivariateNormalDiag
from tf2towers.runtime.contrib.distributions.percentile import percentile

__all__ = ["Mixture", "MultivariateNormalDiag", "percentile"]


def __getattr__(name: str) -> Any:
    return getattr(tf.compat.v1.distributions, name)
