"""`tensorflow.python.debug`, whose debugger has ended: sessions and hooks without it."""

from typing import Any

import numpy as np
import tensorflow as tf


def _session(sess: Any, *args: Any, **kwargs: Any) -> Any:
    """The session itself; tensor filters may be added to it, and are never asked."""
    sess.add_tensor_filter = lambda name, tensor_filter: None
    return sess


LocalCLIDebugWrapperSession = DumpingDebugWrapperSession = TensorBoardDebugWrapperSession = _session
GrpcDebugWrapperSession = _session


class LocalCLIDebugHook(tf.compat.v1.train.SessionRunHook):
    """A hook that does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def add_tensor_filter(self, filter_name: str, tensor_filter: Any) -> None:
        """Filters are never asked."""


DumpingDebugHook = TensorBoardDebugHook = GrpcDebugHook = LocalCLIDebugHook


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Whether an array has a number that is infinite, or none."""
    return isinstance(tensor, np.ndarray) and tensor.dtype.kind in "fc" and not np.isfinite(tensor).all()
