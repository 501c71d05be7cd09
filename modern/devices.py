"""The devices that the trainers here train on, the operation that sums gradients, and the dtype of the layers.

The choices, for all trainers:

- Without a flag all GPUs are used. GPUs that are not there become logical devices of the CPU, which is said.
- GPUs: TensorFlow's own choice adds up, NCCL, which sends from GPU to GPU. Logical devices of one CPU share its
  memory: there the sum is made on one of them, because a ring of copies costs more than it saves.
- Logical devices of one CPU may share its cores: as many threads in an operation as there are cores for a device. Small
  operations gain by it, and sums round otherwise. A comparison with one device does not: that one has all cores.
- Between workers TensorFlow's own choice adds up as well, as MultiWorkerMirroredStrategy has it.
- Weights are float32 whatever the layers compute in; float16's gradients are scaled, or small ones would be 0.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from absl import flags

#: Operations that can sum the gradients in place of the choice above. docs/mobilenet.md says when to choose which.
ALL_REDUCE: dict[str, Callable[[], tf.distribute.CrossDeviceOps]] = {
    "nccl": tf.distribute.NcclAllReduce,
    "hierarchical": tf.distribute.HierarchicalCopyAllReduce,
    "one-device": tf.distribute.ReductionToOneDevice,
}


def define_flags() -> None:
    """The flags of every trainer on devices, and on the computation on them."""
    flags.DEFINE_integer(
        "num_gpus", None, "How many GPUs to use. Not set: all; if there is none, 2 logical CPU devices."
    )
    flags.DEFINE_list("devices", "", "The devices to use, as /gpu:0,/gpu:2, in place of --num_gpus.")
    flags.DEFINE_enum(
        "all_reduce", None, list(ALL_REDUCE), "What adds up gradients. Not set: see devices.py."
    )
    define_computing_flags()


def define_computing_flags() -> None:
    """The flags that a cluster's trainers have as well: its workers take the devices that they find."""
    flags.DEFINE_enum("precision", "float32", ["float32", "bfloat16", "float16"], "What layers compute in.")
    flags.DEFINE_boolean("jit", False, "Compile what each replica computes with XLA, which rounds otherwise.")


def choose_devices(num_gpus: int | None = None, names: list[str] | None = None) -> list[str]:
    """The devices to use. Call it before anything is computed: TensorFlow sets up its devices once."""
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
    """Gives each of several CPU devices its share of the cores; without effect once something has been computed."""
    if all("cpu" in device.lower() for device in devices):
        own = max(1, (os.cpu_count() or 1) // len(devices))
        with contextlib.suppress(RuntimeError):
            tf.config.threading.set_intra_op_parallelism_threads(own)


def mirrored(devices: list[str], all_reduce: str | None = None) -> tf.distribute.MirroredStrategy:
    """A strategy with a copy of the model on each device. Make one in a process: two would mix up their messages."""
    on_cpu = all("cpu" in device.lower() for device in devices)
    if all_reduce == "nccl" and not all("gpu" in device.lower() for device in devices):
        raise SystemExit("--all_reduce=nccl: NCCL is NVIDIA's, for GPUs alone")
    kind = all_reduce or ("one-device" if on_cpu else None)
    strategy = tf.distribute.MirroredStrategy(devices, cross_device_ops=kind and ALL_REDUCE[kind]())
    print(f"Number of devices: {strategy.num_replicas_in_sync}")
    return strategy


def alone(device: str) -> tf.distribute.Strategy:
    """A strategy of one device, without copies and sums. On a machine without GPUs, it is the default one."""
    if device == "/cpu:0" and not tf.config.list_physical_devices("GPU"):
        return tf.distribute.get_strategy()
    return tf.distribute.OneDeviceStrategy(device)


def input_options(strategy: tf.distribute.Strategy) -> tf.distribute.InputOptions | None:
    """How batches get to the replicas: to GPUs during the step before; devices of one CPU share the memory.

    The op that sends them makes malloc return memory at once (TensorFlow 2.21): docs/performance.md. So each replica on
    the CPU has an input pipeline of its own.
    """
    if not isinstance(strategy, tf.distribute.MirroredStrategy):
        return None
    if any("GPU" in device for device in strategy.extended.worker_devices):
        return None
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    return tf.distribute.InputOptions(experimental_fetch_to_device=False, experimental_replication_mode=mode)


def set_precision(precision: str) -> None:
    """Sets the precision of the layers that are made from now on."""
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
