"""The table of MobileNetV2's trainings, in the form of the handbook's."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

sys.path.insert(0, str(Path(__file__).parents[2] / "modern"))
import mobilenet_mirrored  # noqa: E402

SECONDS = {  # what the handbook measured on four GTX 1080 Ti
    "cats_vs_dogs": {"one": 146.0, "split": 39.0, "scaled": 29.0},
    "tf_flowers": {"one": 22.0, "split": 7.0, "scaled": 5.0},
}


def written(folder: Path, seconds: dict[str, dict[str, list[float]]]) -> str:
    """The table of trainings whose epochs took so long."""
    for name, times in seconds.items():
        for configuration, values in times.items():
            (folder / f"{name}_{configuration}").mkdir()
            lines = "".join(f"{epoch},0.5,{value}\n" for epoch, value in enumerate(values))
            (folder / f"{name}_{configuration}" / "epochs.csv").write_text(f"epoch,loss,seconds\n{lines}")
    return mobilenet_mirrored.table(folder)


def test_table(tmp_path):
    """Each number after a first epoch that was much slower."""
    every = {
        name: {kind: [1000.0, value, value + 1.0, value - 1.0] for kind, value in times.items()}
        for name, times in SECONDS.items()
    }
    assert written(tmp_path, every).splitlines() == [
        "data set     | one         | split             | scaled",
        "cats_vs_dogs | 146 s/epoch | 39 s/epoch, x3.74 | 29 s/epoch, x5.03",
        "tf_flowers   | 22 s/epoch  | 7 s/epoch, x3.14  | 5 s/epoch, x4.40",
    ]


def test_without_one_device_there_is_no_speed_up(tmp_path):
    """And a single epoch is what there is."""
    assert written(tmp_path, {"tf_flowers": {"scaled": [5.0]}}).splitlines()[1] == (
        "tf_flowers |     |       | 5 s/epoch"
    )
