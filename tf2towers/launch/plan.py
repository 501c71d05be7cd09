"""The plan of a launch, checked before anything starts."""

from __future__ import annotations

import functools
import math
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.launch.chatter import LEVEL
from tf2towers.launch.cluster import Cluster, LaunchError, Task, tasks_of, words
from tf2towers.launch.leftovers import MARK
from tf2towers.launch.program import chief_hands_out_steps, taken_flags


@dataclass(frozen=True)
class Plan:
    """A script, its arguments, and the tasks to start it as.

    Args:
        script: a Python file.
        args: its arguments, the same for every task.
        ps: the number of parameter servers, from 0.
        workers: the number of workers, from 1, the chief among them.
        chief: the job of the first worker: 'worker', 'chief' or 'master'.
        evaluators: the number of evaluators, which are in no cluster and get only their TF_CONFIG.
        env: variables added to those of this process.
        python: the interpreter, a path or a name on PATH; None: this one.
        program: the file that takes the flags of a task, where that is not `script`.
        task_flags: the template of the flags that name a task's job and index, put after `args`;
            see `Cluster.flags`. None: those of TASK_FLAGS that the program takes.
        timeout: seconds after which everything is stopped; None: never.
        idle: seconds in which no task has used its processor, after which everything is stopped;
            None: never.
        linger: seconds for which parameter servers may end without a signal, once all workers have
            ended.
        evaluation: seconds for which evaluators may go on then, to evaluate the last checkpoint.
        keep: how many of each task's last lines are kept; None: all.

    Raises:
        LaunchError: an argument is invalid.
    """

    script: str | os.PathLike[str]
    args: Sequence[str] = ()
    ps: int = 1
    workers: int = 2
    chief: str = "worker"
    evaluators: int = 0
    env: Mapping[str, str] = field(default_factory=dict)
    python: str | os.PathLike[str] | None = None
    program: Path | None = None
    task_flags: str | None = None
    timeout: float | None = None
    idle: float | None = None
    linger: float = 1.5
    evaluation: float = 30.0
    keep: int | None = None

    def __post_init__(self) -> None:
        if os.name != "posix":
            raise LaunchError("needs a POSIX system, for its process groups")
        self.tasks  # noqa: B018 - for its error
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise LaunchError(f"a timeout of {self.timeout:g} seconds: it must be more than 0")
        path = Path(self.script)
        if not path.is_file():
            raise LaunchError(f"{path}: {'not a file' if path.exists() else 'no such script'}")
        if not os.access(path, os.R_OK):
            raise LaunchError(f"{path}: cannot be read")
        words(self.template)
        self.interpreter  # noqa: B018 - for its error

    @property
    def tasks(self) -> list[Task]:
        """Every task, in the order of starting."""
        return tasks_of(self.ps, self.workers, self.chief, self.evaluators)

    @functools.cached_property
    def template(self) -> str:
        """The template of the flags that name a task's job and index."""
        return taken_flags(Path(self.program or self.script)) if self.task_flags is None else self.task_flags

    @functools.cached_property
    def ends_with_chief(self) -> bool:
        """True if the training ends with the chief: its workers serve until they are ended."""
        return chief_hands_out_steps(Path(self.program or self.script))

    @property
    def interpreter(self) -> str:
        """The path of the interpreter.

        Raises:
            LaunchError: there is none.
        """
        if self.python is None:
            return sys.executable
        found = shutil.which(self.python)
        if found is None:
            raise LaunchError(f"{self.python}: no such interpreter")
        return str(Path(found).absolute())

    def command(self, cluster: Cluster, task: Task) -> list[str]:
        """A task's program and arguments."""
        return [self.interpreter, os.fspath(self.script), *self.args, *cluster.flags(task, self.template)]

    def environment(self, cluster: Cluster, task: Task, mark: str) -> dict[str, str]:
        """A task's whole environment; `mark` is the value by which its processes are found."""
        given = {"PYTHONUNBUFFERED": "1", **self.env, **cluster.environment(task, self.template), MARK: mark}
        return {LEVEL: "2", **os.environ, **given}
