"""Runs one side's cluster to its end: python tf2towers/compare/cluster_launcher.py SETTINGS

SETTINGS is JSON: "ps", "workers", "task_flags", "python", "script", "args", as `launch.plan.Plan` has them. The output
of all tasks goes to standard output; the exit status is that of `tf2towers launch`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(settings: str) -> int:
    """Runs the cluster; returns the exit status."""
    # this file's folder is not for imports, and that of the package may be left off the path of what is started
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from tf2towers.launch.errors import LaunchError
    from tf2towers.launch.job import Job
    from tf2towers.launch.plan import Plan
    from tf2towers.launch.screen import Screen
    from tf2towers.launch.signals import note_signals

    try:
        # parameter servers that do not end by themselves are stopped at once: waiting would count as the script's time
        plan = Plan(**json.loads(settings), linger=0.0, keep=_SHOWN)
        with note_signals() as signals:
            screen = Screen(plan.tasks, errors=sys.stdout)
            outcome = Job(plan, screen, signals).run()
        if outcome.failed is not None:  # its last words, which the others' end has pushed away
            screen.notice("\n".join([f"{outcome.reason}; it wrote last:", *outcome.failed.lines]))
    except LaunchError as problem:
        print(problem)
        return 2
    return outcome.status


_SHOWN = 20

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
