"""All trainers' choice of devices, all-reduce and precision.

- Devices: all GPUs, unless a flag says otherwise. Where GPUs are missing, logical CPU devices take their place, and a
  line says so.
- All-reduce: on GPUs and between workers TensorFlow's default, which is NCCL on GPUs. On logical CPU devices the sum is
  made on one of them: they share a memory, where a ring of copies costs more than it saves.
- Threads: `share_cores` gives each logical CPU device its part of the cores. Small operations get faster, and sums
  round otherwise. It is not used where one device is timed as well, since that one may use all cores.
- Precision: weights are float32 in all cases. With float16 the loss is scaled, or small gradients would become 0.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from absl import flags

#: What may take the place of the default all-reduce. docs/mobilenet.md says when to choose which.
ALL_REDUCE: dict[str, Callable[[], tf.distribute.CrossDeviceOps]] = {
    "nccl": tf.distribute.NcclAllReduce,
    "hierarchical": tf.distribute.HierarchicalCopyAllReduce,
    "one-device": tf.distribute.ReductionToOneDevice,
}


def define_flags() -> None:
    """The flags for devices, all-reduce and precision."""
    flags.DEFINE_integer(
        "num_gpus", None, "How many GPUs to use. Not set: all; if there is none, 2 logical CPU devices."
    )
    flags.DEFINE_list("devices", "", "The devices to use, as /gpu:0,/gpu:2, in place of --num_gpus.")
    flags.DEFINE_enum(
        "all_reduce", None, list(ALL_REDUCE), "What adds up gradients. Not set: see devices.py."
    )
    define_computing_flags()


def define_computing_flags() -> None:
    """The flags for precision and XLA: all that the cluster trainers have, since a worker uses all its GPUs."""
    flags.DEFINE_enum("precision", "float32", ["float32", "bfloat16", "float16"], "What layers compute in.")
    flags.DEFINE_boolean("jit", False, "Compile what each replica computes with XLA, which rounds otherwise.")


def choose_devices(num_gpus: int | None = None, names: list[str] | None = None) -> list[str]:
    """The devices to train on. Call it before anything is computed: logical devices cannot be made later."""
    found = len(tf.config.list_physical_devices("GPU"))
    names = names or [f"/gpu:{gpu}" for gpu in range(num_gpus or found)] or ["/cpu:0", "/cpu:1"]
    on_gpus = all("gpu" in name.lower() for name in names)
    numbers = [int(name.rpartition(":")[2]) for name in names]
    if on_gpus and max(numbers) < found:
        return names
    if on_gpus:
        print(f"{', '.join(names)} wanted, {found} GPUs found: training on {len(names)} logical CPU devices")
        numbers = list(range(len(names)))
    cpu, wanted = tf.config.list_physical_devices("CPU")[0], max(numbers) + 1
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < wanted:
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * wanted)
    return [f"/cpu:{number}" for number in numbers]


def share_cores(devices: list[str]) -> None:
    """Give each logical CPU device its part of the cores. It has no effect once something has been computed."""
    if all("cpu" in device.lower() for device in devices):
        own = max(1, (os.cpu_count() or 1) // len(devices))
        with contextlib.suppress(RuntimeError):
            tf.config.threading.set_intra_op_parallelism_threads(own)


def mirrored(devices: list[str], all_reduce: str | None = None) -> tf.distribute.MirroredStrategy:
    """The strategy that keeps a copy of the model on each device. Make one a process: two mix up their messages."""
    on_cpu = all("cpu" in device.lower() for device in devices)
    if all_reduce == "nccl" and not all("gpu" in device.lower() for device in devices):
        raise SystemExit("--all_reduce=nccl: NCCL is NVIDIA's, for GPUs alone")
    kind = all_reduce or ("one-device" if on_cpu else None)
    strategy = tf.distribute.MirroredStrategy(devices, cross_device_ops=kind and ALL_REDUCE[kind]())
    print(f"Number of devices: {strategy.num_replicas_in_sync}")
    return strategy


def alone(device: str) -> tf.distribute.Strategy:
    """The strategy for one device, without copies and sums. The first CPU without a GPU needs none: the default."""
    if device == "/cpu:0" and not tf.config.list_physical_devices("GPU"):
        return tf.distribute.get_strategy()
    return tf.distribute.OneDeviceStrategy(device)


def input_options(strategy: tf.distribute.Strategy) -> tf.distribute.InputOptions | None:
    """How batches come to the replicas. GPUs get the next batch while they compute; that is the default.

    Each replica on the CPU has an input pipeline of its own, so that no batch is sent. Sending makes malloc give memory
    back at once in TensorFlow 2.21, which is slow (docs/performance.md).
    """
    if not isinstance(strategy, tf.distribute.MirroredStrategy):
        return None
    if any("GPU" in device for device in strategy.extended.worker_devices):
        return None
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    return tf.distribute.InputOptions(experimental_fetch_to_device=False, experimental_replication_mode=mode)


def set_precision(precision: str) -> None:
    """Set what layers that are made from now on compute in."""
    keras.mixed_precision.set_global_policy("float32" if precision == "float32" else f"mixed_{precision}")


def with_loss_scaling(optimizer: Any, precision: str) -> Any:
    """The optimizer, which skips steps whose float16 gradients are not finite and then scales the loss less.

    Keras 3 asks the first replica alone whether its gradients are finite, before they are summed. Here all are asked:
    one replica's infinity would come into every replica's sum.
    """
    if precision != "float16":
        return optimizer
    scaling = keras.mixed_precision.LossScaleOptimizer(optimizer)
    own = getattr(scaling, "check_finite", None)  # Keras 2 looks at the sums

    def check_finite(gradients: list[tf.Tensor]) -> tf.Tensor:
        replicas = tf.distribute.get_replica_context()
        finite = replicas.all_reduce(tf.distribute.ReduceOp.SUM, tf.cast(own(gradients), tf.float32))
        return tf.equal(finite, replicas.num_replicas_in_sync)

    if own:
        scaling.check_finite = check_finite
    return scaling


def scaled(optimizer: Any, loss: tf.Tensor) -> tf.Tensor:
    """The loss to differentiate, multiplied by the optimizer's loss scale if it has one."""
    scale = getattr(
        optimizer, "scale_loss", getattr(optimizer, "get_scaled_loss", None)
    )  # of Keras 3, of Keras 2
    return scale(loss) if scale else loss


def scale_left(optimizer: Any) -> float:
    """The factor that the gradients from `unscaled` still have."""
    return float(optimizer.scale_loss(1.0)) if hasattr(optimizer, "scale_loss") else 1.0


def unscaled(optimizer: Any, gradients: list[tf.Tensor]) -> list[tf.Tensor]:
    """The gradients to apply. Keras 3's optimizer removes the loss scale itself."""
    unscale = getattr(optimizer, "get_unscaled_gradients", None)
    return unscale(gradients) if unscale else gradients
