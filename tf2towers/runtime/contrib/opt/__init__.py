"""Optimizers of `tf.contrib.opt`."""

from tf2towers.runtime.contrib.opt.adamax import AdaMaxOptimizer
from tf2towers.runtime.contrib.opt.lars import LARSOptimizer
from tf2towers.runtime.contrib.opt.lazy_adam import LazyAdamOptimizer
from tf2towers.runtime.contrib.opt.moving_average import MovingAverageOptimizer
from tf2towers.runtime.contrib.opt.nadam import NadamOptimizer

__all__ = [
    "AdaMaxOptimizer",
    "LARSOptimizer",
    "LazyAdamOptimizer",
    "MovingAverageOptimizer",
    "NadamOptimizer",
]
