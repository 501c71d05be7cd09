"""Both sides of a proof of a parameter-server script: the original's cluster recorded, then the migrated one's."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.verify.cluster.merging import facts_of, merged, updates
from tf2towers.verify.cluster.tasks import OnLine, in_turns, run_recorded
from tf2towers.verify.process import RunFailed
from tf2towers.verify.recorder.writing import Writer
from tf2towers.verify.recording import Facts
from tf2towers.verify.register import is_on_runtime
from tf2towers.verify.sides import MIGRATED, RECORDER, Options, Recorded, prepared

_HINT = (
    ". Of such programs tf.functions that apply gradients are recorded, where every worker calls them (synchronous), "
    "or a ClusterCoordinator schedules them"
)


def record_side(
    side: str,
    script: Path,
    arguments: Sequence[str],
    folder: Path,
    options: Options,
    original: Recorded | None = None,
    *,
    replay: Path | None = None,
    to_the_end: bool = False,
    on_line: OnLine | None = None,
    seeded: bool = False,
) -> Recorded:
    """Runs a script as a cluster and records its first updates; asynchronous workers take their steps in turns.

    Args:
        side: 'legacy' or 'migrated'.
        script, arguments: as the user starts a task, without the flags of the cluster.
        options: how, and as which cluster; `layers`, `names` and `double` do not apply.
        original: the original's recording, which a migrated script is given: variables, batches, random numbers.
        replay: the same, but for the variables alone.
        to_the_end: let the script end by itself; else it is stopped when there is enough.
        on_line: called with a task's name and each line it writes.
        seeded: an original's generators are given the seed of the options.

    Raises:
        RunFailed: a task failed, or there were too few updates.
    """
    shape = options.cluster or Shape()
    given: dict[str, object] = {"out": str((folder / "workers").resolve())}
    python, hint = sys.executable, ""
    if side == "legacy":
        title, recorder = f"the original, {script.name},", RECORDER
        given |= {"stand_ins": options.legacy_python is None, "seeded": seeded}
        python = options.legacy_python or python
    else:
        title, recorder = f"the migrated script, {script.name},", MIGRATED
        variables = replay if original is None else original.folder
        given["replay"] = None if variables is None else str(variables.resolve())
        given["inputs"] = None if original is None else str((original.folder / "workers").resolve())
        given["lockstep"] = options.lockstep
        given["tower_order"] = options.tower_order
        hint = "" if is_on_runtime(script) else _HINT
    began = time.monotonic()
    schedule: contextlib.AbstractContextManager[dict[str, str]] = contextlib.nullcontext({})
    if side == "legacy":  # the migrated script has a schedule of its own
        schedule = in_turns(shape.workers)
    with schedule as turns:
        command = [*prepared(folder, {**given, **turns}, options), str(script.resolve()), *arguments]
        run_recorded(
            title, python, recorder, command, folder, options, to_the_end=to_the_end, on_line=on_line
        )
    if not updates(folder / "workers"):
        raise RunFailed(f"{title} ended without an update that could be recorded{hint}")
    facts, steps = _merge(title, folder, options.steps, shape)
    return Recorded(folder, facts, time.monotonic() - began, steps)


def _merge(who: str, folder: Path, wanted: int, shape: Shape) -> tuple[Facts, int]:
    """Writes the first updates into `folder` as those of one run."""
    raw = folder / "workers"
    steps = min(wanted, len(updates(raw)))
    facts, writer = facts_of(raw), Writer(str(folder))
    try:
        for step in merged(raw, steps):
            if not writer.steps:
                facts.towers = max(1, len(step.losses))
                facts.trainable = [name.partition("//")[0] for name in step.gradients]
            writer.step(step.flat())
    except (ValueError, KeyError, IndexError) as problem:
        raise RunFailed(f"{who} cannot be put together: {problem}") from None
    facts.trainable = list(dict.fromkeys(facts.trainable))
    facts.notes.append(f"parameter servers: {shape.ps}, workers: {shape.workers}")
    writer.facts(dataclasses.asdict(facts))
    return facts, steps
