"""The curves in a page and in files."""

import base64
import io
import math
import re
import sys

import pytest

from tf2towers.report.html.picture import Picture, draw_picture, png


def test_page() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    curves = (
        ("legacy", [(1, 2.5), (2, math.nan), (3, 2.0), (4, 1.5)]),
        ("<modern> $x", [(1, 2.5), (2, 2.4)]),
    )
    picture = Picture("loss", "Loss", "loss", curves)
    found = re.search(r'src="data:image/png;base64,([^"]*)"', draw_picture(picture))
    assert found and base64.b64decode(found[1]) == png(picture)
    pixels = imread(io.BytesIO(png(picture)))
    assert pixels.shape == (540, 960, 4)
    assert draw_picture(Picture("loss", "Loss", "loss", (("legacy", []), ("modern", [])))) == ""


def test_without_matplotlib_a_sentence_stands_for_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    picture = Picture("loss", "Loss", "loss", (("legacy", [(1, 2.0)]),))
    assert "matplotlib, which draws the curves, is not installed." in draw_picture(picture)
