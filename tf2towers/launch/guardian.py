"""`Guardian`: a small process that ends what is left of a launch whose launcher was killed (Linux)."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from tf2towers.launch.leftovers import can_kill

_ROOT = Path(__file__).parents[2]
_DISMISSED = b"."
_CODE = f"""
import os, sys
said = os.read(0, 1)
if said != {_DISMISSED!r}:
    sys.path.insert(0, sys.argv[1])
    from tf2towers.launch.leftovers import kill_leftovers
    kill_leftovers(sys.argv[2])
"""
_AT_ITS_END = 5.0  # seconds


class Guardian:
    """Waits at a pipe that this process alone holds. Its end without a word means that this process was killed.

    The tasks themselves die with it (see parent.py); what they have started does not.

    Args:
        mark: what everything that is to be killed has; see leftovers.py.
    """

    def __init__(self, mark: str) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if not can_kill():
            return
        theirs, self._line = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _CODE, str(_ROOT), mark],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not for it
            )
        except OSError:
            os.close(self._line)
        finally:
            os.close(theirs)

    def dismiss(self) -> None:
        """Nothing is to be killed any more."""
        if self._process is None:
            return
        process, self._process = self._process, None
        with contextlib.suppress(OSError):
            os.write(self._line, _DISMISSED)
        os.close(self._line)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_AT_ITS_END)
