"""What the lines of a process add up to, and how it is shown."""

import json

import pytest

from tf2towers.compare import table
from tf2towers.compare.guesses import batch_size_of, last_accuracy
from tf2towers.compare.live import Live
from tf2towers.compare.side import ActiveClock, Side
from tf2towers.compare.summary import Spread, summarise

Lines = list[dict[str, object]]


def side(title: str, lines: Lines, clock: ActiveClock | None = None) -> Side:
    made = Side(title, None)  # type: ignore[arg-type]
    for line in lines:
        made.take(json.dumps(line), clock or ActiveClock(0.0))
    return made


def training(seconds: float, count: int = 40, examples: int | None = 16, **more: object) -> Lines:
    """Steps of the same length, the first ending at 2 s."""
    return [
        {"event": "step", "begin": 2 + seconds * (n - 1), "end": 2 + seconds * n, "loss": 3 - n / count,
         "examples": examples, "memory": 100 + n, "peak": 200 + n, **more}
        for n in range(count)
    ]  # fmt: skip


def test_a_held_step_counts_what_it_ran() -> None:
    clock = ActiveClock(0.0)
    clock.stop(5.5)
    clock.resume(15.5)
    made = side("legacy", [{"event": "step", "begin": b, "end": b + 1} for b in (4, 5, 16)][:1], clock)
    for begin, end in ((5.0, 16.0), (16.0, 17.0)):
        made.take(json.dumps({"event": "step", "begin": begin, "end": end}), clock)
    assert [(step.end, step.seconds, step.interrupted) for step in made.steps] == [
        (5, 1, False),
        (6, 1, True),
        (7, 1, False),
    ]


def test_what_only_a_watched_process_does() -> None:
    clock = ActiveClock(0.0)
    clock.stop(3)
    clock.resume(13)
    lines: Lines = [
        {"event": "aside", "begin": 0, "end": 1},
        {"event": "aside", "begin": 2, "end": 14},  # 2 s of it
        {"event": "step", "begin": 2, "end": 15},
        {"event": "step", "begin": 15, "end": 16},
    ]
    made = side("modern", lines, clock)
    assert [(step.end, step.seconds) for step in made.steps] == [(2, 1), (3, 1)]


def test_other_lines() -> None:
    made = side("legacy", [{"event": "facts", "tensorflow": "1.15.5"}, {"event": "facts", "towers": 4}])
    for line in ("no JSON", "[1]", '{"event": "what"}'):
        made.take(line, ActiveClock(0.0))
    assert (made.tensorflow, made.towers, made.steps) == ("1.15.5", 4, [])
    made.take('{"event": "step", "begin": 1, "end": 3, "steps": 4, "loss": NaN}', ActiveClock(0.0))
    assert (made.count, made.steps[0].seconds) == (4, 0.5)


def test_summary() -> None:
    summary = summarise(side("legacy", training(0.1)), side("modern", training(0.05)))
    assert summary.unit == "examples"
    assert summary.speed == pytest.approx(2)
    assert summary.legacy.rate is not None
    assert summary.legacy.rate.median == pytest.approx(160)
    assert summary.legacy.first_step == 2
    assert summary.modern.end_loss == pytest.approx(3 - 37.5 / 40)
    assert summary.notes == []


@pytest.mark.parametrize(
    ("seen", "batch_size", "flag", "unit", "examples"),
    [
        (None, None, None, "steps", (16, None)),
        (None, 64, None, "examples", (64, 64)),
        (None, None, 8, "examples", (16, 8)),  # of each of its 1 towers
        (32, None, 8, "examples", (16, 32)),
    ],
)
def test_examples(
    seen: int | None,
    batch_size: int | None,
    flag: int | None,
    unit: str,
    examples: tuple[int | None, int | None],
) -> None:
    legacy, modern = side("legacy", training(0.1)), side("modern", training(0.1, examples=seen))
    summary = summarise(legacy, modern, batch_size, flag)
    assert (summary.unit, (summary.legacy.examples, summary.modern.examples)) == (unit, examples)
    if batch_size is None:
        assert summary.notes


def test_table() -> None:
    summary = summarise(side("legacy", training(0.1)), side("modern", training(0.05, loss=None)))
    lines = {line[:24].strip(): line[24:].split() for line in table.text(summary).splitlines()[1:]}
    assert lines["steps"] == ["40", "40"]
    assert lines["examples/s, median"] == ["160", "320", "2.00x"]
    assert lines["a step, median"] == ["100.0", "ms", "50.0", "ms", "0.50x"]
    assert lines["final loss"] == ["2.0250", "-", "-"]
    assert lines["its middle half"] == ["100.0", "to", "100.0", "50.0", "to", "50.0", "0.50", "to", "0.50"]
    assert table.spread(Spread(2.0, 1.5, 3.0, 9), Spread(1.0, 0.5, 1.5, 9)) == "1.00 to 6.00"


def test_live() -> None:
    sides = side("legacy", training(0.11)), side("modern", [])
    live = Live(sides)
    assert live.words(sides[0]).startswith("legacy: step 40, loss 2.0250, 145 examples/s, ")
    assert live.words(sides[1]) == "modern: no step yet"


@pytest.mark.parametrize(
    ("arguments", "batch_size"),
    [
        (["--max_steps=200", "--batch_size", "32"], 32),
        (["--train-steps", "7"], None),
        (["-iterations=5", "--train_batch_size=8"], 8),
    ],
)
def test_arguments(arguments: list[str], batch_size: int | None) -> None:
    assert batch_size_of(arguments) == batch_size


@pytest.mark.parametrize(
    ("text", "accuracy"),
    [
        ("step 1\naccuracy: 0.5\ntest accuracy = 0.93 after", 0.93),
        ("Test accuracy: 93.1%", 0.931),
        ("precision @ 1 = 0.861", 0.861),
        ("- accuracy: 0.7500 - loss: 1.0 - val_accuracy: 0.6250", 0.625),
        ("pace 3, accumulated 0.5", None),
    ],
)
def test_printed_accuracy(text: str, accuracy: float | None) -> None:
    assert last_accuracy(text) == (None if accuracy is None else pytest.approx(accuracy))
