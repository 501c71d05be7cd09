"""The C++ file functions under `tf.gfile` and `tf.io.gfile`.

TensorFlow 2: tensorflow.python.lib.io._pywrap_file_io. TensorFlow 1: SWIG names in tensorflow.python.pywrap_tensorflow.
Both are module attributes that file_io.py looks up at each call; the path comes first, bytes or text.
"""

import functools
import os
from typing import Any, Callable, Dict, List

from . import changes, real
from .paths import Overlay
from .tf_paths import local, refuse, to_read, to_write, with_path

_READERS = ("FileExists", "IsDirectory", "Stat", "ReadFileToString", "CreateBufferedInputStream")
_WILD = "*?[\\"


def patch_files(overlay: Overlay) -> None:
    """Patch the functions that the installed version has."""
    from tensorflow.python.framework import errors
    from tensorflow.python.lib.io import file_io

    modules = []
    for name in ("_pywrap_file_io", "pywrap_tensorflow"):
        if hasattr(file_io, name):
            modules.append(getattr(file_io, name))
    for module in modules:
        new = _functions(overlay, module, errors)
        for name, function in new.items():
            if hasattr(module, name):
                setattr(module, name, functools.wraps(getattr(module, name))(function))


def _functions(overlay: Overlay, module: Any, errors: Any) -> Dict[str, Callable[..., Any]]:
    new: Dict[str, Callable[..., Any]] = {}
    for name in (*_READERS, "BufferedInputStream"):
        if hasattr(module, name):
            new[name] = with_path(overlay, getattr(module, name), to_read, 0, "filename")
    for name in ("WritableFile", "CreateWritableFile"):
        if hasattr(module, name):
            new[name] = _writable_file(overlay, getattr(module, name))
    if hasattr(module, "WriteStringToFile"):
        new["WriteStringToFile"] = with_path(overlay, module.WriteStringToFile, to_write, 0, "filename")
    new.update(_changers(overlay, module, errors))
    if hasattr(module, "GetChildren"):
        new["GetChildren"] = _children(overlay, module.GetChildren)
    if hasattr(module, "GetMatchingFiles"):
        matching = module.GetMatchingFiles
        new["GetMatchingFiles"] = lambda pattern, *rest: matches(overlay, matching, pattern, *rest)
    return new


def _writable_file(overlay: Overlay, original: Callable[..., Any]) -> Callable[..., Any]:
    def call(path: Any, mode: Any, *rest: Any) -> Any:
        return original(to_write(overlay, path, copy=b"w" not in os.fsencode(mode)), mode, *rest)

    return call


def _changers(overlay: Overlay, module: Any, errors: Any) -> Dict[str, Callable[..., Any]]:
    """TensorFlow's functions that change files, done by the overlay; they raise TensorFlow's errors."""

    def guarded(original: Callable[..., Any], do: Callable[[Any], None], path: Any, rest: Any) -> None:
        text = local(path)
        if text is None or overlay.locate(text, follow=False) is None:
            original(refuse(path), *rest)
            return
        try:
            do(text)
        except FileNotFoundError as error:
            raise errors.NotFoundError(None, None, str(error))
        except FileExistsError as error:
            raise errors.AlreadyExistsError(None, None, str(error))
        except OSError as error:
            raise errors.FailedPreconditionError(None, None, str(error))

    def simple(name: str, change: Callable[..., None]) -> Callable[..., None]:
        original = getattr(module, name)
        return lambda path, *rest: guarded(original, functools.partial(change, overlay), path, rest)

    def rename(source: Any, target: Any, overwrite: Any, *rest: Any) -> None:
        old, new = local(source), local(target)
        if old is None or new is None:
            refuse(source)
            original_rename(source, refuse(target), overwrite, *rest)
            return
        free(new, overwrite)
        guarded(
            original_rename, lambda _: changes.rename(overlay, old, new), source, (target, overwrite, *rest)
        )

    def copy(source: Any, target: Any, overwrite: Any, *rest: Any) -> None:
        new = local(target)
        if new is not None:
            free(new, overwrite)
        original_copy(to_read(overlay, source), to_write(overlay, target), True, *rest)

    def free(path: str, overwrite: Any) -> None:
        place = overlay.locate(path)
        if not overwrite and os.path.exists(overlay.at(place) if place else path):
            raise errors.AlreadyExistsError(None, None, "file already exists: " + path)

    original_rename = module.RenameFile
    original_copy = module.CopyFile
    own = (
        ("CreateDir", changes.make_folder),
        ("RecursivelyCreateDir", changes.make_folders),
        ("DeleteFile", changes.remove_file),
        ("DeleteRecursively", changes.remove_tree),
    )
    new = {name: simple(name, change) for name, change in own if hasattr(module, name)}
    new["RenameFile"] = rename
    new["CopyFile"] = copy
    return new


def _children(overlay: Overlay, original: Callable[..., Any]) -> Callable[..., Any]:
    def call(path: Any, *rest: Any) -> Any:
        text = local(path)
        place = None if text is None else overlay.locate(text)
        if place is None or not overlay.merged(place):
            return original(to_read(overlay, path), *rest)
        if not overlay.is_folder(place):
            return original(to_read(overlay, path), *rest)  # its own error
        return overlay.children(place)

    return call


def matches(overlay: Overlay, original: Callable[..., Any], pattern: Any, *rest: Any) -> List[Any]:
    """What `GetMatchingFiles` finds on the disk and in scratch, less what was deleted; paths as in the pattern."""
    text = local(pattern)
    if text is None or not overlay.refresh():
        return list(original(pattern, *rest))
    parts = text.split(os.sep)
    fixed = 0
    while fixed < len(parts) - 1 and not any(sign in parts[fixed] for sign in _WILD):
        fixed += 1
    folder, tail = os.sep.join(parts[:fixed]), os.sep.join(parts[fixed:])
    start = folder + os.sep if fixed else ""
    place = overlay.locate(start or os.curdir)
    if place is None:
        return list(original(pattern, *rest))
    found = set()
    scratch = overlay.upper(place)
    if not overlay.is_folder(place):  # nothing, or an error: TensorFlow 1 raises one
        return list(original(_like(pattern, os.path.join(_escaped(scratch), "nothing", tail)), *rest))
    for above in (place, scratch):
        if not real.is_folder(above) or (above == place and not overlay.visible(place)):
            continue
        for path in original(_like(pattern, os.path.join(_escaped(above), tail)), *rest):
            name = os.fsdecode(path)[len(above) :].lstrip(os.sep)
            if above == scratch or overlay.visible(os.path.join(place, name)):
                found.add(start + name)
    return [_like(pattern, path) for path in sorted(found)]


def _like(pattern: Any, text: str) -> Any:
    return os.fsencode(text) if isinstance(pattern, bytes) else text


def _escaped(folder: str) -> str:
    return "".join("\\" + sign if sign in _WILD else sign for sign in folder)
