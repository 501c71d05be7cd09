"""Which variables a sharded saver writes to one file, as in TF1."""

from __future__ import annotations

from functools import wraps
from typing import Any

from tensorflow.python.training.saving import saveable_object_util


def savers_have_a_shard_for_each_device() -> None:
    """Lets `Saver(sharded=True)` go by the devices of the variables, and not of the operations that read them.

    It writes a file for each device. TF1's variables were what it saved; here it saves what reads a variable. A
    `replica_device_setter` that is told a device of the worker (`worker_device='/job:worker/task:0/cpu:0'`) gives that
    to reads, and not to variables: slots, slices and variables of one parameter server were in two files or three.
    """
    saveable = saveable_object_util.ResourceVariableSaveable
    make = saveable.__init__
    if hasattr(make, "__wrapped__"):
        return

    @wraps(make)
    def by_the_variable(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        for spec in self.specs:
            spec.device = self.handle_op.device

    saveable.__init__ = by_the_variable
