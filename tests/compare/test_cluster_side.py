"""What the lines of several tasks add up to."""

import json

import pytest

from tf2towers.compare.cluster_side import ClusterSide
from tf2towers.compare.side import ActiveClock
from tf2towers.compare.summary import summarise


def side(*lines: dict[str, object], workers: int = 2) -> ClusterSide:
    made = ClusterSide("legacy", None, workers=workers)  # type: ignore[arg-type]
    for line in lines:
        made.take(json.dumps(line), ActiveClock(0.0))
    return made


def step(task: str, end: float, begin: float | None = None, **more: object) -> dict[str, object]:
    return {"event": "step", "task": task, "begin": end - 1 if begin is None else begin, "end": end, **more}


def test_asynchronous_steps_all_count() -> None:
    """Two workers that end together every 2 s make a step a second, however close two ends are."""
    ends = [(worker, 2.0 * n + 0.1 * worker) for n in range(1, 21) for worker in (0, 1)]
    made = side(*(step(f"worker {worker}", end, examples=8) for worker, end in ends))
    assert made.count == 40
    assert [step.seconds for step in made.steps[3:]] == pytest.approx([1] * 37)
    assert (made.synchronous, made.towers) == (False, 1)
    summary = summarise(made, made)
    assert summary.legacy.rate is not None
    assert summary.legacy.rate.median == pytest.approx(8)


def test_ends_that_are_told_in_another_order() -> None:
    made = side(step("worker 0", 3), step("worker 1", 2.5), step("worker 0", 4), step("worker 1", 5))
    assert [step.end for step in made.steps] == [3, 3, 4, 5]
    assert [step.seconds for step in made.steps] == [1, 0, 0.5, 1]


def test_an_update_of_all_workers_counts_once() -> None:
    made = side(
        step("worker 1", 1.0, together=2, loss=4.0, examples=8),
        step("worker 0", 1.1, together=2, loss=2.0, examples=8),
        step("worker 0", 2.1, together=2, loss=1.0, examples=8),
        step("worker 1", 2.0, together=2, loss=3.0, examples=8),
        step("worker 0", 3.1, together=2, loss=None, examples=8),
    )
    assert [(step.number, step.loss, step.examples) for step in made.steps] == [
        (1, 3, 16),
        (2, 2, 16),
        (3, None, 16),
    ]
    assert [step.seconds for step in made.steps] == pytest.approx([1, 1, 1])
    assert (made.synchronous, made.towers) == (True, 2)


def test_memory_is_that_of_all_tasks() -> None:
    made = side(
        {"event": "memory", "task": "ps 0", "memory": 100, "peak": 110},
        {"event": "memory", "task": "worker 0", "memory": 200, "peak": 300},
        {"event": "memory", "task": "ps 0", "memory": 90, "peak": 110},
        step("worker 0", 1, memory=250, peak=320),
        {"event": "memory", "task": "worker 1", "memory": 7, "peak": 9},
    )
    assert (made.peak, made.steps[0].memory) == (110 + 320 + 9, 90 + 250)


def test_what_the_chief_says() -> None:
    made = side(
        {"event": "facts", "task": "worker 1", "tensorflow": "no", "towers": 7},
        {"event": "facts", "task": "worker 0", "tensorflow": "2.21.0", "towers": 1, "weights": True},
        {"event": "aside", "task": "worker 1", "begin": 0, "end": 5},
        {"event": "aside", "task": "worker 0", "begin": 0, "end": 2},
        *({"event": "note", "task": task, "text": "once"} for task in ("ps 0", "worker 0", "worker 1")),
        {"event": "accuracy", "task": "worker 1", "value": 0.5},
    )
    assert (made.tensorflow, made.towers, made.given_weights, made.aside) == ("2.21.0", 1, True, 2)
    assert (made.notes, made.accuracy) == (["once"], 0.5)


@pytest.mark.parametrize(
    ("task", "told", "resumed"),
    [
        ("worker 0", 3, None),  # two steps of worker 1 that it has told of, and one that it has not
        ("worker 0", 4, 4),
        ("worker 1", 50, None),  # the chief has made them
    ],
)
def test_resumed(task: str, told: int, resumed: int | None) -> None:
    line = {"event": "resumed", "task": task, "step": told}
    assert side(step("worker 1", 1), step("worker 1", 2), line).resumed == resumed
