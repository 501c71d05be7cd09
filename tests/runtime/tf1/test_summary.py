"""`tf.contrib.summary`: what operations of the graph write, and when."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.tensorflow

#: the type of a summary without a writer, the operations, what each of three runs recorded
_RUNS = [
    "Operation",
    7,
    [True, [True, False]],
    [False, [True, False]],
    [True, [True, False]],
]
#: step, tag and value of each summary
_WRITTEN = [
    [0, "inner/w", [-1.0, -2.0, 1.0]],
    [0, "loss", 5.0],
    [0, "pair", [1, 2]],
    [0, "picture/image", [3, 4, 3]],
    [1, "pair", [1, 2]],
    [1, "picture/image", [3, 4, 3]],
    [2, "inner/w", [-0.7, -1.7, 1.0]],
    [2, "loss", 0.745],
    [2, "pair", [1, 2]],
    [2, "picture/image", [3, 4, 3]],
    [10, "rates/rates/rate", 0.5],
    [11, "rates/rates/rate", 0.5],
    [12, "rates/rates/rate", 0.5],
]


def test_a_graph_writes_the_summaries_that_tensorflow_1_15_wrote(
    run_driver: Callable[..., str], tmp_path: Path
) -> None:
    printed = run_driver("drive_summary.py", str(tmp_path / "events"))
    found = json.loads(printed.split("found ", 1)[1].splitlines()[0])
    assert found == [_RUNS, ".mine", [0], _WRITTEN, "a/eval_b"]
