"""Run by test_mobilenet.py: `python drive_mobilenet.py FOLDER`, whole runs of the modern program with a tiny model."""

from __future__ import annotations

import sys
from pathlib import Path

import devices
import keras
import mobilenet_mirrored as modern
import numpy as np
import tensorflow as tf
from absl import flags


def tiny_model(size: int, alpha: float, weights: str | None, classes: int) -> keras.Model:
    """In the place of MobileNetV2."""
    print("MODEL", size, alpha, weights, classes)
    images = keras.Input((size, size, 3))
    x = keras.layers.AveragePooling2D(size // 4)(images)
    return keras.Model(images, keras.layers.Dense(classes, "softmax")(keras.layers.Flatten()(x)))


def main(folder: Path) -> None:
    """The program in all configurations by both loops, then what it says to impossible wishes."""
    print(devices.choose_devices(2))
    modern.build_model = tiny_model
    modern.define_flags()
    flags.FLAGS(["mobilenet", "--num_gpus=2", "--all_reduce=nccl"])
    try:
        modern.main([])
    except SystemExit as refused:
        print("REFUSED", refused)
    common = [
        "mobilenet", "--num_gpus=2", "--all_reduce=hierarchical", "--batch_size=8", "--num_epochs=3", "--max_images=100"
    ]  # fmt: skip
    for loop in ("fit", "hand"):
        print("RUN", loop)
        flags.FLAGS([*common, f"--loop={loop}", f"--report_dir={folder / loop}"])
        modern.main([])
    for name, wish in {"batch": "--batch_size=3", "images": "--max_images=7"}.items():
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
    flags.FLAGS(["mobilenet", f"--data_dir={folder / 'photos'}", "--configuration=one", "--batch_size=8",
                 "--max_images=0", "--weights=none", f"--report_dir={folder / 'photos_report'}"])  # fmt: skip
    modern.main([])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
