"""Which file of the disk stands for a path: the scratch copy, the real one, or none because the script deleted it."""

import errno
import json
import os
from typing import Any, Dict, List, Optional, Sequence, Set

from . import real
from .refusals import failure

_MOST_LINKS = 40  # as Linux: a longer chain of links is a loop


class Overlay:
    """The scratch folder over the disk.

    A *place* is a path of the script made absolute, without links: it names one thing, however the script got there.
    What was written at a place is at FOLDER/files/PLACE. What was deleted is in a journal, FOLDER/journal, that child
    processes share: nothing of the disk at such a place or below is seen again, also when the script makes it anew.

    Args:
        folder: FOLDER.
        through: folders that are no matter of the script's, such as that of its recording: written to as they are.
    """

    def __init__(self, folder: Any, through: Sequence[Any] = ()) -> None:
        named = os.path.abspath(os.fsdecode(folder))
        self.folder = os.path.realpath(named)
        self.files = os.path.join(self.folder, "files")
        real.make_folders(self.files)
        self._journal = os.path.join(self.folder, "journal")
        with real.open_file(self._journal, "ab"):
            pass
        self._read = 0  # bytes of the journal that are in the sets below
        self._removed: Set[str] = set()
        self._removed_in: Dict[str, Set[str]] = {}
        self._folders: Dict[str, str] = {}  # a folder as named -> its place
        self._cwd: Optional[str] = None  # where the process is, when that is not a real folder
        others = [os.path.abspath(os.fsdecode(path)) for path in through]
        self._through = tuple(
            {self.folder, named, "/dev", "/proc", "/sys", *others, *map(os.path.realpath, others)}
        )

    # -- what scripts and the recorder ask

    def writable(self, path: Any, copy: bool = False, follow: bool = True) -> str:
        """Where to write `path`; the folder is made, and with `copy` the real file is there first.

        Raises `FileNotFoundError` and `NotADirectoryError` as the system would, for the folder of `path`.
        """
        place = self.locate(path, follow)
        if place is None:
            return os.fsdecode(path)
        folder = os.path.dirname(place)
        if not self.is_folder(folder):
            raise failure(errno.ENOTDIR if self.exists(folder) else errno.ENOENT, os.fsdecode(path))
        upper = self.upper(place)
        self.changed()
        real.make_folders(os.path.dirname(upper))
        if copy and not real.exists(upper) and self.visible(place) and real.exists(place):
            if not real.is_folder(place):
                real.copy_file(place, upper)
        return upper

    def readable(self, path: Any, follow: bool = True) -> str:
        """Where to read `path`: the scratch copy if there is one, else the real one.

        Of a folder that is both real and in scratch: the real one, for its permissions. What was deleted has a path
        where nothing is.
        """
        if self._cwd is None and not self.refresh():
            return os.fsdecode(path)
        place = self.locate(path, follow)
        if place is None:
            return os.fsdecode(path)
        found = self.at(place)
        return os.fsdecode(path) if found == place and self._cwd is None else found

    def original(self, path: Any) -> str:
        """The script's path for a path below FOLDER/files; any other as it is."""
        text = os.fsdecode(path)
        return text[len(self.files) :] if text.startswith(self.files + os.sep) else text

    # -- places

    def locate(self, path: Any, follow: bool = True) -> Optional[str]:
        """The place of a path; None for what is left alone: scratch itself, /dev, /proc, /sys, an empty path."""
        text = os.fsdecode(path)
        if not text:
            return None
        absolute = text if text.startswith(os.sep) else os.path.join(self.cwd(), text)
        if self._passes(absolute) and os.pardir not in absolute.split(os.sep):
            return None
        place = self._place(absolute, follow)
        return None if self._passes(place) else place

    def concerns(self, path: Any, mode: str) -> bool:
        """An `open` with this mode is not simply one of the real file: it writes, or the script changed something."""
        return self._cwd is not None or mode.strip("rbtU") != "" or self.refresh()

    def upper(self, place: str) -> str:
        """Where the scratch copy of a place is, or would be."""
        return self.files + place

    def visible(self, place: str) -> bool:
        """The disk shows there: neither the place nor a folder above it was deleted."""
        if self.refresh() and self._removed:
            while place not in self._removed:
                above = os.path.dirname(place)
                if above == place:
                    return True
                place = above
            return False
        return True

    def at(self, place: str) -> str:
        """The file or folder that stands for a place."""
        upper = self.upper(place)
        shown = self.visible(place)
        if real.exists(upper) and not (shown and real.is_folder(upper) and real.is_folder(place)):
            return upper
        return place if shown else upper

    def exists(self, place: str) -> bool:
        """There is a file, folder or link, as the script sees it."""
        return real.exists(self.at(place))

    def is_folder(self, place: str) -> bool:
        """It is a folder, as the script sees it."""
        return real.is_folder(self.at(place))

    def children(self, place: str) -> List[str]:
        """The names in a folder, as the script sees it; raises as `os.listdir`."""
        upper = self.upper(place)
        if not real.is_folder(upper):
            names = real.listdir(self.at(place))
        else:
            names = real.listdir(upper)
            if self.visible(place) and real.is_folder(place):
                known = set(names)
                names += [name for name in real.listdir(place) if name not in known]
                names = [name for name in names if name in known or name not in self.gone_from(place)]
            return names
        gone = self.gone_from(place)
        return [name for name in names if name not in gone] if gone else names

    def merged(self, place: str) -> bool:
        """A listing of the folder by the system would show something else than the script should see."""
        return bool(self.gone_from(place)) or real.exists(self.upper(place)) or not self.visible(place)

    def hide(self, place: str) -> None:
        """Delete what the disk has at a place, in the script's eyes."""
        if self.visible(place) and real.exists(place):
            self._note(["removed", place])

    def cwd(self) -> str:
        """The script's working directory."""
        return self._cwd or real.getcwd()

    def enter(self, path: Any) -> None:
        """`os.chdir`."""
        place = self.locate(path)
        if place is None:
            real.chdir(path)
            self._cwd = None
            return
        found = self.at(place)
        real.chdir(found)
        self._cwd = place if found != place else None

    # -- the journal

    def refresh(self) -> bool:
        """Read what this or another process noted since; whether the script changed anything yet."""
        size = real.stat(self._journal).st_size
        if size != self._read:
            with real.open_file(self._journal, "rb") as file:
                file.seek(self._read)
                text = file.read()
            text = text[: text.rfind(b"\n") + 1]
            self._read += len(text)
            for line in text.splitlines():
                kind, place = json.loads(line.decode("ascii"))
                if kind == "removed":
                    self._removed.add(place)
                    self._removed_in.setdefault(os.path.dirname(place), set()).add(os.path.basename(place))
            self._folders.clear()
        return size > 0

    def changed(self, links: bool = False) -> None:
        """Note that there is something in scratch; with `links`, that folders may lead elsewhere now."""
        if links or not self.refresh():
            self._note(["changed", ""])

    def _note(self, line: List[str]) -> None:
        with real.open_file(self._journal, "ab", buffering=0) as file:
            file.write((json.dumps(line) + "\n").encode("ascii"))
        self.refresh()

    def gone_from(self, place: str) -> Set[str]:
        """The names in a real folder that the script deleted."""
        self.refresh()
        return self._removed_in.get(place, set())

    # -- links

    def _passes(self, absolute: str) -> bool:
        for folder in self._through:
            if absolute.startswith(folder) and absolute[len(folder) : len(folder) + 1] in ("", os.sep):
                return True
        return False

    def _place(self, absolute: str, follow: bool) -> str:
        self.refresh()
        folder, name = os.path.split(absolute.rstrip(os.sep) or os.sep)
        if name in ("", os.curdir, os.pardir):
            return self._walk(absolute)
        above = self._folders.get(folder)
        if above is None:
            above = self._folders[folder] = self._walk(folder)
        place = os.path.join(above, name)
        if follow or absolute.endswith(os.sep):
            target = self._link(place)
            if target is not None:
                return self._walk(os.path.join(above, target))
        return place

    def _walk(self, absolute: str) -> str:
        """As `os.path.realpath`, over what the script sees."""
        place = os.sep
        todo = absolute.split(os.sep)[::-1]
        links = 0
        while todo:
            name = todo.pop()
            if name in ("", os.curdir):
                continue
            if name == os.pardir:
                place = os.path.dirname(place)
                continue
            target = self._link(os.path.join(place, name))
            if target is None:
                place = os.path.join(place, name)
                continue
            links += 1
            if links > _MOST_LINKS:
                raise failure(errno.ELOOP, absolute)
            if target.startswith(os.sep):
                place = os.sep
            todo += target.split(os.sep)[::-1]
        return place

    def _link(self, place: str) -> Optional[str]:
        """Where a link leads, as it is written in the link; None of what is no link."""
        if self._passes(place):
            return None
        try:
            return real.readlink(self.upper(place))
        except OSError as error:
            if error.errno == errno.EINVAL:  # there is something, and no link
                return None
        if not self.visible(place):
            return None
        try:
            return real.readlink(place)
        except OSError:
            return None
