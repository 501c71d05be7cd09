"""Train Keras's MobileNetV2 with MirroredStrategy, by `fit`.

    python modern/mobilenet_mirrored.py                                            # the digits, 2 logical CPU devices
    python modern/mobilenet_mirrored.py --dataset=cats_vs_dogs --num_gpus=4        # TensorFlow Datasets
    python modern/mobilenet_mirrored.py --data_dir=photos --devices=/gpu:0,/gpu:1  # photos/KIND/*.jpg

The twin in towers is legacy/mobilenet_towers.py, the same steps by hand are mobilenet_by_hand.py. Beside it stand
devices.py, digits.py, mobilenet_images.py, mobilenet_setup.py and precision.py.
"""

import importlib.util
import signal
import sys
import time
from pathlib import Path

import devices
import keras
import mobilenet_setup
import precision
from absl import app, flags

FLAGS = flags.FLAGS


class Watch(keras.callbacks.Callback):
    """Saves with each evaluation, and after the step in which a SIGTERM comes. Times epochs, and prints a line of each.

    Restores as it is made. Keras's BackupAndRestore writes over its only file: killed meanwhile, it leaves nothing.
    """

    def __init__(self, folder: Path, setup: mobilenet_setup.Setup) -> None:
        super().__init__()
        self.saved, self.setup, self.signals = folder / "latest.weights.h5", setup, []
        signal.signal(signal.SIGTERM, lambda number, _: self.signals.append(number))
        if self.saved.exists():  # it has the optimizer's steps too, on which the batches to come depend
            setup.model.load_weights(self.saved)

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        """Start the clock."""
        self.start = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """Of an epoch the last one counts. After a signal, save; the optimizer counts steps."""
        self.seconds = time.perf_counter() - self.start
        if self.signals:
            self.save()
            made = precision.steps_made(self.model.optimizer)
            raise SystemExit(f"stopped by a signal after step {made}, which is saved in {self.saved}")

    def on_test_begin(self, logs: dict | None = None) -> None:
        """An evaluation reads the statistics."""
        devices.merge_statistics(self.model, self.setup.strategy)

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Save after an evaluation; neither is timed."""
        print(mobilenet_setup.line(epoch, self.seconds, logs), flush=True)
        if (epoch + 1) % FLAGS.eval_every == 0:
            self.save()

    def save(self) -> None:
        """Write beside the last one, then take its place."""
        devices.merge_statistics(self.setup.model, self.setup.strategy)
        new = self.saved.with_name("new.weights.h5")
        new.parent.mkdir(parents=True, exist_ok=True)
        self.setup.model.save_weights(new)
        new.replace(self.saved)


def train() -> None:
    """One training from its first weights, or from where it was cut off."""
    setup, folder = mobilenet_setup.from_flags(FLAGS.jit), Path(FLAGS.train_dir)
    if FLAGS.jit and [name[-2:] for name in setup.strategy.extended.worker_devices] != [":0"]:
        raise SystemExit("--jit: fit compiles for the first device alone; mobilenet_by_hand.py does for all")
    try:
        watch = Watch(folder / "backup", setup)
    except (KeyError, ValueError):
        raise SystemExit(f"{folder} is of another training; use another --train_dir") from None
    steps, model = setup.steps, setup.model
    made, whole = precision.steps_made(model.optimizer), steps * setup.epochs
    if made >= whole and (folder / "model.keras").exists():
        print(f"{folder} is done already; another --train_dir trains anew")
        return
    if made:
        print(f"going on after step {made} of {whole}")
    board = [keras.callbacks.TensorBoard(folder)] if importlib.util.find_spec("tensorboard") else []
    for until in (made + -made % steps, whole):  # an epoch that has been begun, then the others
        if made < until:
            model.fit(
                setup.batches_from(made), initial_epoch=made // steps, epochs=-(-until // steps),
                steps_per_epoch=min(steps, until - made), shuffle=False, verbose=int(sys.stdout.isatty()),
                validation_data=setup.validation, validation_freq=FLAGS.eval_every, callbacks=[watch, *board],
            )  # fmt: skip
            made = until
    watch.save()
    keras.Model(model.inputs, model.outputs).save(folder / "model.keras")  # without what it was compiled with


if __name__ == "__main__":
    mobilenet_setup.define_flags("/tmp/mobilenet_mirrored")
    app.run(lambda _: train())
