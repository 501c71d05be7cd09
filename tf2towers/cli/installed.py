"""What a command needs beside the light installation; where it is missing, one sentence says how to install it."""

from __future__ import annotations

import sys
from importlib.util import find_spec


class NotInstalled(Exception):
    """A sentence that says what is missing, and the command that installs it."""


def require_modules(*modules: str) -> None:
    """Raises NotInstalled unless this interpreter has all these modules. None of them is loaded."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        names = " and ".join(", ".join(missing).rsplit(", ", 1))
        raise NotInstalled(
            f"{names} {'is' if len(missing) == 1 else 'are'} not installed here; this installs what is missing: "
            f"{sys.executable} -m pip install 'tf2towers[all]' ('.[all]' in a clone)"
        )
