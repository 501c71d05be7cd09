"""Run by test_mobilenet.py: `drive_mobilenet.py FOLDER`, whole runs of both modern programs with a tiny model."""

from __future__ import annotations

import sys
from pathlib import Path

import keras
import mobilenet_by_hand
import mobilenet_mirrored
import mobilenet_setup
import numpy as np
import tensorflow as tf
from absl import flags


def tiny_model(size: int, alpha: float, weights: str, classes: int) -> keras.Model:
    """In the place of MobileNetV2."""
    print("MODEL", size, alpha, weights, classes)
    images = keras.Input((size, size, 3))
    x = keras.layers.AveragePooling2D(size // 4)(images)
    return keras.Model(images, keras.layers.Dense(classes, "softmax")(keras.layers.Flatten()(x)))


def main(folder: Path) -> None:
    """Both programs on two devices and one, then what they say to impossible wishes."""
    mobilenet_setup.build_model = tiny_model
    mobilenet_setup.define_flags("")
    common = ["mobilenet", "--num_epochs=3", "--max_images=100"]
    runs = {
        "fit, two": (
            mobilenet_mirrored,
            ["--num_gpus=2", "--batch_size=4", "--all_reduce=HierarchicalCopyAllReduce"],
        ),
        "hand, two": (mobilenet_by_hand, ["--num_gpus=2", "--batch_size=4"]),
        "fit, one": (mobilenet_mirrored, ["--num_gpus=1", "--batch_size=8"]),
        "nccl": (mobilenet_mirrored, ["--num_gpus=2", "--all_reduce=NcclAllReduce"]),
        "images": (mobilenet_by_hand, ["--num_gpus=2", "--batch_size=4", "--max_images=7"]),
    }
    for name, (program, wishes) in runs.items():
        print("RUN", name)
        flags.FLAGS.unparse_flags()
        flags.FLAGS["all_reduce"].unparse()
        flags.FLAGS([*common, *wishes, f"--train_dir={folder / name}"])
        try:
            program.train()
        except SystemExit as stopped:
            print("STOPPED", stopped)
    print("RUN photos")
    for kind, shade in {"dark": 20, "light": 230}.items():
        (folder / "photos" / kind).mkdir(parents=True)
        for number in range(4):
            image = np.full((20 + number, 30, 3), shade + number, np.uint8)
            (folder / "photos" / kind / f"{number}.jpg").write_bytes(tf.io.encode_jpeg(image).numpy())
    flags.FLAGS(["mobilenet", f"--data_dir={folder / 'photos'}", "--num_gpus=1", "--batch_size=8", "--max_images=0",
                 "--weights=none", f"--train_dir={folder / 'of photos'}"])  # fmt: skip
    mobilenet_mirrored.train()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
