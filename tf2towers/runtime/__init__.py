"""The names that a migrated script imports, built on TensorFlow's public API.

Names are loaded on first use, so `from tf2towers.runtime import Session` does not load the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tf2towers.runtime.memory import keep_freed_memory

#: public name -> the module that defines it, or that it is
_HOMES = {
    "ClusterError": "cluster.addresses",
    "EventsWriter": "events_writer",
    # functions that behave as in Python 2
    "python2_arguments": "python2",
    "python2_decode": "python2",
    "python2_division": "python2",
    "python2_division_in_place": "python2",
    "python2_filter": "python2",
    "python2_map": "python2",
    "python2_message": "python2",
    "python2_round": "python2",
    "python2_seed": "python2",
    # TF1 graph code run as functions
    "ChiefSessionCreator": "graph_session.managed",
    "InteractiveSession": "graph_session.session",
    "MonitoredSession": "graph_session.managed",
    "MonitoredTrainingSession": "graph_session.managed",
    "SessionManager": "graph_session.managed",
    "SingularMonitoredSession": "graph_session.managed",
    "Supervisor": "graph_session.managed",
    "WorkerSessionCreator": "graph_session.managed",
    "Server": "graph_session.cluster.server",
    "Session": "graph_session.session",
    "assert_variables_initialized": "tensors",
    "class_of": "tensors",
    "graph_mode": "graph_session.mode",
    "op_type": "tensors",
    "TowerStrategy": "strategy",
    "ParameterServerStrategy": "strategy",
    # symbols that TF 2 no longer has
    "FLOAT_OPS_OPTIONS": "tf1",
    "LinearOperatorTriL": "tf1",
    "ModeKeys": "tf1",
    "StagingArea": "tf1",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS": "tf1",
    "audio_summary": "tf1",
    "batch_and_drop_remainder": "tf1",
    "histogram_summary": "tf1",
    "image_summary": "tf1",
    "logger": "tf1",
    "padded_batch_and_drop_remainder": "tf1",
    "scalar_summary": "tf1",
    "sloppy_interleave": "tf1",
    "crf": "tf1.crf",
    "cudnn_rnn": "tf1.cudnn_rnn",
    "debug": "tf1.debug",
    "distribution_functions": "tf1.distribution_functions",
    "distributions": "tf1.distributions",
    "estimator": "tf1.estimator",
    "estimator_heads": "tf1.estimator_heads",
    "gan": "tf1.gan",
    "hparams": "tf1.hparams",
    "image": "tf1.image",
    "keras": "tf1.keras",
    "layers": "tf1.layers",
    "learn": "tf1.learn",
    "legacy_seq2seq": "tf1.legacy_seq2seq",
    "lookup": "tf1.lookup",
    "memory_stats": "tf1.memory_stats",
    "metric_learning": "tf1.metric_learning",
    "mixed_precision": "tf1.mixed_precision",
    "mnist": "tf1.mnist",
    "nccl": "tf1.nccl",
    "opt": "tf1.opt",
    "predictor": "tf1.predictor",
    "resampler": "tf1.resampler",
    "rnn_cell": "tf1.rnn_cell",
    "seq2seq": "tf1.seq2seq",
    "slim": "tf1.slim",
    "summary": "tf1.summary",
    "tensor_shapes": "tf1.tensor_shapes",
    "tpu": "tf1.tpu",
    "training": "tf1.training",
    "vocabulary": "tf1.vocabulary",
    # functions that NumPy, SciPy and Python no longer have
    "numpy1": "old_libraries.numpy1",
    "old_imp": "old_libraries.old_imp",
    "old_inspect": "old_libraries.old_inspect",
    "old_librosa": "old_libraries.old_librosa",
    "old_skimage": "old_libraries.old_skimage",
    "old_sklearn": "old_libraries.old_sklearn",
    "scipy_misc": "old_libraries.scipy_misc",
}

__all__ = [*_HOMES]  # noqa: PLE0604 - the keys are strings


def _leave_flags_to_scripts() -> None:
    """Lets a script define flags that absl has, too ('log_dir', 'v'): TF1 used absl from 1.13."""
    try:
        from absl import flags, logging
    except ImportError:  # without absl, TensorFlow is not installed either
        return
    for flag in flags.FLAGS.flags_by_module_dict().get(logging.__name__, []):
        flag.allow_override = True


_leave_flags_to_scripts()
keep_freed_memory()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f"{__name__}.{_HOMES[name]}")
    return home if _HOMES[name].endswith(f".{name}") else getattr(home, name)
