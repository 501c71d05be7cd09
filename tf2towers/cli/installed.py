"""What a command needs beside the light installation; where it is missing, one sentence says how to install it."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec

#: the distribution of a module, where its name is another one
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


class NotInstalled(Exception):
    """A sentence that says what is missing, and the command that installs it."""


def require_modules(*modules: str) -> None:
    """Raises NotInstalled unless this interpreter has all these modules. None of them is loaded."""
    missing = [module for module in modules if find_spec(module) is None]
    if not missing:
        return
    names = " and ".join(", ".join(missing).rsplit(", ", 1))
    command = [sys.executable, "-m", "pip", "install", *map(_requirement, missing)]
    is_are = "is" if len(missing) == 1 else "are"
    raise NotInstalled(
        f"{names} {is_are} not installed here; this installs what is missing: {shlex.join(command)}"
    )


def _requirement(module: str) -> str:
    """What pip is asked for: the distribution in the versions that we declare."""
    name = _DISTRIBUTIONS.get(module, module)
    try:
        declared = metadata.requires("tf2towers") or []
    except metadata.PackageNotFoundError:  # run from a checkout
        return name
    for entry in declared:
        requirement, _, when = entry.partition(";")
        if "all" in when and re.split(r"[<>=!~ \[]", requirement, maxsplit=1)[0] == name:
            return requirement.strip()
    return name
