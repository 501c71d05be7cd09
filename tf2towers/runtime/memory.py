"""Makes glibc's malloc keep the memory that a training step frees, for the next step (mallopt).

A training step allocates its activations and gradients anew. glibc returns freed memory to the
system at once (an empty heap of a thread, and free memory at the top of a heap). In the next step
the kernel maps and zeroes the same pages again. That is 2,100 page faults in a step of the CIFAR-10
towers at batch 64, a tenth to a fifth of its time (docs/performance.md). mallopt(3) describes the
settings.
"""

from __future__ import annotations

import ctypes
import os

#: malloc.h's number of each setting -> its new value in bytes
_SETTINGS = {
    -3: 256 << 20,  # M_MMAP_THRESHOLD: a tensor below it comes from a heap, not from a mapping of its own
    -1: 1 << 30,  # M_TRIM_THRESHOLD: this much may stay free at the top of a heap
    -2: 64 << 20,  # M_TOP_PAD: a thread's last heap is kept, even if all of it is free
}


def keep_freed_memory() -> bool:
    """Makes malloc keep freed memory for later allocations; further calls change nothing.

    The process's peak memory grows little (by 1 to 5 % in docs/performance.md). Settings from the
    environment (`MALLOC_*`, `GLIBC_TUNABLES`) stay, and an allocator without `mallopt` (macOS,
    musl) is left alone.

    Returns:
        Whether malloc accepted the settings.
    """
    if "GLIBC_TUNABLES" in os.environ or any(name.startswith("MALLOC_") for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # TypeError: Windows needs a library's name
        return False
    taken = [mallopt(setting, size) == 1 for setting, size in _SETTINGS.items()]
    return all(taken)
