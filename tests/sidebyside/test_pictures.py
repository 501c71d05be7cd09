"""The curves in a page and in files."""

import math
import xml.etree.ElementTree as ET

import pytest

from tf2towers.sidebyside.report import Picture, drawn


def test_page() -> None:
    curves = (("legacy", [(1, 2.5), (2, math.nan), (3, 2.0), (4, 1.5)]), ("<modern>", [(1, 2.5), (2, 2.4)]))
    drawing = drawn(Picture("loss", "Loss", "loss", curves))
    root = ET.fromstring("<svg" + drawing.partition("<svg")[2].partition("</svg>")[0] + "</svg>")
    lines = [line.attrib["points"].split() for line in root.iter("polyline")]
    assert [len(points) for points in lines] == [2, 2]
    assert lines[1][0] in [f"{circle.attrib['cx']},{circle.attrib['cy']}" for circle in root.iter("circle")]
    assert "&lt;modern&gt;" in drawing
    assert drawing.count("×") == 2
    assert "No loss" in drawn(Picture("loss", "Loss", "loss", (("legacy", []), ("modern", []))))


def test_png(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from tf2towers.sidebyside.report import draw

    draw(Picture("loss", "Loss", "loss", (("legacy", [(1.0, 2.0)]), ("modern", []))), tmp_path / "loss.png")
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
