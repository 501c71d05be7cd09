"""What NumPy's values look like in text: as in TF1's days, `[1.5, 2]` and not `[np.float32(1.5), np.int32(2)]`."""

from __future__ import annotations

import contextlib
from functools import cache

import numpy as np


@cache
def print_as_numpy1() -> None:
    """Lets NumPy write values as NumPy 1 did, in every thread: scripts print lists and dictionaries of what they fetch.

    Once a process: a script's own `np.set_printoptions` counts as ever.
    """
    if int(np.__version__.partition(".")[0]) < 2:
        return
    np.set_printoptions(legacy="1.25")
    with contextlib.suppress(ImportError):  # from NumPy 2.2 on, a thread begins with these
        from numpy._core.printoptions import default_format_options_dict, format_options

        default_format_options_dict.update(format_options.get())
