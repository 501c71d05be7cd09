"""Writing a file so that a failure, at any moment, leaves the old one whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tf2towers.source.errors import SourceError
from tf2towers.source.syntax import check_syntax

if TYPE_CHECKING:
    from tf2towers.report.result import FileChange


def write_change(change: FileChange, target: Path | None = None) -> None:
    """Writes a change to `target`, or over the file it was made from; never a text that is not Python."""
    target = target or change.path
    write_atomically(target, encoded(change), like=change.path)


def encoded(change: FileChange) -> bytes:
    """The bytes to write for a change; SourceError when they are not Python or cannot be encoded."""
    try:
        check_syntax(change.code, change.path)
    except SourceError as problem:
        raise SourceError(
            change.path, f"not written: the new text is wrong, please report it ({problem})"
        ) from None
    try:
        return change.encoded()
    except UnicodeEncodeError as problem:
        odd = change.after[problem.start]
        raise SourceError(
            change.path, f"not written: {change.encoding} has no {odd!r}; save it as UTF-8 first"
        ) from None


def copy_file(source: Path, target: Path) -> None:
    """Copies a file as it is."""
    try:
        data = source.read_bytes()
    except OSError as problem:
        raise SourceError(source, f"the file cannot be read ({problem.strerror})") from None
    write_atomically(target, data, like=source)


def write_atomically(target: Path, data: bytes, like: Path | None = None) -> None:
    """Writes bytes: first to a new file beside the target, then in its place, with the mode of the old file.

    A target that is a link stays one. A new file takes the mode of `like`.
    """
    import tempfile

    target = Path(os.path.realpath(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():
            raise SourceError(target, "not written: it is no regular file")
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(_mode(target, like))
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise SourceError(target, f"cannot be written ({problem.strerror})") from None


def _mode(target: Path, like: Path | None) -> int:
    for path in (target, like):
        if path is not None and path.is_file():
            return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
