"""Runs one task of a TF1 parameter-server script unedited, and records it where it is a worker."""

import os
from typing import Any, Dict, List

from .. import optimizers
from ..running import leave, prepare, run, versions
from .turns import Turns
from .worker import WorkerRecorder

#: a line of a worker's output: so many of its steps are recorded as were asked for
RECORDED = "tf2towers: recorded"


def main(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    """Its exit status. JOB_NAME and TASK_INDEX in the environment say which task it is (`tf2towers launch`).

    Args:
        options: as for a script of one process, and "turns": host:port of the turnstile. A task goes on when there are
            "steps" steps: it is stopped with the cluster.
        script, arguments: what to run.
    """
    tf = prepare(options)
    if os.environ["JOB_NAME"] == "ps":
        return leave(run(script, arguments))
    worker = int(os.environ["TASK_INDEX"])
    folder = os.path.join(options["out"], "worker-%d" % worker)
    recorder = WorkerRecorder(tf, folder, worker, Turns(options["turns"], worker))
    optimizers.watch(tf, recorder)
    _look_every_second(tf)

    def finish() -> None:
        facts = recorder.facts()
        facts.update(versions(tf), optimizers=len(recorder.applied), sessions=recorder.sessions)
        recorder.write_facts(facts)

    told = []  # type: List[bool]

    def look() -> None:
        if recorder.steps >= options["steps"] and not told:
            told.append(True)
            finish()
            print("\n" + RECORDED, flush=True)

    recorder.on_step = look
    status = run(script, arguments)
    finish()
    return leave(status)


def _look_every_second(tf: Any) -> None:
    """Lets workers that wait for the chief look more often than every 30 seconds whether it is ready."""
    manager = tf.train.SessionManager
    begin = manager.__init__

    def begun(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs["recovery_wait_secs"] = 1
        begin(self, *args, **kwargs)

    manager.__init__ = begun
