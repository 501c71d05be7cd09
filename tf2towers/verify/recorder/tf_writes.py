"""TensorFlow's own readers and writers of files, over a scratch folder: `tf.gfile`, `Saver`, `FileWriter`, `tf.data`.

What a version does not have is passed over: TensorFlow 1.12 to 1.15, and 2. No operation is added to a graph: that
would change the seeds of the script's random operations. A name that the graph itself computes is not seen.
"""

import functools
import glob
import importlib
import os
import shutil
import sys
from typing import Any, Callable, Dict, List

from .writes import OPTION, RefusedWrite, Writes, protect_python

Where = Callable[[Writes, Any], Any]


def keep_writes(options: Dict[str, Any]) -> None:
    """Protects the disk from this process, but for the recording.

    Args:
        options: of a recorder: "scratch", the folder, or None for no protection; "out", which is left alone; "allow",
            folders that the user lets the script write to.
    """
    if options.get("scratch"):
        writes = Writes(options["scratch"], [options["out"], *options.get("allow", ())])
        protect_python(writes)
        protect_tensorflow(writes)


def protect_tensorflow(writes: Writes) -> None:
    """From now on TensorFlow writes to scratch. To be called after it is imported."""
    _protect_files(writes)
    for module, name, place, argument, where in _TABLE:
        held, _, attribute = name.rpartition(".")
        try:
            holder = _module(_TF + module)
            holder = getattr(holder, held) if held else holder
            original = vars(holder)[attribute]
        except (ImportError, AttributeError, KeyError):
            continue
        function = getattr(original, "__func__", original)
        new = _with_path(writes, function, where, place, argument)
        _set_everywhere(holder, attribute, function, staticmethod(new) if function is not original else new)
    _protect_h5py(writes)


# -- where ------------------------------------------------------------------------------------------------------------


def to_read(writes: Writes, path: Any) -> Any:
    """Where to read a file or folder."""
    return path if _is_elsewhere(path) else writes.readable(path)


def to_write(writes: Writes, path: Any) -> Any:
    """Where to write a file; a folder that is missing is TensorFlow's to report."""
    if _is_elsewhere(path):
        return _refused(path)
    try:
        return writes.writable(path, copy=True)
    except OSError:
        place = writes.place(path)
        return path if place is None else _like(path, writes.files + place)


def folder_to_write(writes: Writes, path: Any) -> Any:
    """Where to write what TensorFlow makes a folder for."""
    if not _is_elsewhere(path) and path:
        os.makedirs(path, exist_ok=True)
    return to_write(writes, path)


def prefix_to_write(writes: Writes, prefix: Any) -> Any:
    """Where to write a checkpoint. As TensorFlow does, its folder is made, not those above."""
    if not _is_elsewhere(prefix):
        folder = os.path.dirname(prefix)
        if folder and writes.exists(os.path.dirname(folder) or os.curdir) and not writes.exists(folder):
            os.mkdir(folder)
    target = to_write(writes, prefix)
    if target != prefix:
        writes.names[os.fsdecode(target)] = os.fsdecode(prefix)
    return target


def file_to_write(writes: Writes, path: Any) -> Any:
    """Where to write a file whose folder TensorFlow makes."""
    if not _is_elsewhere(path) and os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    return to_write(writes, path)


def as_named(writes: Writes, path: Any) -> Any:
    """The script's own name for a checkpoint in scratch; other paths as they are."""
    text = os.fsdecode(path)
    for target in sorted(writes.names, key=len, reverse=True):
        if text.startswith(target):
            return _like(path, writes.names[target] + text[len(target) :])
        if text == os.path.dirname(target):
            return _like(path, os.path.dirname(writes.names[target]))
    return path


def prefix_to_read(writes: Writes, prefix: Any) -> Any:
    """Where to read a checkpoint: from scratch if any part of it is there."""
    place = None if _is_elsewhere(prefix) else writes.place(prefix)
    if place is None:
        return prefix
    folder, name = os.path.split(writes.files + place)
    there = os.path.isdir(folder) and any(found.startswith(name) for found in os.listdir(folder))
    hidden = not writes.visible(place) or not writes.visible(place + ".index")
    return _like(prefix, writes.files + place) if there or hidden else prefix


def _is_elsewhere(path: Any) -> bool:
    text = os.fsdecode(path)
    return "://" in text and not text.startswith("file://")


def _refused(path: Any) -> Any:
    if not os.fsdecode(path).startswith("ram://"):
        raise RefusedWrite(
            "the script writes to %s: tf2towers does not, and %s is for folders of this machine"
            % (os.fsdecode(path), OPTION)
        )
    return path


def _like(path: Any, text: str) -> Any:
    return os.fsencode(text) if isinstance(path, bytes) else text


def _concrete(value: Any) -> Any:
    """The text, or list of texts, that a value is; None of a symbolic tensor and of what is no text."""
    if isinstance(value, (str, bytes)):
        return value
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        parts = [_concrete(part) for part in value]
        return None if None in parts else parts
    for name in ("numpy", "tolist"):
        try:
            value = getattr(value, name)()
        except (AttributeError, NotImplementedError, TypeError):
            continue
    return _concrete(value) if isinstance(value, (str, bytes, list)) else None


def _each(writes: Writes, where: Where, value: Any) -> Any:
    """`where` of a value or of each text in it; the value itself where nothing changes."""
    found = _concrete(value)
    if found is None:
        return value
    new = [_each(writes, where, part) for part in found] if isinstance(found, list) else where(writes, found)
    return value if new == found else new


def _with_path(writes: Writes, original: Any, where: Where, place: int, name: str) -> Callable[..., Any]:
    """The function with one of its arguments, by position or name, in its place; what it returns is named as before."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place:
            args = args[:place] + (_each(writes, where, args[place]),) + args[place + 1 :]
        elif name in kwargs:
            kwargs[name] = _each(writes, where, kwargs[name])
        result = original(*args, **kwargs)
        if isinstance(result, str):
            return as_named(writes, result)
        found = _concrete(result) if hasattr(result, "numpy") else None
        if not isinstance(found, (str, bytes)) or as_named(writes, found) == found:
            return result
        from tensorflow.python.framework import constant_op

        return constant_op.constant(as_named(writes, found))

    return call


# -- what there is -----------------------------------------------------------------------------------------------------

_TF = "tensorflow.python."
_TRACKABLE = ("checkpoint.checkpoint", "training.tracking.util", "training.checkpointable.util")

#: module, name ('Class.method' with self in position 0), position and name of the argument, where it is
_TABLE = [
    ("training.saver", "Saver.save", 2, "save_path", prefix_to_write),
    ("training.saver", "Saver.restore", 2, "save_path", prefix_to_read),
    ("training.py_checkpoint_reader", "NewCheckpointReader", 0, "filepattern", prefix_to_read),
    ("pywrap_tensorflow", "NewCheckpointReader", 0, "filepattern", prefix_to_read),
    ("pywrap_tensorflow", "EventsWriter", 0, "file_prefix", to_write),
    ("client._pywrap_events_writer", "EventsWriter", 0, "file_prefix", to_write),
    ("ops.gen_summary_ops", "create_summary_file_writer", 1, "logdir", folder_to_write),
    ("lib.io.tf_record", "TFRecordWriter.__init__", 1, "path", to_write),
    ("lib.io.tf_record", "tf_record_iterator", 0, "path", to_read),
    ("data.ops.dataset_ops", "DatasetV1.cache", 1, "filename", to_write),
    ("data.ops.dataset_ops", "DatasetV2.cache", 1, "filename", to_write),
    ("saved_model.pywrap_saved_model", "Save", 0, "export_dir", folder_to_write),
    ("training.input", "string_input_producer", 0, "string_tensor", to_read),
    ("ops.gen_io_ops", "read_file", 0, "filename", to_read),
    ("ops.gen_io_ops", "write_file", 0, "filename", file_to_write),
    ("ops.gen_io_ops", "save_v2", 0, "prefix", prefix_to_write),
    ("ops.gen_io_ops", "restore_v2", 0, "prefix", prefix_to_read),
    ("ops.gen_io_ops", "matching_files", 0, "pattern", to_read),
]  # type: List[Any]
_TABLE += [
    ("data.ops.readers", name + version + ".__init__", 1, "filenames", to_read)
    for name in ("TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset")
    for version in ("V1", "V2")
]
_TABLE += [
    (module + ".checkpoint_management", "generate_checkpoint_state_proto", place, argument, as_named)
    for module in ("checkpoint", "training")
    for place, argument in enumerate(["save_dir", "model_checkpoint_path", "all_model_checkpoint_paths"])
]
_TABLE += [
    ("saved_model.pywrap_saved_model.fingerprinting", name, 0, "export_dir", to_read)
    for name in (
        "CreateFingerprintDef",
        "ReadSavedModelFingerprint",
        "SingleprintFromFP",
        "SingleprintFromSM",
    )
]
_TABLE += [(module, "TrackableSaver.save", 1, "file_prefix", prefix_to_write) for module in _TRACKABLE]
_TABLE += [(module, "TrackableSaver.restore", 1, "save_path", prefix_to_read) for module in _TRACKABLE]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:  # a part of a C module
        above, _, own = name.rpartition(".")
        return getattr(importlib.import_module(above), own)


def _set_everywhere(holder: Any, name: str, original: Any, new: Any) -> None:
    """Sets a function, also in the modules that have imported it by name."""
    setattr(holder, name, new)
    if isinstance(holder, type):
        return
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("tensorflow"):
            space = object.__getattribute__(module, "__dict__")
            if space.get(name) is original:
                space[name] = new


# -- the C++ functions under `tf.gfile`, which file_io.py looks up at each call; the path comes first, bytes or text ---


def _protect_files(writes: Writes) -> None:
    from tensorflow.python.framework import errors
    from tensorflow.python.lib.io import file_io

    modules = [
        getattr(file_io, name) for name in ("_pywrap_file_io", "pywrap_tensorflow") if hasattr(file_io, name)
    ]
    for module in modules:
        for name, function in _file_functions(writes, module, errors).items():
            if hasattr(module, name):
                setattr(module, name, functools.wraps(getattr(module, name))(function))


def _file_functions(writes: Writes, module: Any, errors: Any) -> Dict[str, Callable[..., Any]]:
    new: Dict[str, Callable[..., Any]] = {}
    for name in ("FileExists", "IsDirectory", "Stat", "ReadFileToString", "CreateBufferedInputStream",
                 "BufferedInputStream"):  # fmt: skip
        if hasattr(module, name):
            new[name] = _with_path(writes, getattr(module, name), to_read, 0, "filename")
    for name in ("WritableFile", "CreateWritableFile", "WriteStringToFile"):
        if hasattr(module, name):
            new[name] = _with_path(writes, getattr(module, name), to_write, 0, "filename")

    def own(name: str, do: Callable[[str], None]) -> Callable[..., None]:
        original = getattr(module, name, None)

        def call(path: Any, *rest: Any) -> None:
            if _is_elsewhere(path):
                original(_refused(path), *rest)  # type: ignore[misc]
                return
            _guarded(errors, do, os.fsdecode(path))

        return call

    def moved(do: Callable[[str, str], object]) -> Callable[..., None]:
        def call(source: Any, target: Any, overwrite: Any, *rest: Any) -> None:
            if not overwrite and os.path.exists(target):
                raise errors.AlreadyExistsError(None, None, "file already exists: %s" % (target,))
            to = os.fsdecode(_refused(target) if _is_elsewhere(target) else target)
            _guarded(errors, lambda path: do(path, to), os.fsdecode(source))

        return call

    new["CreateDir"] = own("CreateDir", os.mkdir)
    new["RecursivelyCreateDir"] = own("RecursivelyCreateDir", lambda path: os.makedirs(path, exist_ok=True))
    new["DeleteFile"] = own("DeleteFile", os.remove)
    new["DeleteRecursively"] = own("DeleteRecursively", _remove_all)
    new.update(RenameFile=moved(os.replace), CopyFile=moved(shutil.copyfile))
    children, matching = getattr(module, "GetChildren", None), getattr(module, "GetMatchingFiles", None)

    def get_children(path: Any, *rest: Any) -> Any:
        if _is_elsewhere(path):
            return children(path, *rest)  # type: ignore[misc]
        found: List[Any] = []
        _guarded(errors, lambda folder: found.extend(os.listdir(folder)), os.fsdecode(path))
        return found

    def get_matching(pattern: Any, *rest: Any) -> Any:
        if _is_elsewhere(pattern):
            return matching(pattern, *rest)  # type: ignore[misc]
        return [_like(pattern, name) for name in sorted(glob.glob(os.fsdecode(pattern)))]

    new.update(GetChildren=get_children, GetMatchingFiles=get_matching)
    return new


def _guarded(errors: Any, do: Callable[[str], object], path: str) -> None:
    try:
        do(path[len("file://") :] if path.startswith("file://") else path)
    except RefusedWrite:
        raise
    except FileNotFoundError as error:
        raise errors.NotFoundError(None, None, str(error))
    except FileExistsError as error:
        raise errors.AlreadyExistsError(None, None, str(error))
    except OSError as error:
        raise errors.FailedPreconditionError(None, None, str(error))


def _remove_all(path: str) -> None:
    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)


def _protect_h5py(writes: Writes) -> None:
    """`h5py.File`, which opens in C: TensorFlow imports it for Keras."""
    kind = getattr(sys.modules.get("h5py"), "File", None)
    if kind is None:
        return
    original = kind.__init__

    @functools.wraps(original)
    def start(self: Any, name: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> None:
        original(self, _each(writes, to_read if mode == "r" else to_write, name), mode, *args, **kwargs)

    kind.__init__ = start
