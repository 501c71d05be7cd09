"""Memory that is freed and allocated again is not mapped again, where the allocator can be set so."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

#: as a step does it: 96 MB of tensors, in a thread's own heaps of 64
STEPS = """
import resource, sys, threading
import numpy as np

def step():
    held = [np.ones(12 << 17) for _ in range(8)]

def train():
    step()
    step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        step()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

if "kept" in sys.argv:
    from tf2towers.runtime.memory import keep_freed_memory
    assert keep_freed_memory() and keep_freed_memory()
thread = threading.Thread(target=train)
thread.start()
thread.join()
"""


def _environment(**more: str) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    return {**ours, **more}


def _faults(*arguments: str) -> int:
    command = [sys.executable, "-c", STEPS, *arguments]
    return int(subprocess.run(command, env=_environment(), check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_what_a_step_freed_is_the_next_ones() -> None:
    """Page faults of 20 steps that take 96 MB each: those of the second heap each time, or next to none."""
    freed = _faults()
    if not freed:
        pytest.skip("NumPy 1.26 keeps that memory itself")
    assert 5 * _faults("kept") < freed


@pytest.mark.parametrize("name", ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"])
def test_settings_of_the_user_stay(name: str) -> None:
    code = "from tf2towers.runtime.memory import keep_freed_memory as keep; print(keep())"
    command = [sys.executable, "-c", code]
    said = subprocess.run(
        command, env=_environment(**{name: "1"}), check=True, capture_output=True, text=True
    ).stdout
    assert said == "False\n"
