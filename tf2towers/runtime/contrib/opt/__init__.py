"""Optimizers of `tf.contrib.opt`."""

from tf2towers.runtime.contrib.opt.adamax import AdaMaxOptimizer
from tf2towers.runtime.contrib.opt.lars import LARSOptimizer
from tf2towers.runtime.contrib.opt.lazy_adam import LazyAdamOptimizer
from tf2towers.runtime.contrib.opt.moving_average import MovingAverageOptimizer
from tf2towers.runtime.contrib.opt.nadam import NadamOptimizer
from tf2towers.runtime.contrib.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)

__all__ = [
    "AdaMaxOptimizer",
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "LARSOptimizer",
    "LazyAdamOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "NadamOptimizer",
    "extend_with_decoupled_weight_decay",
]
