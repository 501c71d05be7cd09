"""Fetched values are printed as by the NumPy of TF1's days, with today's NumPy as well."""

from __future__ import annotations

import pytest

from tests.runtime.tasks import run_python

pytestmark = pytest.mark.tensorflow

SCRIPT = """\
import threading
import numpy as np
{first}
values = [np.float32(1.5), np.int32(2)], {{'loss': np.float64(0.1)}}, np.array([1., 2.], np.float32)
print(values)
thread = threading.Thread(target=lambda: print('%s' % [np.bool_(True)], repr(np.float16(2))))
thread.start()
thread.join()
{then}
print(np.array([0.123456]), [np.float32(1.5)])
"""
RUNTIME = "from tf2towers.runtime.patches.printing import print_as_numpy1\nprint_as_numpy1()"


def printed(first: str, then: str = "") -> list[str]:
    """The lines of the script, run by itself: print options are of a whole process."""
    return run_python("-c", SCRIPT.format(first=first, then=then))[0].splitlines()


def test_values_in_lists_are_written_as_numpy_1_did() -> None:
    values = "([1.5, 2], {'loss': 0.1}, array([1., 2.], dtype=float32))"
    assert printed(RUNTIME) == [values, "[True] 2.0", "[0.123456] [1.5]"]


def test_a_script_s_own_options_count() -> None:
    assert printed(RUNTIME, "np.set_printoptions(precision=2)")[-1] == "[0.12] [1.5]"


def test_graph_mode_prints_arrays_as_numpy_1_did() -> None:
    assert printed("from tf2towers.runtime import graph_mode\ngraph_mode()")[-1] == "[0.123456] [1.5]"
