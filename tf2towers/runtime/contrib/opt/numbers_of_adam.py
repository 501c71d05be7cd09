"""The numbers that Adam and its kin compute an update with."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def numbers_of_adam(optimizer: tf.compat.v1.train.AdamOptimizer, dtype: tf.DType) -> dict[str, Any]:
    """What `ResourceApplyAdam` calls them -> the numbers, in the variable's type."""
    beta1_power, beta2_power = optimizer._get_beta_accumulators()
    numbers = {
        "beta1_power": beta1_power,
        "beta2_power": beta2_power,
        "lr": optimizer._lr_t,
        "beta1": optimizer._beta1_t,
        "beta2": optimizer._beta2_t,
        "epsilon": optimizer._epsilon_t,
    }
    return {name: tf.cast(number, dtype) for name, number in numbers.items()}


def rate_of_a_step(numbers: dict[str, Any]) -> tf.Tensor:
    """The learning rate with the bias of the averages' first values taken out (Kingma and Ba, 2014, section 2)."""
    return numbers["lr"] * tf.sqrt(1 - numbers["beta2_power"]) / (1 - numbers["beta1_power"])
