"""Memory that one step frees is the next step's: mallopt makes glibc's malloc keep it.

A training step allocates its activations and gradients anew. glibc gives what is freed back to the system at once (a
thread's heap that is empty, and what stands free at a heap's top). The next step has the same pages mapped and
zeroed again. That is 2,100 page faults in a step of the CIFAR-10 towers at batch 64, a tenth to a fifth of its time
(docs/performance.md). mallopt(3) says what the settings are.
"""

from __future__ import annotations

import ctypes
import os

#: malloc.h's numbers of the settings, and what they become, in bytes
_SETTINGS = {
    -3: 256 << 20,  # M_MMAP_THRESHOLD: a tensor below it comes from a heap, not from a mapping of its own
    -1: 1 << 30,  # M_TRIM_THRESHOLD: so much may stay free at a heap's top
    -2: 64 << 20,  # M_TOP_PAD: and a thread's last heap stays where all of it is free
}


def keep_freed_memory() -> bool:
    """Lets malloc keep what is freed, for what is allocated next; called again, it changes nothing more.

    The most that the process holds grows little (1 to 5 % in docs/performance.md). Settings that somebody made
    (`MALLOC_*`, `GLIBC_TUNABLES`) stay, and an allocator that has no `mallopt` (macOS, musl) is left alone.

    Returns:
        Whether malloc took the settings.
    """
    if "GLIBC_TUNABLES" in os.environ or any(name.startswith("MALLOC_") for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library without a name
        return False
    taken = [mallopt(setting, size) == 1 for setting, size in _SETTINGS.items()]
    return all(taken)
