"""What NumPy prints."""

from __future__ import annotations

import contextlib

import numpy as np

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "lists of NumPy's numbers in prints",
    source="NumPy 1.x: scalars in lists are written as numbers",
    test="tests/runtime/test_printing.py",
)
def print_as_numpy1(changes: Patch) -> None:
    """Makes NumPy print as NumPy 1, in every thread: `[1.5]`, not `[np.float32(1.5)]`.

    Scripts print lists and dictionaries of fetched values. The option is set once in a process, so
    a script's own `np.set_printoptions` still works.
    """
    if int(np.__version__.partition(".")[0]) < 2:
        return
    before = np.get_printoptions()["legacy"]
    changes.on_undo(lambda: np.set_printoptions(legacy=before))
    np.set_printoptions(legacy="1.25")
    with contextlib.suppress(ImportError):  # from NumPy 2.2 on, each new thread starts with these options
        from numpy._core.printoptions import default_format_options_dict, format_options

        beginning = default_format_options_dict.copy()
        changes.on_undo(lambda: default_format_options_dict.update(beginning))
        default_format_options_dict.update(format_options.get())
