"""`tf.contrib.framework.VariableDeviceChooser`: variables on the parameter servers, one after the other."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class VariableDeviceChooser:
    """A device function for variables; with no parameter servers they are on a device of this process.

    Args:
        num_tasks: how many parameter servers there are.
        job_name: their job.
        device_type: 'CPU' or 'GPU'.
        device_index: which one.
        replica: the replica, if the device's name has one.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._replica = replica
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op: Any) -> str:
        """The device of the next variable."""
        device = tf.compat.v1.DeviceSpec(
            replica=self._replica, device_type=self._device_type, device_index=self._device_index
        )
        if self._num_tasks > 0:
            device.job, device.task = self._job_name, self._next_task_id
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        return str(device.to_string())
