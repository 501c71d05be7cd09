"""Redirects TensorFlow's own file access to a scratch folder: `tf.gfile`, `Saver`, `FileWriter`, `tf.data`.

Functions that a version lacks are skipped: TensorFlow 1.12 to 1.15, and 2. No op is added to a graph: that would change
the seeds of the script's random ops. A file name that the graph itself computes is not seen.
"""

import contextlib
import functools
import glob
import importlib
import numbers
import os
import shutil
import sys
from typing import Any, Callable, Dict

from .wrapping import wrap
from .writes import OPTION, RefusedWrite, Writes, like, replace_everywhere


def protect_tensorflow(writes: Writes) -> None:
    """Makes TensorFlow write to the scratch folder from now on. Call it after TensorFlow is imported."""
    replaced: Dict[int, Any] = {}
    first: Dict[Any, Any] = {}
    for module, name, place, argument, use in _TABLE:
        held, _, attribute = name.rpartition(".")
        try:
            holder = importlib.import_module("tensorflow.python." + module)
            holder = getattr(holder, held) if held else holder
            original = vars(holder)[attribute]
        except (ImportError, AttributeError, KeyError):
            continue
        function = getattr(original, "__func__", original)
        new = _with_path(writes, function, use, place, argument)
        setattr(holder, attribute, staticmethod(new) if function is not original else new)
        if not isinstance(holder, type):
            replaced[id(first.setdefault((module, name), function))] = new
    replace_everywhere(replaced)

    def match(original: Any, pattern: Any, *rest: Any) -> Any:
        """`tf.gfile.Glob`, by Python's glob, which returns the script's names of files."""
        if b"://" in os.fsencode(pattern):
            return original(pattern, *rest)
        return [like(pattern, name) for name in sorted(glob.glob(os.fsdecode(pattern)))]

    def open_h5(begin: Any, file: Any, name: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> None:
        begin(file, _each(writes, "read" if mode == "r" else "write", name), mode, *args, **kwargs)

    def save(
        original: Any, saver: Any, sess: Any, path: Any, global_step: Any = None, *rest: Any, **more: Any
    ) -> Any:
        """`Saver.save`; a checkpoint of the same step may be there, where a program goes on."""
        if global_step is not None:
            if not isinstance(global_step, numbers.Integral):
                global_step = training_util.global_step(sess, global_step)
            for form in ("%s-%d", "%s-%08d"):
                _placed(writes, "write a checkpoint", form % (os.fsdecode(path), global_step))
        return original(saver, sess, path, global_step, *rest, **more)

    def restore(original: Any, saver: Any, sess: Any, save_path: Any) -> Any:
        if save_path:
            writes.restored = os.fsdecode(save_path), os.fsdecode(_prefix_to_read(writes, save_path))
        return original(saver, sess, save_path)

    def run(original: Any, session: Any, fetches: Any, feed_dict: Any = None, *rest: Any, **more: Any) -> Any:
        """`Session.run`; a data set may take the names of its files from a placeholder."""
        fed = {key: _fed(writes, value) for key, value in feed_dict.items()} if feed_dict else feed_dict
        return original(session, fetches, fed, *rest, **more)

    wrap(importlib.import_module("tensorflow.python.client.session").BaseSession, "run", run)
    training_util = importlib.import_module("tensorflow.python.training.training_util")
    saver_class = importlib.import_module("tensorflow.python.training.saver").Saver
    wrap(saver_class, "save", save)
    wrap(saver_class, "restore", restore)
    file_io = importlib.import_module("tensorflow.python.lib.io.file_io")
    for module in (getattr(file_io, name, None) for name in ("_pywrap_file_io", "pywrap_tensorflow")):
        if hasattr(module, "GetMatchingFiles"):
            wrap(module, "GetMatchingFiles", match)
    if "h5py" in sys.modules:  # h5py opens files in C; TensorFlow imports it for Keras
        wrap(sys.modules["h5py"].File, "__init__", open_h5)


def _to_match(writes: Writes, pattern: Any) -> Any:
    """The pattern for TensorFlow: where a folder is in scratch, the files there that match."""
    found = writes.readable(pattern)
    names = glob.glob(pattern) if found != pattern else []
    return [like(pattern, glob.escape(os.fsdecode(writes.readable(name)))) for name in names] or found


def _tree_to_remove(writes: Writes, path: Any) -> Any:
    """The path of a folder to remove, after removing all its contents."""
    if os.path.isdir(path):
        shutil.rmtree(path)
        os.mkdir(path)
    return writes.own(path, follow=False)


def _folder_to_write(writes: Writes, path: Any) -> Any:
    os.makedirs(path or os.curdir, exist_ok=True)
    return writes.own(path)


def _file_to_write(writes: Writes, path: Any) -> Any:
    _folder_to_write(writes, os.path.dirname(path))
    return writes.writable(path)


def _prefix_to_write(writes: Writes, prefix: Any) -> Any:
    """The path for a checkpoint to write. As in TensorFlow, its folder is created, but not those above it."""
    place = writes.find(prefix)[0]
    if place is None:
        return prefix
    for prepare in (lambda: os.mkdir(os.path.dirname(prefix)), lambda: writes.overwrite(prefix)):
        with contextlib.suppress(OSError):
            prepare()
    writes.names[writes.files + place] = os.fsdecode(prefix)
    return like(prefix, writes.files + place)


def _as_named(writes: Writes, path: Any) -> Any:
    """The script's own name for a checkpoint in scratch; other paths unchanged."""
    text = os.fsdecode(path)
    for target in sorted(writes.names, key=len, reverse=True):
        if text.startswith(target):
            return like(path, writes.names[target] + text[len(target) :])
        if text == os.path.dirname(target):
            return like(path, os.path.dirname(writes.names[target]))
    return path


def _prefix_to_read(writes: Writes, prefix: Any) -> Any:
    """The path for a checkpoint to read, found by its files, whose names begin with the prefix."""
    for end in (".index", ""):
        whole = writes.readable(like(prefix, os.fsdecode(prefix) + end))
        if os.path.exists(whole):
            return whole[: len(whole) - len(end)]
    folder, name = os.path.split(prefix)
    return os.path.join(writes.readable(folder or os.path.curdir), name)


#: how a path is redirected, by its use; for 'file and folder' and 'folder', TensorFlow creates missing folders
_WHERE: Dict[str, Callable[[Writes, Any], Any]] = {
    "read": Writes.readable,
    "match": _to_match,
    "write": lambda writes, path: writes.writable(path, copy=True),
    "file and folder": _file_to_write,
    "folder": _folder_to_write,
    "make, remove or move": lambda writes, path: writes.own(path, follow=False),
    "remove all": _tree_to_remove,
    "read a checkpoint": _prefix_to_read,
    "write a checkpoint": _prefix_to_write,
    "name": _as_named,
}


def _placed(writes: Writes, use: str, path: Any) -> Any:
    """The redirected path for TensorFlow; where redirecting fails, TensorFlow reports the error."""
    text = os.fsdecode(path)
    if "://" in text and not text.startswith("file://"):
        if use in ("read", "match", "read a checkpoint", "name") or text.startswith("ram://"):
            return path
        message = "the script writes to %s, which tf2towers refuses; %s is only for folders of this machine"
        raise RefusedWrite(message % (text, OPTION))
    try:
        return _WHERE[use](writes, path)
    except OSError:
        place = writes.find(path)[0]
        return path if place is None else like(path, writes.files + place)


def _concrete(value: Any) -> Any:
    """The text, or list of texts, of a value; None for a symbolic tensor or a value that is not text."""
    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
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


def _each(writes: Writes, use: str, value: Any) -> Any:
    """`_placed` for a value, or for each text in it; the value itself where nothing changes."""
    found = _concrete(value)
    if found is None:
        return value
    if isinstance(found, list):
        new = [_each(writes, use, part) for part in found]
    else:
        new = _placed(writes, use, found)
    return value if new == found else new


def _fed(writes: Writes, value: Any) -> Any:
    """What is fed in place of a value: a text that names a file in scratch leads there."""
    first = value
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    if not isinstance(first, (str, bytes)) and getattr(getattr(first, "dtype", None), "kind", "") not in (
        "O",
        "S",
        "U",
    ):
        return value
    found = _concrete(value)
    if found is None or isinstance(found, list):
        return value if found is None else [_fed(writes, part) for part in found]
    with contextlib.suppress(OSError, ValueError):  # a text that names no file
        readable = writes.readable(found)
        if os.fsdecode(readable).startswith(writes.files) and os.path.exists(readable):
            return readable
    return value


def _with_path(writes: Writes, original: Any, use: str, place: int, name: str) -> Callable[..., Any]:
    """The function with one argument, by position or name, redirected; results keep the script's names."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place:
            args = args[:place] + (_each(writes, use, args[place]),) + args[place + 1 :]
        elif name in kwargs:
            kwargs[name] = _each(writes, use, kwargs[name])
        result = original(*args, **kwargs)
        if isinstance(result, str):
            return _as_named(writes, result)
        found = _concrete(result) if hasattr(result, "numpy") else None
        if not isinstance(found, (str, bytes)) or _as_named(writes, found) == found:
            return result
        from tensorflow.python.framework import constant_op

        return constant_op.constant(_as_named(writes, found))

    return call


# -- the functions that are wrapped ------------------------------------------------------------------------------------

_TRACKABLE = ("checkpoint.checkpoint", "training.tracking.util", "training.checkpointable.util")

#: module, name ('Class.method' with self in position 0), position and name of the argument, its use in `_WHERE`
_TABLE = [
    ("training.saver", "Saver.save", 2, "save_path", "write a checkpoint"),
    ("training.saver", "Saver.restore", 2, "save_path", "read a checkpoint"),
    ("training.py_checkpoint_reader", "NewCheckpointReader", 0, "filepattern", "read a checkpoint"),
    ("pywrap_tensorflow", "NewCheckpointReader", 0, "filepattern", "read a checkpoint"),
    ("pywrap_tensorflow", "EventsWriter", 0, "file_prefix", "write"),
    ("client._pywrap_events_writer", "EventsWriter", 0, "file_prefix", "write"),
    ("ops.gen_summary_ops", "create_summary_file_writer", 1, "logdir", "folder"),
    ("lib.io.tf_record", "TFRecordWriter.__init__", 1, "path", "write"),
    ("lib.io.tf_record", "tf_record_iterator", 0, "path", "read"),
    ("data.ops.dataset_ops", "DatasetV1.cache", 1, "filename", "write a checkpoint"),
    ("data.ops.dataset_ops", "DatasetV2.cache", 1, "filename", "write a checkpoint"),
    ("saved_model.pywrap_saved_model", "Save", 0, "export_dir", "folder"),
    ("training.input", "string_input_producer", 0, "string_tensor", "read"),
    ("ops.gen_io_ops", "read_file", 0, "filename", "read"),
    ("ops.gen_io_ops", "write_file", 0, "filename", "file and folder"),
    ("ops.gen_io_ops", "save_v2", 0, "prefix", "write a checkpoint"),
    ("ops.gen_io_ops", "restore_v2", 0, "prefix", "read a checkpoint"),
    ("ops.gen_io_ops", "matching_files", 0, "pattern", "match"),
]  # type: list[Any]
_TABLE += [
    ("data.ops.readers", name + version + ".__init__", 1, "filenames", "read")
    for name in ("TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset")
    for version in ("V1", "V2")
]
_TABLE += [
    (module + ".checkpoint_management", function, place, argument, "name")
    for module in ("checkpoint", "training")
    # the first computes relative paths for the second, where a saver has `save_relative_paths`
    for function in ("update_checkpoint_state_internal", "generate_checkpoint_state_proto")
    for place, argument in enumerate(["save_dir", "model_checkpoint_path", "all_model_checkpoint_paths"])
]
_TABLE += [
    ("saved_model.pywrap_saved_model", "fingerprinting." + name, 0, "export_dir", "read")
    for name in "CreateFingerprintDef ReadSavedModelFingerprint SingleprintFromFP SingleprintFromSM".split()
]
_TABLE += [(module, "TrackableSaver.save", 1, "file_prefix", "write a checkpoint") for module in _TRACKABLE]
_TABLE += [(module, "TrackableSaver.restore", 1, "save_path", "read a checkpoint") for module in _TRACKABLE]

#: the C++ functions behind `tf.gfile`, which file_io.py looks up at each call; paths are bytes or text
_TABLE += [
    (module, name, place, "path", use)
    for module in ("lib.io._pywrap_file_io", "pywrap_tensorflow")
    for names, place, use in [
        ("FileExists IsDirectory Stat ReadFileToString GetChildren", 0, "read"),
        ("BufferedInputStream CreateBufferedInputStream CopyFile", 0, "read"),
        ("WritableFile CreateWritableFile WriteStringToFile", 0, "write"),
        ("CopyFile RenameFile", 1, "write"),
        ("RenameFile CreateDir DeleteFile", 0, "make, remove or move"),
        ("RecursivelyCreateDir", 0, "folder"),
        ("DeleteRecursively", 0, "remove all"),
    ]
    for name in names.split()
]
