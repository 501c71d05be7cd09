"""Run by test_mobilenet.py: `python drive_mobilenet.py LEGACY_RECORDING OUT.npz`, one process for all that is modern.

The recording is of the legacy trainer with three blocks. The modern one, cut alike, gets each legacy step's variables,
Adam slots and batch, and makes a step of its own: OUT has its gradients, the variables after it and its losses. It
does so with mistakes in its text, too. Then follow whole trainings, and runs of the program as users start it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import devices
import keras
import mobilenet_images
import mobilenet_model
import numpy as np
import tensorflow as tf
from absl import flags

from tf2towers.verify.recording import Recording, Step

MODERN = Path(__file__).resolve().parents[2] / "modern" / "mobilenet_mirrored.py"
DEVICES = ["/cpu:0", "/cpu:1"]
SIZE, ALPHA, CLASSES, PART = 32, 0.35, 10, 8
LAST_FILTERS = 64
OUT: dict[str, np.ndarray] = {}

#: what in the trainer's text is replaced by what
MISTAKES = {
    "sum for mean": ("share = 1.0 / strategy.num_replicas_in_sync", "share = 1.0"),
    "skipped replica": (
        "gradients = devices.unscaled(optimizer, tape.gradient(scaled, variables))",
        "here = 1.0 - tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)\n"
        "        gradients = [here * gradient for gradient in tape.gradient(scaled, variables)]",
    ),
}


def load_modern(folder: Path, mistake: str = "") -> types.ModuleType:
    """modern/mobilenet_mirrored.py as a module, perhaps with a mistake in it."""
    text = MODERN.read_text(encoding="utf-8")
    if mistake:
        right, wrong = MISTAKES[mistake]
        assert text.count(right) == 1, f"the mistake no longer applies: {right!r}"
        text = text.replace(right, wrong)
    path = folder / f"mirrored_{mistake.replace(' ', '_')}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def unwritten_graphs() -> Iterator[None]:
    """Without Grappler: quicker, and rounded otherwise."""
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    yield
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})


def cut_model() -> keras.Model:
    """Keras's first three blocks, and its end made narrow: every kind of layer and block, quick to trace."""
    whole = keras.applications.MobileNetV2((SIZE, SIZE, 3), alpha=ALPHA, weights=None, classes=CLASSES)
    x = whole.get_layer("block_2_add").output
    x = keras.layers.Conv2D(LAST_FILTERS, 1, use_bias=False, name="Conv_1")(x)
    x = keras.layers.BatchNormalization(epsilon=1e-3, momentum=0.999, name="Conv_1_bn")(x)
    x = keras.layers.GlobalAveragePooling2D()(keras.layers.ReLU(6.0)(x))
    return keras.Model(whole.input, keras.layers.Dense(CLASSES, activation="softmax", name="predictions")(x))


class Kept:
    """In the optimizer's place: keeps the sums of the gradients on each replica, and lets the optimizer apply them."""

    def __init__(self, strategy: tf.distribute.Strategy, shapes: list, optimizer=None) -> None:
        self.strategy, self.optimizer = strategy, optimizer
        self.sums = [tf.Variable(tf.zeros(shape), trainable=False) for shape in shapes]

    def apply_gradients(self, pairs: list) -> None:
        pairs = list(pairs)
        context = tf.distribute.get_replica_context()
        sums = context.all_reduce(tf.distribute.ReduceOp.SUM, [gradient for gradient, _ in pairs])
        for kept, value in zip(self.sums, sums, strict=True):
            kept.assign(value)
        if self.optimizer is not None:
            self.optimizer.apply_gradients(pairs)


class Watched:
    """A model with that in the place of its optimizer."""

    def __init__(self, model: keras.Model, kept: Kept) -> None:
        self.model, self.optimizer, self.trainable_variables = model, kept, model.trainable_variables

    def __call__(self, images: tf.Tensor, training: bool) -> tf.Tensor:
        return self.model(images, training=training)


class Trainer:
    """The modern trainer's step, from whatever state it is given."""

    def __init__(self, modern: types.ModuleType, strategy: tf.distribute.Strategy) -> None:
        self.strategy = strategy
        with strategy.scope():
            self.model = cut_model()
            self.optimizer = keras.optimizers.Adam(0.001)
            self.optimizer.build(self.model.trainable_variables)
            shapes = [variable.shape for variable in self.model.trainable_variables]
            self.kept = Kept(strategy, shapes, self.optimizer)
        self.take(modern)

    def take(self, modern: types.ModuleType) -> None:
        """Have the step of this module."""
        self.step = modern.make_train_step(self.strategy, Watched(self.model, self.kept))

    def slots(self) -> Iterator[tuple[str, keras.Variable]]:
        """Keras's slots by their TF1 names."""
        of_kind = {"Adam": self.optimizer._momentums, "Adam_1": self.optimizer._velocities}
        for suffix, slots in of_kind.items():
            for variable, slot in zip(self.model.trainable_variables, slots, strict=True):
                yield f"{variable.path}/{suffix}", slot

    def put(self, step: Step, place: int) -> None:
        """The state before a legacy step: weights, statistics, Adam's slots and step count."""
        for name, variable in [(weight.path, weight) for weight in self.model.variables] + list(self.slots()):
            variable.assign(step.variables[name])
        self.optimizer.iterations.assign(place)

    def run(self, step: Step) -> tf.Tensor:
        """One step on the batch of a legacy step; its loss."""
        batch = [step.inputs["IteratorGetNext:0"], step.inputs["IteratorGetNext:1"]]
        parts = [[tf.constant(part) for part in np.split(array, len(DEVICES))] for array in batch]
        distribute = self.strategy.experimental_distribute_values_from_function
        return self.step(
            *(distribute(lambda context, of=of: of[context.replica_id_in_sync_group]) for of in parts)
        )[0]

    def note(self, kind: str, place: int) -> None:
        """The variables after a step."""
        for name, variable in [(weight.path, weight) for weight in self.model.variables] + list(self.slots()):
            OUT[f"{kind}|variable|{name}|{place}"] = copies(self.strategy, variable.value)


def copies(strategy: tf.distribute.Strategy, variable: tf.Variable) -> np.ndarray:
    """A variable on each replica."""
    return np.stack([copy.numpy() for copy in strategy.experimental_local_results(variable)])


def replay(kind: str, trainer: Trainer, steps: list[Step]) -> None:
    """Each step from the legacy's state before it."""
    for place, step in enumerate(steps):
        trainer.put(step, place)
        OUT[f"{kind}|loss||{place}"] = trainer.run(step).numpy()
        for variable, total in zip(trainer.model.trainable_variables, trainer.kept.sums, strict=True):
            OUT[f"{kind}|gradient|{variable.path}|{place}"] = copies(trainer.strategy, total)
        trainer.note(kind, place)


def update_alone(kind: str, trainer: Trainer, step: Step, epsilon: float) -> None:
    """What Adam makes of a legacy step's own gradients."""
    trainer.put(step, 0)
    trainer.optimizer.epsilon = epsilon
    variables = trainer.model.trainable_variables
    gradients = [tf.constant(step.gradients[v.path]) for v in variables]
    shares = [gradient / len(DEVICES) for gradient in gradients]  # what a replica hands in

    def replica() -> None:  # a tensor of each replica's own: one that all share is not summed
        own = [tf.identity(share) for share in shares]
        trainer.optimizer.apply_gradients(zip(own, variables, strict=True))

    @tf.function
    def update() -> None:
        trainer.strategy.run(replica)

    update()
    trainer.note(kind, 0)


def batches(epochs: int) -> tf.data.Dataset:
    """The trainer's own."""
    return mobilenet_images.batches(mobilenet_images.load("digits"), SIZE, 2 * PART, epochs, seed=0)


class Quiet(keras.callbacks.Callback):
    """In the place of the trainer's Progress."""

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.logs = dict(logs)


def whole_training(
    modern: types.ModuleType, loop: str, strategy: tf.distribute.Strategy, first: Step
) -> None:
    """Two epochs of three steps, by `fit` or by hand: everything at the end, on every replica."""
    with strategy.scope():
        model = cut_model()
        model.compile(
            keras.optimizers.Adam(0.001),
            keras.losses.sparse_categorical_crossentropy,
            metrics=[keras.metrics.sparse_categorical_accuracy],
            jit_compile=False,
        )
        model.optimizer.build(model.trainable_variables)
    for variable in model.variables:
        variable.assign(first.variables[variable.path])
    progress = Quiet()
    if loop == "fit":
        modern.train_by_fit(model, batches(2), 2, 3, progress)
    else:
        modern.train_by_hand(strategy, model, batches(2), 2, 3, progress)
    for place, variable in enumerate([*model.variables, *model.optimizer.variables]):
        OUT[f"{loop}|variable|{place}"] = copies(strategy, variable.value)
    for name in ("loss", "sparse_categorical_accuracy"):
        OUT[f"{loop}|{name}"] = np.float32(progress.logs[name])


def whole_network() -> None:
    """All 17 blocks: the legacy model's variables, and what both networks say of one batch."""
    v1, images = tf.compat.v1, np.random.RandomState(0).rand(4, SIZE, SIZE, 3).astype("float32")
    model = keras.applications.MobileNetV2(
        (SIZE, SIZE, 3), alpha=ALPHA, weights=None, classes=CLASSES, classifier_activation=None
    )
    weights = {variable.path: variable.numpy() for variable in model.variables}
    with tf.Graph().as_default():
        logits = mobilenet_model.inference(tf.constant(images), CLASSES, ALPHA)
        variables = {variable.op.name: variable for variable in v1.global_variables()}
        shapes = {name: tuple(variable.shape) for name, variable in variables.items()}
        assert shapes == {name: value.shape for name, value in weights.items()}
        assigned = [v1.assign(variables[name], weights[name]) for name in weights]
        with v1.Session() as sess:
            sess.run(assigned)
            OUT["whole|legacy"] = sess.run(logits)
    OUT["whole|keras"] = model(images, training=True).numpy()


def all_reduces(modern: types.ModuleType) -> None:
    """The sum of what two replicas have, by each kind of all-reduce."""

    def own() -> tf.Tensor:
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.fill([5], 0.1 + tf.cast(replica, tf.float32))

    for kind in ("one-device", "hierarchical"):
        strategy = devices.mirrored(DEVICES, kind)
        values = [strategy.run(own), strategy.run(own)]
        sums = strategy.extended.batch_reduce_to(modern.SUM, [(value, value) for value in values])
        OUT[f"all-reduce|{kind}"] = np.stack([copies(strategy, total) for total in sums])
    try:
        devices.mirrored(DEVICES, "nccl")
    except SystemExit as refused:
        print("REFUSED", refused)


def tiny_model(size: int, alpha: float, weights: str | None, classes: int) -> keras.Model:
    """For the runs of the whole program."""
    print("MODEL", size, alpha, weights, classes)
    images = keras.Input((size, size, 3))
    x = keras.layers.AveragePooling2D(size // 4)(images)
    return keras.Model(images, keras.layers.Dense(classes, "softmax")(keras.layers.Flatten()(x)))


def program(modern: types.ModuleType, folder: Path) -> None:
    """The program in all configurations by both loops, then what it says to impossible wishes."""
    modern.build_model = tiny_model
    modern.define_flags()
    common = [
        "mobilenet",
        "--num_gpus=2",
        "--all-reduce=hierarchical",
        "--batch_size=8",
        "--num_epochs=3",
        "--max-images=100",
    ]
    impossible = {"batch": "--batch_size=1", "images": "--max_images=7"}
    for loop in ("fit", "hand"):
        print("RUN", loop)
        flags.FLAGS([*common, f"--loop={loop}", f"--report-dir={folder / loop}"])
        modern.main([])
    for name, wish in impossible.items():
        print("RUN", name)
        flags.FLAGS([*common, wish, "--configuration=split"])
        try:
            modern.main([])
        except SystemExit as stopped:
            print("STOPPED", stopped)
    print("RUN photos")
    for kind, shade in {"dark": 20, "light": 230}.items():
        (folder / "photos" / kind).mkdir(parents=True)
        for number in range(4):
            image = np.full((20 + number, 30, 3), shade + number, np.uint8)
            (folder / "photos" / kind / f"{number}.jpg").write_bytes(tf.io.encode_jpeg(image).numpy())
    flags.FLAGS(["mobilenet", f"--data-dir={folder / 'photos'}", "--configuration=one", "--batch_size=8",
                 "--max_images=0", "--weights=none", f"--report_dir={folder / 'photos_report'}"])  # fmt: skip
    modern.main([])


def main() -> None:
    """Everything the tests need."""
    recording, out = Recording.load(Path(sys.argv[1])), Path(sys.argv[2])
    first = recording.steps[0]
    tf.random.set_seed(0)  # of which tf.data's shuffle makes its own, as the recorder does
    modern = load_modern(out.parent)
    print(devices.choose_devices(2))
    strategy = devices.mirrored(DEVICES)

    whole_network()
    for place, (images, labels) in enumerate(batches(1).take(3)):
        OUT[f"batch|images|{place}"], OUT[f"batch|labels|{place}"] = images.numpy(), labels.numpy()
    trainer = Trainer(modern, strategy)
    replay("right", trainer, recording.steps)
    update_alone("Keras's epsilon", trainer, first, 1e-7)
    update_alone("TF1's epsilon", trainer, first, 1e-8)
    with unwritten_graphs():
        trainer.kept.optimizer = None  # the gradients are enough
        for mistake in MISTAKES:
            trainer.take(load_modern(out.parent, mistake))
            replay(mistake, trainer, [first])
        for layer in trainer.model.layers:
            if isinstance(layer, keras.layers.BatchNormalization):
                layer.epsilon = 1.1e-3
        trainer.take(modern)
        replay("batch-norm epsilon", trainer, [first])
        for loop in ("fit", "hand"):
            whole_training(modern, loop, strategy, first)
    all_reduces(modern)
    np.savez(out, **OUT)
    program(modern, out.parent)


if __name__ == "__main__":
    main()
