"""What a script writes goes to a scratch folder; a write that gets past is refused, with its path and the way out.

The script reads back what it wrote, misses what it deleted, and otherwise reads the real files: a path that it writes
stands for FOLDER/files/PATH from then on. Here this is done to Python's functions, in `tf_writes` to TensorFlow's. On
Python 3.8 and later an audit hook sees every other write of Python's and refuses it. Neither sees C libraries that open
files by themselves. Programs are started if they are known to write nothing; a forked child's deletions are its own.
Runs on Python 3.6 to 3.13, with the standard library alone, on POSIX.
"""

import builtins
import errno
import io
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import stat
import sys
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, List, Optional, Set

OPTION = "--allow-writes"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: programs that write nothing but what they print
_HARMLESS = frozenset(
    "nvidia-smi uname hostname which ls cat echo date lscpu free df du id whoami ps true false wc head tail grep "
    "fc-list lspci nproc pwd printenv getconf arch sysctl file stat readlink basename sleep ldd".split()
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
    """The scratch folder over the disk.

    Args:
        folder: it.
        through: folders that are written to as they are: that of the recording, and those that the user allows.

    Attributes:
        names: of checkpoints in scratch: what the script calls them.
    """

    def __init__(self, folder: Any, through: Iterable[Any] = ()) -> None:
        self.folder = os.path.realpath(os.fsdecode(folder))
        self.files = os.path.join(self.folder, "files")
        os.makedirs(self.files, exist_ok=True)
        named = [self.folder, "/dev", "/proc", "/sys", os.path.abspath(os.fsdecode(folder))]
        for path in map(os.fsdecode, through):
            named += [os.path.abspath(path), os.path.realpath(path)]
        self._through = tuple({path.rstrip(os.sep) + os.sep for path in named})
        self._hidden: Set[str] = set()
        self._has_links = False
        self.names: Dict[str, str] = {}

    # -- places

    def seen(self, path: str) -> str:
        """The script's own name for an absolute path that may lie in scratch."""
        return path[len(self.files) :] if path.startswith(self.files + os.sep) else path

    def place(self, path: Any, follow: bool = True) -> Optional[str]:
        """The absolute path without links, the last one too with `follow`; None for what is written to as it is."""
        text = os.fsdecode(path)
        if text.startswith("file://"):
            text = text[len("file://") :]
        absolute = os.path.join(self.seen(_real["getcwd"]()), text)
        if not text or self._passes(os.path.normpath(absolute)):
            return None
        folder, name = os.path.split(absolute.rstrip(os.sep) or os.sep)
        whole = follow or name in ("", os.curdir, os.pardir)
        found = self._resolved(absolute) if whole else os.path.join(self._resolved(folder), name)
        return None if self._passes(found) else found

    def _resolved(self, path: str, links: int = 0) -> str:
        """As `os.path.realpath`, over what the script sees."""
        place = os.sep
        for name in path.split(os.sep):
            if name == os.pardir:
                place = os.path.dirname(place)
            elif name not in ("", os.curdir):
                above, place = place, os.path.join(place, name)
                upper = self.files + place
                target = _link(upper) or ("" if _exists(upper) or not self.visible(place) else _link(place))
                if target and links < 40:
                    place = self._resolved(os.path.join(above, target), links + 1)
        return place

    def _passes(self, absolute: str) -> bool:
        return (absolute + os.sep).startswith(self._through)

    def visible(self, place: str) -> bool:
        """Whether the disk shows there: neither the place nor a folder above it was deleted."""
        while self._hidden and place != os.sep:
            if place in self._hidden:
                return False
            place = os.path.dirname(place)
        return True

    def readable(self, path: Any, follow: bool = True) -> Any:
        """Where to read a path, text or bytes as it is; of what was deleted a path where nothing is."""
        place = self.place(path, follow)
        if place is None:
            return path
        upper = self.files + place
        there = _exists(upper) or bool(_link(upper))
        if not self.visible(place) or (there and not (_is_folder(upper) and _is_folder(place))):
            return _like(path, upper)
        in_scratch = self._has_links or _real["getcwd"]().startswith(self.files)
        return _like(path, place) if in_scratch else path

    def exists(self, path: Any) -> bool:
        """Whether there is a file or folder, as the script sees it."""
        return _exists(self.readable(path))

    def writable(self, path: Any, copy: bool = False) -> Any:
        """Where to write a file; with `copy` the real one is there first.

        Raises:
            FileNotFoundError: its folder is not there.
        """
        place = self.place(path)
        if place is None:
            return path
        folder = os.path.dirname(place)
        if not _is_folder(self.readable(folder)):
            raise _failure(errno.ENOTDIR if self.exists(folder) else errno.ENOENT, path)
        upper = self.files + place
        _make_folders(os.path.dirname(upper))
        if copy and not _exists(upper) and self.visible(place) and _exists(place):
            if _is_folder(place):
                _real["mkdir"](upper)
            else:
                shutil.copyfile(place, upper)
        return _like(path, upper)

    def children(self, path: Any) -> Optional[List[str]]:
        """The names in a folder; None where the disk's are right."""
        place = self.place(path)
        if place is None:
            return None
        upper, names = self.files + place, []  # type: str, List[str]
        hidden = any(os.path.dirname(gone) == place for gone in self._hidden)
        if not (_is_folder(upper) or hidden or not self.visible(place)) and _is_folder(place):
            return None
        if self.visible(place) and _is_folder(place):
            names = [name for name in _real["listdir"](place) if self.visible(os.path.join(place, name))]
        elif not _is_folder(upper):
            raise _failure(errno.ENOTDIR if self.exists(path) else errno.ENOENT, path)
        if _is_folder(upper):
            names += [name for name in _real["listdir"](upper) if name not in names]
        return names

    # -- changes

    def make_folder(self, path: Any, mode: int = 0o777) -> None:
        """`os.mkdir`."""
        if self.exists(path):
            raise _failure(errno.EEXIST, path)
        _real["mkdir"](self.writable(path), mode)

    def remove(self, path: Any, folder: bool = False) -> None:
        """`os.remove`, and `os.rmdir` with `folder`; the disk is not touched."""
        place, found = self.place(path, follow=False), self.readable(path, follow=False)
        if place is None:
            _real["rmdir" if folder else "remove"](found)
            return
        link = bool(_link(found))
        if not (link or _exists(found)):
            raise _failure(errno.ENOENT, path)
        if (_is_folder(found) and not link) != folder:
            raise _failure(errno.ENOTDIR if folder else errno.EISDIR, path)
        if folder and (self.children(path) if self.children(path) is not None else _real["listdir"](found)):
            raise _failure(errno.ENOTEMPTY, path)
        self._forget(place)

    def remove_tree(self, path: Any) -> None:
        """`shutil.rmtree`."""
        place = self.place(path)
        if place is None:
            _real_rmtree(path)
        elif not _is_folder(self.readable(path)):
            raise _failure(errno.ENOTDIR if self.exists(path) else errno.ENOENT, path)
        else:
            self._forget(place)

    def rename(self, source: Any, target: Any) -> None:
        """`os.rename` and `os.replace`."""
        old, new = self.place(source), self.place(target)
        found = self.readable(source)
        if not _exists(found):
            raise _failure(errno.ENOENT, source)
        if old is None and new is None:
            _real["rename"](found, target)
            return
        if old is not None and new is not None and new.startswith(old + os.sep):
            raise _failure(errno.EINVAL, target)
        if _is_folder(self.readable(target)) and not _is_folder(found):
            raise _failure(errno.EISDIR, target)
        if _is_folder(found):
            if self.exists(target):
                raise _failure(errno.EEXIST, target)
            to = self.writable(target)
            shutil.copytree(source, to)
        else:
            shutil.copyfile(found, self.writable(target))
        if old is None:
            (_real_rmtree if _is_folder(found) else _real["remove"])(found)
        else:
            self._forget(old)

    def link(self, source: Any, target: Any) -> None:
        """`os.symlink`."""
        self._has_links = True
        _real["symlink"](source, self.writable(target))

    def change_folder(self, path: Any) -> None:
        """`os.chdir`; a folder that the script has made is one in scratch."""
        _real["chdir"](self.readable(path))

    def _forget(self, place: str) -> None:
        upper = self.files + place
        if _is_folder(upper) and not _link(upper):
            _real_rmtree(upper)
        elif _exists(upper) or _link(upper):
            _real["remove"](upper)
        if _exists(place) or _link(place):
            self._hidden.add(place)

    def check(self, path: Any, what: str) -> None:
        """Raises RefusedWrite for a path that is neither in scratch nor allowed."""
        if isinstance(path, int) or path is None:
            return
        place = self.place(path)
        if place is not None:
            raise RefusedWrite(
                "the script %s %s, which tf2towers could not keep apart; %s %s lets it"
                % (what, place, OPTION, shlex.quote(os.path.dirname(place)))
            )

    def check_command(self, command: Any) -> None:
        """Raises RefusedWrite for a program that may write."""
        if self._passes(os.sep):
            return
        words = _programs(command) if isinstance(command, str) else [os.fsdecode(command[0])]
        if words is None or any(
            os.path.basename(word) not in _HARMLESS and shutil.which(word) for word in words
        ):
            text = command if isinstance(command, str) else " ".join(map(os.fsdecode, command))
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


def _make_folders(path: str) -> None:
    if not _exists(path):
        _make_folders(os.path.dirname(path))
        _real["mkdir"](path)


def _like(path: Any, text: str) -> Any:
    return os.fsencode(text) if isinstance(path, bytes) else text


def _programs(text: str) -> Optional[List[str]]:
    """The programs that a command line of the shell starts; None for one that is not understood, or redirects."""
    if re.search("[<>()`$]", text):
        return None
    try:
        parts = [shlex.split(part) for part in re.split("[|&;\n]+", text)]
    except ValueError:
        return None
    return [next((word for word in words if "=" not in word), "") for words in parts]


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

    def listdir(path: Any = os.curdir) -> Any:
        names = None if isinstance(path, int) else writes.children(os.curdir if path is None else path)
        if names is None:
            return _real["listdir"](path if isinstance(path, int) or path is None else writes.readable(path))
        return [os.fsencode(name) for name in names] if isinstance(path, bytes) else names

    def scandir(path: Any = os.curdir) -> Any:
        names = None if isinstance(path, int) else writes.children(path)
        if names is None:
            return _real["scandir"](path if isinstance(path, int) else writes.readable(path))
        place = writes.place(path) or os.fsdecode(path)
        found: Dict[str, Any] = {}
        for folder in (place, writes.files + place):
            found.update(
                (entry.name, entry) for entry in (_real["scandir"](folder) if _is_folder(folder) else ())
            )
        return _Entries([found[name] for name in names])

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
            writes.remove_tree(path)
        except OSError:
            if not ignore_errors:
                raise

    def rename(source: Any, target: Any, **_: Any) -> None:
        writes.rename(source, target)

    extended = [name for name in ("listxattr", "getxattr") if name in _real]
    new = {name: one(name, writes.readable) for name in ["stat", "access", *extended]}
    new.update((name, one(name, lambda path: writes.readable(path, False))) for name in ("lstat", "readlink"))
    new.update(
        (name, one(name, lambda path: writes.writable(path, True))) for name in ("chmod", "utime", "truncate")
    )
    new.update(
        mkdir=changed("mkdir", writes.make_folder),
        remove=changed("remove", writes.remove),
        rmdir=changed("rmdir", lambda path: writes.remove(path, folder=True)),
        rename=rename, replace=rename, listdir=listdir, scandir=scandir, open=open_descriptor,
        chdir=lambda path: _real["chdir"](path) if isinstance(path, int) else writes.change_folder(path),
        getcwd=lambda: writes.seen(_real["getcwd"]()),
        symlink=lambda source, target, *_, **__: writes.link(source, target),
        link=lambda source, target, *args, **kwargs: shutil.copyfile(source, target),
        rmtree=rmtree, io_open=open_file,
    )  # fmt: skip
    for name, function in new.items():
        function.__name__ = {"io_open": "open"}.get(name, name)
    return new


class _Entries(list):  # type: ignore[type-arg]
    """What `os.scandir` gives of a folder that is partly in scratch."""

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


#: events of Python's audit hooks that change the disk: which arguments are paths that are written to
#: and the descriptors of the folders that they are in
_EVENTS = {
    "os.mkdir": ((0, 2),), "os.remove": ((0, 1),), "os.rmdir": ((0, 1),), "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),), "os.symlink": ((1, 2),), "os.truncate": ((0, None),), "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),), "os.utime": ((0, 3),), "os.setxattr": ((0, None),),
}  # type: Dict[str, Any]  # fmt: skip


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
                    writes.check(args[0], "writes")
        elif event in _EVENTS:
            for path, folder in _EVENTS[event]:
                writes.check(_below(args[path], None if folder is None else args[folder]), "changes")
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
