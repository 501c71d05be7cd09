"""The tasks of a cluster, and how each learns its job and index: by flags or variables."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

TASK_FLAGS = (
    "--ps_hosts={ps_hosts} --worker_hosts={worker_hosts} --job_name={job_name} --task_index={task_index}"
)
#: a flag beside them, of scripts whose chief is a job of its own
CHIEF_FLAG = "--chief_hosts={chief_hosts}"
FIELDS = ("ps_hosts", "chief_hosts", "worker_hosts", "job_name", "task_index", "cluster")
#: jobs whose tasks do not train: nobody waits for their end
_BESIDE = ("ps", "evaluator")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


class LaunchError(Exception):
    """The cluster cannot be started, or cannot run on; the message tells the user why."""


@dataclass(frozen=True)
class Shape:
    """How many tasks of each kind a cluster has, and how each learns which it is (`Cluster.flags`).

    Without `task_flags`, each task gets those flags of TASK_FLAGS that the script takes. `chief` is
    the job of the first worker, which TF_CONFIG of an Estimator calls 'chief' or 'master'.
    """

    ps: int = 1
    workers: int = 2
    task_flags: str | None = None
    chief: str = "worker"


@dataclass(frozen=True)
class Task:
    """One task: its job ('ps', 'chief', 'master', 'worker', 'evaluator'), its index from 0."""

    job: str
    index: int

    @property
    def name(self) -> str:
        """The task as people write it: 'worker 0'."""
        return f"{self.job} {self.index}"

    @property
    def trains(self) -> bool:
        """True for the tasks whose end is the end of the training: the chief and the workers."""
        return self.job not in _BESIDE


@dataclass(frozen=True)
class Cluster:
    """The addresses (host:port) of all servers and workers; the first worker is of job `chief`."""

    ps: tuple[str, ...]
    workers: tuple[str, ...]
    chief: str = "worker"

    def flags(self, task: Task, template: str = TASK_FLAGS) -> list[str]:
        """The arguments that tell a script its task.

        Args:
            task: a task of this cluster.
            template: words as a shell splits them, with {ps_hosts}, {chief_hosts}, {worker_hosts},
                {job_name}, {task_index}, and {cluster}, a JSON object of lists of hosts. As in a
                shell, words NAME=value that come first are environment variables.

        Raises:
            LaunchError: the template has another {name}, or an open quote.
        """
        given = self._words(task, template)
        return given[len(_variables(given)) :]

    def environment(self, task: Task, template: str = TASK_FLAGS) -> dict[str, str]:
        """A task's environment: TF_CONFIG, CLUSTER_SPEC, JOB_NAME, TASK_INDEX and the template's.

        Raises:
            LaunchError: as `flags`.
        """
        config = {"cluster": self._jobs(), "task": {"type": task.job, "index": task.index}}
        return {
            "TF_CONFIG": json.dumps(config),
            "CLUSTER_SPEC": json.dumps(self._jobs()),
            "JOB_NAME": task.job,
            "TASK_INDEX": str(task.index),
            **dict(_variables(self._words(task, template))),
        }

    def _jobs(self) -> dict[str, list[str]]:
        leads = self.chief != "worker"
        jobs = {"ps": self.ps, self.chief: self.workers[:1], "worker": self.workers[leads:]}
        return {job: list(hosts) for job, hosts in jobs.items() if hosts}

    def _words(self, task: Task, template: str) -> list[str]:
        values = {
            "ps_hosts": ",".join(self.ps),
            "chief_hosts": ",".join(self.workers[:1]),
            "worker_hosts": ",".join(self._jobs().get("worker", ())),
            "job_name": task.job,
            "task_index": str(task.index),
            "cluster": json.dumps(self._jobs()),
        }
        return [re.sub(r"\{(\w+)\}", lambda found: values[found[1]], word) for word in words(template)]


def _variables(given: Sequence[str]) -> list[tuple[str, str]]:
    """The leading words of the form NAME=value, each as a pair of name and value."""
    found = itertools.takewhile(bool, map(_VARIABLE.fullmatch, given))
    return [(variable[1], variable[2]) for variable in found if variable]


def tasks_of(ps: int, workers: int, chief: str = "worker", evaluators: int = 0) -> list[Task]:
    """Every task, in the order of starting: parameter servers first, then the chief.

    Raises:
        LaunchError: these numbers of tasks do not make a cluster.
    """
    if workers < 1:
        raise LaunchError(f"{workers} workers: there must be at least 1, the chief")
    if ps < 0:
        raise LaunchError(f"{ps} parameter servers: a number from 0")
    if evaluators and chief != "chief":
        raise LaunchError(f"an evaluator works beside a chief, and the first worker's job is {chief!r}")
    of_workers = workers - (chief != "worker")
    counts = {"ps": ps, chief: 1, "worker": of_workers, "evaluator": evaluators}
    return [Task(job, index) for job, count in counts.items() for index in range(count)]


def words(template: str) -> Sequence[str]:
    """A template's words, split as a shell splits them.

    Raises:
        LaunchError: a {name} is unknown, or a quote is open.
    """
    try:
        split = shlex.split(template)
    except ValueError as problem:
        raise LaunchError(f"task flags {template!r}: {problem}") from None
    for name in re.findall(r"\{(\w+)\}", template):
        if name not in FIELDS:
            known = ", ".join(f"{{{field}}}" for field in FIELDS)
            raise LaunchError(f"task flags: there is no {{{name}}}; there are {known}")
    return split
