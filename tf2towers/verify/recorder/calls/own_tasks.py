"""Follows the tasks that a script starts by itself: processes, and threads that have a server each.

A process that the script forks, spawns by `multiprocessing`, or starts as `python SCRIPT ..`, has a recording of its
own. It is named by the order of start, 'process-1', until it makes a server of a cluster with several workers. Then it
is 'worker-0', and takes turns with the others (`turns`). Where one process makes several such servers, the thread that
runs sessions of one of them is that task.

    FOLDER/NAME.started  a process that has been started, and has not ended
    FOLDER/NAME.begun    a task that runs sessions
    FOLDER/NAME/         its recording, which is complete when it has meta.json
"""

import contextlib
import json
import os
import subprocess
import time
from typing import Any, Callable, Dict, List

from ..session_runs import have_threads
from ..wrapping import wrap
from ..writes import RECORDER
from .shared_gradients import take_turns
from .tokens import SyncReplicas
from .turns import Turns

#: jobs whose tasks train
_TRAINS = ("chief", "master", "worker")
_PAUSE = 0.05  # seconds between two looks at the other tasks
_LONGEST_STAY = 120.0  # seconds that a worker whose script has ended stays for the others
_LATEST_BEGINNING = 30.0  # seconds after which a thread that has run no session is no longer waited for


class OwnTasks(object):
    """The tasks that a script starts by itself, as one of its processes sees them.

    Args:
        tf: the TF1 module.
        options: the recorder's options; "task" is the name of a process that is not the first.
        server: the class of servers.
        manager: the class whose objects wait for the chief's initialization.
        script: the script's path.
        begin: begins the recording of a task, given its name and its server's target or ''; returns its recorder.
        finish: completes this process's recordings.

    Attributes:
        name: the task of this process; empty for the first one.
    """

    def __init__(
        self,
        tf: Any,
        options: Dict[str, Any],
        server: Any,
        manager: Any,
        script: str,
        begin: Callable[[str, str], Any],
        finish: Callable[[], None],
    ) -> None:
        self._tf, self._options, self._server, self._manager = tf, options, server, manager
        self._script, self._folder = os.path.realpath(script), options["out"]
        self._begin, self._finish = begin, finish
        self.name = options.get("task", "")
        self._started = 0
        self._turns: List[_TurnsOfServer] = []  # of the servers that this process has made
        self._sync = SyncReplicas(tf)
        self._has_ended = False

    def install(self) -> None:
        """From now on, follows the processes and servers that the script starts."""
        from multiprocessing import spawn

        wrap(os, "fork", self._fork)
        wrap(os, "_exit", self._exit)
        wrap(subprocess.Popen, "__init__", self._popen)
        wrap(spawn, "get_command_line", self._spawn)
        have_threads(self._tf, self._server)
        wrap(self._server, "__init__", self._serve)

    def note_sessions(self, name: str) -> None:
        """Notes that a task runs sessions."""
        if name:
            self._mark(name + ".begun")

    def has_others(self) -> bool:
        """True if another task of the script runs sessions."""
        return any(name.endswith(".begun") for name in os.listdir(self._folder))

    def _end(self) -> None:
        """Ends this process's tasks, and waits for the other workers: TF 1's sessions wait for one that has gone."""
        self._unmark(self.name + ".started")
        for turns in self._turns:
            turns.end()
        end = time.monotonic() + _LONGEST_STAY
        while any(not turns.others_are_over() for turns in self._turns) and time.monotonic() < end:
            time.sleep(_PAUSE)

    def _mark(self, name: str) -> None:
        with open(os.path.join(self._folder, name), "ab"):
            pass

    def _unmark(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.remove(os.path.join(self._folder, name))

    # -- processes

    def _new_process(self) -> str:
        self._started += 1
        name = "%s-%d" % (self.name or "process", self._started)
        self._mark(name + ".started")
        return name

    def _fork(self, fork: Callable[[], int]) -> int:
        name = self._new_process()
        process = fork()
        if process == 0:
            self.name, self._started, self._turns = name, 0, []
            self._begin(name, "")
        return process

    def _exit(self, leave: Callable[[int], None], status: int) -> None:
        if not self._has_ended and not status:
            self._has_ended = True
            self._finish()
            self._end()
        leave(status)

    def _spawn(self, get: Callable[..., List[str]], *args: Any, **kwargs: Any) -> List[str]:
        command = get(*args, **kwargs)
        if "-c" in command:
            place = command.index("-c") + 1
            home = os.path.abspath(os.path.join(os.path.dirname(RECORDER), "..", "..", ".."))
            command[place] = (
                "import sys; sys.path.insert(0, %r); from tf2towers.verify.recorder.running import run_spawned; "
                "run_spawned(%r, %r, %r)" % (home, self._settings(), self._script, command[place])
            )
        return command

    def _popen(self, begin: Any, process: Any, args: Any, *more: Any, **kwargs: Any) -> None:
        words = list(map(str, args)) if isinstance(args, (list, tuple)) else []
        place = self._place_of_script(words)
        if place:
            args = words[:place] + [RECORDER, self._settings(), self._script] + words[place + 1 :]
        begin(process, args, *more, **kwargs)

    def _place_of_script(self, words: List[str]) -> int:
        """Where a command `python SCRIPT ..` has this script; 0 for any other command."""
        if words and os.path.basename(words[0]).startswith("python") and not {"-c", "-m"} & set(words):
            for place, word in enumerate(words[1:], 1):
                if not word.startswith("-"):
                    return place if os.path.realpath(word) == self._script else 0
        return 0

    def _settings(self) -> str:
        """Writes the settings of a new process; returns their file."""
        name = self._new_process()
        path = os.path.join(self._folder, name + ".json")
        with open(path, "w") as stream:
            json.dump(dict(self._options, task=name), stream)
        return path

    # -- servers

    def _serve(self, begin: Any, server: Any, *args: Any, **kwargs: Any) -> None:
        begin(server, *args, **kwargs)
        made = server.server_def
        jobs = [job for job in made.cluster.job if job.name in _TRAINS]
        workers = sorted("%s-%d" % (job.name, index) for job in jobs for index in job.tasks)
        task = "%s-%d" % (made.job_name, made.task_index)
        if task not in workers:
            self._unmark(self.name + ".started")  # it serves until it is ended
        elif len(workers) > 1:
            for worker in workers:
                self._mark(worker + ".begun")
            self._take_turns(task, workers, str(getattr(server.target, "decode", lambda: server.target)()))

    def _take_turns(self, task: str, workers: List[str], target: str) -> None:
        is_first = not self._turns
        recorder = self._begin(task, target)
        turns = _TurnsOfServer(self._folder, workers.index(task), len(workers), recorder, self._turns)
        self._turns.append(turns)
        manager = self._manager if is_first else None
        take_turns(self._tf, recorder, turns, self._sync, task, manager, target)
        if is_first:
            self._unmark(self.name + ".started")
            self.name = task


class _TurnsOfServer(Turns):
    """The turns of a worker, where one process may have several: each is a thread.

    Args:
        recorder: the worker's, whose `thread` runs its sessions.
        here: the turns of this process's servers.
    """

    def __init__(self, folder: str, worker: int, workers: int, recorder: Any, here: List[Any]) -> None:
        Turns.__init__(self, folder, worker, workers)
        self._recorder, self._here, self._began = recorder, here, time.monotonic()

    def others_are_over(self) -> bool:
        """True if every other worker has ended, or has not begun."""
        others = [place for place in range(self.workers) if place != self._worker]
        return all(self._count(place) in (0, float("inf")) for place in others)

    def is_over(self) -> bool:
        """True if no thread runs this worker's sessions, any longer or in time."""
        thread = self._recorder.thread
        if thread is None:
            return time.monotonic() - self._began > _LATEST_BEGINNING
        shared = [turns for turns in self._here if turns._recorder.thread is thread]
        return not thread.is_alive() or len(shared) > 1

    def _count(self, worker: int) -> float:
        if any(turns._worker == worker and turns is not self and turns.is_over() for turns in self._here):
            return float("inf")
        return Turns._count(self, worker)
