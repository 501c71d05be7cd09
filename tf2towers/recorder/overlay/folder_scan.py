"""`os.scandir` of a folder that is partly in scratch."""

import os
import stat as modes
from typing import Any, Iterator, List, Optional

from . import real
from .paths import Overlay


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
        mode = self._mode(follow_symlinks)
        return mode is not None and modes.S_ISDIR(mode)

    def is_file(self, follow_symlinks: bool = True) -> bool:
        """As `os.DirEntry.is_file`."""
        mode = self._mode(follow_symlinks)
        return mode is not None and modes.S_ISREG(mode)

    def is_symlink(self) -> bool:
        """As `os.DirEntry.is_symlink`."""
        mode = self._mode(False)
        return mode is not None and modes.S_ISLNK(mode)

    def is_junction(self) -> bool:
        """As `os.DirEntry.is_junction`: never, it is a thing of Windows."""
        return False

    def _mode(self, follow: bool) -> Optional[int]:
        try:
            return self.stat(follow_symlinks=follow).st_mode
        except FileNotFoundError:
            return None


class Scan(object):
    """As what `os.scandir` returns."""

    def __init__(self, overlay: Overlay, folder: Any, names: List[str]) -> None:
        self._entries = iter([Entry(overlay, folder, name) for name in names])

    def __iter__(self) -> Iterator[Entry]:
        return self

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> "Scan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """No more entries."""
        self._entries = iter(())
