"""Train Keras's MobileNetV2 with MirroredStrategy, by a hand-written loop: mobilenet_mirrored.py with nothing hidden.

    python modern/mobilenet_by_hand.py --num_gpus=4 --all_reduce=hierarchical

What the strategy does is numbered here; 1, a copy of the model on each device, is in mobilenet_setup.py.
Beside it stand devices.py, digits.py, mobilenet_images.py, mobilenet_setup.py and precision.py.
"""

import signal
import time
from pathlib import Path
from typing import Any

import devices
import keras
import mobilenet_setup
import precision
import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS


def make_train_step(strategy: tf.distribute.Strategy, model: keras.Model, jit: bool) -> Any:
    """A step of MirroredStrategy: the loss and the accuracy of a batch, before the weights change."""
    variables, optimizer = model.trainable_variables, model.optimizer

    def gradients_and_results(images: tf.Tensor, labels: tf.Tensor) -> tuple[list[tf.Tensor], tf.Tensor]:
        """3: each device computes the gradients of its part of the batch, from its own copies of the variables."""
        with tf.GradientTape() as tape:
            probabilities = model(images, training=True)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, probabilities))
            share = loss / strategy.num_replicas_in_sync  # the optimizer adds up the replicas' shares
            scaled = optimizer.scale_loss(share)
        hits = tf.reduce_mean(keras.metrics.sparse_categorical_accuracy(labels, probabilities))
        return tape.gradient(scaled, variables), tf.stack([loss, hits])

    compute = tf.function(gradients_and_results, jit_compile=True) if jit else gradients_and_results

    def replica_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        gradients, results = compute(images, labels)
        # 4: all-reduce. The devices send their gradients to one another; then each has the sum of all.
        # 5: each device updates its own copies by that sum. So all copies stay equal, and no weights are sent.
        optimizer.apply(gradients, variables)
        return results

    @tf.function
    def train_step(batches: Any) -> tf.Tensor:
        results = strategy.run(replica_step, args=next(batches))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, results, axis=None)

    return train_step


def train() -> None:
    """One training from its first weights, or from where it was cut off."""
    setup, folder = mobilenet_setup.from_flags(), Path(FLAGS.train_dir)
    model, strategy, steps = setup.model, setup.strategy, setup.steps
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.train_dir, max_to_keep=1)
    if manager.latest_checkpoint:
        try:
            checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
        except (AssertionError, ValueError):
            raise SystemExit(f"{folder} is of another training; use another --train_dir") from None
    made, whole = precision.steps_made(model.optimizer), steps * setup.epochs
    if made >= whole and (folder / "model.keras").exists():
        print(f"{folder} is done already; another --train_dir trains anew")
        return
    if made:
        print(f"going on after step {made} of {whole}")
    # 2: each device gets its part of each batch
    batches = iter(strategy.experimental_distribute_dataset(setup.batches_from(made)))
    train_step = make_train_step(strategy, model, FLAGS.jit)
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    stop = False  # a signal after the decision to save ends the next epoch
    while made < whole and not stop:
        start, first, sums = time.perf_counter(), made, tf.zeros(2)
        while made == first or (made % steps and not stopping):
            sums += train_step(batches)  # 6: the next step begins when all devices have updated their copies
            made += 1
        loss, accuracy = (sums / (made - first)).numpy().tolist()
        logs, seconds = {"loss": loss, mobilenet_setup.ACCURACY: accuracy}, time.perf_counter() - start
        devices.merge_statistics(model, strategy)
        stop, evaluates = bool(stopping), made % (steps * FLAGS.eval_every) == 0
        if made % steps == 0:
            if evaluates and setup.validation:
                found = model.evaluate(setup.validation, verbose=0, return_dict=True)
                logs |= {f"val_{name}": value for name, value in found.items()}
            print(mobilenet_setup.line(made // steps - 1, seconds, logs), flush=True)
        if stop or evaluates or made == whole:
            manager.save(checkpoint_number=made)
    if made < whole:
        raise SystemExit(f"stopped by a signal after step {made}, which is saved in {folder}")
    keras.Model(model.inputs, model.outputs).save(folder / "model.keras")  # without what it was compiled with


if __name__ == "__main__":
    mobilenet_setup.define_flags("/tmp/mobilenet_by_hand")
    app.run(lambda _: train())
