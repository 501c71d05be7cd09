"""The table of MobileNetV2's trainings, in the form of the handbook's."""

import csv
import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "modern" / "mobilenet_times.py"
spec = importlib.util.spec_from_file_location("mobilenet_times", PATH)
times = importlib.util.module_from_spec(spec)
spec.loader.exec_module(times)

SECONDS = {  # what the handbook measured on four GTX 1080 Ti
    "cats_vs_dogs": {"one": 146.0, "split": 39.0, "scaled": 29.0},
    "tf_flowers": {"one": 22.0, "split": 7.0, "scaled": 5.0},
}


def measured(seconds=None):
    """The handbook's numbers, each after a first epoch that was much slower."""
    return [
        times.Times(
            dataset, name, 1 if name == "one" else 4, 256 if name == "scaled" else 64, "", "fit", 3670,
            [1000.0, value, value + 1.0, value - 1.0], [2.0, 0.5], [0.1, 0.9],
        )
        for dataset, of_name in (seconds or SECONDS).items()
        for name, value in of_name.items()
    ]  # fmt: skip


def test_table():
    assert times.table(measured()).splitlines() == [
        "data set     | one device (total batch 64) | 4 replicas (total batch 64) | 4 replicas (total batch 256)",
        "------------ | --------------------------- | --------------------------- | ----------------------------",
        "cats_vs_dogs | 146 s/epoch                 | 39 s/epoch, x3.74           | 29 s/epoch, x5.03",
        "tf_flowers   | 22 s/epoch                  | 7 s/epoch, x3.14            | 5 s/epoch, x4.40",
    ]


def test_without_one_device_there_is_no_speed_up(tmp_path):
    alone = measured({"tf_flowers": {"scaled": 5.0}})
    assert times.table(alone).splitlines()[2] == "tf_flowers | 5 s/epoch"
    times.write_csv(tmp_path / "times.csv", alone)
    with (tmp_path / "times.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["speed_up"], row["seconds_per_epoch"], row["first_epoch_seconds"]) == (
        "",
        "5.0000",
        "1000.0000",
    )


def test_csv(tmp_path):
    times.write_csv(tmp_path / "times.csv", measured())
    with (tmp_path / "times.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert rows[1] == {
        "data_set": "cats_vs_dogs", "configuration": "split", "replicas": "4", "total_batch_size": "64",
        "all_reduce": "", "loop": "fit", "images": "3670", "epochs": "4", "first_epoch_seconds": "1000.0000",
        "seconds_per_epoch": "39.0000", "images_per_second": "94.1026", "speed_up": "3.7436", "loss": "0.5000",
        "accuracy": "0.9000",
    }  # fmt: skip


def test_a_single_epoch_is_what_there_is():
    (only,) = measured({"digits": {"one": 2.0}})
    assert only._replace(seconds=[3.0]).seconds_per_epoch == 3.0


def test_picture(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    assert times.write_picture(tmp_path / "times.png", measured())
    assert (tmp_path / "times.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not times.write_picture(tmp_path / "no.png", measured())
