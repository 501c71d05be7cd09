"""Paths as TensorFlow takes them: text, bytes, with a scheme, the prefix of a checkpoint, a constant tensor."""

import functools
import os
from typing import Any, Callable, Optional

from . import real
from .changes import make_folders
from .paths import Overlay
from .refusals import OverlayError, remote


def local(path: Any) -> Optional[str]:
    """The text of a path on this machine's disk; None for a remote path and for memory (ram://)."""
    text = os.fsdecode(path)
    if text.startswith("file://"):
        return text[len("file://") :]
    return None if remote(text) or text.startswith("ram://") else text


def to_read(overlay: Overlay, path: Any) -> Any:
    """Where to read a file or folder, text or bytes as `path` is."""
    text = local(path)
    return path if text is None else _like(path, overlay.readable(text))


def to_write(overlay: Overlay, path: Any, copy: bool = False) -> Any:
    """Where to write a file, text or bytes as `path` is.

    A folder that is missing is left to TensorFlow to report. Raises `OverlayError` for a remote path.
    """
    text = local(path)
    if text is None:
        return refuse(path)
    try:
        return _like(path, overlay.writable(text, copy))
    except OSError:
        place = overlay.locate(text)
        return path if place is None else _like(path, overlay.upper(place))


def refuse(path: Any) -> Any:
    """Raise `OverlayError` for a remote path to write; a path in memory is given back."""
    if remote(path):
        raise OverlayError("the script writes to {}: tf2towers does not".format(os.fsdecode(path)))
    return path


def prefix_to_write(overlay: Overlay, prefix: Any) -> Any:
    """Where to write a checkpoint. As TensorFlow's BundleWriter does, its folder is made (not those above)."""
    text = local(prefix)
    if text is None:
        return refuse(prefix)
    place = overlay.locate(text)
    if place is None:
        return prefix
    above = os.path.dirname(os.path.dirname(place))
    if overlay.is_folder(above):
        make_folders(overlay, os.path.dirname(place))
    return to_write(overlay, prefix)


def prefix_to_read(overlay: Overlay, prefix: Any) -> Any:
    """Where to read a checkpoint: as a whole from scratch or from the disk."""
    text = local(prefix)
    if text is None or not overlay.refresh():
        return prefix if text is None else to_read(overlay, prefix)
    place = overlay.locate(text)
    if place is None:
        return prefix
    folder, name = os.path.split(place)
    upper = overlay.upper(folder)
    scratch = real.listdir(upper) if real.is_folder(upper) else []
    parts_in_scratch = [found for found in scratch if _of_checkpoint(found, name)]
    if not parts_in_scratch and overlay.visible(place) and not _deleted(overlay, folder, name):
        return _like(prefix, place)
    if parts_in_scratch:  # the script may have moved a part of it only
        for found in overlay.children(folder):
            if _of_checkpoint(found, name):
                overlay.writable(os.path.join(folder, found), copy=True)
    return _like(prefix, overlay.upper(place))


def concrete(value: Any) -> Any:
    """The text, or list of texts, that a value is; None of a symbolic tensor and of what is no text."""
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        return value
    if isinstance(value, (list, tuple)):
        parts = [concrete(part) for part in value]
        return None if None in parts else parts
    try:
        value = value.numpy()
    except (AttributeError, NotImplementedError, TypeError):
        pass
    try:
        value = value.tolist()
    except AttributeError:
        return value if isinstance(value, (str, bytes)) else None
    return concrete(value) if isinstance(value, (list, str, bytes)) else None


def each(overlay: Overlay, translate: Callable[..., Any], value: Any) -> Any:
    """`translate(overlay, text)` of a value or of each text in it; the value itself where nothing changes."""
    found = concrete(value)
    if found is None:
        return value
    if isinstance(found, list):
        new: Any = [each(overlay, translate, part) for part in found]
    else:
        new = translate(overlay, found)
    return value if new == found else new


def with_path(
    overlay: Overlay, original: Callable[..., Any], translate: Callable[..., Any], place: int, name: str
) -> Callable[..., Any]:
    """The function with one of its arguments, by position or name, translated."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place:
            changed = each(overlay, translate, args[place])
            args = (*args[:place], changed, *args[place + 1 :])
        elif name in kwargs:
            kwargs[name] = each(overlay, translate, kwargs[name])
        return original(*args, **kwargs)

    return call


def _like(path: Any, text: str) -> Any:
    return os.fsencode(text) if isinstance(path, bytes) else text


def _of_checkpoint(found: str, name: str) -> bool:
    rest = found[len(name) :]
    if not found.startswith(name):
        return False
    return rest in ("", ".index") or rest.startswith(".data-") or (len(rest) == 15 and rest[6:10] == "-of-")


def _deleted(overlay: Overlay, folder: str, name: str) -> bool:
    gone = overlay.gone_from(folder)
    return name in gone or name + ".index" in gone
