"""The devices that the trainers on one machine run on: all GPUs, unless a flag says otherwise.

Logical CPU devices take the place of missing GPUs. NCCL, TensorFlow's default on GPUs, adds up gradients there. Logical
CPU devices share a memory: there one of them does it.
"""

from __future__ import annotations

import re

import keras
import precision
import tensorflow as tf
from absl import flags


def define_flags() -> None:
    """The flags for devices, and those for precision."""
    flags.DEFINE_integer(
        "num_gpus", None, "Not set: all GPUs; without one 2 logical CPU devices.", lower_bound=1
    )
    flags.DEFINE_list("devices", "", "Those to use, as 0,2 or /gpu:0,/gpu:2, in place of --num_gpus.")
    flags.DEFINE_alias("gpu_ids", "devices")
    precision.define_flags()


def choose_devices(num_gpus: int | None = None, names: list[str] | None = None) -> list[str]:
    """The devices to train on. Call it before anything is computed: logical devices cannot be made later."""
    found = len(tf.config.list_physical_devices("GPU"))
    names = [f"/gpu:{name}" if name.isdecimal() else name.lower() for name in names or []]
    if len({*names}) < len(names) or not all(re.fullmatch(r"/[cg]pu:\d+", name) for name in names):
        raise SystemExit(f"--devices={','.join(names)}: name each device once, as 0,2 or /gpu:0,/gpu:2")
    names = names or [f"/gpu:{gpu}" for gpu in range(num_gpus or found)] or ["/cpu:0", "/cpu:1"]
    numbers = [int(name.rpartition(":")[2]) for name in names]
    if all("gpu" in name for name in names):
        if max(numbers) < found:
            return names
        print(f"{', '.join(names)} wanted, {found} GPUs found: training on {len(names)} logical CPU devices")
        numbers = list(range(len(names)))
    cpu, wanted = tf.config.list_physical_devices("CPU")[0], max(numbers) + 1
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < wanted:
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * wanted)
    return [f"/cpu:{number}" for number in numbers]


def mirrored(
    devices: list[str], all_reduce: tf.distribute.CrossDeviceOps | None = None
) -> tf.distribute.Strategy:
    """The strategy that keeps a copy of the model on each device. Make one a process: two mix up their messages."""
    on_cpu = tf.distribute.ReductionToOneDevice() if "cpu" in devices[0] else None
    strategy = tf.distribute.MirroredStrategy(devices, cross_device_ops=all_reduce or on_cpu)
    print(f"Number of devices: {strategy.num_replicas_in_sync}")
    return strategy


def input_options(strategy: tf.distribute.Strategy) -> tf.distribute.InputOptions | None:
    """How batches come to the replicas: on the CPU each reads for itself. Sending is slow (docs/performance.md)."""
    if strategy.num_replicas_in_sync == 1 or "GPU" in strategy.extended.worker_devices[0]:
        return None
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    return tf.distribute.InputOptions(experimental_fetch_to_device=False, experimental_replication_mode=mode)


def merge_statistics(model: keras.Model, strategy: tf.distribute.Strategy) -> None:
    """Give all replicas the mean of their batch-norm statistics, before they are read; each moves its own by its part.

    A moving average is linear: a mean after each step would make the same.
    """
    for variable in model.non_trainable_variables:
        copies = strategy.experimental_local_results(variable.value)
        if len(copies) > 1:
            variable.assign(tf.add_n(copies) / len(copies))
