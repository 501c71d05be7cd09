"""The curves in a page and in files."""

import math
import xml.etree.ElementTree as ET

import pytest

from tf2towers.sidebyside.curves import Picture
from tf2towers.sidebyside.svg import svg, ticks


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 60, [0, 10, 20, 30, 40, 50, 60]),
        (2.41, 2.58, [2.4, 2.45, 2.5, 2.55, 2.6]),
        (1, 1, [0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6]),
        (-3, 4100, [-1000, 0, 1000, 2000, 3000, 4000, 5000]),
    ],
)
def test_ticks(low: float, high: float, expected: list[float]) -> None:
    found = ticks(low, high)
    assert found[0] <= low
    assert found[-1] >= high
    assert found == pytest.approx(expected)


def test_svg() -> None:
    curves = (("legacy", [(1.0, 2.5), (2.0, math.nan), (3.0, 2.0)]), ("<modern>", [(1.0, 2.5)]))
    root = ET.fromstring(svg(Picture("loss", "Loss", "loss", curves)))
    lines = [one.attrib["points"].split() for one in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert [len(points) for points in lines] == [2, 1]
    assert lines[0][0] == lines[1][0]
    assert "No loss" in svg(Picture("loss", "Loss", "loss", (("legacy", []), ("modern", []))))


def test_png(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from tf2towers.sidebyside.png import draw

    draw(Picture("loss", "Loss", "loss", (("legacy", [(1.0, 2.0)]), ("modern", []))), tmp_path / "loss.png")
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
