"""Run by test_mobilenet_options.py: both modern trainers of MobileNetV2 with their options, on a small network.

    python drive_mobilenet.py FOLDER

What the program prints comes after a line `RUN NAME`; then `KEPT` has what is in the saved model.
"""

import functools
import os
import signal
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from absl import flags

sys.path.insert(0, str(Path(__file__).parents[2] / "modern"))
import devices
import digits
import mobilenet_by_hand
import mobilenet_mirrored
import mobilenet_setup
import precision

FOLDER = Path(sys.argv[1])
WEIGHTS: dict[str, list[np.ndarray]] = {}
COMMON = [
    "mobilenet",
    "--num_gpus=2",
    "--max_images=256",
    "--batch_size=16",
    "--num_epochs=3",
    "--learning_rate=0.001",
]
TRAINERS = {"fit": mobilenet_mirrored, "hand": mobilenet_by_hand}
RUNS = {
    "fit float32": [],
    "fit bfloat16": ["--precision=bfloat16", "--eval_every=2"],
    "fit float16": ["--precision=float16"],
    "hand float32": [],
    "hand bfloat16": ["--precision=bfloat16", "--eval_every=2"],
    "hand float16": ["--precision=float16"],
    "hand jit": ["--jit"],
    "fit on one": ["--devices=/cpu:1", "--batch_size=32"],
    "fit on one, jit": ["--num_gpus=1", "--batch_size=32", "--jit"],
    "fit refused on two": ["--jit"],
    "fit refused on the second": ["--devices=/cpu:1", "--jit"],
}


#: the runs of these whose saved model is looked at
LOOKED_AT = ("fit float32", "hand float32", "fit bfloat16", "fit float16", "hand float16", "fit on one")


def small_network(input_shape, alpha, *, weights, classes, classifier_activation):
    """In MobileNetV2's place: its kinds of layers, quick to trace."""
    assert (alpha, weights) == (0.35, None)
    x = images = keras.Input(input_shape)
    x = keras.layers.Conv2D(8, 3, strides=2, use_bias=False)(x)
    x = keras.layers.ReLU(6.0)(keras.layers.BatchNormalization(momentum=0.999)(x))
    x = keras.layers.Flatten()(keras.layers.AveragePooling2D(3)(x))
    return keras.Model(images, keras.layers.Dense(classes, classifier_activation)(x))


def run(name: str, arguments: list[str]) -> None:
    """The program, and what it has left."""
    print("RUN", name, flush=True)
    folder = FOLDER / name
    flags.FLAGS.unparse_flags()
    for flag in ("precision", "jit", "devices", "num_gpus", "eval_every"):
        flags.FLAGS[flag].unparse()
    flags.FLAGS([*COMMON, *arguments, f"--train_dir={folder}"])
    try:
        TRAINERS[name.removeprefix("skipping ").removeprefix("cut off ").partition(" ")[0]].train()
    except SystemExit as stopped:
        print("STOPPED", stopped)
        return
    finally:
        keras.backend.clear_session()
    if name in LOOKED_AT or not name.startswith(("fit", "hand")):
        say_what_is_left(name, folder)


def say_what_is_left(name: str, folder: Path) -> None:
    """Prints the types and the accuracy of the saved model, and how far its weights are from those of another run."""
    model = keras.models.load_model(folder / "model.keras")
    images, labels = digits.load("test")
    predicted = model(images.astype(np.float32) / np.float32(255), training=False).numpy()
    computed = {layer.compute_dtype for layer in model.layers if isinstance(layer, keras.layers.Conv2D)}
    weights = {tf.as_dtype(variable.dtype).name for variable in model.weights}
    print("KEPT", *computed, *weights, predicted.dtype, np.mean(predicted.argmax(axis=1) == labels))
    one = WEIGHTS.setdefault(name.replace("cut off ", ""), model.get_weights())
    pairs = zip(model.get_weights(), one, strict=True)
    print("APART", max(float(np.abs(own - other).max() / np.abs(other).max()) for own, other in pairs))
    print("LEFT", *sorted(path.name for path in folder.iterdir()))


def run_again(name: str, after: int) -> None:
    """A training that a SIGTERM stops after so many steps, then started again, twice."""
    ended, make, steps = mobilenet_mirrored.Watch.on_train_batch_end, mobilenet_by_hand.make_train_step, []

    def count() -> None:
        steps.append(1)
        if len(steps) == after:
            os.kill(os.getpid(), signal.SIGTERM)

    def with_signal(self, batch, logs=None) -> None:
        count()
        ended(self, batch, logs)

    def made(*given):
        step = make(*given)

        def step_with_signal(batches):
            count()
            return step(batches)

        return step_with_signal

    mobilenet_mirrored.Watch.on_train_batch_end, mobilenet_by_hand.make_train_step = with_signal, made
    for _ in range(3):
        run(f"cut off {name}", RUNS[name])
    mobilenet_mirrored.Watch.on_train_batch_end, mobilenet_by_hand.make_train_step = ended, make


def run_cut_while_saving() -> None:
    """A training by `fit` that ends in the middle of its second file, is started again, and loses its model."""
    save, saved = keras.Model.save_weights, []

    def cut(model, path, overwrite=True):
        saved.append(path)
        if len(saved) == 2:
            Path(path).write_bytes(b"half of a file")
            raise SystemExit("killed")
        save(model, path, overwrite)

    name = "cut off fit in a save"
    WEIGHTS["fit in a save"] = WEIGHTS["fit float32"]
    keras.Model.save_weights = cut
    run(name, [])
    keras.Model.save_weights = save
    run(name, [])
    (FOLDER / name / "model.keras").unlink()  # as if it had been killed between its last step and its model
    run(name, [])


def merged() -> None:
    """Of two replicas' statistics, after two steps in which one saw ones and the other threes."""
    strategy = devices.mirrored(["/cpu:0", "/cpu:1"])
    with strategy.scope():
        images = keras.Input((1,))
        model = keras.Model(images, keras.layers.BatchNormalization(momentum=0.9)(images))

    @tf.function
    def step() -> None:
        def replica() -> None:
            own = tf.distribute.get_replica_context().replica_id_in_sync_group
            model(tf.fill([4, 1], 1.0 + 2.0 * tf.cast(own, tf.float32)), training=True)

        strategy.run(replica)

    step()
    step()
    copies = strategy.experimental_local_results(model.non_trainable_variables[0].value)
    before = [float(copy[0]) for copy in copies]
    devices.merge_statistics(model, strategy)
    print("MERGED", *before, *(float(copy[0]) for copy in copies))


def saying_what_it_has(train):
    """The function, after lines with the class of the optimizer that it trains with, and with the first device."""

    def training(*given, **options):
        (model,) = (each for each in given if isinstance(each, keras.Model))
        print("OPTIMIZER", type(model.optimizer).__name__)
        copies = [
            model.distribute_strategy.experimental_local_results(each.value) for each in model.variables
        ]
        (places,) = {tuple(copy.device for copy in each) for each in copies}
        print("COPIES", *places)
        print("ON", tf.convert_to_tensor(model.weights[0]).device)
        return train(*given, **options)

    return training


def main() -> None:
    """All of it, in one process."""
    keras.applications.MobileNetV2 = small_network
    keras.Model.fit = saying_what_it_has(keras.Model.fit)
    mobilenet_by_hand.make_train_step = saying_what_it_has(mobilenet_by_hand.make_train_step)
    mobilenet_setup.define_flags("")
    flags.FLAGS(["mobilenet"])
    devices.choose_devices(2)
    for name, arguments in RUNS.items():
        run(name, arguments)
    print("RUN statistics")
    merged()
    run_again("hand float32", after=11)
    run_cut_while_saving()
    # the first scale is so large that steps are skipped: 8 in the first epoch
    scaling = precision.LossScaleOptimizer
    precision.LossScaleOptimizer = functools.partial(scaling, initial_scale=2.0**26)
    for name in ("fit float16", "hand float16"):
        WEIGHTS.pop(name)
        run(f"skipping {name}", RUNS[name])
        WEIGHTS[name] = WEIGHTS[f"skipping {name}"]
        run_again(name, after=11)
    precision.LossScaleOptimizer = scaling


if __name__ == "__main__":
    main()
