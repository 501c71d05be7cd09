"""The sums over the reports of a side's tasks, and how they are shown."""

import pytest

from tf2towers.compare.side import EnoughSteps, Side
from tf2towers.compare.summary import Numbers, Spread, notes_on, ratio_of, steady_steps, table
from tf2towers.compare.watch.steps import MARK
from tf2towers.launch.cluster import Task

Lines = list[dict[str, object]]


def side(lines: Lines, workers: int = 1, most: int | None = None) -> Side:
    made = Side("legacy", None, workers, most)  # type: ignore[arg-type]
    for line in lines:
        made.take(str(line.get("task", "worker 0")), line)
    return made


def step(task: str, end: float, **more: object) -> dict[str, object]:
    return {"event": "step", "task": task, "begin": end - 1, "end": end, **more}


def training(seconds: float, count: int = 40, **more: object) -> Lines:
    """Steps of the same length, the first ending at 2 s."""
    return [
        {"event": "step", "begin": 2 + seconds * (n - 1), "end": 2 + seconds * n, "loss": 3 - n / count,
         "peak": 200 + n, **more}
        for n in range(count)
    ]  # fmt: skip


def test_lines_of_the_script_are_kept_and_reports_taken() -> None:
    made, chief = Side("legacy", None, most=4), Task("worker", 0)  # type: ignore[arg-type]
    made.lines(chief, ["epoch 1", "", MARK + '{"event": "facts", "tensorflow": "1.15.5", "towers": 4}'])
    assert (made.tensorflow, made.towers, made.steps, made.wrote) == ("1.15.5", 4, [], ["epoch 1"])
    made.lines(Task("ps", 0), ["hello"])
    assert made.wrote[-1] == "[ps 0] hello"
    with pytest.raises(EnoughSteps):
        made.lines(chief, [MARK + '{"event": "step", "begin": 1, "end": 3, "steps": 4, "loss": NaN}'])
    assert (made.count, made.steps[0].seconds) == (4, 0.5)


@pytest.mark.parametrize(("made", "first"), [(3, None), (8, 4), (100, 11)])
def test_which_steps_are_steady(made: int, first: int | None) -> None:
    """The first 3 steps are left out, or the first tenth."""
    numbers = [step.number for step in steady_steps(side(training(0.1, made)).steps)]
    assert numbers == ([] if first is None else list(range(first, made + 1)))


def test_rates_losses_and_memory_of_two_sides() -> None:
    legacy, modern = Numbers.of(side(training(0.1))), Numbers.of(side(training(0.05)))
    assert ratio_of(modern.rate, legacy.rate) == pytest.approx({"median": 2, "low": 2, "high": 2})
    assert ratio_of(modern.rate, None) is None
    assert legacy.rate is not None
    assert legacy.rate.median == pytest.approx(10)
    assert (legacy.first_step, legacy.peak) == (2, 239)
    assert modern.end_loss == pytest.approx(3 - 37.5 / 40)
    assert notes_on(legacy, modern) == []
    assert Spread.of([4.0]) is None
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 100.0]) == Spread(3, 2, 4, 5)


def test_the_table_of_two_sides() -> None:
    numbers = Numbers.of(side(training(0.1))), Numbers.of(side(training(0.05, loss=None)))
    lines = {line[:24].strip(): line[24:].split() for line in table(*numbers).splitlines()[1:]}
    assert lines["steps"] == ["40", "40"]
    assert lines["steps/s, median"] == ["10", "20", "2.00x"]
    assert lines["final loss"] == ["2.0250", "-", "-"]
    assert lines["its middle half"] == ["10", "to", "10", "20", "to", "20", "2.00", "to", "2.00"]
    assert lines["peak memory"] == ["0", "MiB", "0", "MiB"]  # measured once: no spread, and so no ratio
    between = {"median": 2, "low": 1, "high": 6}
    assert ratio_of(Spread(2.0, 1.5, 3.0, 9), Spread(1.0, 0.5, 1.5, 9)) == between


# -- clusters --------------------------------------------------------------------------------------


def test_asynchronous_steps_all_count() -> None:
    """Two workers that end together every 2 s make a step a second, however close two ends are."""
    ends = [(worker, 2.0 * n + 0.1 * worker) for n in range(1, 21) for worker in (0, 1)]
    made = side([step(f"worker {worker}", end) for worker, end in ends], 2)
    assert made.count == 40
    assert [step.seconds for step in made.steps[3:]] == pytest.approx([1] * 37)
    assert (made.synchronous, made.towers) == (False, 1)
    rate = Numbers.of(made).rate
    assert rate is not None
    assert rate.median == pytest.approx(1)


ASIDE = [{"event": "aside", "seconds": 1.5}, step("worker 0", 4), step("worker 0", 5)]
UNORDERED = [step("worker 0", 3), step("worker 1", 2.5), step("worker 0", 4), step("worker 1", 5)]


@pytest.mark.parametrize(
    ("lines", "workers", "ends", "seconds"),
    [(ASIDE, 1, [2.5, 3.5], [1, 1]), (UNORDERED, 2, [3, 3, 4, 5], [1, 0, 0.5, 1])],
    ids=["what only a watched process does is off the clock", "reported in another order"],
)
def test_when_steps_end_and_how_long_they_take(
    lines: Lines, workers: int, ends: list[float], seconds: list[float]
) -> None:
    steps = side(lines, workers).steps
    assert ([step.end for step in steps], [step.seconds for step in steps]) == (ends, seconds)


def test_an_update_of_all_workers_counts_once() -> None:
    losses = [(1, 1.0, 4.0), (0, 1.1, 2.0), (0, 2.1, 1.0), (1, 2.0, 3.0), (0, 3.1, None)]
    made = side([step(f"worker {task}", end, together=2, loss=loss) for task, end, loss in losses], 2)
    assert [(step.number, step.loss) for step in made.steps] == [(1, 3), (2, 2), (3, None)]
    assert [step.seconds for step in made.steps] == pytest.approx([1, 1, 1])
    assert (made.synchronous, made.towers) == (True, 2)


def test_memory_is_that_of_all_tasks_and_facts_are_the_chiefs() -> None:
    made = side([
        {"event": "memory", "task": "ps 0", "peak": 110},
        {"event": "memory", "task": "ps 0", "peak": 90},
        step("worker 0", 1, peak=320),
        {"event": "memory", "task": "worker 1", "peak": 9},
        {"event": "facts", "task": "worker 1", "tensorflow": "no", "towers": 7},
        {"event": "facts", "task": "worker 0", "tensorflow": "2.21.0", "towers": 1},
        *({"event": "note", "task": task, "text": "once"} for task in ("ps 0", "worker 0", "worker 1")),
    ], 2)  # fmt: skip
    assert (made.peak, made.tensorflow, made.towers, made.notes) == (110 + 320 + 9, "2.21.0", 1, ["once"])


@pytest.mark.parametrize(
    ("task", "made", "resumed"),
    [
        ("worker 0", 3, None),  # two steps of worker 1 that it has reported, and one that it has not
        ("worker 0", 4, 4),
        ("worker 1", 50, None),  # the chief has made them
    ],
)
def test_the_step_that_a_training_went_on_from(task: str, made: int, resumed: int | None) -> None:
    line = {"event": "resumed", "task": task, "step": made}
    assert side([step("worker 1", 1), step("worker 1", 2), line], 2).resumed == resumed
