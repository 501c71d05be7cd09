"""Verifies that a migrated trainer equals the original: runs both, compares them, and names a mistake."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

from tf2towers.launch.program import evaluates_apart, knows_hosts, makes_session_calls, starts_server, text_of
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.calls.verdict import verify_calls
from tf2towers.verify.result_notes import new_result, prepare_runs
from tf2towers.verify.rewrites.verdict import verify_steps
from tf2towers.verify.sides import Options
from tf2towers.verify.texts import texts_of

_SAY_HOW = (
    "If flags tell a process its task, say which, such as --task-flags '--hosts={ps_hosts},{worker_hosts} "
    "--job={job_name} --index={task_index}'"
)
#: how `migrate` says that a script ran on TF 2, and only disabled eager execution
_KEEPS_TF2 = re.compile(r"graph_mode\([^)]*v2_behavior=True")


def verify(
    legacy: Path,
    migrated: Path,
    arguments: Sequence[str] = (),
    options: Options | None = None,
    work: Path | None = None,
) -> ParityResult:
    """Runs both scripts and compares them: their session calls, or their training steps.

    Args:
        legacy: the TF1 script.
        migrated: the TF2 script.
        arguments: the command line of both.
        options: options for running and comparing them.
        work: the folder that keeps the recordings; None: they are deleted.

    Returns:
        The verdict; its outcome is 'error' where a script could not be run or compared.
    """
    result = new_result(legacy, migrated, arguments)
    of_tf2 = _KEEPS_TF2.search(text_of(migrated)) if migrated.is_file() else None
    options = dataclasses.replace(options or Options(), beside=legacy.parent, v2_behavior=bool(of_tf2))
    with prepare_runs(result, options, work) as (place, how):
        result.tolerance = how.tolerance or 0.0
        for side in (result.original, result.migrated):
            texts = texts_of(side.script, original=side is result.original)
            side.cells = dict(texts.cells)
            result.notes += [note for note in texts.notes if note not in result.notes]
        try:
            (verify_calls if makes_session_calls(migrated) else verify_steps)(result, how, place)
        finally:
            has_tasks = how.cluster is not None or any((place / "original").glob("*.begun"))
        if how.cluster is not None and how.cluster.chief == "chief" and evaluates_apart(legacy):
            result.notes.append(
                "no evaluator was run: it is in no cluster, and which checkpoints it meets is left to chance"
            )
    if not has_tasks and legacy.is_file() and starts_server(legacy):
        result.notes.append(f"{legacy.name} starts a tf.train.Server, and ran as one process. {_SAY_HOW}")
    given = options.cluster.task_flags if options.cluster is not None else "none"
    if result.outcome == "error" and not given and not knows_hosts(legacy):
        result.notes.append(f"no flag of {legacy.name} is known that takes the cluster's hosts. {_SAY_HOW}")
    return result
