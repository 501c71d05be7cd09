"""Cells of which an edit leaves nothing go; all else of the file stays byte for byte."""

import json
from pathlib import Path

import pytest

from tf2towers.source.notebook import Notebook

CELLS = ["a = 1", "def f():\n    pass", "", "b = 2"]


@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize("emptied", [[0], [1], [3], [0, 1], [1, 3], [0, 1, 3]])
def test_cells_that_the_migration_emptied_are_removed(indent: int | str | None, emptied: list[int]) -> None:
    markdown = {"cell_type": "markdown", "source": "# Title"}
    made = [
        markdown,
        *({"cell_type": "code", "source": cell} for cell in CELLS),
        {"cell_type": "raw", "source": "x"},
    ]
    for cells in (made, made[:-1]):
        document = {"cells": cells, "nbformat": 4, "metadata": {"a": [1, {}]}}
        notebook = Notebook(json.dumps(document, indent=indent).encode(), Path("a.ipynb"))
        text = notebook.shown(notebook.text)
        for index in emptied:
            text = text.replace(CELLS[index] + "\n", "")
        document["cells"] = [cell for place, cell in enumerate(cells) if place - 1 not in emptied]
        assert notebook.encoded(text).decode() == json.dumps(document, indent=indent)
