"""Two scripts side by side."""

import re
from itertools import pairwise

import pytest
from parity_results import sides

from tf2towers.report.parity_page.scripts import aligned, lines_of, scripts
from tf2towers.report.parity_result import ParityResult


def shown(left: list[str], right: list[str]) -> list[tuple[str | None, str | None, bool]]:
    return [
        (
            None if row.left is None else left[row.left],
            None if row.right is None else right[row.right],
            row.same,
        )
        for row in aligned(left, right)
    ]


@pytest.mark.parametrize(
    ("left", "right", "rows"),
    [
        ("", "", []),
        ("a", "", [("a", None, False)]),
        ("", "a", [(None, "a", False)]),
        ("a b c", "a c", [("a", "a", True), ("b", None, False), ("c", "c", True)]),
        ("a b c", "a x c", [("a", "a", True), ("b", "x", False), ("c", "c", True)]),
        ("a a a", "a a", [("a", "a", True), ("a", "a", True), ("a", None, False)]),
    ],
)
def test_rows(left: str, right: str, rows: list[tuple[str | None, str | None, bool]]) -> None:
    assert shown(left.split(), right.split()) == rows


def test_moved_code_shares_a_row_with_its_former_line() -> None:
    left = ["for i in range(2):", "    loss = f(i)", "    more(loss)"]
    right = ["def tower():", "  i = index()", "  loss = f(i)", "  more(loss)"]
    assert shown(left, right) == [
        ("for i in range(2):", "def tower():", False),
        (None, "  i = index()", False),
        ("    loss = f(i)", "  loss = f(i)", False),
        ("    more(loss)", "  more(loss)", False),
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([f"line {i}" for i in range(5000)], [f"line {i}" for i in range(0, 5000, 2)]),
        (["same"] * 5000, ["same"] * 4000 + ["other"] * 1000),
        ([f"{i % 40}" for i in range(5000)], [f"{i * 7 % 40}" for i in range(5000)]),
        ([f"old {i}" for i in range(5000)], [f"new {i}" for i in range(5000)]),
        ([""] * 5000, ["x", ""] * 2500),
    ],
    ids=["every other", "one line", "few lines", "nothing shared", "empty lines"],
)
def test_long_scripts_keep_every_line_once_and_in_order(left: list[str], right: list[str]) -> None:
    rows = aligned(left, right)
    assert [row.left for row in rows if row.left is not None] == list(range(len(left)))
    assert [row.right for row in rows if row.right is not None] == list(range(len(right)))
    assert all(left[row.left] == right[row.right] for row in rows if row.same)


def test_lines_of() -> None:
    assert lines_of("") == []
    assert lines_of("a\r\n\n\x0cb\n") == ["a", "", "\x0cb"]
    assert lines_of("a\nb") == ["a", "b"]


def diff(left: list[str], right: list[str]) -> str:
    result = ParityResult(**sides([], []))
    result.original.text, result.migrated.text = "\n".join(left), "\n".join(right)
    return scripts(result)


def test_long_unchanged_stretches_are_folded_and_nothing_is_lost() -> None:
    left = [f"line {i};" for i in range(100)]
    right = [*left[:50], "new;", *left[51:]]
    page = diff(left, right)
    assert re.findall(r"<summary>(.*?)</summary>", page) == [
        "47 unchanged lines (1 to 47 on the left)",
        "46 unchanged lines (55 to 100 on the left)",
    ]
    numbers = [int(number) for number in re.findall(r'<tr><td class="n [a-z]*">(\d+)', page)]
    assert numbers == list(range(1, 101))
    assert all(b == a + 1 for a, b in pairwise(numbers))


def test_changed_words_are_marked_and_unlike_lines_are_not() -> None:
    page = diff(["x = tf.reduce_mean(loss, 0)"], ["x = tf.reduce_sum(loss, 0)"])
    assert "tf.<mark>reduce_mean</mark>(loss" in page
    assert "tf.<mark>reduce_sum</mark>(loss" in page
    assert "<mark>" not in diff(["import os"], ["class Tower: pass"])


def test_signs_say_what_colours_say() -> None:
    page = diff(["a", "b"], ["a", "c"])
    assert '<td class="n gone">2 −</td>' in page
    assert '<td class="n new">2 +</td>' in page
