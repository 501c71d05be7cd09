"""A parity result in a terminal."""

import math
import re

import pytest

from tests.report.parity_results import (
    EVERY,
    apart,
    bitwise,
    differs,
    equal,
    failed,
    large,
    of_calls,
    other_calls,
    sides,
)
from tf2towers.report.parity_result import Comparison, ParityResult
from tf2towers.report.parity_text import LISTED, ceiling, render_parity, worst_first

BOTH = "(TensorFlow 1.15.5 and 2.21.0)"
FETCHED = equal("fetched", "0")
ONLY_FETCHED = ParityResult(
    **sides(), steps=1, outcome="differs", comparisons=[equal(), apart("0", 0.125, kind="fetched")]
)
HEADLINES = [
    (bitwise(), f"PARITY: every gradient, loss and variable of 3 steps on 2 towers {BOTH} is bit-identical"),
    (EVERY["within"](), f"WITHIN TOLERANCE 1e-06: every gradient and loss of 3 steps on 1 tower {BOTH} agrees to"
                        " 2.01e-07 (1 of 2 bit-identical)"),
    (differs(), "DIFFERS: 4 of 6 gradients, losses and variables NaN or infinite in places, 1 could not be compared,"
                f" first at step 0, over 3 steps on 2 towers {BOTH}"),
    (of_calls(), "DIFFERS: 1 of 2 gradients and variables by up to 0.84 (relative), first at session call 12 (train.py,"
                 f" line 44), over 24 session calls, 10 training steps {BOTH}"),
    (other_calls(), "DIFFERS: the original makes 12 session calls, the other 11"),
    (failed(), "could not be compared: train.py stopped: status 1"),
    (EVERY["unrepeatable"](), "UNREPEATABLE: the original differs from itself, first at session call 3 (train.py, line"
                              " 7): variable w: 2.0 in one run, 2.5 in the other"),
    (ParityResult(**sides(), outcome="error"), "could not be compared: no reason was given"),
    (ParityResult(**sides()), "NOTHING COMPARED: no training step was recorded"),
    (ParityResult(**sides(), steps=4), "NOTHING COMPARED: no values were recorded"),
    # no gradient was compared, so none is said to be equal
    (ParityResult(**sides(), steps=1, comparisons=[FETCHED]),
     f"PARITY: every fetched value of 1 step on 1 tower {BOTH} is bit-identical"),
    # only what is fetched differs: the verdict counts that
    (ONLY_FETCHED, "DIFFERS: 1 of 2 gradients and fetched values by up to 0.125 (relative), over 1 step on 1 tower "
                   f"{BOTH}"),
]  # fmt: skip


@pytest.mark.parametrize(("result", "line"), HEADLINES, ids=range(len(HEADLINES)))
def test_the_verdict_comes_first_on_one_line(result: ParityResult, line: str) -> None:
    assert render_parity(result).splitlines()[0] == line


def test_diagnoses_come_before_what_differs_first_and_that_before_the_tables() -> None:
    shown = render_parity(differs())
    order = [
        "sum for mean (from step 0)", "to do: Use MEAN in the all-reduce.",
        "first gradient, backward  fc/weights", "gradients that are not bit-identical",
        "original   legacy/train.py, TensorFlow 1.15.5, Python 3.7.17, 21.5 s", "arguments  --steps=3 '--data dir'",
        "Dropout was given the original's draws.", "migrated: 2 logical CPUs",
    ]  # fmt: skip
    places = [shown.index(title) for title in order]
    assert places == sorted(places)


def test_a_row_says_how_far_apart() -> None:
    assert "differs  conv1/weights  3x4             0      0.6\n" in render_parity(differs())


def test_what_is_equal_is_named_when_all_is_asked_for() -> None:
    assert "fc/biases" not in render_parity(differs())
    assert "fc/biases" in render_parity(differs(), verbose=True)


def test_a_long_list_says_how_many_more() -> None:
    shown = render_parity(large())
    assert len(re.findall(r"layer\d+/w", shown)) == LISTED
    assert f"and {500 - LISTED} more, none of them further apart\n" in shown
    verbose = render_parity(large(), verbose=True)
    assert len(re.findall(r"layer\d+/w", verbose)) == 500
    assert "more, none" not in verbose


def test_failures_are_never_left_out() -> None:
    result = differs()
    lost = [Comparison("variable", f"lost{place}", "only in the original") for place in range(60)]
    far = [apart(f"far{place}", 0.5, kind="variable", within=place > 9) for place in range(20)]
    result.comparisons = lost + far
    shown = render_parity(result)
    assert len(re.findall(r"not comparable +lost\d+ +only in the original", shown)) == 60
    assert len(re.findall(r"far\d+", shown)) == LISTED
    assert "and 12 more, none of them further apart, 10 of them within tolerance\n" in shown


def test_the_worst_come_first_and_nan_is_the_worst() -> None:
    errors = {"a": 0.5, "b": math.nan, "c": 9.0, "d": math.inf}
    some = [equal(), *(apart(name, error, within=name == "c") for name, error in errors.items())]
    assert [found.name for found in worst_first(some)] == ["b", "d", "a", "c", "conv1/weights"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"), (2.00123e-7, "2.01e-07"), (0.5, "0.5"), (0.9991, "1"), (12345.0, "1.24e+04"), (math.inf, "inf"),
        (math.nan, "nan"), (5e-324, "4.94e-324"),
    ],
)  # fmt: skip
def test_a_tolerance_is_rounded_up(value: float, shown: str) -> None:
    assert ceiling(value) == shown
    assert not float(shown) < value


def test_lines_of_a_message_stay_lines() -> None:
    result = bitwise()
    result.notes = ["stopped:\n  ValueError: x"]
    assert "  stopped:\n      ValueError: x\n" in render_parity(result)
    assert "\n  Traceback\n    ValueError: x\n" in render_parity(failed())


@pytest.mark.parametrize("name", EVERY)
def test_nothing_steers_the_terminal(name: str) -> None:
    shown = render_parity(EVERY[name](), verbose=True)
    assert all(sign == "\n" or sign.isprintable() for sign in shown)
    shown.encode("utf-8")
