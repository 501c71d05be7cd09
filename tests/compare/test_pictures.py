"""A page: its curves, and that no name becomes an element of it."""

import base64
import io
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.runtime.tasks import run_python
from tf2towers.report.html import curves, document, element, section


def test_curves_of_losses() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    losses = {"legacy": [(1, 2.5), (2, math.nan), (3, 1e301), (4, 1.5)], "modern": [(1, 2.5), (2, 2.4)]}
    found = re.search(r'src="data:image/png;base64,([^"]*)"', curves("Loss", "loss", losses))
    assert found
    assert imread(io.BytesIO(base64.b64decode(found[1]))).shape == (540, 960, 4)
    assert curves("Loss", "loss", {"legacy": [], "modern": []}) == ""


def test_a_page_is_whole_on_its_own_and_safe_with_any_name() -> None:
    name = "<script>alert('&')</script>\x1b[2J\udc80\x00\"onload=x</style></body>"
    page = document(
        name, [Path("a&b<i>.py")], [element("h1", name)], section("runs", name), section("x", name, name)
    )
    page.encode("utf-8")
    whole = ElementTree.fromstring(re.sub("(<(meta|img)[^>]*)>", r"\1/>", page))
    tags = [each.tag for each in whole.iter()]
    assert [tags.count(tag) for tag in ("script", "body", "style", "h1", "section")] == [0, 1, 1, 1, 1]
    assert not any(key.startswith("on") for each in whole.iter() for key in each.attrib)
    assert not re.search(r"https?:|@import|url\(|\x1b|\x00", page)
    assert "a&b<i>.py" in "".join(whole.itertext()) and "default-src 'none'" in page.replace("&#x27;", "'")


def test_reports_load_neither_tensorflow_nor_numpy() -> None:
    code = (
        "import sys, tf2towers.report.html, tf2towers.report.parity_json, tf2towers.report.parity_text\n"
        "print([name for name in ('tensorflow', 'numpy', 'tf2towers.verify') if name in sys.modules])"
    )
    assert run_python("-c", code)[0] == "[]\n"
