"""Redirects a script's writes to a scratch folder; refuses any other write, with its path and the option to allow it.

A folder that the script changes is stored from then on as FOLDER/files/PATH. What that folder has on the disk is listed
in it by links that name their targets but lead nowhere, so that unpatched code cannot follow one to the disk. All other
folders are the disk's own. So the script reads back what it wrote, and no longer finds what it deleted. This module
patches Python's functions, `tf_writes` TensorFlow's. On Python 3.8 and later, an audit hook refuses all other writes of
Python. Neither covers C libraries that open files themselves. Only programs known to write nothing are started. Runs on
Python 3.6 to 3.13, with the standard library alone, on POSIX.
"""

import builtins
import contextlib
import errno
import fcntl
import functools
import io
import os
import pathlib  # noqa: F401  (its classes hold functions of `os`, and would take this module's for methods)
import posix
import re
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from .wrapping import wrap

OPTION = "--allow-writes"
#: the target of a scratch link to a file on the disk begins with this
_ON_DISK = "tf2towers-on-disk:"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: programs that only write to their output
_HARMLESS = frozenset(
    "nvidia-smi uname hostname which ls cat echo date lscpu free df du id whoami ps true false wc head tail grep "
    "fc-list lspci nproc pwd printenv getconf arch sysctl file stat readlink basename sleep ldd".split()
)
RECORDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
_real_open, _real_rmtree = io.open, shutil.rmtree


class RefusedWrite(PermissionError):
    """A write outside the scratch folder. It is an OSError, so that libraries do without the file where they can."""


class Writes(object):
    """A scratch folder in front of the disk.

    Args:
        folder: the scratch folder.
        through: folders that are written to directly: that of the recording, and those that the user allows.
        empty: folders of the disk that the script finds empty.

    Attributes:
        names: the script's own names of checkpoints, by their paths in scratch.
        restored: the checkpoint that the script restored last: its own name, and the path to read; empty for none.
    """

    def __init__(self, folder: Any, through: Iterable[Any] = (), empty: Iterable[Any] = ()) -> None:
        self.folder = os.path.realpath(os.fsdecode(folder))
        self.files = os.path.join(self.folder, "files")
        named = [self.folder, "/dev", "/proc", "/sys", os.path.abspath(os.fsdecode(folder))]
        for path in map(os.fsdecode, through):
            named += [os.path.abspath(path), os.path.realpath(path)]
        self._through = tuple({path.rstrip(os.sep) + os.sep for path in named})
        self._lock = _Lock(self.folder)
        self.names: Dict[str, str] = {}
        self.restored = ("", "")
        os.makedirs(self.folder, exist_ok=True)
        if not _is_folder(self.files):
            self._take_over(os.sep, self.files)
        for path in empty:
            self._hide(os.path.join(posix.getcwd(), os.fsdecode(path)))

    # -- paths

    def seen(self, path: str) -> str:
        """The script's own name for an absolute path that may lie in scratch."""
        return path[len(self.files) :] or os.sep if (path + os.sep).startswith(self.files + os.sep) else path

    def find(self, path: Any, follow: bool = True) -> Tuple[Optional[str], Any]:
        """The absolute path without links (with `follow`, without a last link too); and the actual path of the file.

        The first is None for a path that is not redirected.
        """
        text, here = os.fsdecode(path), posix.getcwd()
        if text.startswith("file://"):
            text = text[len("file://") :]
        absolute = self.seen(os.path.join(self.seen(here), text))
        if not text or self._passes(os.path.normpath(absolute)):
            return None, path
        with self._lock:
            place, found = self._walk(absolute, follow)
        if self._passes(place):
            return None, like(path, found)
        if found == os.path.normpath(absolute) and self.seen(here) == here:
            return place, path  # in the script's spelling
        return place, like(path, found)

    def _walk(self, path: str, follow: bool = True, links: int = 0) -> Tuple[str, str]:
        place, found = os.sep, self.files
        names = [name for name in path.split(os.sep) if name not in ("", os.curdir)]
        for number, name in enumerate(names, 1):
            if name == os.pardir:
                place, found = self._walk(os.path.dirname(place))
                continue
            above, place, found = place, os.path.join(place, name), os.path.join(found, name)
            target = _link(found)
            if target.startswith(_ON_DISK):
                found = target[len(_ON_DISK) :]
                target = _link(found)
            if target and links < 40 and (follow or number < len(names)):
                place, found = self._walk(os.path.join(above, target), True, links + 1)
        return place, found

    def _passes(self, absolute: str) -> bool:
        return (absolute + os.sep).startswith(self._through)

    def readable(self, path: Any, follow: bool = True) -> Any:
        """The actual path for reading; text or bytes, as the argument."""
        return self.find(path, follow)[1]

    # -- changes

    def own(self, path: Any, follow: bool = True) -> Any:
        """The path in scratch for creating, removing or moving a file; its folder then is one in scratch.

        Raises:
            FileNotFoundError, NotADirectoryError: its folder is missing.
        """
        place, found = self.find(path, follow)
        if place is None:
            return found
        with self._lock:
            self._own_folder(os.path.dirname(place))
            if _is_folder(found) and (follow or not _link(found)):
                self._own_folder(place)
        return like(path, self.files + place)

    def _own_folder(self, folder: str) -> None:
        _, found = self._walk(folder)
        if not _is_folder(found):
            raise _failure(errno.ENOTDIR if posix.access(found, os.F_OK) else errno.ENOENT, folder)
        if not found.startswith(self.files):
            self._own_folder(os.path.dirname(folder))
            self._take_over(found, self.files + folder)

    def _take_over(self, found: str, own: str) -> None:
        """Replaces the link to a folder of the disk by a folder of links to its contents, once for all."""
        new = tempfile.mkdtemp(prefix="new-", dir=self.folder)
        for name in posix.listdir(found):
            posix.symlink(_ON_DISK + os.path.join(found, name), os.path.join(new, name))
        self._replace(new, own)

    @staticmethod
    def _replace(new: str, own: str) -> None:
        with contextlib.suppress(OSError):  # another process of the script did it first
            if _link(own):
                posix.remove(own)
            posix.rename(new, own)

    def _hide(self, folder: str) -> None:
        """Replaces the link to a folder of the disk by an empty folder, once for all processes of the script."""
        place, found = self.find(folder)
        if place is not None and _is_folder(found) and not found.startswith(self.files):
            with self._lock:
                self._own_folder(os.path.dirname(place))
                self._replace(tempfile.mkdtemp(prefix="new-", dir=self.folder), self.files + place)

    def writable(self, path: Any, copy: bool = False) -> Any:
        """The path in scratch for writing a file, as `own`; with `copy`, after copying the file on the disk."""
        own = self.own(path)
        disk = _link(own)
        if disk.startswith(_ON_DISK):
            posix.remove(own)
            if copy:
                with _real_open(disk[len(_ON_DISK) :], "rb") as old, _real_open(own, "wb") as new:
                    shutil.copyfileobj(old, new)
        return own

    def remove_tree(self, path: Any) -> None:
        """`shutil.rmtree`."""
        place, found = self.find(path, follow=False)
        if place is None or not _is_folder(found) or _link(found):
            _real_rmtree(path)
        else:
            self._own_folder(os.path.dirname(place))
            removed = tempfile.mkdtemp(prefix="removed-", dir=self.folder)
            posix.rename(self.files + place, os.path.join(removed, "it"))

    def rename(self, source: Any, target: Any) -> None:
        """`os.rename` and `os.replace`; from scratch to an allowed folder, fails as between two disks."""
        if self.find(source)[0] is not None and self.find(target)[0] is None:
            raise _failure(errno.EXDEV, target)
        posix.rename(self.own(source, follow=False), self.own(target, follow=False))

    def overwrite(self, prefix: Any) -> None:
        """Prepares writes to all files whose names are `prefix`, or `prefix` followed by a dot and more."""
        folder, name = os.path.split(self.own(prefix))
        for found in posix.listdir(folder):
            path = os.path.join(folder, found)
            if (found + ".").startswith(name + ".") and _link(path).startswith(_ON_DISK):
                posix.remove(path)

    # -- refused writes

    def check(self, path: Any, what: str) -> None:
        """Raises RefusedWrite for a path outside the scratch folder and the allowed folders."""
        if path is None or isinstance(path, int):
            return
        in_scratch = os.path.join(posix.getcwd(), os.fsdecode(path)).startswith(self.files + os.sep)
        place = self.find(path)[0]
        if place is not None and not in_scratch:
            message = "the script %s %s, which tf2towers could not redirect; %s %s allows it"
            raise RefusedWrite(message % (what, place, OPTION, shlex.quote(os.path.dirname(place))))

    def check_command(self, command: Any) -> None:
        """Raises RefusedWrite for a program or shell command that may write; a recorder protects by itself."""
        if not isinstance(command, str) and RECORDER in map(os.fsdecode, command):
            return
        text = command if isinstance(command, str) else " ".join(map(os.fsdecode, command))
        programs = [part.split()[0] for part in re.split("[|&;\n]+", text) if part.split()]
        harmless = all(os.path.basename(program) in _HARMLESS for program in programs)
        if not self._passes(os.sep) and (not harmless or re.search("[<>()`$]", text)):
            message = "the script starts '%s', which may write anywhere; %s / allows it, without protection"
            raise RefusedWrite(message % (text, OPTION))


class _Lock(object):
    """A lock for the threads and processes that share a scratch folder; a thread may take it again.

    A link to a folder cannot be replaced by a folder at once: in between, other processes must not look.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "lock")
        self._of_threads = threading.RLock()
        self._depth, self._file = 0, -1

    def __enter__(self) -> None:
        self._of_threads.acquire()
        if not self._depth:
            self._file = posix.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX)
        self._depth += 1

    def __exit__(self, *_: Any) -> None:
        self._depth -= 1
        if not self._depth:
            posix.close(self._file)
        self._of_threads.release()


# -- helpers that see the disk without redirection ---------------------------------------------------------------------


def _is_folder(path: Any) -> bool:
    try:
        return stat.S_ISDIR(posix.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _link(path: Any) -> str:
    """The target of a link; empty for a path that is not a link."""
    try:
        return os.fsdecode(posix.readlink(path))
    except (OSError, ValueError):
        return ""


def _failure(kind: int, path: Any) -> OSError:
    return OSError(kind, os.strerror(kind), os.fsdecode(path))


def like(path: Any, text: str) -> Any:
    """The text, as bytes where the path is bytes."""
    return os.fsencode(text) if isinstance(path, bytes) else text


def _below(path: Any, folder: Optional[int]) -> Any:
    """A path relative to an open folder; -1 and None stand for the working directory."""
    if folder in (None, -1) or isinstance(path, int):
        return path
    return os.path.join(posix.readlink("/proc/self/fd/%d" % folder), os.fsdecode(path))


# -- installing the patches --------------------------------------------------------------------------------------------


def protect_python(writes: Writes) -> None:
    """Redirects the writes of Python's functions from now on. Call it once, before the script runs."""
    sys.dont_write_bytecode = True
    replaced: Dict[int, Any] = {}
    for module, name, function in _functions(writes):
        original = getattr(module, name)
        replaced[id(original)] = functools.wraps(original)(function)
        setattr(module, name, function)
    replace_everywhere(replaced)  # for earlier `from os import remove`
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(_hook(writes))
    else:
        _watch_programs(writes)


def replace_everywhere(replaced: Dict[int, Any]) -> None:
    """Replaces functions that modules imported by name, or keep in classes; the keys are `id`s of the originals."""
    for module in list(sys.modules.values()):
        own = getattr(module, "__name__", "")
        known = isinstance(module, ModuleType) and own not in ("posix", "_io", "io", "_sqlite3", __name__)
        if not known or own.startswith("importlib"):
            continue
        space = object.__getattribute__(module, "__dict__")
        for key, value in list(space.items()):
            if id(value) in replaced:
                space[key] = replaced[id(value)]
        of_classes = own in ("pathlib", "pathlib._local", "glob")
        for kind in [kind for kind in space.values() if of_classes and isinstance(kind, type)]:
            for key, value in list(vars(kind).items()):
                inner = getattr(value, "__func__", value)
                inner = getattr(inner, "__wrapped__", inner)  # a wrapper in Python 3.6
                if id(inner) in replaced:
                    setattr(kind, key, staticmethod(replaced[id(inner)]))


def _functions(writes: Writes) -> List[Tuple[Any, str, Callable[..., Any]]]:
    """The functions that replace Python's: module, name, function."""

    def first(name: str, where: Callable[[Any, bool], Any]) -> Tuple[Any, str, Callable[..., Any]]:
        """Patches a function of `os` whose first argument is a path."""
        real = getattr(posix, name)

        def call(path: Any = os.curdir, *args: Any, dir_fd: Any = None, **kwargs: Any) -> Any:
            if isinstance(path, int):
                return real(path, *args, **kwargs)
            path = _below(os.fspath(os.curdir if path is None else path), dir_fd)
            with _named(path):
                return real(where(path, kwargs.get("follow_symlinks", True)), *args, **kwargs)

        return os, name, call

    def second(name: str, do: Callable[[Any, Any], None]) -> Tuple[Any, str, Callable[..., Any]]:
        """Patches a function of `os` whose second argument is a path that it creates."""

        def call(source: Any, target: Any, *_: Any, **kwargs: Any) -> None:
            source = _below(source, kwargs.get("src_dir_fd"))
            with _named(source, target):
                do(source, _below(target, kwargs.get("dst_dir_fd", kwargs.get("dir_fd"))))

        return os, name, call

    def new_folder(path: Any, _: bool) -> Any:
        if os.path.exists(path):
            raise _failure(errno.EEXIST, path)
        return writes.own(path)

    where = {
        "stat access listdir chdir listxattr getxattr": writes.readable,
        "lstat readlink": lambda path, _: writes.readable(path, follow=False),
        "chmod utime truncate": lambda path, _: writes.writable(path, copy=True),
        "remove unlink rmdir": lambda path, _: writes.own(path, follow=False),
        "mkdir": new_folder,
    }  # type: Dict[str, Callable[[Any, bool], Any]]
    new = [first(name, where[names]) for names in where for name in names.split() if hasattr(posix, name)]
    new += [second(name, writes.rename) for name in ("rename", "replace")] + [second("link", shutil.copyfile)]
    new += [second("symlink", lambda to, path: posix.symlink(to, writes.own(path, follow=False)))]
    return new + [
        (os, "getcwd", lambda: writes.seen(posix.getcwd())),
        *_openers(writes, first("scandir", writes.readable)[2]),
    ]


def _openers(writes: Writes, scan: Callable[..., Any]) -> Iterator[Tuple[Any, str, Callable[..., Any]]]:
    def open_file(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, int):
            return _real_open(file, mode, *args, **kwargs)
        with _named(file):
            writing = bool(set(mode) & set("wax+"))
            where = writes.writable(file, copy="w" not in mode) if writing else writes.readable(file)
            return _real_open(where, mode, *args, **kwargs)

    def open_descriptor(path: Any, flags: int, mode: int = 0o777, *, dir_fd: Any = None) -> int:
        path = _below(path, dir_fd)
        with _named(path):
            copy = bool(flags & os.O_EXCL) or not flags & os.O_TRUNC
            where = writes.writable(path, copy) if flags & _WRITES else writes.readable(path)
            return int(posix.open(where, flags, mode))

    def scandir(path: Any = os.curdir) -> Any:
        readable = path if isinstance(path, int) else os.fsdecode(writes.readable(path or os.curdir))
        if isinstance(readable, int) or not readable.startswith(writes.files):
            return scan(path)
        return _Entries(_Entry(os.fspath(path or os.curdir), name) for name in os.listdir(path))

    def rmtree(path: Any, ignore_errors: bool = False, *args: Any, **kwargs: Any) -> None:
        with contextlib.suppress(*[OSError] * ignore_errors):
            writes.remove_tree(path)

    connect_really = sqlite3.connect  # it opens its file in C

    def connect(database: Any, *args: Any, **kwargs: Any) -> Any:
        path = database if str(database).startswith(":") else writes.writable(database, copy=True)
        return connect_really(path, *args, **kwargs)

    new = [(os, "open", open_descriptor), (os, "scandir", scandir), (shutil, "rmtree", rmtree)]  # type: List[Any]
    yield from new + [(io, "open", open_file), (builtins, "open", open_file), (sqlite3, "connect", connect)]


@contextlib.contextmanager
def _named(path: Any, target: Any = None) -> Iterator[None]:
    """A context whose errors name files as the script does."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = path, target
        raise


class _Entry(object):
    """An entry that `os.scandir` yields for a folder in scratch."""

    def __init__(self, folder: Any, name: Any) -> None:
        self.name, self.path = name, os.path.join(folder, name)

    def __fspath__(self) -> Any:
        return self.path

    def is_symlink(self) -> bool:
        return os.path.islink(self.path)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return os.path.isdir(self.path) and (follow_symlinks or not self.is_symlink())

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return os.path.isfile(self.path) and (follow_symlinks or not self.is_symlink())

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path, follow_symlinks=follow_symlinks)


class _Entries(contextlib.closing):  # type: ignore[type-arg]
    """The result of `os.scandir` for a folder in scratch: an iterator of entries that can be closed."""

    def __iter__(self) -> Any:
        return self.__enter__()

    def __next__(self) -> Any:
        return next(self.__enter__())


def _hook(writes: Writes) -> Callable[[str, Any], None]:
    changes = "mkdir remove rmdir truncate chmod chown utime setxattr rename link symlink".split()
    # the indexes of the paths among the arguments
    places = {"os." + name: [name in ("link", "symlink")] for name in changes}
    places["os.rename"] = [False, True]

    def hook(event: str, args: Any) -> None:
        if event == "open":
            if isinstance(args[2], int) and args[2] & _WRITES:
                writes.check(args[0], "writes")
        elif event in places:
            for place in places[event]:
                writes.check(args[place], "changes")
        elif event == "os.system":
            writes.check_command(os.fsdecode(args[0]))
        elif event == "subprocess.Popen":
            of_shell = list(args[1][:2]) == ["/bin/sh", "-c"]
            writes.check_command(os.fsdecode(args[1][2]) if of_shell else args[1])

    return hook


def _watch_programs(writes: Writes) -> None:
    """Checks started programs on a Python without audit hooks."""

    def start(begin: Any, process: Any, args: Any, *more: Any, **kwargs: Any) -> None:
        writes.check_command(args)
        begin(process, args, *more, **kwargs)

    def system(run: Any, command: Any) -> Any:
        writes.check_command(os.fsdecode(command))
        return run(command)

    wrap(subprocess.Popen, "__init__", start)
    wrap(os, "system", system)
