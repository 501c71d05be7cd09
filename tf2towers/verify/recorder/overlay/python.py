"""Puts the overlay under Python's own file functions."""

import builtins
import errno
import functools
import io
import os
import shutil
import sys
from typing import Any, Callable

from . import changes, real
from .children import patch_children
from .paths import Overlay
from .python_open import below, for_file_io, for_open
from .python_os import patch_cwd, patch_os
from .refusals import failure
from .swap import Swaps


def patch_python(overlay: Overlay) -> None:
    """Patch `open`, `io`, `os`, `shutil.rmtree`, `pathlib`, and whatever module holds one of their functions.

    What starts other programs is patched too (see `children`): it raises `OverlayError` for those that may write.
    Call it once, before the script is run. Files of TensorFlow's C++ need `patch_tensorflow` too.
    """
    import glob
    import pathlib
    import sqlite3

    sys.dont_write_bytecode = True
    swaps = Swaps()
    patched = for_open(overlay)
    patched.__module__ = "io"
    swaps.set(io, "open", patched)
    builtins.open = patched
    swaps.set(io, "FileIO", for_file_io(overlay))
    patch_os(overlay, swaps)
    patch_cwd(overlay, swaps)
    removal = _rmtree(overlay)
    removal.avoids_symlink_attacks = False  # type: ignore[attr-defined]
    swaps.set(shutil, "rmtree", removal)
    swaps.set(sqlite3, "connect", _connect(overlay, sqlite3.connect))
    assert glob and pathlib  # loaded, for their classes hold functions of `os`
    patch_children(overlay)
    swaps.everywhere()


def _rmtree(overlay: Overlay) -> Callable[..., None]:
    @functools.wraps(shutil.rmtree)
    def rmtree(
        path: Any, ignore_errors: bool = False, onerror: Any = None, onexc: Any = None, dir_fd: Any = None
    ) -> None:
        try:
            place = overlay.locate(below(overlay, path, dir_fd), follow=False)
            found = os.fsdecode(path) if place is None else overlay.at(place)
            if real.exists(found) and not real.is_folder(found):  # nor is a link to a folder one
                raise failure(errno.ENOTDIR, path)
            changes.remove_tree(overlay, below(overlay, path, dir_fd))
        except OSError as error:
            if error.filename is not None:
                error.filename = path
            if ignore_errors:
                return
            if onexc is not None:
                onexc(os.lstat, path, error)
            elif onerror is not None:
                onerror(os.lstat, path, sys.exc_info())
            else:
                raise

    return rmtree


def _connect(overlay: Overlay, original: Callable[..., Any]) -> Callable[..., Any]:
    """`sqlite3.connect`, which opens its file in C: always on a copy."""

    @functools.wraps(original)
    def connect(database: Any, *args: Any, **kwargs: Any) -> Any:
        text = os.fsdecode(database)
        if text and not text.startswith(":") and not kwargs.get("uri"):
            database = overlay.writable(database, copy=True)
        return original(database, *args, **kwargs)

    return connect
