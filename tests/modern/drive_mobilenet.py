"""Run by test_mobilenet_options.py: modern/mobilenet_mirrored.py with each of its options, on a small network.

    python drive_mobilenet.py FOLDER

What the program prints comes after a line `RUN NAME`; then `KEPT` has what is in the saved model.
"""

import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from absl import flags

sys.path.insert(0, str(Path(__file__).parents[2] / "modern"))
import mobilenet_mirrored as modern
import trainer_data

FOLDER = Path(sys.argv[1])
WEIGHTS: dict[str, list[np.ndarray]] = {}
COMMON = ["mobilenet", "--num_gpus=2", "--max_images=256", "--batch_size=16", "--num_epochs=3"]
SCALED = "--configuration=scaled"
RUNS = {
    "fit float32": ["--loop=fit", SCALED],
    "fit bfloat16": ["--loop=fit", SCALED, "--precision=bfloat16"],
    "fit float16": ["--loop=fit", SCALED, "--precision=float16"],
    "hand float32": ["--loop=hand", SCALED],
    "hand bfloat16": ["--loop=hand", SCALED, "--precision=bfloat16"],
    "hand float16": ["--loop=hand", SCALED, "--precision=float16"],
    "fit several": ["--loop=fit", SCALED, "--steps_per_call=5"],
    "hand several": ["--loop=hand", SCALED, "--steps_per_call=5"],
    "hand jit": ["--loop=hand", SCALED, "--jit"],
    "one": ["--loop=hand", "--configuration=one"],
    "one of those named": ["--loop=fit", "--configuration=one", "--devices=/cpu:1,/cpu:0", "--eval_every=2"],
    "one jit": ["--loop=fit", "--configuration=one", "--jit"],
    "refused": ["--loop=fit", "--jit"],
}


def small_network(input_shape, alpha, weights, classes, classifier_activation):
    """In MobileNetV2's place: its kinds of layers, quick to trace."""
    assert (alpha, weights) == (0.35, None)
    x = images = keras.Input(input_shape)
    x = keras.layers.Conv2D(8, 3, strides=2, use_bias=False)(x)
    x = keras.layers.ReLU(6.0)(keras.layers.BatchNormalization(momentum=0.9)(x))
    x = keras.layers.Flatten()(keras.layers.AveragePooling2D(3)(x))
    return keras.Model(images, keras.layers.Dense(classes, classifier_activation)(x))


def run(name: str, arguments: list[str]) -> None:
    """The program, and what it has left."""
    print("RUN", name, flush=True)
    folder = FOLDER / name
    flags.FLAGS.unparse_flags()
    for flag in ("precision", "jit", "loop", "configuration", "devices", "eval_every", "steps_per_call"):
        flags.FLAGS[flag].unparse()
    flags.FLAGS([*COMMON, *arguments, f"--report_dir={folder}"])
    try:
        modern.main([])
    except SystemExit as stopped:
        print("STOPPED", stopped)
        return
    (path,) = folder.glob("*/model.keras")
    model = keras.models.load_model(path)
    images, labels = trainer_data.load_digits("test")
    predicted = model.predict(images.astype(np.float32) / np.float32(255), verbose=0)
    computed = {layer.compute_dtype for layer in model.layers if isinstance(layer, keras.layers.Conv2D)}
    weights = {tf.as_dtype(variable.dtype).name for variable in model.weights}
    print("KEPT", *computed, *weights, predicted.dtype, np.mean(predicted.argmax(axis=1) == labels))
    one = WEIGHTS.setdefault(name.replace("several", "float32"), model.get_weights())
    pairs = zip(model.get_weights(), one, strict=True)
    print("APART", max(float(np.abs(own - other).max() / np.abs(other).max()) for own, other in pairs))
    print("LEFT", *sorted(path.name for path in path.parent.iterdir()))


def run_again(loop: str) -> None:
    """A training that is cut off in its second epoch, then started again."""
    saved, name = modern.Progress.on_epoch_end, f"cut off {loop}"

    def cut_off(self, epoch, logs=None) -> None:
        if epoch == 1:
            raise SystemExit("cut off")
        saved(self, epoch, logs)

    modern.Progress.on_epoch_end = cut_off
    run(name, [f"--loop={loop}", SCALED])
    modern.Progress.on_epoch_end = saved
    run(name, [f"--loop={loop}", SCALED])


def saying_what_it_has(train):
    """The loop, after lines with the class of the optimizer that it trains with, and with the first device."""

    def training(*given):
        (model,) = (each for each in given if isinstance(each, keras.Model))
        print("OPTIMIZER", type(model.optimizer).__name__)
        print("ON", tf.convert_to_tensor(model.weights[0]).device)
        return train(*given)

    return training


def main() -> None:
    """All of it, in one process."""
    keras.applications.MobileNetV2 = small_network
    modern.train_by_fit = saying_what_it_has(modern.train_by_fit)
    modern.train_by_hand = saying_what_it_has(modern.train_by_hand)
    modern.define_flags()
    for name, arguments in RUNS.items():
        run(name, arguments)
    for loop in ("fit", "hand"):
        run_again(loop)


if __name__ == "__main__":
    main()
