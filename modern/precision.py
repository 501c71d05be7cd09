"""What layers compute in. Weights are float32; with float16 the loss is scaled, or small gradients would become 0."""

import keras
import tensorflow as tf
from absl import flags


def define_flags() -> None:
    """The flags for precision and XLA."""
    flags.DEFINE_enum("precision", "float32", ["float32", "bfloat16", "float16"], "What layers compute in.")
    flags.DEFINE_boolean("jit", False, "Compile what each replica computes with XLA, which rounds otherwise.")


def set_policy(precision: str) -> None:
    """Set what layers that are made from now on compute in."""
    keras.mixed_precision.set_global_policy("float32" if precision == "float32" else f"mixed_{precision}")


class LossScaleOptimizer(keras.mixed_precision.LossScaleOptimizer):
    """Skips a step where any replica's gradients are not finite, and counts it. Keras's asks the first replica."""

    def build(self, variables: list) -> None:
        """Make the variables."""
        super().build(variables)
        self.attempts = self.add_variable((), "zeros", "int64", "only_first_replica", name="attempts")

    def apply(self, gradients: list, trainable_variables: list | None = None) -> None:
        """Make a step, or skip it and scale the loss less from then on."""
        super().apply(gradients, trainable_variables)
        self.attempts.assign_add(1)

    def check_finite(self, gradients: list[tf.Tensor]) -> tf.Tensor:
        """True if all gradients of all replicas are finite: the sum over them would not be."""
        replicas = tf.distribute.get_replica_context()
        own = tf.cast(super().check_finite(gradients), tf.float32)
        return tf.equal(replicas.all_reduce(tf.distribute.ReduceOp.SUM, own), replicas.num_replicas_in_sync)


def steps_made(optimizer: keras.Optimizer) -> int:
    """The steps that were tried: as many batches have been read. `iterations` leaves out those that were skipped."""
    return int(getattr(optimizer, "attempts", optimizer.iterations).numpy())
