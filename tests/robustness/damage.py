"""Damage to a file's text: what editors, merges and people do to sources, and what nobody does."""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
from collections.abc import Callable

from nesting import chained, nested, parsed, wrapped

Damage = Callable[[str, random.Random], str]

_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_ODD = (
    "\0",
    "\x0c",
    "\t",
    "\r",
    "\u00e9",
    "\u2028",
    "\ufeff",
    "\x1a",
    "\\",
    '"""',
    "'",
    "(",
    "]",
    ":",
    "0777",
    "lambda",
    "\N{SNAKE}",
)
_ALIASES = (
    "import tensorflow as flow",
    "from tensorflow import *",
    "import tensorflow",
    "import tensorflow.compat.v1 as tf",
)


def deleted_token(text: str, chance: random.Random) -> str:
    """One token is missing."""
    spans = _tokens(text)
    if not spans:
        return text
    start, end = chance.choice(spans)
    return text[:start] + text[end:]


def doubled_token(text: str, chance: random.Random) -> str:
    """One token is there twice."""
    spans = _tokens(text)
    if not spans:
        return text
    start, end = chance.choice(spans)
    return text[:end] + " " + text[start:]


def swapped_tokens(text: str, chance: random.Random) -> str:
    """Two tokens in each other's place."""
    spans = _tokens(text)
    if len(spans) < 2:
        return text
    (start, end), (other, last) = sorted(chance.sample(spans, 2))
    return text[:start] + text[other:last] + text[end:other] + text[start:end] + text[last:]


def swapped_lines(text: str, chance: random.Random) -> str:
    """A line and the next but a few."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 3:
        return text
    place = chance.randrange(len(lines) - 1)
    other = min(len(lines) - 1, place + chance.randrange(1, 6))
    lines[place], lines[other] = lines[other], lines[place]
    return "".join(lines)


def deleted_lines(text: str, chance: random.Random) -> str:
    """Up to five lines are missing."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start = chance.randrange(len(lines))
    del lines[start : start + chance.randrange(1, 6)]
    return "".join(lines)


def doubled_lines(text: str, chance: random.Random) -> str:
    """Up to thirty lines are there twice."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start = chance.randrange(len(lines))
    end = start + chance.randrange(1, 31)
    return "".join([*lines[:end], *lines[start:end], *lines[end:]])


def truncated(text: str, chance: random.Random) -> str:
    """The end is missing."""
    return text[: chance.randrange(len(text) + 1)]


def truncated_at_a_statement(text: str, chance: random.Random) -> str:
    """What follows a statement of the top level is missing."""
    tree = parsed(text)
    if tree is None or len(tree.body) < 2:
        return text
    end = chance.choice(tree.body[:-1]).end_lineno or 0
    return "".join(text.splitlines(keepends=True)[:end])


def deleted_statement(text: str, chance: random.Random) -> str:
    """A whole statement gives way to `pass`."""
    tree = parsed(text)
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)] if tree is not None else []
    if not statements:
        return text
    node = chance.choice(statements)
    lines = text.splitlines(keepends=True)
    last = node.end_lineno or node.lineno
    indent = re.match(r"[ \t]*", lines[node.lineno - 1])
    assert indent is not None
    return "".join([*lines[: node.lineno - 1], f"{indent.group()}pass\n", *lines[last:]])


def renamed(text: str, chance: random.Random) -> str:
    """A name is another one everywhere."""
    names = sorted(set(_NAME.findall(text)))
    if not names:
        return text
    old = chance.choice(names)
    new = chance.choice([*names, "tf", "tensorflow", "self", "strategy", "Session", "towers", "print", "x"])
    return re.sub(rf"\b{old}\b", new, text)


def renamed_once(text: str, chance: random.Random) -> str:
    """A name is another one in one place."""
    places = list(_NAME.finditer(text))
    if not places:
        return text
    place, other = chance.choice(places), chance.choice(places)
    return text[: place.start()] + other.group() + text[place.end() :]


def renamed_tensorflow(text: str, chance: random.Random) -> str:
    """TensorFlow is imported in another way."""
    return re.sub(
        r"^import tensorflow as tf\b.*$", chance.choice(_ALIASES), text, count=1, flags=re.MULTILINE
    )


def inserted(text: str, chance: random.Random) -> str:
    """Something odd gets in."""
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(_ODD) + text[place:]


def inserted_at_a_line(text: str, chance: random.Random) -> str:
    """Something odd gets in at the start of a line."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    place = chance.randrange(len(lines))
    lines[place] = chance.choice(_ODD) + lines[place]
    return "".join(lines)


def indented(text: str, chance: random.Random) -> str:
    """Some lines stand further in or out."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    start = chance.randrange(len(lines))
    step = chance.choice((" ", "  ", "    ", "\t", ""))
    for place in range(start, min(len(lines), start + chance.randrange(1, 20))):
        lines[place] = step + lines[place] if step else lines[place].removeprefix("    ")
    return "".join(lines)


def tabbed(text: str, chance: random.Random) -> str:
    """Tabs for eight or four spaces, here or there."""
    width = chance.choice((4, 8))
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        if chance.random() < 0.5:
            lines[place] = re.sub(
                rf"^((?: {{{width}}})+)", lambda found: "\t" * (len(found.group()) // width), line
            )
    return "".join(lines)


def other_line_ends(text: str, chance: random.Random) -> str:
    """Other line ends, everywhere or here and there; or none at the end."""
    end = chance.choice(("\r\n", "\r", "\n\n", "\\\n", "\x0c\n"))
    often = chance.choice((1.0, 0.3, 0.02))
    if chance.random() < 0.2:
        text = text.rstrip("\n")
    return "".join(end if sign == "\n" and chance.random() < often else sign for sign in text)


def joined(text: str, chance: random.Random) -> str:
    """Statements that share a line."""
    lines = text.split("\n")
    for _ in range(10):
        place = chance.randrange(len(lines))
        if (
            place + 1 < len(lines)
            and lines[place].strip()
            and not lines[place].rstrip().endswith((":", "\\", ",", "("))
        ):
            lines[place : place + 2] = [f"{lines[place]}; {lines[place + 1].strip()}"]
            break
    return "\n".join(lines)


def python2(text: str, chance: random.Random) -> str:
    """Something that only Python 2 takes."""
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines) + 1)
    indent = re.match(r"[ \t]*", lines[place] if place < len(lines) else "")
    assert indent is not None
    odd = chance.choice(
        ("print 'x', y", "exec 'x'", "raise ValueError, 'x'", "x = `y`", "print >>f, x", "x = 0777 <> 1L")
    )
    return "".join([*lines[:place], f"{indent.group()}{odd}\n", *lines[place:]])


def glued(text: str, chance: random.Random) -> str:
    """A merge that was not finished."""
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines) + 1)
    return "".join(
        [
            *lines[:place],
            "<<<<<<< HEAD\n",
            *lines[place : place + 3],
            "=======\n>>>>>>> other\n",
            *lines[place:],
        ]
    )


EVERY: tuple[Damage, ...] = (
    deleted_token, doubled_token, swapped_tokens, swapped_lines, deleted_lines, doubled_lines, truncated,
    truncated_at_a_statement, deleted_statement, renamed, renamed_once, renamed_tensorflow, inserted,
    inserted_at_a_line, indented, tabbed, nested, chained, wrapped, other_line_ends, joined, python2, glued,
)  # fmt: skip


def damaged(data: bytes, chance: random.Random) -> tuple[str, bytes]:
    """The names of one or two damages, and the file with them.

    Two in three are tried until Python still parses the text, where some attempt does: what does not parse is refused
    soon.
    """
    text = data.decode("utf-8", errors="replace")
    wants_python = chance.random() < 2 / 3
    for _ in range(6):
        kinds = chance.sample(EVERY, chance.choice((1, 1, 2)))
        found = text
        for kind in kinds:
            found = kind(found, chance)
        if found != text and (not wants_python or parsed(found) is not None):
            break
    encoded = found.encode("utf-8", errors="replace")
    if chance.random() < 0.02:  # bytes that are no text
        place = chance.randrange(len(encoded) + 1)
        encoded = encoded[:place] + bytes(chance.randrange(256) for _ in range(3)) + encoded[place:]
        return "bytes", encoded
    return " and ".join(kind.__name__ for kind in kinds), encoded


def _tokens(text: str) -> list[tuple[int, int]]:
    """Where the tokens are, as far as they can be read."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.string.strip() and max(token.start[0], token.end[0]) < len(starts):
                start = starts[token.start[0] - 1] + token.start[1]
                spans.append((start, starts[token.end[0] - 1] + token.end[1]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return spans
