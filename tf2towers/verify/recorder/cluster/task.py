"""Runs one task of a TF1 parameter-server script unedited, and records it where it is a worker."""

import os
from typing import Any, Dict, List

from .. import seeds
from ..running import follow, leave, prepare, run
from ..session import watch
from ..wrapping import wrap
from .worker import WorkerRecorder
from .worker_turns import Turns


def main(options: Dict[str, Any], script: str, arguments: List[str]) -> int:
    """Runs the task; returns its exit status. JOB_NAME and TASK_INDEX in the environment say which task it is.

    Args:
        options: as for a script of one process, and "turns": host:port of the turnstile; "seeded": whether the seed
            counts. A task goes on when there are "steps" steps: it is stopped with the cluster.
    """
    tf = prepare(options)
    if options.get("seeded"):
        seeds.fix_seeds(options["seed"])
        seeds.fix_graph_seeds(tf, options["seed"])
    if os.environ["JOB_NAME"] == "ps":
        return leave(run(script, arguments))
    worker = int(os.environ["TASK_INDEX"])
    folder = os.path.join(options["out"], "worker-%d" % worker)
    turns = Turns(options["turns"], worker)
    recorder = WorkerRecorder(tf, folder, options["steps"], worker, turns)
    watch(tf, recorder)
    look_for_the_chief(tf.train.SessionManager, turns)
    return follow(tf, recorder, script, arguments, goes_on=True)


def look_for_the_chief(manager: Any, turns: Turns) -> None:
    """Lets workers that wait for the chief look every second whether it is ready, but only once it is about to train.

    TF1's look every 30 seconds, and so seldom come up between the chief's initialization and the start of its queues:
    a count of epochs on the parameter servers, which they share, would then be used up by one of them.
    """

    def begin(original: Any, *args: Any, **kwargs: Any) -> None:
        kwargs["recovery_wait_secs"] = 1
        original(*args, **kwargs)

    def wait(original: Any, *args: Any, **kwargs: Any) -> Any:
        turns.wait_for_chief()
        return original(*args, **kwargs)

    wrap(manager, "__init__", begin)
    wrap(manager, "wait_for_session", wait)
