"""No sentence of the docs, of a docstring or of a comment is longer than can be read at once."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 30
FOLDERS = ("tf2towers", "legacy", "modern", "benchmarks", "tables")
#: rules.md is made of the rules' docstrings and examples
DOCS = [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")) if path.name != "rules.md"]
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
_WORD = re.compile(r"[A-Za-z][\w'-]*")
#: what ends a sentence: also a semicolon, an item of a list, a cell, a heading, an empty line, a
#: line further in
_END = re.compile(
    r"[.!?;]['\")*]*\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.|#+|>)\s|\||:\s*\n|\n {2,}|-{3,}|(?<=\n)#+ .*\n"
)
_CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`|\[([^\]]*)\]\([^)]*\)|<[^>\n]*>", re.MULTILINE | re.DOTALL)


def long_sentences(text: str) -> list[str]:
    """The sentences of a text that have too many words; a piece of code is one word, whatever is in it."""
    plain = _CODE.sub(lambda found: found.group(1) or ("\n\n" if "\n" in found.group() else "code"), text)
    sentences = (" ".join(part.split()) for part in _END.split(plain))
    return [sentence for sentence in sentences if len(_WORD.findall(sentence)) > LONGEST]


def prose(path: Path) -> Iterator[str]:
    """The docstrings, and the comments of lines that follow one another."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = ast.get_docstring(node)
            if found:
                yield re.sub(
                    r"^( *)(\w+): ", r"\1\n\n\1\2: ", found, flags=re.MULTILINE
                )  # each argument by itself
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [
        (token.start, token.string.lstrip("#: ")) for token in tokens if token.type == tokenize.COMMENT
    ]
    numbered = enumerate(comments)
    for _, group in groupby(numbered, lambda pair: (pair[1][0][0] - pair[0], pair[1][0][1])):
        yield "\n".join(comment for _, (_, comment) in group)


def found_in(path: Path) -> list[str]:
    texts = [path.read_text(encoding="utf-8")] if path.suffix == ".md" else prose(path)
    return [sentence for text in texts for sentence in long_sentences(text)]


def test_sentences_can_be_read_at_once() -> None:
    found = {str(path.relative_to(ROOT)): found_in(path) for path in [*DOCS, *SOURCES]}
    assert {name: sentences for name, sentences in found.items() if sentences} == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("word " * 31, 1),
        ("word " * 20 + "ends. Then " + "word " * 20, 0),
        ("word " * 20 + "\n- " + "word " * 20, 0),
        ("word " * 28 + "`tf.device('/gpu:%d' % i)`", 0),
        ("```\n" + "word " * 40 + "\n```\n", 0),
    ],
)
def test_which_sentences_are_too_long(text: str, count: int) -> None:
    assert len(long_sentences(text)) == count


def test_lines_of_the_docs_end_by_column_120() -> None:
    """Tables left aside, whose rows cannot be broken; a link has to stand in one line."""
    for path in DOCS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 120 or line.startswith("|"), f"{path.name}:{number}"


#: said with meanings that nobody outside knows; what `migrate` leaves is "left to you", and where
#: it is is a "place"
OURS = re.compile(
    r"\b(?:sites?|left by hand|served|stand-ins?|stands in for|kin|takings?|holds|faces?)\b(?!-)", re.I
)


def messages(path: Path) -> Iterator[str]:
    """The texts in a module that have several words: no docstrings, but for those of rules, which are printed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    printed = ast.ClassDef if path.parent.name == "rules" else ()
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds) and not isinstance(node, printed)]
    silent = {id(node.body[0].value) for node in nodes if node.body and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value if " " in node.value else ""


def test_messages_and_pages_have_words_that_users_know() -> None:
    texts = [(path, text) for path in (ROOT / "tf2towers").rglob("*.py") for text in messages(path)]
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    texts += [(path, _CODE.sub("", path.read_text(encoding="utf-8"))) for path in pages]
    found = [
        f"{path.name}: {text[max(0, word.start() - 40) : word.end() + 20]}"
        for path, text in texts
        for word in OURS.finditer(text.replace("web site", ""))
    ]
    assert not found
