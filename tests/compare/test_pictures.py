"""The curves in a page."""

import base64
import io
import math
import re

import pytest

from tf2towers.report.html import curves


def test_curves() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    losses = {"legacy": [(1, 2.5), (2, math.nan), (3, 1e301), (4, 1.5)], "modern": [(1, 2.5), (2, 2.4)]}
    found = re.search(r'src="data:image/png;base64,([^"]*)"', curves("Loss", "loss", losses))
    assert found
    assert imread(io.BytesIO(base64.b64decode(found[1]))).shape == (540, 960, 4)
    assert curves("Loss", "loss", {"legacy": [], "modern": []}) == ""
