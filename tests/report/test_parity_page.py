"""The page of a parity result."""

from __future__ import annotations

import math
import re
import warnings
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.report.parity_results import EVERY, of_calls
from tf2towers.report.parity_page import page
from tf2towers.report.parity_result import Comparison, Place
from tf2towers.report.parity_text import headline

pytest.importorskip("matplotlib")


class Tags(HTMLParser):
    """The page's elements: their names and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_difference_is_drawn_and_both_sources_stand_beside_each_other(tmp_path: Path) -> None:
    result = of_calls()
    for side, place in zip((result.original, result.migrated), result.first_places, strict=True):
        side.script = tmp_path / side.title / "train.py"
        file = side.script.parent / place.file
        file.parent.mkdir(parents=True)
        file.write_text("".join(f"line_{number} < {side.title}\n" for number in range(1, 100)))
    text = page(result)
    assert headline(result) in unescape(text)
    pictures = [attributes for tag, attributes in Tags(text).found if tag == "img"]
    assert [str(each["src"])[:22] for each in pictures] == ["data:image/png;base64,"]
    marked = [unescape(line).split() for line in re.findall("<mark>(.*)</mark>\n", text)]
    assert marked == [["44", "line_44", "<", "original"], ["51", "line_51", "<", "migrated"]]
    assert "line_40" in text and "line_39" not in text and "line_55" in text and "line_56" not in text


def test_a_source_that_is_gone(tmp_path: Path) -> None:
    result = of_calls()
    result.original.script = tmp_path / "train.py"
    result.first_places = [Place("gone.py", 3), Place("", 0)]
    assert "cannot be read: No such file or directory" in page(result)


@pytest.mark.parametrize("name", EVERY)
def test_every_result_is_a_page_that_loads_and_runs_nothing(name: str) -> None:
    result = EVERY[name]()
    extremes = {0: 1e-300, 1: math.inf, 2: math.nan, 3: 1.7e308}
    result.comparisons.append(
        Comparison("summary", "<b> $x_{", "", False, False, 0, math.inf, differences=extremes)
    )
    with warnings.catch_warnings(action="error"):
        text = page(result)
    text.encode("utf-8")
    tags = Tags(text).found
    assert not {"script", "link", "iframe"} & {tag for tag, _ in tags}
    assert not [key for _, attributes in tags for key in attributes if key.startswith("on")]


def test_without_matplotlib_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tf2towers.report.parity_page.find_spec", lambda _: None)
    assert "matplotlib, which draws the differences, is not installed here" in page(of_calls())
