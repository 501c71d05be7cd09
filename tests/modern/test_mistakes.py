"""Negative controls: mistakes in the CIFAR trainer are found, each where it is; the trainer as it is has none."""

from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

DRIVER = Path(__file__).with_name("mistakes.py")
FOUND = {
    "none": "nothing",
    "the decay of one replica's batches": "the steps until the rate drops",
    "evaluation of the current weights": "the evaluation",
    "sum for mean": "the loss",
    "a replica left out": "the weights",
    "clipping before averaging": "the weights",
    "no regularizer": "the loss",
    "a whole sum of squares": "the loss",
    "another epsilon": "the weights",
    "another decay of the statistics": "the statistics",
    "another decay of the average": "the averages",
    "no staircase": "the weights",
    "no moving average": "the averages",
    "no momentum": "the weights",
    "another normalization of images": "images",
    "labels of the next class": "images",
    "the whole batch for each replica": "16 images in a part",
    "statistics of one replica": "the statistics",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("mistakes")
    printed, _ = run_python(DRIVER, folder, seconds=900, TF_CPP_MIN_LOG_LEVEL="3")
    return dict(line.rsplit(": ", 1) for line in printed.splitlines() if ": " in line)


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found_where_it_is(found, name):
    assert found[name] == FOUND[name]


def test_every_mistake_is_held(found):
    assert set(FOUND) <= set(found)
