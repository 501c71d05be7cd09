"""The machine that was measured on: numbers of two trainings mean nothing without it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Cores, processor, memory, system and load, as 'the machine: 2 cores of ..'."""
    parts = [f"{cores()} of {os.cpu_count()} cores" if cores() != os.cpu_count() else f"{cores()} cores"]
    if model := _field("/proc/cpuinfo", "model name"):
        parts[0] += f" ({model})"
    if memory := _field("/proc/meminfo", "MemTotal"):
        parts.append(f"{int(memory.split()[0]) / 2**20:.0f} GiB of memory")
    parts.append(f"{platform.system()} {platform.machine()}")
    if hasattr(os, "getloadavg"):
        parts.append(f"load average {os.getloadavg()[0]:.1f} at the start")
    return ", ".join(parts)


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _field(path: str, name: str) -> str:
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
