"""`open`, `os.open` and `io.FileIO` over the overlay."""

import errno
import functools
import io
import os
import sys
from typing import Any, Callable, Optional

from . import real
from .paths import Overlay
from .refusals import failure

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def below(overlay: Overlay, path: Any, folder: Optional[int]) -> Any:
    """The path that `path` is, relative to the open folder of a `dir_fd` argument."""
    if folder is None or isinstance(path, int):
        return path
    text = os.fsdecode(path)
    if text.startswith(os.sep):
        return path
    if sys.platform == "darwin":
        import fcntl

        named = fcntl.fcntl(folder, 50, b"\0" * 1024).split(b"\0", 1)[0]  # F_GETPATH
    else:
        named = os.fsencode(real.readlink("/proc/self/fd/{}".format(folder)))
    joined = os.path.join(overlay.original(named), text)
    return os.fsencode(joined) if isinstance(path, bytes) else joined


def open_fd(overlay: Overlay, path: Any, flags: int, mode: int = 0o777) -> int:
    """`os.open`."""
    follow = not flags & getattr(os, "O_NOFOLLOW", 0)
    if not flags & _WRITES:
        return real.open_fd(overlay.readable(path, follow), flags, mode)
    place = overlay.locate(path, follow)
    if place is None:
        return real.open_fd(path, flags, mode)
    if overlay.is_folder(place):
        if flags & getattr(os, "O_TMPFILE", 0) == getattr(os, "O_TMPFILE", -1):
            real.make_folders(overlay.upper(place))
            return real.open_fd(overlay.upper(place), flags, mode)
        raise failure(errno.EISDIR, path)
    if overlay.exists(place):
        if flags & os.O_CREAT and flags & os.O_EXCL:
            raise failure(errno.EEXIST, path)
    elif not flags & os.O_CREAT:
        raise failure(errno.ENOENT, path)
    upper = overlay.writable(path, copy=not flags & os.O_TRUNC, follow=follow)
    return real.open_fd(upper, flags | os.O_CREAT, mode)


def for_open(overlay: Overlay) -> Callable[..., Any]:
    """The new `open`. A file keeps the name that the script gave it."""

    @functools.wraps(io.open)
    def patched(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        if isinstance(file, int) or opener is not None or not overlay.concerns(file, mode):
            return real.open_file(file, mode, buffering, encoding, errors, newline, closefd, opener)

        return real.open_file(file, mode, buffering, encoding, errors, newline, closefd, _opener(overlay))

    return patched


def for_file_io(overlay: Overlay) -> type:
    """The new `io.FileIO`. Files that the real one made count as its instances."""
    original = io.FileIO

    class _Kind(type(original)):  # type: ignore[misc]
        def __instancecheck__(cls, found: Any) -> bool:
            return isinstance(found, original)

        def __subclasscheck__(cls, found: type) -> bool:
            return issubclass(found, original)

    class FileIO(original, metaclass=_Kind):  # type: ignore[misc, valid-type]
        def __init__(self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None) -> None:
            if not isinstance(file, int) and opener is None and overlay.concerns(file, mode):
                opener = _opener(overlay)
            original.__init__(self, file, mode, closefd, opener)

    return FileIO


def _opener(overlay: Overlay) -> Callable[[Any, int], int]:
    def opener(path: Any, flags: int) -> int:
        try:
            return open_fd(overlay, path, flags, 0o666)
        except OSError as error:
            error.filename = path  # not where it is in scratch
            raise

    return opener
