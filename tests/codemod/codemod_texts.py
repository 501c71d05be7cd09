"""Texts migrated."""

import textwrap
from pathlib import Path

from tf2towers.codemod.migrate import Options, migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script


def migrated(text: str, **options: str) -> MigrationResult:
    """The result for a script that is no file."""
    return migrate(Script.from_text(text), Options(**options))


def after(text: str, **options: str) -> str:
    """The text of a script after the migration."""
    return migrated(text, **options).changes[0].after


def body(text: str) -> str:
    """What lines become in a TF1 script that says `import tensorflow as tf`."""
    result = after("import tensorflow as tf\n\nsess = tf.Session()\n" + textwrap.dedent(text))
    return result.split("sess = Session()\n", 1)[1]


def table(name: str) -> list[list[str]]:
    """The rows of a table in `tables/`, heading left out."""
    text = (Path(__file__).parents[2] / "tables" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:] if line]
