"""Does the session write the graph's summaries by itself?"""

from __future__ import annotations

import libcst as cst

from tf2towers.names.cluster_calls import cluster_calls
from tf2towers.program.python_code.call_arguments import is_none, named
from tf2towers.program.python_code.search import find_all
from tf2towers.program.training import Training

_FOLDERS = {
    "tf.train.MonitoredTrainingSession": ("checkpoint_dir", "summary_dir"),
    "tf.train.Supervisor": ("logdir",),
}


def writes_summaries(training: Training) -> bool:
    """Whether a monitored session or a supervisor of the owner saves all summaries now and then.

    Source: MonitoredTrainingSession adds a SummarySaverHook, Supervisor a SVSummaryThread, where they have a folder.
    """
    for call in find_all(training.tower.owner, cst.Call):
        canonical = training.value_kinds.resolver.canonical(call.func)
        if canonical not in _FOLDERS:
            continue
        given = {name: arg.value for name, arg in named(call, cluster_calls()[canonical].order)}
        folders = [given[name] for name in _FOLDERS[canonical] if name in given]
        if not is_none(given.get("summary_op")) and not all(map(is_none, folders)):
            return True
    return False
