"""The page about a parity result: whole, on its own, and safe with any name."""

import re
import subprocess
import sys
import time
from functools import cache
from html.parser import HTMLParser

import pytest

from tests.report.parity_results import EVERY, bitwise, differs, failed, hostile, within
from tf2towers.report.parity_html import parity_page


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
        if tag not in ("meta", "br", "img"):
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
    assert [len(page.every(tag)) for tag in ("html", "head", "body", "h1", "style")] == [1] * 5
    assert not page.every("script")
    for tag, attributes in page.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "use", "image", "form"}
        assert not {"srcset", "style", "xlink:href"} & set(attributes)
        assert (attributes.get("src") or "data:").startswith("data:") and ("src" in attributes) == (
            tag == "img"
        )
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"https?:|@import|url\(", text)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:  # what a link or a label speaks of is there
        named = [*(attributes.get("aria-labelledby") or "").split(), (attributes.get("href") or "")[1:]]
        assert {name for name in named if name} <= set(ids)


def test_what_differs_is_on_the_page() -> None:
    text = Page(parity_page(differs())).text
    for part in (
        "✗ DIFFERS: 4 of 6",
        "sum for mean",
        "to do: Use MEAN in the all-reduce.",
        "confidence 98%",
        "--steps=3 '--data dir'",
        "TensorFlow",
        "1.15.5",
        "only in the original",
        "Dropout was given",
        "reduce_sum",
    ):
        assert part in text
    assert "✓ PARITY: every gradient" in Page(parity_page(bitwise())).text
    assert "≈ WITHIN TOLERANCE" in Page(parity_page(within())).text
    assert "Traceback\n  ValueError: x" in Page(parity_page(failed())).text


def test_names_and_scripts_cannot_become_markup() -> None:
    text = parity_page(hostile())
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\x00" not in text
    assert text.count("</style>") == text.count("</body>") == 1
    assert "<script>alert('&')</script>\ufffd[2J" in Page(text).text
    assert "x = 1" in Page(text).text


def test_the_diff_says_by_signs_what_its_colours_say() -> None:
    text = parity_page(differs())
    assert re.search('<span class="gone">-[^<]+</span>', text)
    assert re.search(r'<span class="new">\+[^<]+</span>', text)


def test_equal_scripts() -> None:
    result = bitwise()
    result.migrated.text = result.original.text
    assert "The two scripts are the same text." in parity_page(result)


def test_the_two_files_and_the_date_are_at_the_top_and_the_files_in_the_diffs_head() -> None:
    text = Page(parity_page(differs())).text
    today = time.strftime("%Y-%m-%d")
    assert re.search(rf"legacy/train\.py and out/train\.py, {today} \d\d:\d\d", text)
    assert text.index(f"out/train.py, {today}") < text.index("✗ DIFFERS")
    assert "--- a/legacy/train.py\n+++ b/out/train.py\n@@" in text


@pytest.mark.parametrize("name", EVERY)
def test_no_section_is_empty(name: str) -> None:
    """A run that failed has neither scripts nor values nor curves to show."""
    for part in re.findall(r"<section .*?</section>", written(name), re.DOTALL):
        heading, body = part.split("</h2>")
        assert "<img" in body or re.sub(r"<[^>]*>", "", body).strip() not in ("", "all"), heading
    if name == "failed":
        assert [attributes["id"] for attributes in read(name).every("section")] == ["runs", "notes"]


def test_sentences_are_wrapped_and_tables_are_not() -> None:
    """Why it differs needs no horizontal scroll bar."""
    text = parity_page(differs())
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert re.search(r"pre\.sentences \{ white-space: pre-wrap;", style)
    assert re.search(r'id="why"[^>]*><h2[^>]*>why</h2><pre class="sentences">sum for mean', text)
    assert re.search(r'id="compared"[^>]*><h2[^>]*>compared</h2><pre>', text)


def test_reports_load_neither_tensorflow_nor_numpy() -> None:
    code = (
        "import sys, tf2towers.report.parity_html, tf2towers.report.parity_json, tf2towers.report.parity_text\n"
        "print([name for name in ('tensorflow', 'numpy', 'tf2towers.verify') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
