"""What a script writes goes to a scratch folder; a write that gets past is refused, with its path and the way out.

The script reads back what it wrote, misses what it deleted, and otherwise reads the real files. FOLDER/files is the
disk as the script sees it: at first links to what is in the root folder. Before a folder is written to it becomes a
real one there, with a link for each thing that was in it; before a file is, a copy of it takes the place of its link.
Links to the disk begin with two slashes, all others are the script's own.

Here this is done to Python's functions, in `tf_writes` to TensorFlow's. On Python 3.8 and later an audit hook sees
every other write of Python's and refuses it. Neither sees C libraries that open files by themselves. Programs are
started if they are known to write nothing. Runs on Python 3.6 to 3.13, with the standard library alone, on POSIX.
"""

import builtins
import contextlib
import errno
import fcntl
import io
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import stat
import sys
import threading
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

OPTION = "--allow-writes"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: programs that write nothing but what they print
_HARMLESS = frozenset(
    "nvidia-smi uname hostname which ls cat echo date lscpu free df du id whoami ps true false wc head tail grep "
    "fc-list lspci nproc pwd env printenv getconf arch sysctl file stat readlink basename sleep ldd".split()
)
#: Python's own functions, before any is replaced
_real: Dict[str, Any] = {
    name: getattr(os, name)
    for name in (
        "stat lstat listdir scandir mkdir remove rmdir rename replace access chmod utime open chdir getcwd symlink "
        "link readlink truncate listxattr getxattr"
    ).split()
    if hasattr(os, name)
}
_real_open, _real_rmtree = io.open, shutil.rmtree


class RefusedWrite(PermissionError):
    """A write outside of the scratch folder; an OSError, so that libraries do without, where they can."""


class Writes(object):
    """The disk as the script sees it.

    Args:
        folder: the scratch folder; processes of one cluster share it.
        through: folders that are written to as they are: that of the recording, and those that the user allows.

    Attributes:
        files: what the script sees, below this folder.
        names: of checkpoints in scratch: what the script calls them.
    """

    def __init__(self, folder: Any, through: Iterable[Any] = ()) -> None:
        self.folder = os.path.realpath(os.fsdecode(folder))
        self.files = os.path.join(self.folder, "files")
        os.makedirs(self.folder, exist_ok=True)
        named = [self.folder, "/dev", "/proc", "/sys", os.path.abspath(os.fsdecode(folder))]
        for path in map(os.fsdecode, through):
            named += [os.path.abspath(path), os.path.realpath(path)]
        self._through = tuple({path.rstrip(os.sep) + os.sep for path in named})
        self._lock = threading.RLock()
        self.names: Dict[str, str] = {}
        with self._locked():
            if not _exists(self.files):
                self._fill(self.files, os.sep)

    # -- places

    def place(self, path: Any, follow: bool = True) -> Optional[str]:
        """The absolute path without links, the last one too with `follow`; None for what is written to as it is."""
        text = os.fsdecode(path)
        if text.startswith("file://"):
            text = text[len("file://") :]
        absolute = os.path.join(self.working_folder(), text)
        if not text or self._passes(os.path.normpath(absolute)):
            return None
        folder, name = os.path.split(absolute.rstrip(os.sep) or os.sep)
        whole = follow or name in ("", os.curdir, os.pardir)
        found = self._resolved(absolute) if whole else os.path.join(self._resolved(folder), name)
        return None if self._passes(found) else found

    def working_folder(self) -> str:
        """`os.getcwd`; of a folder that the script has made its own name."""
        real = str(_real["getcwd"]())
        return real[len(self.files) :] if real.startswith(self.files + os.sep) else real

    def _resolved(self, path: str, links: int = 0) -> str:
        """As `os.path.realpath`, over what the script sees."""
        place = os.sep
        for name in path.split(os.sep):
            if name == os.pardir:
                place = os.path.dirname(place)
            elif name not in ("", os.curdir):
                above, place = place, os.path.join(place, name)
                target = _link(self.found(place))
                if target and links < 40:
                    place = self._resolved(os.path.join(above, target), links + 1)
        return place

    def _passes(self, absolute: str) -> bool:
        return (absolute + os.sep).startswith(self._through)

    def found(self, place: str) -> str:
        """Where a place is: on the disk, or in scratch."""
        upper, names = self.files, [name for name in place.split(os.sep) if name]
        for count, name in enumerate(names):
            upper = os.path.join(upper, name)
            if _of_disk(upper):
                return os.path.join(_of_disk(upper), *names[count + 1 :])
        return upper

    def readable(self, path: Any, follow: bool = True) -> Any:
        """Where to read a path, text or bytes as it is; of what was deleted a path where nothing is."""
        place = self.place(path, follow)
        if place is None:
            return path
        found = self.found(place)
        as_it_is = os.path.normpath(os.path.join(_real["getcwd"](), os.fsdecode(path)))
        return path if found == place == as_it_is else _like(path, found)

    def exists(self, path: Any) -> bool:
        """Whether there is a file or folder, as the script sees it."""
        return _exists(self.readable(path))

    # -- changes

    def upper(self, path: Any, follow: bool = True) -> str:
        """The path in scratch, in a folder that is scratch's own; what is there may be a link to the disk.

        Raises:
            FileNotFoundError: its folder is not there.
        """
        place = self.place(path, follow)
        if place is None:
            return os.fsdecode(path)
        folder = os.path.dirname(place)
        if not _is_folder(self.found(folder)):
            raise _failure(errno.ENOTDIR if _exists(self.found(folder)) else errno.ENOENT, path)
        self._take_in(folder)
        return self.files + place

    def writable(self, path: Any, copy: bool = False) -> Any:
        """Where to write a file; with `copy` the real one is there first.

        Raises:
            FileNotFoundError: its folder is not there.
        """
        upper = self.upper(path)
        self.own(upper, copy)
        return path if upper == os.fsdecode(path) else _like(path, upper)

    def own(self, upper: str, copy: bool = True) -> None:
        """Lets a path in scratch, if it is a link to the disk, be a copy of what is there; without `copy` nothing."""
        real = _of_disk(upper)
        if not real:
            return
        if _is_folder(real):
            self._take_in(upper[len(self.files) :])
        elif copy:
            shutil.copyfile(real, upper + ".copy")
            _real["rename"](upper + ".copy", upper)
        else:
            _real["remove"](upper)

    def _take_in(self, place: str) -> None:
        """Makes a folder scratch's own, and those above it."""
        upper = self.files + place
        if place == os.sep or (_is_folder(upper) and self.found(place) == upper):
            return
        self._take_in(os.path.dirname(place))
        with self._locked():
            real = _of_disk(upper)
            if real:
                self._fill(upper, real)

    def _fill(self, upper: str, real: str) -> None:
        new = os.path.join(self.folder, "new-%d" % os.getpid())
        _real["mkdir"](new, 0o700 | stat.S_IMODE(_real["stat"](real).st_mode))
        for name in _real["listdir"](real):
            _real["symlink"](os.sep + os.path.join(real, name), os.path.join(new, name))
        if _link(upper):
            _real["remove"](upper)
        _real["rename"](new, upper)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            descriptor = _real["open"](os.path.join(self.folder, "lock"), os.O_CREAT | os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)

    def make_folder(self, path: Any, mode: int = 0o777) -> None:
        """`os.mkdir`."""
        if self.exists(path):
            raise _failure(errno.EEXIST, path)
        _real["mkdir"](self.upper(path), mode)

    def remove(self, path: Any, folder: bool = False, tree: bool = False) -> None:
        """`os.remove`; `os.rmdir` with `folder`; `shutil.rmtree` with both. The disk is not touched."""
        upper = self.upper(path, follow=False)
        real = _of_disk(upper)
        if not (real or _link(upper) or _exists(upper)):
            raise _failure(errno.ENOENT, path)
        if (_is_folder(real or upper) and not _link(real or upper)) != folder:
            raise _failure(errno.ENOTDIR if folder else errno.EISDIR, path)
        if real and folder and not tree and _real["listdir"](real):
            raise _failure(errno.ENOTEMPTY, path)
        if real or not folder:
            _real["remove"](upper)
        else:
            (_real_rmtree if tree else _real["rmdir"])(upper)

    def rename(self, source: Any, target: Any) -> None:
        """`os.rename` and `os.replace`."""
        old, new = self.upper(source), self.upper(target)
        for upper in (old, new):
            if _is_folder(_of_disk(upper) or os.devnull):
                self.own(upper)
        _real["rename"](old, new)

    def check(self, path: Any, what: str, follow: bool = False) -> None:
        """Raises RefusedWrite for a path that is neither in scratch nor allowed, nor leads to one with `follow`."""
        if isinstance(path, int) or path is None:
            return
        place = (_of_disk(path) if follow else "") or self.place(path)
        if place:
            raise RefusedWrite(
                "the script %s %s, which tf2towers could not keep apart; %s %s lets it"
                % (what, place, OPTION, shlex.quote(os.path.dirname(place)))
            )

    def check_command(self, command: Any) -> None:
        """Raises RefusedWrite for a program that may write."""
        if self._passes(os.sep):
            return
        text = (
            command
            if isinstance(command, str)
            else " ".join(shlex.quote(os.fsdecode(word)) for word in command)
        )
        words = [part.split()[0] for part in re.split("[|&;\n]+", text) if part.strip()]
        writing = re.search("[<>()`$]", text) if isinstance(command, str) else None
        if writing or any(os.path.basename(word) not in _HARMLESS and shutil.which(word) for word in words):
            raise RefusedWrite(
                "the script starts '%s', which may write anywhere; %s / lets it, without any protection"
                % (text, OPTION)
            )


# -- helpers that see the disk as it is --------------------------------------------------------------------------------


def _exists(path: Any) -> bool:
    try:
        _real["stat"](path)
    except (OSError, ValueError):
        return False
    return True


def _is_folder(path: Any) -> bool:
    try:
        return stat.S_ISDIR(_real["stat"](path).st_mode)
    except (OSError, ValueError):
        return False


def _link(path: Any) -> str:
    """Where a link leads; empty for what is none."""
    try:
        return os.fsdecode(_real["readlink"](path))
    except (OSError, ValueError):
        return ""


def _failure(kind: int, path: Any) -> OSError:
    return OSError(kind, os.strerror(kind), os.fsdecode(path))


def _of_disk(path: Any) -> str:
    """Where a link of scratch leads to on the disk; empty for anything else."""
    target = _link(path)
    return target[1:] if target.startswith("//") else ""


def _like(path: Any, text: str) -> Any:
    return os.fsencode(text) if isinstance(path, bytes) else text


# -- put in place ------------------------------------------------------------------------------------------------------


def protect_python(writes: Writes) -> None:
    """From now on Python's functions write to scratch. To be called once, before the script is run."""
    sys.dont_write_bytecode = True
    new = _functions(writes)
    replaced = {id(original): (original, new[name]) for name, original in _originals(new)}
    for name, original in _originals(new):
        holder = {"rmtree": shutil, "io_open": io}.get(name, os)
        setattr(holder, getattr(original, "__name__", name) if holder is not io else "open", new[name])
    builtins.open = new["io_open"]
    os.unlink = new["remove"]
    for module in list(sys.modules.values()):  # `from os import remove` did so early
        own = getattr(module, "__name__", "")
        if (
            not isinstance(module, ModuleType)
            or own in ("posix", "_io", __name__)
            or own.startswith("importlib")
        ):
            continue
        space = object.__getattribute__(module, "__dict__")
        for key, value in list(space.items()):
            found = replaced.get(id(value))
            if found is not None and found[0] is value:
                space[key] = found[1]
    accessor = getattr(pathlib, "_NormalAccessor", None)  # before Python 3.11
    for name in new:
        if accessor is not None and hasattr(accessor, name):
            setattr(accessor, name, staticmethod(new[name]))
    if accessor is not None:
        accessor.unlink = staticmethod(new["remove"])
    connect = sqlite3.connect  # opens its file in C

    def connect_in_scratch(database: Any, *args: Any, **kwargs: Any) -> Any:
        path = database if str(database).startswith(":") else writes.writable(database, copy=True)
        return connect(path, *args, **kwargs)

    sqlite3.connect = connect_in_scratch
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(_hook(writes))
    else:
        _watch_programs(writes)


def _originals(new: Dict[str, Any]) -> List[Any]:
    special = {"rmtree": _real_rmtree, "io_open": _real_open}
    return [(name, special.get(name) or _real[name]) for name in new]


def _functions(writes: Writes) -> Dict[str, Callable[..., Any]]:
    """What takes the place of Python's functions."""

    def one(name: str, where: Callable[[Any], Any]) -> Callable[..., Any]:
        real = _real[name]

        def call(path: Any = os.curdir, *args: Any, **kwargs: Any) -> Any:
            if isinstance(path, int) or kwargs.get("dir_fd") is not None:
                return real(path, *args, **kwargs)
            return real(where(path), *args, **kwargs)

        return call

    def changed(name: str, do: Callable[..., None]) -> Callable[..., None]:
        def call(path: Any, *args: Any, **kwargs: Any) -> None:
            if kwargs.get("dir_fd") is None:
                do(path, *args)
                return
            writes.check(_below(path, kwargs["dir_fd"]), "changes")
            _real[name](path, *args, **kwargs)

        return call

    def scandir(path: Any = os.curdir) -> Any:
        found = path if isinstance(path, int) else writes.readable(path)
        if isinstance(found, int) or not os.fsdecode(found).startswith(writes.files):
            return _real["scandir"](found)
        return _Entries(_Entry(path, name) for name in _real["listdir"](found))

    def open_file(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, int) or kwargs.get("opener") is not None:
            return _real_open(file, mode, *args, **kwargs)
        if not set(mode) & set("wax+"):
            return _real_open(writes.readable(file), mode, *args, **kwargs)
        if "x" in mode and writes.exists(file):
            raise _failure(errno.EEXIST, file)
        if _is_folder(writes.readable(file)):
            raise _failure(errno.EISDIR, file)
        return _real_open(writes.writable(file, copy="w" not in mode), mode, *args, **kwargs)

    def open_descriptor(path: Any, flags: int, mode: int = 0o777, *, dir_fd: Any = None) -> int:
        if dir_fd is None:
            copy = not flags & os.O_TRUNC
            path = writes.writable(path, copy) if flags & _WRITES else writes.readable(path)
        return int(_real["open"](path, flags, mode, dir_fd=dir_fd))

    def rmtree(path: Any, ignore_errors: bool = False, *args: Any, **kwargs: Any) -> None:
        try:
            writes.remove(path, folder=True, tree=True)
        except OSError:
            if not ignore_errors:
                raise

    def rename(source: Any, target: Any, **_: Any) -> None:
        writes.rename(source, target)

    extended = [name for name in ("listxattr", "getxattr") if name in _real]
    new = {name: one(name, writes.readable) for name in ["stat", "access", "listdir", "chdir", *extended]}
    new.update((name, one(name, lambda path: writes.readable(path, False))) for name in ("lstat", "readlink"))
    new.update(
        (name, one(name, lambda path: writes.writable(path, True))) for name in ("chmod", "utime", "truncate")
    )
    new.update(
        mkdir=changed("mkdir", writes.make_folder),
        remove=changed("remove", writes.remove),
        rmdir=changed("rmdir", lambda path: writes.remove(path, folder=True)),
        rename=rename, replace=rename, scandir=scandir, open=open_descriptor,
        getcwd=lambda: str(writes.working_folder()),
        symlink=lambda source, target, *_, **__: _real["symlink"](source, writes.upper(target, follow=False)),
        link=lambda source, target, *args, **kwargs: shutil.copyfile(source, target),
        rmtree=rmtree, io_open=open_file,
    )  # fmt: skip
    for name, function in new.items():
        function.__name__ = {"io_open": "open"}.get(name, name)
    return new


class _Entries(list):  # type: ignore[type-arg]
    """What `os.scandir` gives of a folder in scratch."""

    def __next__(self) -> Any:
        if not self:
            raise StopIteration
        return self.pop(0)

    def __iter__(self) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        """Nothing is open."""


class _Entry(object):
    """An `os.DirEntry`, over what the script sees."""

    def __init__(self, folder: Any, name: str) -> None:
        self.name = name
        self.path = os.path.join(folder, name)

    def __fspath__(self) -> Any:
        return self.path

    def is_symlink(self) -> bool:
        """Whether it is a link."""
        return os.path.islink(self.path)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        return os.path.isdir(self.path) and (follow_symlinks or not self.is_symlink())

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        return os.path.isfile(self.path) and (follow_symlinks or not self.is_symlink())

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        """Its size, times and so on."""
        return (os.stat if follow_symlinks else os.lstat)(self.path)

    def inode(self) -> int:
        """Its number on its disk."""
        return int(os.lstat(self.path).st_ino)


#: events of Python's audit hooks that change the disk: which arguments are paths that are written to
#: and the descriptors of the folders that they are in
_EVENTS = {
    "os.mkdir": ((0, 2),), "os.remove": ((0, 1),), "os.rmdir": ((0, 1),), "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),), "os.symlink": ((1, 2),), "os.truncate": ((0, None),), "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),), "os.utime": ((0, 3),), "os.setxattr": ((0, None),),
}  # type: Dict[str, Any]  # fmt: skip

_FOLLOW = ("os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr")


def _below(path: Any, folder: Optional[int]) -> Any:
    """A path that is relative to an open folder; -1 and None: to the working one."""
    if folder in (None, -1) or isinstance(path, int):
        return path
    return os.path.join(_real["readlink"]("/proc/self/fd/%d" % folder), os.fsdecode(path))


def _hook(writes: Writes) -> Callable[[str, Any], None]:
    def hook(event: str, args: Any) -> None:
        if event == "open":
            if isinstance(args[2], int) and args[2] & _WRITES and not isinstance(args[0], int):
                if os.path.isabs(os.fsdecode(args[0])) or args[1] is not None:  # else of an open folder
                    writes.check(args[0], "writes", follow=True)
        elif event in _EVENTS:
            for path, folder in _EVENTS[event]:
                below = _below(args[path], None if folder is None else args[folder])
                writes.check(below, "changes", event in _FOLLOW)
        elif event == "os.system":
            writes.check_command(os.fsdecode(args[0]))
        elif event == "subprocess.Popen":
            command = args[1] if isinstance(args[1], (list, tuple)) else [args[1]]
            shell = (
                len(command) == 3 and os.fsdecode(command[1]) == "-c" and os.path.basename(command[0]) == "sh"
            )
            writes.check_command(os.fsdecode(command[2]) if shell else command)

    return hook


def _watch_programs(writes: Writes) -> None:
    """For a Python without audit hooks."""
    import subprocess

    start, system = subprocess.Popen.__init__, os.system

    def checked(self: Any, args: Any, *more: Any, **kwargs: Any) -> None:
        writes.check_command(args)
        start(self, args, *more, **kwargs)

    def checked_system(command: Any) -> int:
        writes.check_command(os.fsdecode(command))
        return system(command)

    subprocess.Popen.__init__ = checked  # type: ignore[method-assign]
    os.system = checked_system
