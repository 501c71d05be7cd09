"""`tf2towers launch`: the whole local cluster of a parameter-server script, one process a task."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from tf2towers.cli.errors import CommandError
from tf2towers.cli.running import add_chief, non_negative
from tf2towers.launch.cluster import TASK_FLAGS
from tf2towers.launch.job import Job, Outcome
from tf2towers.launch.plan import Plan
from tf2towers.launch.program import chief_of, evaluates_apart, knows_its_task
from tf2towers.launch.screen import Screen
from tf2towers.launch.signals import note_signals

SHOWN = 20  # how many of the failed task's last lines are printed
#: Python's errors about names of TF 1 on TF 2: `tf.app` or `from tensorflow.contrib import ...`
_WANTS_TF1 = re.compile(
    r"module 'tensorflow(\._api\.v2\.(?!compat)[\w.]+)?' has no attribute"
    r"|No module named 'tensorflow\.(contrib|examples)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.epilog = (
        "Each task learns who it is from the flags of the template, after ARGS, and from the variables\n"
        "TF_CONFIG, CLUSTER_SPEC, JOB_NAME and TASK_INDEX. When all workers have ended, the parameter\n"
        "servers are stopped. A task that fails stops all others. Estimators get a chief; an evaluator,\n"
        "which is in no cluster, has 30 seconds for the last checkpoint when the training has ended.\n"
        "exit status: 0; that of the task that failed (128 + n for signal n); 124 for --timeout;\n"
        "2 could not be started."
    )
    add = parser.add_argument
    add("--ps", type=int, default=1, metavar="N", help="parameter servers (default 1)")
    add("--workers", type=int, default=2, metavar="M", help="workers, the chief among them (default 2)")
    add_chief(parser)
    apart = "tasks that evaluate (default: 1 beside a chief where the script calls train_and_evaluate)"
    add("--evaluators", type=non_negative, metavar="N", help=apart)
    add("--python", metavar="EXE", help="the interpreter (default: this one); TF 1's for an original")
    flags = (
        f'default: those of "{TASK_FLAGS}" that the script takes; "" for none; NAME=value at its beginning are '
        "environment variables, {cluster} in them is a JSON object of lists of hosts"
    )
    add("--task-flags", metavar="TEMPLATE", help=flags)
    add("--timeout", type=float, metavar="SECONDS", help="stop everything after so long")
    add("stray", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Runs the cluster and returns the exit status, which the epilog lists."""
    if options.stray or not options.arguments:
        raise CommandError(
            "the script and its arguments follow a --: tf2towers launch --workers 2 -- train.py"
        )
    script, *args = options.arguments
    path = Path(script)
    chief = options.chief or (chief_of(path) if path.is_file() else "worker")
    evaluators = options.evaluators
    if evaluators is None:
        evaluators = int(chief == "chief" and evaluates_apart(path))
    plan = Plan(
        script=script, args=args, ps=options.ps, workers=options.workers, python=options.python, chief=chief,
        evaluators=evaluators,
        task_flags=options.task_flags, timeout=options.timeout, keep=SHOWN,
    )  # fmt: skip
    if options.task_flags is None and not knows_its_task(path):
        print(
            f"tf2towers launch: no task of {script} can know which it is: it has none of the flags {TASK_FLAGS}, and "
            "reads none of TF_CONFIG, CLUSTER_SPEC, JOB_NAME, TASK_INDEX; name its own flags with --task-flags",
            file=sys.stderr,
        )
    with note_signals() as signals:
        screen = Screen()
        outcome = Job(plan, screen, signals).run()
        _print_last_lines(outcome, screen)
    return outcome.status


def _print_last_lines(outcome: Outcome, screen: Screen) -> None:
    """Prints the failed task's last lines, which others may have pushed off the screen."""
    if outcome.failed is not None:
        lines = [f"  {line}" for line in outcome.failed.lines]
        ending = "; it wrote last:" if lines else " and wrote nothing"
        screen.notice("\n".join([f"{outcome.reason}{ending}", *lines]))
        if any(_WANTS_TF1.search(line) for line in outcome.failed.lines):
            screen.notice(
                "the script is for TensorFlow 1, and ran on TensorFlow 2: `tf2towers migrate` it first, or let "
                "--python EXE be the interpreter of a TensorFlow 1.x; `verify` and `compare` run it here as it is"
            )
