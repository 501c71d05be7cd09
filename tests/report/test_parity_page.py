"""The page about a parity result: whole, on its own, and safe with any name."""

import math
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser

import pytest
from parity_results import EVERY, apart, bitwise, differs, failed, hostile, sides, within

from tf2towers.report.parity_html import parity_page
from tf2towers.report.parity_page.charts import DRAWN
from tf2towers.report.parity_result import ParityResult

COORDINATES = ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height")


class Page(HTMLParser):
    """Reads a page, and refuses one whose tags are not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "col", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    def every(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return "".join(self.texts)


@cache
def written(name: str) -> str:
    """The page of one of `EVERY`, made once."""
    return parity_page(EVERY[name]())


@cache
def read(name: str) -> Page:
    return Page(written(name))


@pytest.mark.parametrize("name", EVERY)
def test_every_page_is_whole_and_on_its_own(name: str) -> None:
    text = written(name)
    text.encode("utf-8")
    page = read(name)
    assert [len(page.every(tag)) for tag in ("html", "head", "body", "h1", "style", "script")] == [1] * 6
    for tag, attributes in page.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "use", "image", "form"}
        assert not {"src", "srcset", "style", "xlink:href"} & set(attributes)
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"https?:|src=|@import|url\(", text)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:  # what a link or a label speaks of is there
        named = [*(attributes.get("aria-labelledby") or "").split(), (attributes.get("href") or "")[1:]]
        assert {name for name in named if name} <= set(ids)


@pytest.mark.parametrize("name", EVERY)
def test_every_coordinate_is_a_number_inside_its_drawing(name: str) -> None:
    page = read(name)
    for tag, attributes in page.tags:
        if tag in ("line", "circle", "rect", "text"):
            found = [float(value or "") for key, value in attributes.items() if key in COORDINATES]
        elif tag == "polyline":
            found = [float(place) for place in re.split("[ ,]", attributes["points"] or "")]
        else:
            continue
        assert all(math.isfinite(place) and 0 <= place <= 760 for place in found), (tag, attributes)


@pytest.mark.parametrize("name", EVERY)
def test_charts_and_tables_can_be_read_aloud(name: str) -> None:
    text = written(name)
    page = read(name)
    assert all("scope" in attributes for attributes in page.every("th"))
    for chart in re.findall(r"<svg .*?</svg>", text):
        assert "aria-hidden" in chart or ("<title " in chart and "<desc " in chart and 'role="img"' in chart)


def test_what_differs_is_on_the_page() -> None:
    text = Page(parity_page(differs())).text
    for part in (
        "✗ DIFFERS: 4 of 6",
        "sum for mean",
        "To do: Use MEAN in the all-reduce.",
        "confidence 98%",
        "--steps=3 '--data dir'",
        "TensorFlow",
        "1.15.5",
        "tower_0/fc/MatMul",
        "not comparable: only in the original",
        "Dropout was given",
        "reduce_sum",
    ):
        assert part in text
    assert "✓ PARITY: every gradient" in Page(parity_page(bitwise())).text
    assert "≈ WITHIN TOLERANCE" in Page(parity_page(within())).text
    assert "Traceback\n  ValueError: x" in Page(parity_page(failed())).text
    assert "tolerance 1e-06" in parity_page(within())


def test_names_and_scripts_cannot_become_markup() -> None:
    text = parity_page(hostile())
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\x00" not in text
    assert text.count("</style>") == text.count("</script>") == text.count("</body>") == 1
    assert "<script>alert('&')</script>\ufffd[2J" in Page(text).text
    assert "x = 1" in Page(text).text


def test_of_many_the_worst_are_drawn_and_the_others_named() -> None:
    text = written("large")
    chart = re.search(r"<svg [^>]*error-chart.*?</svg>", text)
    assert chart
    assert chart[0].count('<g class="curve') == DRAWN
    left = re.search(r"<summary>(\d+) more that differ.*?</details>", text)
    assert left
    assert int(left[1]) == 500 - DRAWN
    assert left[0].count("<code>") == 500 - DRAWN
    assert text.count('<td class="differs"') == 500


def test_losses_of_different_lengths() -> None:
    text = read("large").text
    assert "The original run has 1000, the migrated one 990." in text
    assert "And 800 more steps." in text


def test_a_run_without_losses() -> None:
    result = ParityResult(
        **sides([1.0, 2.0], []), steps=2, outcome="differs", comparisons=[apart("w", 0.5, 0.5)]
    )
    text = Page(parity_page(result)).text
    assert "The migrated run: no losses." in text


def test_equal_scripts_and_absent_ones() -> None:
    result = bitwise()
    result.migrated.text = result.original.text
    assert "The two scripts are the same text." in parity_page(result)
    assert "The texts of the scripts were not recorded." in parity_page(failed())


def test_reports_load_neither_tensorflow_nor_numpy() -> None:
    code = (
        "import sys, tf2towers.report.parity_html, tf2towers.report.parity_json, tf2towers.report.parity_text\n"
        "print([name for name in ('tensorflow', 'numpy', 'tf2towers.parity') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
