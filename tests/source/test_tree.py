"""LibCST gives every text back exactly."""

from pathlib import Path

import libcst as cst
import pytest

from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script
from tf2towers.source.tree import parse_tree, text_of


@pytest.mark.parametrize(
    "text", ["a = 1\r\nb = 2\r\n", "a = 1\rb = 2\r", "a = 1", "if a:\n\tb = 1\n", "\x0ca = 1\r\n\n"]
)
def test_exact(text: str) -> None:
    script = Script.from_text(text)
    assert text_of(parse_tree(script), script) == text


def test_what_libcst_does_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> cst.Module:
        raise cst.ParserSyntaxError("odd", lines=["a = 1"], raw_line=1, raw_column=0)

    monkeypatch.setattr(cst, "parse_module", refuse)
    with pytest.raises(SourceError, match="line 1: cannot be parsed: odd"):
        parse_tree(Script(Path("x.py"), "a = 1"))
