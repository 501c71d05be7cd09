"""The smallest programs, on one device and on several: the legacy ones and their modern twins print the same."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
BOTH_MODERN = f"""
import runpy
import tensorflow as tf
tf.debugging.set_log_device_placement(True)  # to standard error
runpy.run_path('{ROOT}/modern/several_devices.py', run_name='__main__')
print('--')
runpy.run_path('{ROOT}/modern/single_device.py', run_name='__main__')
"""


def test_the_twins_print_the_same() -> None:
    """Sum and product of 2 and 5, once and in three runs; the product on the second device."""
    legacy = [(str(ROOT / "legacy" / f"{name}.py"),) for name in ("single_device", "several_devices")]
    with ThreadPoolExecutor(2) as pool:
        (single, _), (several, _), (modern, placements) = pool.map(
            lambda command: run_python(*command, TF_CPP_MIN_LOG_LEVEL="0"), [*legacy, ("-c", BOTH_MODERN)]
        )
    assert re.findall(r"\d+\.", single) == ["7."] * 4 + ["10."] * 4
    assert re.findall(r"\d+\.", several) == (["7."] * 4 + ["10."] * 4) * 3
    placed = r"(\w+): \((AddV2|Mul)\): \S*device:CPU:(\d)$"
    printed = [line for line in modern.splitlines(keepends=True) if ": (" not in line]
    assert "".join(printed) == f"{several}--\n{single}"
    assert {(kind, device) for _, kind, device in re.findall(placed, placements + modern, re.MULTILINE)} >= {
        ("AddV2", "0"), ("Mul", "1")
    }  # fmt: skip
