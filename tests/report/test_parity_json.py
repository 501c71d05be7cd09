"""A parity result for other programs."""

import json
from dataclasses import fields

import pytest

from tests.report.parity_results import EVERY, differs, odd
from tf2towers.report.parity_json import parity_as_json
from tf2towers.report.parity_result import ParityResult


def strict(text: str) -> dict:
    def refuse(token: str) -> None:
        raise AssertionError(f"no JSON: {token}")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", EVERY)
def test_every_result_is_json(name: str) -> None:
    result = EVERY[name]()
    document = strict(parity_as_json(result))
    assert document["schema"] == 2
    assert document["outcome"] == result.outcome
    assert document["status"] == result.status
    assert len(document["comparisons"]) == len(result.comparisons)
    assert sum(sum(counts.values()) for counts in document["counts"].values()) == len(result.comparisons)


def test_the_fields_of_a_parity_result() -> None:
    document = strict(parity_as_json(differs()))
    names = ["schema", "status", "verdict", "counts"] + [field.name for field in fields(ParityResult)]
    assert set(document) == set(names)
    assert (document["first_step"], document["first_gradient"]) == (0, "fc/weights")
    assert document["counts"]["variable"] == {"failed": 1, "differs": 1, "within": 0, "bitwise": 0}
    assert document["original"] == {
        "title": "original", "script": "legacy/train.py", "tensorflow": "1.15.5", "python": "3.7.17",
        "seconds": 21.5, "notes": [],
    }  # fmt: skip
    assert document["diagnoses"][0]["todo"] == "Use MEAN in the all-reduce."
    assert document["comparisons"][2] == {
        "kind": "gradient", "name": "conv1/weights", "verdict": "differs", "problem": "", "bitwise": False,
        "within": False, "first_step": 0, "max_rel": 0.6, "shape": [3, 4], "dtype": "float32", "rounding": False,
    }  # fmt: skip
    assert document["comparisons"][0]["first_step"] is None


def test_numbers_of_numpy_become_numbers_of_json() -> None:
    numpy = pytest.importorskip("numpy")
    result = odd(0.5)
    result.original.seconds, result.first_step = numpy.float32(0.5), numpy.int64(0)
    document = strict(parity_as_json(result))
    assert document["original"]["seconds"] == 0.5
    assert document["first_step"] == 0
