"""Where values lie in the charts of a page, and what a long curve keeps."""

import math
import re

import pytest
from parity_results import apart, sides

from tf2towers.report.html import chart
from tf2towers.report.parity_page.charts import error_chart, loss_chart
from tf2towers.report.parity_result import ParityResult


def curves(drawing: str) -> list[list[tuple[float, float]]]:
    found = re.findall(r'<polyline points="([^"]*)"', drawing.split("</svg>", 1)[0])
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in line.split())] for line in found]


def errors(*values: float, tolerance: float = 0.0) -> str:
    result = ParityResult(
        **sides([], []), steps=len(values), tolerance=tolerance, comparisons=[apart("w", *values)]
    )
    return error_chart(result)


def losses(original: list[float], migrated: list[float]) -> str:
    return loss_chart(ParityResult(**sides(original, migrated)))


def test_errors_are_drawn_on_a_logarithmic_scale() -> None:
    [points] = curves(errors(1e-8, 1e-6, 1e-4))
    heights = [y for _, y in points]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.02)
    assert [x for x, _ in points] == [chart.LEFT, (chart.LEFT + chart.RIGHT) / 2, chart.RIGHT]


def test_zero_lies_below_the_least_error_and_nan_above_the_greatest() -> None:
    [[zero, least, most, nan, infinite]] = curves(errors(0.0, 1e-9, 1.0, math.nan, math.inf))
    assert chart.BOTTOM > zero[1] > least[1] > most[1] > nan[1] == infinite[1] > chart.TOP
    assert "inf, NaN" not in errors(0.0, 1e-9)


def test_the_tolerance_is_drawn_where_its_errors_are() -> None:
    drawing = errors(1e-9, 1e-6, 1e-3, tolerance=1e-6)
    line = re.search(r'y1="([\d.]+)"[^>]*class="tolerance"', drawing)
    assert line
    assert float(line[1]) == curves(drawing)[0][1][1]


def test_a_single_step_is_a_point_in_the_middle() -> None:
    drawing = errors(0.25)
    assert not curves(drawing)
    assert f'<circle cx="{(chart.LEFT + chart.RIGHT) / 2:.2f}"' in drawing


def test_losses_share_one_scale_and_break_at_nan() -> None:
    original, *migrated = curves(losses([3.0, 2.0, 1.0, 1.0, 1.0], [3.0, 2.0, math.nan, 1.0, 1.0]))
    assert [len(points) for points in migrated] == [2, 2]
    assert migrated[0] + migrated[1] == [*original[:2], *original[3:]]
    assert original[0][1] < original[1][1] < original[2][1]
    assert losses([1.0, 2.0], [1.0, math.inf]).count('class="no-number"') == 1


def test_equal_losses_have_a_scale() -> None:
    original, migrated = curves(losses([2.0, 2.0], [2.0, 2.0]))
    assert original == migrated
    assert chart.TOP < original[0][1] < chart.BOTTOM


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (1.5, 2.5, [1.6, 1.8, 2.0, 2.2, 2.4]),
        (-10.0, 10.0, [-10.0, -5.0, 0.0, 5.0, 10.0]),
        (-1.7e308, 1.7e308, [-1.7e308, 1.7e308]),
        (0.0, 5e-324, [0.0, 5e-324]),
    ],
)
def test_ticks(low: float, high: float, expected: list[float]) -> None:
    assert chart.ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(("last", "expected"), [(0, [0]), (1, [0, 1]), (2, [0, 1, 2]), (9, [0, 2, 4, 6, 8])])
def test_ticks_of_steps_are_whole(last: int, expected: list[int]) -> None:
    assert chart.whole_ticks(last) == expected


def test_labels_tell_near_values_apart() -> None:
    assert chart.tick_labels([2.302585, 2.302586]) == ["2.302585", "2.302586"]
    assert chart.tick_labels([0.0, 0.5]) == ["0", "0.5"]


def test_a_long_curve_keeps_its_extremes_and_what_is_no_number() -> None:
    values = [1.0] * 100_000
    values[777], values[50_001], values[99_998] = -5.0, 9.0, math.nan
    kept = chart.thinned(values)
    assert len(kept) < 700
    assert {(777, -5.0), (50_001, 9.0)} <= set(kept)
    assert [step for step, value in kept if math.isnan(value)] == [99_998]
    assert [step for step, _ in kept] == sorted({step for step, _ in kept})


def test_labels_at_the_ends_do_not_overlap() -> None:
    moved = chart.spread([290.0, 291.0, 20.0, 290.5])
    assert [sorted(moved).index(height) for height in moved] == [1, 3, 0, 2]
    assert all(b - a >= 12 for a, b in zip(sorted(moved), sorted(moved)[1:], strict=False))
    assert max(moved) <= chart.BOTTOM
