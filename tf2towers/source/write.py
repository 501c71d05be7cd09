"""Writes files so that a failure, at any moment, leaves the old files intact."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tf2towers.source.errors import SourceError
from tf2towers.source.syntax import check_syntax

if TYPE_CHECKING:
    from tf2towers.report.result import FileChange

_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")


def encoded(change: FileChange) -> bytes:
    """The bytes to write; raises SourceError if the text is not Python or cannot be encoded."""
    if not change.checked:
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
            change.path, f"not written: {change.encoding} lacks {odd!r}; save it as UTF-8 first"
        ) from None


def write_together(files: Iterable[tuple[Path, bytes, Path | None]]) -> None:
    """Writes files, all or none; each is a target, its bytes, and a file whose mode it takes.

    All files are first written beside their targets. Once all of them are on the disk, they replace
    the targets, with the old mode and owner. If a target is a link, the file that it points to is
    written. If a file has several names (hard links), only the given name gets the new text.
    Signals that end the process wait until all files are written.
    """
    staged: list[_Staged] = []
    with _uninterrupted():
        try:
            for target, data, like in files:
                staged.append(_stage_file(Path(os.path.realpath(target)), data, like))
            for file in staged:
                file.commit()
        finally:
            for file in staged:
                file.discard()


@dataclass(frozen=True)
class _Staged:
    """A new file that has been written, but has not replaced its target yet."""

    target: Path
    there: Path

    def commit(self) -> None:
        """Replaces the target by the new file."""
        try:
            self.there.replace(self.target)
        except OSError as problem:
            raise SourceError(self.target, f"cannot be written ({problem.strerror})") from None

    def discard(self) -> None:
        """Removes a new file that has not replaced its target."""
        with contextlib.suppress(OSError):
            self.there.unlink(missing_ok=True)


def _stage_file(target: Path, data: bytes, like: Path | None) -> _Staged:
    import tempfile

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        old = target.stat() if target.exists() else None
        if old is not None:
            _check_replaceable(target, old)
        # the target's name may be as long as names can be, so only its beginning is used
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
        staged = _Staged(target, Path(name))
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                if old is not None:  # a crash of the machine must not lose the old text
                    os.fsync(stream.fileno())
            new = staged.there.stat()
            moved = old is not None and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid)
            if old is not None and moved and hasattr(os, "chown"):
                with contextlib.suppress(OSError):  # only root may change the owner
                    os.chown(staged.there, old.st_uid, old.st_gid)
            staged.there.chmod(_mode(old, like))
        except BaseException:
            staged.discard()
            raise
    except OSError as problem:
        raise SourceError(target, f"cannot be written ({problem.strerror})") from None
    return staged


def _check_replaceable(target: Path, old: os.stat_result) -> None:
    if not stat.S_ISREG(old.st_mode):
        raise SourceError(target, "not written: it is not a regular file")
    # root may write any file, but a file that is read-only for everyone is meant to stay
    if not old.st_mode & 0o222:
        raise SourceError(target, "not written: the file is read-only (chmod u+w makes it writable)")
    if not os.access(target, os.W_OK):
        raise SourceError(target, "not written: you may not write this file (permission denied)")


def _mode(old: os.stat_result | None, like: Path | None) -> int:
    if old is not None:
        return stat.S_IMODE(old.st_mode)
    if like is not None and like.is_file():
        return stat.S_IMODE(like.stat().st_mode) | stat.S_IWUSR  # so that later runs can write it
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Context that delays signals that end the process."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _ENDINGS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
