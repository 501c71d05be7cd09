"""How much memory this process holds, and held at most."""

import sys
from typing import Optional, Tuple


def memory() -> Tuple[Optional[int], Optional[int]]:
    """Resident bytes now and at most: VmRSS and VmHWM of /proc/self/status; elsewhere the peak alone.

    Source of the units: proc(5), kB there are KiB; getrusage(2), ru_maxrss is in KiB, on macOS in bytes.
    """
    found = {}
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith((b"VmRSS:", b"VmHWM:")):
                    found[line[:5]] = int(line.split()[1]) * 1024
        return found.get(b"VmRSS"), found.get(b"VmHWM")
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # not a POSIX system
        return None, None
    unit = 1 if sys.platform == "darwin" else 1024
    return None, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
