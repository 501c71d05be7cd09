"""What changes more than the bytes of one file, by the rules of POSIX: folders, deletions, renames."""

import errno
import os
from typing import Any, Optional

from . import real
from .paths import Overlay
from .refusals import failure


def make_folder(overlay: Overlay, path: Any, mode: int = 0o777) -> None:
    """`os.mkdir`."""
    place = overlay.locate(path, follow=False)
    if place is None:
        real.mkdir(path, mode)
        return
    if overlay.exists(place):
        raise failure(errno.EEXIST, path)
    real.mkdir(overlay.writable(path, follow=False), mode)


def make_folders(overlay: Overlay, path: Any) -> None:
    """A folder and those above it, where they are missing; raises `FileExistsError` where a file is in the way."""
    place = overlay.locate(path)
    if place is None:
        real.make_folders(os.path.abspath(os.fsdecode(path)))
        return
    if overlay.is_folder(place):
        return
    if overlay.exists(place):
        raise failure(errno.EEXIST, path)
    make_folders(overlay, os.path.dirname(place))
    make_folder(overlay, place)


def remove_file(overlay: Overlay, path: Any) -> None:
    """`os.unlink`."""
    place = _place_of(overlay, path)
    if place is None:
        real.unlink(path)
        return
    if overlay.is_folder(place):
        raise failure(errno.EISDIR, path)
    _remove(overlay, place)


def remove_folder(overlay: Overlay, path: Any) -> None:
    """`os.rmdir`."""
    place = _place_of(overlay, path)
    if place is None:
        real.rmdir(path)
        return
    if not overlay.is_folder(place):
        raise failure(errno.ENOTDIR, path)
    if overlay.children(place):
        raise failure(errno.ENOTEMPTY, path)
    _remove(overlay, place)


def remove_tree(overlay: Overlay, path: Any) -> None:
    """A file, or a folder with all that is in it; raises `FileNotFoundError` where there is nothing."""
    place = _place_of(overlay, path)
    if place is None:
        real.remove_tree(os.fsdecode(path))
    else:
        _remove(overlay, place)


def rename(overlay: Overlay, source: Any, target: Any) -> None:
    """`os.rename` and `os.replace`, which are one on POSIX. A real folder is copied: no move without a trace."""
    old = overlay.locate(source, follow=False)
    new = overlay.locate(target, follow=False)
    if old is None and new is None:
        real.replace(source, target)
        return
    found = os.fsdecode(source) if old is None else overlay.at(old)
    if not real.exists(found):
        raise failure(errno.ENOENT, source)
    if old is not None and old == new:
        return
    if new is None:
        goal = os.fsdecode(target)
    else:
        if old is not None and new.startswith(old + os.sep):
            raise failure(errno.EINVAL, source)
        _check_target(overlay, new, real.is_folder(found), target)
        goal = overlay.writable(target, follow=False)
        if real.is_folder(goal):
            _remove(overlay, new)
    _move(overlay, old, found, goal)
    if new is not None and real.is_folder(goal):
        overlay.hide(new)  # the new folder has nothing of the old one's
    overlay.changed(links=True)


def link(overlay: Overlay, source: Any, target: Any) -> None:
    """`os.link`; a real file is copied, for a link to it would be written through."""
    _check_free(overlay, target)
    found = overlay.readable(source, follow=False)
    goal = overlay.writable(target, follow=False)
    if overlay.locate(found) is None:
        real.link(found, goal)
    else:
        real.copy_file(found, goal)


def symlink(overlay: Overlay, source: Any, target: Any) -> None:
    """`os.symlink`."""
    _check_free(overlay, target)
    real.symlink(overlay.original(source), overlay.writable(target, follow=False))
    overlay.changed(links=True)


def _place_of(overlay: Overlay, path: Any) -> Optional[str]:
    """Where something is; None for what is left alone; raises `FileNotFoundError` where there is nothing."""
    place = overlay.locate(path, follow=False)
    if place is not None and not overlay.exists(place):
        raise failure(errno.ENOENT, path)
    return place


def _check_free(overlay: Overlay, path: Any) -> None:
    place = overlay.locate(path, follow=False)
    if place is not None and overlay.exists(place):
        raise failure(errno.EEXIST, path)


def _remove(overlay: Overlay, place: str) -> None:
    overlay.hide(place)
    if real.exists(overlay.upper(place)):
        real.remove_tree(overlay.upper(place))
    overlay.changed(links=True)


def _check_target(overlay: Overlay, place: str, folder: bool, path: Any) -> None:
    if not overlay.exists(place):
        return
    if overlay.is_folder(place):
        if not folder:
            raise failure(errno.EISDIR, path)
        if overlay.children(place):
            raise failure(errno.ENOTEMPTY, path)
    elif folder:
        raise failure(errno.ENOTDIR, path)


def _move(overlay: Overlay, old: Any, found: str, goal: str) -> None:
    if old is None:
        try:
            real.replace(found, goal)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _copy_tree(overlay, found, goal)
            real.remove_tree(found)
        return
    upper = overlay.upper(old)
    if found == upper and not (overlay.visible(old) and real.is_folder(old)):
        real.replace(upper, goal)
    else:
        _copy_tree(overlay, old, goal)
        if real.exists(upper):
            real.remove_tree(upper)
    overlay.hide(old)


def _copy_tree(overlay: Overlay, place: str, goal: str) -> None:
    """What the script sees at a place (or at a path that is left alone)."""
    found = overlay.readable(place, follow=False)
    if not real.is_folder(found):
        if real.exists(goal):
            real.unlink(goal)
        real.copy_file(found, goal)
        return
    real.make_folders(goal)
    names = real.listdir(place) if overlay.locate(place, follow=False) is None else overlay.children(place)
    for name in names:
        _copy_tree(overlay, os.path.join(place, name), os.path.join(goal, name))
