"""What else of TensorFlow opens files in C++: events, records, datasets, profiles, and h5py beside it."""

import functools
import importlib
import inspect
import os
import sys
from typing import Any, Callable

from .changes import make_folders
from .paths import Overlay
from .refusals import OverlayError
from .swap import Swaps
from .tf_checkpoints import patch_checkpoints
from .tf_files import matches, patch_files
from .tf_paths import concrete, local, refuse, to_read, to_write, with_path


def folder_to_write(overlay: Overlay, path: Any) -> Any:
    """Where to write what TensorFlow makes a folder for."""
    text = local(path)
    if text is None:
        return refuse(path)
    make_folders(overlay, text)
    return to_write(overlay, path)


def folder_to_read(overlay: Overlay, path: Any) -> Any:
    """Where to read a folder as a whole: where it is in scratch in part, what is missing there is copied."""
    text = local(path)
    place = None if text is None else overlay.locate(text)
    if place is None or not overlay.merged(place) or not overlay.is_folder(place):
        return to_read(overlay, path)
    for name in overlay.children(place):
        inner = os.path.join(place, name)
        if overlay.is_folder(inner):
            folder_to_read(overlay, inner)
        overlay.writable(inner, copy=True)
    return to_write(overlay, path)


def no_remote(_: Overlay, path: Any) -> Any:
    """The same path; raises `OverlayError` for a remote one."""
    return refuse(path)


def cache_to_write(overlay: Overlay, path: Any) -> Any:
    """Where `Dataset.cache` keeps its files; with those that it kept in an earlier run."""
    text = local(path)
    if not text:
        return refuse(path)
    place = overlay.locate(text)
    folder, name = os.path.split(place or "")
    if place is not None and overlay.is_folder(folder):
        for found in overlay.children(folder):
            if found.startswith((name + ".", name + "_")):
                overlay.writable(os.path.join(folder, found), copy=True)
    return to_write(overlay, path)


_PRODUCERS = "tensorflow.python.training.input"
_READERS = "tensorflow.python.data.ops.readers"
_DATASETS = "tensorflow.python.data.ops.dataset_ops"
_RECORDS = "tensorflow.python.lib.io.tf_record"
_FINGERPRINTS = "tensorflow.python.saved_model.pywrap_saved_model.fingerprinting"
_WRITERS = "tensorflow.python.summary.writer.event_file_writer"
_SUMMARIES = "tensorflow.python.ops.gen_summary_ops"

#: module, name ('Class.method' with self in position 0), position and name of the argument, what to do with it
_TABLE = (
    ("tensorflow.python.pywrap_tensorflow", "EventsWriter", 0, "file_prefix", to_write),
    ("tensorflow.python.client._pywrap_events_writer", "EventsWriter", 0, "file_prefix", to_write),
    # else TF1 asks the network for the folder first
    (_WRITERS, "EventFileWriter.__init__", 1, "logdir", no_remote),
    (_WRITERS + "_v2", "EventFileWriterV2.__init__", 2, "logdir", no_remote),
    (_SUMMARIES, "create_summary_file_writer", 1, "logdir", folder_to_write),
    (_SUMMARIES, "create_summary_db_writer", 1, "db_uri", to_write),
    (_RECORDS, "TFRecordWriter.__init__", 1, "path", to_write),
    (_RECORDS, "tf_record_iterator", 0, "path", to_read),
    (_RECORDS, "tf_record_random_reader", 0, "path", to_read),
    (_READERS, "TFRecordDatasetV1.__init__", 1, "filenames", to_read),
    (_READERS, "TFRecordDatasetV2.__init__", 1, "filenames", to_read),
    (_READERS, "TextLineDatasetV1.__init__", 1, "filenames", to_read),
    (_READERS, "TextLineDatasetV2.__init__", 1, "filenames", to_read),
    (_READERS, "FixedLengthRecordDatasetV1.__init__", 1, "filenames", to_read),
    (_READERS, "FixedLengthRecordDatasetV2.__init__", 1, "filenames", to_read),
    (_DATASETS, "DatasetV1.cache", 1, "filename", cache_to_write),
    (_DATASETS, "DatasetV2.cache", 1, "filename", cache_to_write),
    (_DATASETS, "DatasetV2.save", 1, "path", folder_to_write),
    (_DATASETS, "DatasetV2.snapshot", 1, "path", folder_to_write),
    (_DATASETS, "DatasetV2.load", 0, "path", folder_to_read),
    ("tensorflow.python.saved_model.pywrap_saved_model", "Save", 0, "export_dir", folder_to_write),
    (_FINGERPRINTS, "CreateFingerprintDef", 0, "export_dir", folder_to_read),
    (_FINGERPRINTS, "ReadSavedModelFingerprint", 0, "export_dir", folder_to_read),
    (_FINGERPRINTS, "SingleprintFromFP", 0, "export_dir", folder_to_read),
    (_FINGERPRINTS, "SingleprintFromSM", 0, "export_dir", folder_to_read),
    (_PRODUCERS, "string_input_producer", 0, "string_tensor", to_read),
    ("tensorflow.python.ops.lookup_ops", "TextFileInitializer.__init__", 1, "filename", to_read),
    ("tensorflow.python.profiler.profiler_v2", "start", 0, "logdir", folder_to_write),
    ("tensorflow.python.ops.gen_io_ops", "read_file", 0, "filename", to_read),
)


def patch_data(overlay: Overlay, swaps: Swaps) -> None:
    """Patch what the installed version has."""
    for module, name, place, argument, translate in _TABLE:
        held, _, attribute = name.rpartition(".")
        try:
            holder = _module(module)
            holder = getattr(holder, held) if held else holder
            original = getattr(holder, attribute)
        except (ImportError, AttributeError):
            continue
        if held and attribute not in vars(holder):
            continue
        new = with_path(overlay, original, translate, place, argument)
        if held:
            kind = vars(holder)[attribute]
            setattr(holder, attribute, staticmethod(new) if isinstance(kind, staticmethod) else new)
        else:
            swaps.set(holder, attribute, new)
    _patch_io_operations(overlay, swaps)
    _patch_h5py(overlay)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:  # a part of a C module
        above, _, own = name.rpartition(".")
        return getattr(importlib.import_module(above), own)


def _patch_io_operations(overlay: Overlay, swaps: Swaps) -> None:
    from tensorflow.python.framework import tensor_util
    from tensorflow.python.lib.io import file_io
    from tensorflow.python.ops import gen_io_ops, gen_logging_ops

    found = getattr(file_io, "_pywrap_file_io", None) or file_io.pywrap_tensorflow
    match = getattr(found.GetMatchingFiles, "__wrapped__", found.GetMatchingFiles)
    original_matching, original_write = gen_io_ops.matching_files, gen_io_ops.write_file

    def known(value: Any) -> Any:
        value = tensor_util.constant_value(value) if hasattr(value, "graph") else value
        return concrete(value)

    @functools.wraps(original_matching)
    def matching_files(pattern: Any, name: Any = None) -> Any:
        patterns = known(pattern) if overlay.refresh() else None
        if patterns is None:
            return original_matching(pattern, name=name)
        listed = patterns if isinstance(patterns, list) else [patterns]
        files = [
            to_read(overlay, path)
            for text in listed
            for path in (matches(overlay, match, os.fsencode(text)) or [to_read(overlay, os.fsencode(text))])
        ]
        plain = [path for text in listed for path in match(os.fsencode(text))]
        same = sorted(map(os.fsdecode, plain)) == sorted(map(os.fsdecode, files))
        return original_matching(pattern if same or not files else files, name=name)

    @functools.wraps(original_write)
    def write_file(filename: Any, contents: Any, name: Any = None) -> Any:
        path = known(filename)
        if path is None:
            raise OverlayError(
                "the script writes a file whose name is computed in the graph: tf2towers does not"
            )
        return original_write(_with_folder(overlay, path), contents, name=name)

    swaps.set(gen_io_ops, "matching_files", matching_files)
    swaps.set(gen_io_ops, "write_file", write_file)

    original_print = getattr(gen_logging_ops, "print_v2", None)
    if original_print is None:
        return

    @functools.wraps(original_print)
    def print_v2(input: Any, output_stream: Any = "stderr", *args: Any, **kwargs: Any) -> Any:  # noqa: A002
        if isinstance(output_stream, str) and output_stream.startswith("file://"):
            output_stream = "file://" + os.fsdecode(to_write(overlay, local(output_stream), copy=True))
        return original_print(input, output_stream, *args, **kwargs)

    swaps.set(gen_logging_ops, "print_v2", print_v2)


def _with_folder(overlay: Overlay, path: Any) -> Any:
    """The operation WriteFile makes the folders of its file."""
    text = local(path)
    if text is not None and os.path.dirname(text):
        make_folders(overlay, os.path.dirname(text))
    return to_write(overlay, path)


def _patch_h5py(overlay: Overlay) -> None:
    """`h5py.File`, which opens in C: TensorFlow imports it for Keras."""
    module = sys.modules.get("h5py")
    kind = getattr(module, "File", None)
    if module is None or kind is None:
        return
    original: Callable[..., None] = kind.__init__
    default = inspect.signature(original).parameters["mode"].default  # "r" today, None before h5py 3

    @functools.wraps(original)
    def start(self: Any, name: Any, mode: Any = default, *args: Any, **kwargs: Any) -> None:
        if isinstance(name, (str, bytes)) or hasattr(name, "__fspath__"):
            how = mode or "a"
            if how == "r":
                name = overlay.readable(name)
            elif not (how in ("x", "w-") and os.path.exists(name)):  # else h5py raises
                name = overlay.writable(name, copy=how in ("a", "r+"))
        original(self, name, mode, *args, **kwargs)

    kind.__init__ = start


# -- puts the overlay under the files that TensorFlow opens in C++ -----------------------------------------------------


def patch_tensorflow(overlay: Overlay) -> None:
    """Patch TensorFlow 1.12 to 1.15 or 2.21, after it is imported; a name that a version does not have is skipped.

    Writing to a remote path (gs://, hdfs://, s3://) raises `OverlayError` from then on; reading one goes through.
    So does writing a file whose name is computed in the graph (`tf.io.write_file` of a tensor that is no constant).
    """
    swaps = Swaps()
    patch_files(overlay)
    patch_checkpoints(overlay, swaps)
    patch_data(overlay, swaps)
    swaps.everywhere()
