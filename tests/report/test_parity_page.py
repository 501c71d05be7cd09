"""The page about a parity result: whole, on its own, and safe with any name."""

import re
import time
from functools import cache
from xml.etree import ElementTree

import pytest

from tests.report.parity_results import EVERY, bitwise, differs, failed, hostile, within
from tests.runtime.tasks import run_python
from tf2towers.report.parity_html import parity_page
from tf2towers.report.parity_result import ParityResult


def read(page: str) -> ElementTree.Element:
    """The elements of a page; an error where tags are not balanced, or an element has an attribute twice."""
    return ElementTree.fromstring(re.sub("(<(meta|img)[^>]*)>", r"\1/>", page))


def text_of(result: ParityResult) -> str:
    body = read(parity_page(result)).find("body")
    assert body is not None
    return "".join(body.itertext())


@cache
def written(name: str) -> str:
    """The page of one of `EVERY`, made once."""
    return parity_page(EVERY[name]())


@pytest.mark.parametrize("name", EVERY)
def test_every_page_is_whole_and_on_its_own(name: str) -> None:
    text = written(name)
    text.encode("utf-8")
    page = read(text)
    assert [len(list(page.iter(tag))) for tag in ("html", "head", "body", "h1", "style")] == [1] * 5
    known = {
        "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "h1", "h2", "p", "pre",
        "span", "details", "summary", "img",
    }  # fmt: skip
    attributes = {
        "lang", "charset", "http-equiv", "content", "name", "class", "id", "aria-labelledby", "aria-hidden",
    }  # fmt: skip
    for element in page.iter():  # nothing that loads or runs anything
        assert element.tag in known and set(element.keys()) <= attributes
    assert not re.search(r"https?:|@import|url\(", text)
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert {element.get("aria-labelledby") for element in page.iter("section")} <= set(ids)


def test_what_differs_is_on_the_page() -> None:
    text = text_of(differs())
    for part in (
        "✗ DIFFERS: 4 of 6", "sum for mean", "to do: Use MEAN in the all-reduce.", "confidence 98%",
        "--steps=3 '--data dir'", "TensorFlow", "1.15.5", "only in the original", "Dropout was given", "reduce_sum",
    ):  # fmt: skip
        assert part in text
    assert "✓ PARITY: every gradient" in text_of(bitwise())
    assert "≈ WITHIN TOLERANCE" in text_of(within())
    assert "Traceback\n  ValueError: x" in text_of(failed())


def test_names_and_scripts_cannot_become_markup() -> None:
    text = parity_page(hostile())
    assert not re.search("<script>alert|\x1b|\x00", text)
    assert text.count("</style>") == text.count("</body>") == 1
    assert "<script>alert('&')</script>\ufffd[2J" in text_of(hostile())
    assert "x = 1" in text_of(hostile())


def test_the_diff_says_by_signs_what_its_colours_say() -> None:
    text = parity_page(differs())
    assert re.search('<span class="gone">-[^<]+</span>', text)
    assert re.search(r'<span class="new">\+[^<]+</span>', text)
    result = bitwise()
    result.migrated.text = result.original.text
    assert "The two scripts are the same text." in parity_page(result)


def test_the_two_files_and_the_date_are_at_the_top_and_the_files_in_the_diffs_head() -> None:
    text = text_of(differs())
    today = time.strftime("%Y-%m-%d")
    assert re.search(rf"legacy/train\.py and out/train\.py, {today} \d\d:\d\d", text)
    assert text.index(f"out/train.py, {today}") < text.index("✗ DIFFERS")
    assert "--- a/legacy/train.py\n+++ b/out/train.py\n@@" in text


@pytest.mark.parametrize("name", EVERY)
def test_no_section_is_empty(name: str) -> None:
    """A run that failed has neither scripts nor values to show."""
    sections = list(read(written(name)).iter("section"))
    for section in sections:
        heading, *body = section
        shown = "".join(text for part in body for text in part.itertext())
        assert shown.strip() not in ("", "all"), heading.text
    if name == "failed":
        assert [section.get("id") for section in sections] == ["runs", "notes"]


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
    assert run_python("-c", code)[0] == "[]\n"
