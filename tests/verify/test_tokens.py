"""Steps of `SyncReplicasOptimizer` in turns: whose gradients make up each update, with any number of workers."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path

import pytest

from tf2towers.verify.recorder.calls.tokens import NoToken, _Tokens
from tf2towers.verify.recorder.calls.turns import Turns


class Cluster:
    """What TensorFlow does: an accumulator, a queue of tokens, and the chief's thread that updates."""

    def __init__(self, folder: Path, workers: int, enough: int, given: int) -> None:
        self.turns = [Turns(str(folder), worker, workers) for worker in range(workers)]
        self.enough, self.per_update = enough, max(workers, enough)
        self.added: queue.Queue[int] = queue.Queue()
        self.tokens: queue.Queue[int] = queue.Queue()
        self.updates: list[list[int]] = []  # the workers whose gradients made each up
        for _ in range(given):
            self.tokens.put(0)
        self._counted(0).give(given)
        threading.Thread(target=self._update, daemon=True).start()

    def _counted(self, worker: int) -> _Tokens:
        tokens = _Tokens("w", self.enough, self.per_update)
        tokens.turns = self.turns[worker]
        return tokens

    def _update(self) -> None:
        while True:
            used = [self.added.get() for _ in range(self.enough)]
            time.sleep(0.01)
            self.updates.append(used)
            for _ in range(self.per_update):
                self.tokens.put(len(self.updates))
            self._counted(0).updated()

    def work(self, worker: int, steps: int, problems: list[str]) -> None:
        tokens, local = self._counted(worker), 0
        try:
            for _ in range(steps):
                with self.turns[worker].turn():
                    step = len(self.updates)
                    tokens.add(local, step)
                    if local >= step:
                        self.added.put(worker)
                    tokens.wait()
                    local = self.tokens.get(timeout=1)
        except NoToken as problem:
            problems.append(str(problem))
        self.turns[worker].end()


def train(
    folder: Path, workers: int, enough: int, given: int, steps: int = 6
) -> tuple[list[list[int]], list[str]]:
    folder.mkdir()
    cluster, problems = Cluster(folder, workers, enough, given), []
    threads = [
        threading.Thread(target=cluster.work, args=(worker, steps, problems), daemon=True)
        for worker in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return cluster.updates, problems


@pytest.mark.parametrize(("workers", "enough"), [(3, 2), (2, 3), (2, 1), (2, 2), (3, 3)])
def test_the_same_workers_make_up_each_update(tmp_path: Path, workers: int, enough: int) -> None:
    found = [train(tmp_path / str(number), workers, enough, enough)[0] for number in range(2)]
    shortest = min(map(len, found))  # at the end a worker may wait for one that has ended
    assert shortest >= 3
    assert found[0][:shortest] == found[1][:shortest]
    if workers == enough:
        assert all(sorted(used) == list(range(workers)) for used in found[0])


def test_no_token_will_come(tmp_path: Path) -> None:
    """TensorFlow waits for ever then."""
    _, problems = train(tmp_path / "run", 2, 4, 0)
    assert problems[0].endswith("the step needs 2 more of its 4 gradients")
