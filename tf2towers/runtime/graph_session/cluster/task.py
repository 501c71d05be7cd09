"""`Task`: a task of a cluster, and its role for the other tasks: server, worker, or both."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import addresses, waiting
from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.graph_session.cluster import serving

#: jobs whose tasks train; the tasks of any other job keep variables
WORKING = frozenset({"worker", "chief", "master", "evaluator"})

#: seconds before the first message on the tasks that are waited for, and between further messages
_FIRST, _EVERY = 3.0, 10.0

#: a task: its job and its index
Key = tuple[str, int]

#: held while a task decides on its role, or a connection is made
making = threading.RLock()

#: the tasks that this process has made servers for, by their addresses
tasks_here: dict[str, Task] = {}


class Task:
    """A task of a cluster, and the other tasks as seen from it.

    Attributes:
        servers: (job, index) -> address of the tasks that keep variables, in the order of the jobs.
    """

    def __init__(self, cluster: Any, job: str, index: int) -> None:
        self.spec = tf.compat.v1.train.ClusterSpec(cluster)
        self.job, self.index = job, index
        if set(self.spec.jobs) <= {*addresses.JOBS, "evaluator"} and job in addresses.JOBS:
            jobs = {name: tasks for name, tasks in self.spec.as_dict().items() if tasks or name == job}
            addresses.check_addresses(jobs, job, index)  # raises an error with an explanation
        self.address = self.spec.task_address(job, index)
        self.everyone: dict[Key, str] = {}
        self.servers: dict[Key, str] = {}
        self.workers: dict[str, str] = {}
        for name in sorted(self.spec.jobs):
            for number in self.spec.task_indices(name):
                address = self.everyone[name, number] = self.spec.task_address(name, number)
                if name in WORKING or (name == job and name in ("local", "localhost")):
                    self.workers[f"{name} {number}"] = address
                else:
                    self.servers[name, number] = address
        #: the tasks that keep variables, whatever the graph is
        self.keepers = frozenset(self.servers)
        self.serving: serving.Serving | None = None
        self._decided = False
        self._met = {self.key}  # tasks that have answered

    @property
    def name(self) -> str:
        """'worker 1'."""
        return f"{self.job} {self.index}"

    @property
    def serves(self) -> bool:
        """True if this task keeps variables."""
        return self.key in self.servers

    @property
    def key(self) -> Key:
        """('worker', 1)."""
        return self.job, self.index

    def meet(self, tasks: Iterable[Key]) -> None:
        """Waits, before this task's first run, until each of `tasks` has answered once.

        TF1's session started when all tasks allowed by its `device_filters` answered, so that a
        synchronous chief did not take the steps of workers that had not started yet. TF1 waited for
        ever; so does this method, but it prints the tasks that are missing. For parameter servers,
        the usual time limit holds.
        """
        missing = {key: self.everyone[key] for key in tasks if key not in self._met | self.keepers}
        began, reported = time.monotonic(), 0.0
        while missing:
            for key in [key for key, address in missing.items() if waiting.answers(address)]:
                self._met.add(key)
                del missing[key]
            waited = time.monotonic() - began
            if missing and waited - reported > (_EVERY if reported else _FIRST):
                reported = waited
                names = ", ".join(f"{job} {index} ({address})" for (job, index), address in missing.items())
                print(
                    f"{self.name}: waiting for {names} for {waited:.0f} seconds. A session without device_filters "
                    "starts when all tasks of its cluster answer, as in TensorFlow 1",
                    file=sys.stderr,
                    flush=True,
                )
            if missing:
                time.sleep(0.2)

    def decide(self, asked: Iterable[Key], keeps: bool) -> None:
        """Decides, before this task's first run, if it runs its own operations only, or serves.

        Args:
            asked: the tasks that the graph places operations on; if this task becomes a server,
                they do, too.
            keeps: whether this task keeps resources that other tasks use.
        """
        with making:
            if self._decided or self.serving is None:
                return
            self._decided = True
            others = {key: self.everyone[key] for key in asked if key in self.everyone}
            others = {
                key: other for key, other in others.items() if key not in self.servers and key != self.key
            }
            if self.serves:
                return
            for address in others.values():
                if address in tasks_here:  # a task in this process that has run nothing
                    tasks_here[address].only_serve()
            self.serving.says = serving.WILLING if others or keeps else serving.ALONE
            if (others or keeps) and self._all_willing(others):
                self.share(others)
                for address in others.values():
                    if address in tasks_here:  # one process has one connection
                        tasks_here[address].servers = self.servers
            else:
                self.serving.says = serving.ALONE

    def only_serve(self) -> None:
        """Makes a worker that has run nothing itself a server for the other tasks."""
        with making:
            if not self._decided and not self.serves and self.serving is not None:
                self._decided = True
                self.share({})

    def _all_willing(self, others: Mapping[Key, str]) -> bool:
        """Waits until the other tasks have decided; returns whether all of them serve."""
        limit, start = waiting.time_limit(), time.monotonic()
        waiting.wait_for({f"{job} {index}": address for (job, index), address in others.items()})
        while True:
            states = [serving.state_of(other) for other in others.values()]
            if serving.ALONE in states:
                return False
            if not {serving.UNDECIDED, serving.SILENT} & set(states):
                return True
            if time.monotonic() - start > limit:
                return False
            time.sleep(0.2)

    def share(self, others: Mapping[Key, str]) -> None:
        """Makes this task a server for its resources; `others` are servers, too."""
        assert self.serving is not None
        self.serving.serve()
        self.servers = dict(sorted({**self.servers, self.key: self.address, **others}.items()))
        limit, start = waiting.time_limit(), time.monotonic()
        while any(serving.state_of(other) == serving.WILLING for other in others.values()):
            if time.monotonic() - start > limit:
                raise ClusterError(
                    f"{self.name}: another worker did not become a server within {limit:g} seconds."
                )
            time.sleep(0.1)
