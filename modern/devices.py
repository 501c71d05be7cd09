"""The devices that the trainers on one machine run on: all GPUs; without one, logical devices of the CPU."""

import re

import keras
import precision
import tensorflow as tf
from absl import flags


def define_flags() -> None:
    """The flags for devices, and those for precision."""
    flags.DEFINE_integer("num_gpus", None, "Not set: all GPUs; without one 2 logical CPUs.", lower_bound=1)
    flags.DEFINE_list("devices", "", "Those to use, as 0,2 or /gpu:0,/gpu:2, in place of --num_gpus.")
    flags.DEFINE_alias("gpu_ids", "devices")
    precision.define_flags()


def choose_devices(num_gpus: int | None = None, names: list[str] | None = None) -> list[str]:
    """The devices to train on. Call it before anything is computed: logical devices cannot be made later."""
    found = len(tf.config.list_physical_devices("GPU"))
    names = [f"/gpu:{name}" if name.isdecimal() else name.lower() for name in names or []]
    if len({*names}) < len(names) or not all(re.fullmatch(r"/[cg]pu:\d+", name) for name in names):
        raise SystemExit(f"--devices={','.join(names)}: name each device once, as 0,2 or /gpu:0,/gpu:2")
    names = names or [f"/gpu:{gpu}" for gpu in range(num_gpus or found or 2)]
    if any("gpu" in name and int(name[5:]) >= found for name in names):
        print(f"{', '.join(names)} wanted, {found} GPUs found: training on {len(names)} logical CPU devices")
        names = [f"/cpu:{number}" for number in range(len(names))]
    cpu = tf.config.list_physical_devices("CPU")[0]
    wanted = max((int(name[5:]) + 1 for name in names if "cpu" in name), default=1)
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < wanted:
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * wanted)
    return names


def mirrored(names: list[str], all_reduce: object = None) -> tf.distribute.Strategy:
    """The strategy that keeps a copy of the model on each device. Make one a process: two mix up their messages."""
    # on GPUs NCCL adds up gradients, TensorFlow's default; logical devices share a memory: one of them does it
    on_cpu = tf.distribute.ReductionToOneDevice() if "cpu" in names[0] else None
    strategy = tf.distribute.MirroredStrategy(names, cross_device_ops=all_reduce or on_cpu)
    print(f"Number of devices: {strategy.num_replicas_in_sync}")
    return strategy


def input_options(strategy: tf.distribute.Strategy) -> tf.distribute.InputOptions | None:
    """How batches come to the replicas: on the CPU each reads for itself. Sending is slow (docs/performance.md)."""
    if strategy.num_replicas_in_sync == 1 or "GPU" in strategy.extended.worker_devices[0]:
        return None
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    return tf.distribute.InputOptions(experimental_fetch_to_device=False, experimental_replication_mode=mode)


def merge_statistics(model: keras.Model, strategy: tf.distribute.Strategy) -> None:
    """Give all replicas the mean of their batch-norm statistics: a mean after each step would make the same."""
    for variable in model.non_trainable_variables:
        copies = strategy.experimental_local_results(variable.value)
        if len(copies) > 1:
            variable.assign(tf.add_n(copies) / len(copies))
