"""Helpers that migrate texts, and that run Python programs."""

import textwrap
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.runtime.tasks import QUIET, run_python
from tf2towers.codemod.migrate import Options, migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script

#: the first lines of a script, before and after the migration
TF = "import tensorflow as tf\n"
V1 = "import tensorflow.compat.v1 as tf\n"


def migrated(text: str, **options: str) -> MigrationResult:
    """The result of migrating a text that is in no file."""
    return migrate(Script.from_text(text), Options(**options))


def after(text: str, **options: str) -> str:
    """The text of a script after the migration."""
    return migrated(text, **options).changes[0].after


def texts(result: MigrationResult) -> dict[str, str]:
    """The texts of a program after its migration, by their files' paths from the outermost folder."""
    folder = min((change.path.parent for change in result.changes), key=lambda path: len(path.parts))
    return {change.path.relative_to(folder).as_posix(): change.after for change in result.changes}


def codes(result: MigrationResult) -> list[str]:
    """The codes of what is left."""
    return [finding.code for finding in result.left]


def printed(*arguments: object, folder: Path | None = None, given: str = "") -> str:
    """The output of a program in a Python process of its own, on the CPU; it has to end without an error."""
    return run_python(*arguments, folder=folder, given=given, seconds=600, TF_USE_LEGACY_KERAS="", **QUIET)[0]


def body(text: str) -> str:
    """The lines after the migration of a TF1 script that begins with `import tensorflow as tf`."""
    result = after(
        dedent(
            """\
        import tensorflow as tf

        sess = tf.Session()
        """
        )
        + textwrap.dedent(text)
    )
    return result.split("sess = Session()\n", 1)[1]


def notebook(cells: list[str], **metadata: Any) -> dict[str, Any]:
    """A notebook of a heading and code cells that have run."""
    output = {"name": "stdout", "output_type": "stream", "text": ["é\n"]}
    ran = {"execution_count": 3, "metadata": {"scrolled": True}, "outputs": [output]}
    made = [{"cell_type": "code", **ran, "source": cell.splitlines(keepends=True)} for cell in cells]
    heading = {"cell_type": "markdown", "metadata": {}, "source": ["# Títle"]}
    return {"cells": [heading, *made], "metadata": metadata, "nbformat": 4, "nbformat_minor": 2}


def table(name: str) -> list[list[str]]:
    """The rows of a table in `tables/`, heading left out."""
    text = (Path(__file__).parents[2] / "tables" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:] if line]
