"""Logical CPU devices for the towers of these tests; to be asked for before TensorFlow starts."""

import pytest

try:
    import tensorflow as tf
except ImportError:
    pass
else:
    _CPU = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(_CPU) or []) < 3:
        tf.config.set_logical_device_configuration(_CPU, [tf.config.LogicalDeviceConfiguration()] * 3)


@pytest.fixture(autouse=True)
def unseeded() -> None:
    """No global seed is left over from another test."""
    import tensorflow as tf

    tf.random.set_seed(None)
