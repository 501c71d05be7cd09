"""The turns that a cluster's asynchronous workers take."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.runtime.tasks import run_python
from tf2towers.verify.process import ROOT
from tf2towers.verify.recorder.calls.turns import InTurns, Turns


def test_a_turn_that_raised_an_error_is_over(tmp_path: Path) -> None:
    """The script may have caught the error, at the end of an iterator; its next turn, and the others', come."""
    turns = [Turns(str(tmp_path), worker, 2) for worker in range(2)]
    taken = []

    def take(worker: int) -> None:
        for number in range(3):
            try:
                with turns[worker].turn():
                    taken.append((number, worker))
                    if number == 1:
                        raise IndexError("the iterator's end")
            except IndexError:
                pass

    threads = [threading.Thread(target=take, args=(worker,), daemon=True) for worker in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert taken == [(number, worker) for number in range(3) for worker in range(2)]


def effects(**changes: object) -> Any:
    plain = {"training": False, "adds": False, "meets": False, "asks": False, "used": set(), "run_ops": set()}
    return SimpleNamespace(**{**plain, **changes})


@pytest.mark.parametrize("used", [{"v"}, set()])
def test_a_call_that_waits_for_another_worker_gives_way(tmp_path: Path, used: set[str]) -> None:
    """At a barrier worker 0 waits for worker 1, which has steps to make before."""
    turns = [Turns(str(tmp_path), worker, 2) for worker in range(2)]
    schedules = [InTurns(each, SimpleNamespace(bind=lambda *_: False)) for each in turns]
    barrier, done = threading.Event(), []

    def work(worker: int) -> None:
        schedules[worker]._patience = 0.05
        for _ in range(1 + 3 * worker):
            with schedules[worker].call(effects(training=True, used={"v"})):
                pass
        with schedules[worker].call(effects(meets=True, used=used)):
            if worker:
                barrier.set()
            assert barrier.wait(20)
        done.append(worker)
        turns[worker].end()

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(done) == [0, 1]


def test_a_worker_asks_once_whether_variables_are_initialized(tmp_path: Path) -> None:
    """How often it asks before the chief trains would be left to chance."""
    turns = [Turns(str(tmp_path), worker, 2) for worker in range(2)]
    chief, other = (InTurns(each, SimpleNamespace(bind=lambda *_: False)) for each in turns)
    events = []

    def ask() -> None:
        with other.call(effects(asks=True)):
            events.append("an answer")

    with chief.call(effects(asks=True)):
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
    asking.join(0.2)
    events.append("the chief trains")
    turns[1].end()
    with chief.call(effects(training=True, used={"v"})):
        pass
    asking.join(20)
    assert events == ["the chief trains", "an answer"]


def test_a_worker_that_has_ended_gets_no_turn(tmp_path: Path) -> None:
    """However it ended: its file is no longer locked."""
    other = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tf2towers.verify.recorder.calls.turns import Turns\n"
        f"Turns({str(tmp_path)!r}, 0, 2); __import__('os')._exit(0)"
    )
    turns = Turns(str(tmp_path), 1, 2)
    run_python("-c", other)
    turns.wait_for_chief()
    with turns.turn():
        pass
