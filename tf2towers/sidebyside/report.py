"""The folder of a report: the page, the pictures, the numbers."""

from __future__ import annotations

import json
from pathlib import Path

from tf2towers.sidebyside.curves import pictures
from tf2towers.sidebyside.outcome import Outcome
from tf2towers.sidebyside.page import page
from tf2towers.sidebyside.png import draw


def write_report(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes index.html, compare.json and, where matplotlib is installed, loss.png and throughput.png.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "index.html", folder / "compare.json"]
    files[0].write_text(page(outcome), encoding="utf-8")
    files[1].write_text(json.dumps(outcome.as_json(), indent=1) + "\n", encoding="utf-8")
    for picture in pictures(outcome.sides, outcome.summary):
        path = folder / f"{picture.name}.png"
        try:
            draw(picture, path)
        except ImportError:
            continue
        files.append(path)
    return files
