"""Checkpoints: `tf.train.Saver` of TF1 (in a session and eager), `tf.train.Checkpoint`, and their readers.

No operation is added to a graph: it would change the seeds of the script's random operations (`Graph._last_id`).
"""

import functools
import importlib
import os
import threading
from typing import Any, Callable

from .changes import make_folders
from .paths import Overlay
from .swap import Swaps
from .tf_paths import concrete, each, local, prefix_to_read, prefix_to_write, with_path

#: Where the class behind `tf.train.Checkpoint` is: TF 2.21, 1.14 and 1.15, 1.12 and 1.13.
_TRACKABLE = (
    ("tensorflow.python.checkpoint.checkpoint", "TrackableSaver"),
    ("tensorflow.python.training.tracking.util", "TrackableSaver"),
    ("tensorflow.python.training.checkpointable.util", "CheckpointableSaver"),
)


def patch_checkpoints(overlay: Overlay, swaps: Swaps) -> None:
    """Patch what the installed version has."""
    _patch_saver(overlay)
    for module, name in _TRACKABLE:
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
        found.save = _trackable_save(overlay, found.save)
        found.restore = with_path(overlay, found.restore, prefix_to_read, 1, "save_path")
    for module in ("tensorflow.python.training.py_checkpoint_reader", "tensorflow.python.pywrap_tensorflow"):
        try:
            holder = importlib.import_module(module)
            original = holder.NewCheckpointReader
        except (ImportError, AttributeError):
            continue
        swaps.set(
            holder, "NewCheckpointReader", with_path(overlay, original, prefix_to_read, 0, "filepattern")
        )
    _patch_operations(overlay, swaps)


def _patch_saver(overlay: Overlay) -> None:
    """`Saver` feeds the name of its file into the graph: the value is changed on its way."""
    from tensorflow.python.client import session
    from tensorflow.python.training import saver

    inside = threading.local()

    def marked(original: Callable[..., Any], translate: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            outer_translate = getattr(inside, "translate", None)
            inside.translate = translate
            try:
                return original(*args, **kwargs)
            finally:
                inside.translate = outer_translate

        return call

    original_run = session.BaseSession.run

    @functools.wraps(original_run)
    def run(self: Any, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any) -> Any:
        translate = getattr(inside, "translate", None)
        if translate is None or not feed_dict:
            return original_run(self, fetches, feed_dict, *args, **kwargs)
        fed = {key: each(overlay, translate, value) for key, value in feed_dict.items()}
        result = original_run(self, fetches, fed, *args, **kwargs)
        for key, value in feed_dict.items():
            if fed[key] is not value:
                result = _back(result, fed[key], value)
        return result

    saver.Saver.save = marked(saver.Saver.save, prefix_to_write)
    saver.Saver.restore = marked(saver.Saver.restore, prefix_to_read)
    session.BaseSession.run = run


def _trackable_save(overlay: Overlay, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def save(self: Any, file_prefix: Any, *args: Any, **kwargs: Any) -> Any:
        found = concrete(file_prefix)
        if found is None:
            return original(self, file_prefix, *args, **kwargs)
        text = os.fsdecode(found)
        named = local(text)
        if named is not None:
            make_folders(overlay, os.path.dirname(named) or os.curdir)
        target = prefix_to_write(overlay, text)
        return _back(original(self, target, *args, **kwargs), target, text)

    return save


def _back(result: Any, target: Any, named: Any) -> Any:
    """The script's name for a checkpoint, out of what TensorFlow returned for it: `target`, with or without more."""
    found, start = concrete(result), concrete(target)
    if not isinstance(found, (str, bytes)) or not isinstance(start, (str, bytes)):
        return result
    text = os.fsdecode(found)
    if not text.startswith(os.fsdecode(start)):
        return result
    text = os.fsdecode(concrete(named)) + text[len(os.fsdecode(start)) :]
    if isinstance(result, str):
        return text
    if hasattr(result, "numpy"):
        from tensorflow.python.framework import constant_op

        return constant_op.constant(text)
    return os.fsencode(text)


def _patch_operations(overlay: Overlay, swaps: Swaps) -> None:
    """The operations themselves, where they are given a name and not a tensor that a session feeds."""
    import tensorflow
    from tensorflow.python.ops import gen_io_ops

    raw_holders = [tensorflow.raw_ops] if hasattr(tensorflow, "raw_ops") else []
    for name, translate, place, argument in (
        ("save_v2", prefix_to_write, 0, "prefix"),
        ("save", prefix_to_write, 0, "filename"),
        ("save_slices", prefix_to_write, 0, "filename"),
        ("merge_v2_checkpoints", prefix_to_write, 1, "destination_prefix"),
        ("restore_v2", prefix_to_read, 0, "prefix"),
        ("restore", prefix_to_read, 0, "file_pattern"),
        ("restore_slice", prefix_to_read, 0, "file_pattern"),
    ):
        original = getattr(gen_io_ops, name, None)
        if original is not None:
            swaps.set(gen_io_ops, name, with_path(overlay, original, translate, place, argument))
        # a copy of the function, with keywords only
        raw = "".join(part.capitalize() for part in name.split("_"))
        for holder in raw_holders:
            if hasattr(holder, raw):
                swaps.set(holder, raw, with_path(overlay, getattr(holder, raw), translate, 99, argument))
