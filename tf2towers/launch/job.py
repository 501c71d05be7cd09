"""Runs a cluster from first start to last process; decides what ends it, and how."""

from __future__ import annotations

import contextlib
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tf2towers.launch.cluster import Cluster, Task
from tf2towers.launch.leftovers import AFTER_KILL, kill_leftovers, new_mark
from tf2towers.launch.member import Member
from tf2towers.launch.plan import Plan
from tf2towers.launch.ports import hold_ports
from tf2towers.launch.signals import note_signals
from tf2towers.launch.work import Work

TICK = 0.05  # seconds of one wait for output or the end of a task
QUIET = 10.0  # seconds without output after which the launcher names the tasks that it waits for
_GRACE = 5.0  # seconds between SIGTERM and SIGKILL
#: what is known of a chief that ends last (`Coordinator.join`)
_CHIEF_WAITS = (
    ". A chief of synchronous workers waits up to two minutes for its queue's thread; "
    "`with sv.managed_session(..)` or stop_grace_period_secs end it sooner"
)
#: what is known of a worker that sleeps (`SessionManager.wait_for_session`)
_WORKER_WAITS = (
    "waits for the chief to initialize the variables. TensorFlow 1 looks for them every 30 seconds; "
    "recovery_wait_secs of a SessionManager or a Supervisor says how often"
)
TIMED_OUT = 124  # the exit status, as that of timeout(1)


class Watcher:
    """Passes each line to `on_line('worker 0', 'step 1')`; its exceptions end the cluster."""

    def __init__(self, on_line: Callable[[str, str], object] | None = None) -> None:
        self._on_line = on_line

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """Called with the lines that a task has written, without line ends."""
        if self._on_line is not None:
            for line in lines:
                self._on_line(task.name, line)

    def notice(self, text: str) -> None:
        """Called with a message for the user about the cluster."""


@dataclass(frozen=True)
class Outcome:
    """How a cluster ended: its exit status, the reason where that is not 0, the failed task."""

    status: int
    reason: str = ""
    failed: Member | None = None


def ending_words(status: int) -> str:
    """Words for an exit status that is not 0: 'ended with status 3', 'was killed by SIGKILL'."""
    if status > 128:
        try:
            return f"was killed by {signal.Signals(status - 128).name}"
        except ValueError:
            pass
    return f"ended with status {status}"


class Job:
    """A cluster that runs once.

    Args:
        signals: the list that `note_signals` fills; the first signal stops all tasks, a second one
            kills them.

    Attributes:
        members: its tasks, parameter servers first.
    """

    def __init__(self, plan: Plan, watcher: Watcher, signals: Sequence[int] = ()) -> None:
        self._plan, self._watcher, self._signals = plan, watcher, signals
        self.members = [Member(task, plan.keep) for task in plan.tasks]
        self._selector = selectors.DefaultSelector()
        self._mark = new_mark()

    def run(self) -> Outcome:
        """Runs the cluster. When this returns or raises, no process of the cluster runs any longer.

        Raises:
            LaunchError: it cannot be started.
            Exception: any exception of the watcher.
        """
        ports = hold_ports(len(self.members))
        try:
            addresses, ps = tuple(port.address for port in ports), self._plan.ps
            cluster = Cluster(addresses[:ps], addresses[ps : ps + self._plan.workers], self._plan.chief)
            began = time.monotonic()
            for member, port in zip(self.members, ports, strict=True):
                if self._signals:
                    break
                port.release()
                self._start(member, cluster)
            outcome = self._until_decided(began)
            if outcome.reason:
                others = "every other task" if outcome.failed else "every task"
                self._watcher.notice(f"{outcome.reason}: {others} is stopped")
            self._stop(answered=len(self._signals[:1]))
        except BaseException:
            self._watcher = Watcher()  # the given watcher may have raised the exception
            with contextlib.suppress(Exception):
                self._stop(answered=len(self._signals))
            raise
        finally:
            try:
                self._kill()
            finally:
                for port in ports:
                    port.close()
                self._selector.close()
        return outcome

    def _start(self, member: Member, cluster: Cluster) -> None:
        environment = self._plan.environment(cluster, member.task, self._mark)
        member.start(self._plan.command(cluster, member.task), environment)
        self._selector.register(member.output, selectors.EVENT_READ, member)

    def _until_decided(self, began: float) -> Outcome:
        timeout, work = self._plan.timeout, Work(self._plan.idle)
        waited_for, quiet_since = "", began
        noted: set[str] = set()
        workers = [member for member in self.members if member.task.trains]
        if self._plan.ends_with_chief:
            workers = workers[:1]
        while True:
            if self._signals:
                name = signal.Signals(self._signals[0]).name
                return Outcome(128 + self._signals[0], name)
            if all(member.status == 0 for member in workers):
                self._linger()
                return Outcome(0)
            for member in self.members:
                if member.status:
                    return Outcome(member.status, f"{member.task.name} {ending_words(member.status)}", member)
            why = ""
            if timeout is not None and time.monotonic() - began >= timeout:
                why = f"not over after {timeout:g} seconds"
            elif work.is_over({member.process for member in self._running()}):
                why = f"no task has done anything for {self._plan.idle:g} seconds"
            if why:
                running = ", ".join(worker.task.name for worker in workers if worker.runs)
                still = f" ({running} had not ended)" if len(self.members) > 1 else ""
                return Outcome(TIMED_OUT, why + still)
            for name in self._waiting_for_chief() - noted:
                noted.add(name)
                self._watcher.notice(f"{name} {_WORKER_WAITS}")
            if self._pump():
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since >= QUIET:
                running = ", ".join(worker.task.name for worker in workers if worker.runs)
                if running != waited_for and any(worker.status == 0 for worker in workers):
                    waited_for = running
                    why = _CHIEF_WAITS if running == workers[0].task.name else ""
                    self._watcher.notice(f"waiting for {running}; the other workers have ended{why}")

    def _waiting_for_chief(self) -> set[str]:
        """The workers that wrote, a while ago, that they wait for the chief, and nothing since."""
        latest = time.monotonic() - QUIET
        return {
            member.task.name
            for member in self._running()
            if member.waits_since is not None and member.waits_since <= latest
        }

    def _linger(self) -> None:
        """Waits for evaluators, then servers, that end by themselves; as long as the plan says."""
        evaluates = [member for member in self._running() if member.task.job == "evaluator"]
        if evaluates:
            seconds = self._plan.evaluation
            self._watcher.notice(
                f"the training has ended; {evaluates[0].task.name} has {seconds:g} seconds for the last checkpoint"
            )
            self._pump_while(lambda: any(member.runs for member in evaluates), seconds)
            if any(member.runs for member in evaluates) and not self._signals:
                self._watcher.notice(f"{evaluates[0].task.name} had not ended, and is stopped")
        self._pump_while(lambda: bool(self._running()), self._plan.linger)

    def _pump_while(self, goes_on: Callable[[], bool], seconds: float) -> None:
        """Passes output on while the condition holds, at most for so long, or until a signal."""
        deadline = time.monotonic() + seconds
        while goes_on() and time.monotonic() < deadline and not self._signals:
            self._pump()

    def _pump(self) -> bool:
        """Reads output and notes ended tasks, for up to one tick; returns whether there was any."""
        news = False
        for key, _ in self._selector.select(TICK):
            member: Member = key.data
            try:
                lines = member.read()
            finally:
                if not member.open:
                    self._selector.unregister(member.output)
            if lines:
                news = True
                self._watcher.lines(member.task, lines)
        for member in self._running():
            try:
                rest = member.check_end()
            finally:
                if not member.runs and member.output in self._selector.get_map():
                    self._selector.unregister(member.output)
            news = news or rest is not None
            if rest:
                self._watcher.lines(member.task, rest)
        return news

    def _running(self) -> list[Member]:
        return [member for member in self.members if member.runs]

    def _stop(self, answered: int) -> None:
        """Sends SIGTERM to the tasks; waits at most _GRACE, or until a signal after `answered`."""
        for member in self._running():
            member.send(signal.SIGTERM)
        deadline = time.monotonic() + _GRACE
        while self._running() and time.monotonic() < deadline and len(self._signals) <= answered:
            self._pump()

    def _kill(self) -> None:
        """Sends SIGKILL to all remaining processes and waits for their end. Raises nothing."""
        for member in self._running():
            member.send(signal.SIGKILL)
        deadline = time.monotonic() + AFTER_KILL
        while self._running() and time.monotonic() < deadline:
            try:
                self._pump()
            except Exception:
                self._watcher = Watcher()
        kill_leftovers(self._mark)


# -- a whole local cluster in one call -------------------------------------------------------------


def run_cluster(
    plan: Plan, on_line: Callable[[str, str], object] | None = None
) -> tuple[Outcome, list[Member]]:
    """Runs a parameter-server script as a cluster here, until all its processes have ended.

    Args:
        on_line: called with a task's name and each line it writes; its exception ends the cluster,
            and is raised.

    Returns:
        How the cluster ended, and every task, parameter servers first.

    Raises:
        LaunchError: the cluster cannot be started.
        KeyboardInterrupt: on Ctrl-C, when all processes have ended. (After SIGTERM, its handler is
            called.)
    """
    with note_signals() as signals:
        job = Job(plan, Watcher(on_line), signals)
        outcome = job.run()
    if signals:
        signal.raise_signal(signals[0])
    return outcome, job.members
