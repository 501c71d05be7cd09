"""The functions of `os` over the overlay."""

import collections.abc
import contextlib
import errno
import functools
import os
import stat as modes
from typing import Any, Callable, Dict, List

from . import changes, real
from .paths import Overlay
from .python_open import below, open_fd
from .refusals import failure
from .swap import Swaps

# -- `os.scandir` of a folder that is partly in scratch ----------------------------------------------------------------


class Entry(object):
    """As an `os.DirEntry`."""

    def __init__(self, overlay: Overlay, folder: Any, name: str) -> None:
        named = os.fsencode(name) if isinstance(folder, bytes) else name
        self.name: Any = named
        self.path = os.path.join(folder, named)
        self._overlay = overlay

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return "<DirEntry {!r}>".format(self.name)

    def stat(self, follow_symlinks: bool = True) -> os.stat_result:
        """As `os.DirEntry.stat`."""
        return real.stat(self._overlay.readable(self.path, follow_symlinks), follow_symlinks=follow_symlinks)

    def inode(self) -> int:
        """As `os.DirEntry.inode`."""
        return self.stat(follow_symlinks=False).st_ino

    def is_dir(self, follow_symlinks: bool = True) -> bool:
        """As `os.DirEntry.is_dir`."""
        return modes.S_ISDIR(self._mode(follow_symlinks))

    def is_file(self, follow_symlinks: bool = True) -> bool:
        """As `os.DirEntry.is_file`."""
        return modes.S_ISREG(self._mode(follow_symlinks))

    def is_symlink(self) -> bool:
        """As `os.DirEntry.is_symlink`."""
        return modes.S_ISLNK(self._mode(False))

    def is_junction(self) -> bool:
        """As `os.DirEntry.is_junction`: never, it is a thing of Windows."""
        return False

    def _mode(self, follow: bool) -> int:
        """The st_mode; 0, which is of no kind, where nothing is there any more."""
        try:
            return self.stat(follow_symlinks=follow).st_mode
        except FileNotFoundError:
            return 0


class Scan(contextlib.AbstractContextManager, collections.abc.Iterator):  # type: ignore[type-arg]
    """As what `os.scandir` returns."""

    def __init__(self, overlay: Overlay, folder: Any, names: List[str]) -> None:
        self._entries = iter([Entry(overlay, folder, name) for name in names])

    def __next__(self) -> Entry:
        return next(self._entries)

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """No more entries."""
        self._entries = iter(())


def patch_os(overlay: Overlay, swaps: Swaps) -> None:
    """Replace in `os` what takes a path. A name that this Python or system does not have is skipped."""
    new = {
        name: _with_path(overlay, getattr(os, name), translate, follows)
        for names, translate, follows in _TABLE
        for name in names.split()
        if hasattr(os, name)
    }
    for name, function in _own(overlay).items():
        if hasattr(os, name):
            new[name] = functools.wraps(getattr(os, name))(_told(function))
    for name, function in new.items():
        original = getattr(os, name)
        for kind in (
            os.supports_dir_fd,
            os.supports_fd,
            os.supports_follow_symlinks,
            os.supports_effective_ids,
        ):
            if original in kind:
                kind.add(function)
        function.__module__ = "os"  # pickle finds it there: a pool may map it
        swaps.set(os, name, function)


def _told(function: Callable[..., Any]) -> Callable[..., Any]:
    """With the script's paths in the errors, not those of scratch."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except OSError as error:
            path = args[0] if args else kwargs.get("path", kwargs.get("src"))
            if error.filename is not None and isinstance(path, (str, bytes)):
                error.filename = path
            raise

    return call


def _with_path(
    overlay: Overlay, original: Callable[..., Any], translate: Callable[..., str], follows: bool
) -> Callable[..., Any]:
    """The function with its first argument, where that is a path, translated."""

    def call(path: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(path, int):
            return original(path, *args, **kwargs)
        path = below(overlay, path, kwargs.pop("dir_fd", None))
        found = translate(overlay, path, follows and kwargs.get("follow_symlinks", True))
        result = original(found, *args, **kwargs)
        return os.fsencode(result) if isinstance(result, str) and isinstance(path, bytes) else result

    return functools.wraps(original)(_told(call))


def _to_update(overlay: Overlay, path: Any, follow: bool) -> str:
    """A copy of what is there."""
    place = overlay.locate(path, follow)
    if place is not None and not overlay.exists(place):
        raise failure(errno.ENOENT, path)
    upper = overlay.writable(path, copy=True, follow=follow)
    if place is not None and overlay.is_folder(place):
        real.make_folders(upper)
    return upper


def _to_make(overlay: Overlay, path: Any, follow: bool) -> str:
    """Where nothing is yet."""
    place = overlay.locate(path, follow)
    if place is not None and overlay.exists(place):
        raise failure(errno.EEXIST, path)
    return overlay.writable(path, follow=follow)


#: functions of `os`, where they are to do their work, and whether on what a link leads to
_TABLE = (
    ("stat access statvfs pathconf getxattr listxattr", Overlay.readable, True),
    ("lstat readlink", Overlay.readable, False),
    ("chmod chown utime truncate setxattr removexattr chflags", _to_update, True),
    ("lchmod lchown lchflags", _to_update, False),
    ("mkfifo mknod", _to_make, False),
)


def _own(overlay: Overlay) -> Dict[str, Callable[..., Any]]:
    """The functions that the overlay does itself, by the names that they have in `os`."""

    def open(path: Any, flags: int, mode: int = 0o777, dir_fd: Any = None) -> int:  # noqa: A001
        return open_fd(overlay, below(overlay, path, dir_fd), flags, mode)

    def listdir(path: Any = ".") -> List[Any]:
        if path is None or isinstance(path, int):
            return real.listdir("." if path is None else path)
        place = overlay.locate(path)
        if place is None:
            return real.listdir(path)
        names = overlay.children(place)
        return [os.fsencode(name) for name in names] if isinstance(path, bytes) else names

    def scandir(path: Any = ".") -> Any:
        if isinstance(path, int):
            return real.scandir(path)
        path = "." if path is None else os.fspath(path)
        place = overlay.locate(path)
        if place is None or not overlay.merged(place):
            return real.scandir(path)
        return Scan(overlay, path, overlay.children(place))

    def mkdir(path: Any, mode: int = 0o777, dir_fd: Any = None) -> None:
        changes.make_folder(overlay, below(overlay, path, dir_fd), mode)

    def remove(path: Any, dir_fd: Any = None) -> None:
        changes.remove_file(overlay, below(overlay, path, dir_fd))

    def rmdir(path: Any, dir_fd: Any = None) -> None:
        changes.remove_folder(overlay, below(overlay, path, dir_fd))

    def rename(src: Any, dst: Any, src_dir_fd: Any = None, dst_dir_fd: Any = None) -> None:
        changes.rename(overlay, below(overlay, src, src_dir_fd), below(overlay, dst, dst_dir_fd))

    def link(
        src: Any, dst: Any, src_dir_fd: Any = None, dst_dir_fd: Any = None, follow_symlinks: bool = True
    ) -> None:
        changes.link(overlay, below(overlay, src, src_dir_fd), below(overlay, dst, dst_dir_fd))

    def symlink(src: Any, dst: Any, target_is_directory: bool = False, dir_fd: Any = None) -> None:
        changes.symlink(overlay, src, below(overlay, dst, dir_fd))

    def chdir(path: Any) -> None:
        if isinstance(path, int):
            path = below(overlay, ".", path)
        overlay.enter(path)

    def fchdir(fd: int) -> None:
        overlay.enter(below(overlay, ".", fd))

    own = (open, listdir, scandir, mkdir, remove, rmdir, rename, link, symlink, chdir, fchdir)
    return {**{function.__name__: function for function in own}, "unlink": remove, "replace": rename}


def patch_cwd(overlay: Overlay, swaps: Swaps) -> None:
    """`os.getcwd` and `os.getcwdb`, in a folder that is in scratch alone."""

    def getcwd() -> str:
        return overlay.cwd()

    def getcwdb() -> bytes:
        return os.fsencode(overlay.cwd())

    swaps.set(os, "getcwd", functools.wraps(os.getcwd)(getcwd))
    swaps.set(os, "getcwdb", functools.wraps(os.getcwdb)(getcwdb))
