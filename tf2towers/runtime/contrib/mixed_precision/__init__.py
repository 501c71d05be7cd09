"""`tf.contrib.mixed_precision` of TensorFlow 1.15: a loss scaled up before its gradients are taken."""

from tf2towers.runtime.contrib.mixed_precision.loss_scale_manager import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from tf2towers.runtime.contrib.mixed_precision.loss_scale_optimizer import LossScaleOptimizer

__all__ = [
    "ExponentialUpdateLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaleOptimizer",
]
