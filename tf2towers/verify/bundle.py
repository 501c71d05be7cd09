"""What is kept of a verification: the page and the result, beside the recordings."""

from __future__ import annotations

from pathlib import Path

from tf2towers.report.parity_html import parity_page
from tf2towers.report.parity_json import parity_as_json
from tf2towers.report.parity_result import ParityResult


def write_bundle(result: ParityResult, folder: Path) -> Path:
    """Writes index.html and verify.json into `folder`, which is made if it is not there, and gives the page."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "index.html"
    page.write_text(parity_page(result), encoding="utf-8")
    (folder / "verify.json").write_text(parity_as_json(result) + "\n", encoding="utf-8")
    return page
