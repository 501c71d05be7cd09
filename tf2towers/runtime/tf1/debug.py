"""`tensorflow.python.debug`, whose debugger has ended, and tfprof: sessions without them."""

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
    """True if an array has a number that is infinite, or NaN."""
    return isinstance(tensor, np.ndarray) and tensor.dtype.kind in "fc" and not np.isfinite(tensor).all()


class ProfileContext:
    """`tf.contrib.tfprof.ProfileContext`, which does nothing: there is no trace of runs.

    It takes what TensorFlow 1's took: a folder, and steps to trace and to dump.
    """

    def __init__(
        self,
        profile_dir: str,
        trace_steps: Any = None,
        dump_steps: Any = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        self.profile_dir = profile_dir

    def add_auto_profiling(self, cmd: str, options: Any, profile_steps: Any) -> None:
        """Nothing."""

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """No profiles."""
        return {}

    def trace_next_step(self) -> None:
        """Nothing."""

    def dump_next_step(self) -> None:
        """Nothing."""

    def __enter__(self) -> "ProfileContext":
        tf.compat.v1.logging.warning("tf2towers: no run is traced, so that ProfileContext writes no profiles")
        return self

    def __exit__(self, *problem: object) -> None:
        """Nothing."""
