"""Memory that is freed and allocated again is not mapped again, where the allocator can be set so."""

from __future__ import annotations

import os
import platform

import pytest

from tests.runtime.tasks import run_python

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


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("MALLOC_", "GLIBC_"))]:
        monkeypatch.delenv(name)


def _faults(*arguments: str) -> int:
    return int(run_python("-c", STEPS, *arguments)[0])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_what_a_step_freed_is_the_next_ones() -> None:
    """Page faults of 20 steps that take 96 MB each: those of the second heap each time, or next to none."""
    freed = _faults()
    if not freed:
        pytest.skip("NumPy 1.26 keeps that memory itself")
    assert 5 * _faults("kept") < freed


@pytest.mark.parametrize("name", ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"])
def test_the_users_malloc_settings_are_kept(name: str) -> None:
    code = "from tf2towers.runtime.memory import keep_freed_memory as keep; print(keep())"
    assert run_python("-c", code, **{name: "1"})[0] == "False\n"
