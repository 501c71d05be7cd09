"""Damage to a file's text: what editors, merges and people do to sources, and what nobody does."""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
import warnings
from collections.abc import Callable
from itertools import accumulate

Damage = Callable[[str, random.Random], str]

_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_ODD = (
    "\0", "\x0c", "\t", "\r", "\u00e9", "\u2028", "\ufeff", "\x1a", "\\", '"""', "'", "(", "]", ":", "0777", "lambda",
    "\N{SNAKE}",
)  # fmt: skip
_NAMES = ("tf", "tensorflow", "self", "strategy", "Session", "towers", "print", "x")
_PYTHON2 = ("print 'x', y", "exec 'x'", "raise ValueError, 'x'", "x = `y`", "print >>f, x", "x = 0777 <> 1L")


def parsed(text: str) -> ast.Module | None:
    """The syntax tree, where Python parses the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _starts(text: str) -> list[int]:
    """Where each line begins, and where the last one ends."""
    return [0, *accumulate(map(len, text.splitlines(keepends=True)))]


def tokens(text: str, chance: random.Random) -> str:
    """A token is missing, is there twice, or two are in each other's place."""
    starts, spans = _starts(text), []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (line, column), (end, last) = token.start, token.end
            if token.string.strip() and max(line, end) < len(starts):
                spans.append((starts[line - 1] + column, starts[end - 1] + last))
    except (tokenize.TokenError, SyntaxError):
        pass
    if len(spans) < 2:
        return text
    (start, end), (other, last) = sorted(chance.sample(spans, 2))
    return chance.choice(
        [
            text[:start] + text[end:],
            text[:end] + " " + text[start:],
            text[:start] + text[other:last] + text[end:other] + text[start:end] + text[last:],
        ]
    )


def lines(text: str, chance: random.Random) -> str:
    """Some lines are missing, are there twice, stand elsewhere, or stand further in or out."""
    every = text.splitlines(keepends=True)
    if not every:
        return text
    start = chance.randrange(len(every))
    end = start + chance.choice((1, 2, 5, 20))
    some, step = every[start:end], chance.choice((" ", "  ", "    ", "\t"))
    return "".join(
        chance.choice(
            [
                every[:start] + every[end:],
                every[:end] + every[start:],
                every[:start] + every[end : end + 4] + some + every[end + 4 :],
                every[:start] + [step + line for line in some] + every[end:],
                every[:start] + [line.removeprefix("    ") for line in some] + every[end:],
            ]
        )
    )


def truncated(text: str, chance: random.Random) -> str:
    """The end is missing."""
    return text[: chance.randrange(len(text) + 1)]


def statements(text: str, chance: random.Random) -> str:
    """A whole statement gives way to `pass`, or what follows a statement of the top level is missing."""
    tree = parsed(text)
    if tree is None or len(tree.body) < 2:
        return text
    every = text.splitlines(keepends=True)
    if chance.random() < 0.5:
        return "".join(every[: chance.choice(tree.body[:-1]).end_lineno])
    node = chance.choice([node for node in ast.walk(tree) if isinstance(node, ast.stmt)])
    line = every[node.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return "".join([*every[: node.lineno - 1], f"{indent}pass\n", *every[node.end_lineno or node.lineno :]])


def renamed(text: str, chance: random.Random) -> str:
    """A name is another one, everywhere or in one place."""
    places = list(_NAME.finditer(text))
    if not places:
        return text
    place, other = chance.choice(places), chance.choice(places).group()
    if chance.random() < 0.5:
        return text[: place.start()] + other + text[place.end() :]
    return re.sub(rf"\b{place.group()}\b", chance.choice([other, *_NAMES]), text)


def inserted(text: str, chance: random.Random) -> str:
    """Something odd gets in, anywhere or at the start of a line; or what only Python 2 takes; or half a merge."""
    starts = _starts(text)
    start = chance.choice(starts)
    end = chance.choice([place for place in starts if place >= start])
    indent = re.match(r"[ \t]*", text[start:])
    place, odd = chance.choice(
        [
            (chance.randrange(len(text) + 1), chance.choice(_ODD)),
            (start, chance.choice(_ODD)),
            (start, f"{indent.group() if indent else ''}{chance.choice(_PYTHON2)}\n"),
            (start, f"<<<<<<< HEAD\n{text[start:end]}=======\n>>>>>>> other\n"),
        ]
    )
    return text[:place] + odd + text[place:]


def tabbed(text: str, chance: random.Random) -> str:
    """Tabs for eight or four spaces, here or there."""
    width = chance.choice((4, 8))
    every = text.splitlines(keepends=True)
    for place, line in enumerate(every):
        if chance.random() < 0.5:
            spaces = len(line) - len(line.lstrip(" "))
            every[place] = "\t" * (spaces // width) + line[spaces // width * width :]
    return "".join(every)


def other_line_ends(text: str, chance: random.Random) -> str:
    """Other line ends, everywhere or here and there; or none at the end."""
    end = chance.choice(("\r\n", "\r", "\n\n", "\\\n", "\x0c\n", "; "))
    often = chance.choice((1.0, 0.3, 0.02))
    if chance.random() < 0.2:
        text = text.rstrip("\n")
    return "".join(end if sign == "\n" and chance.random() < often else sign for sign in text)


def nested(text: str, chance: random.Random) -> str:
    """An expression deep in parentheses, lists, calls, sums or attributes."""
    tree = parsed(text) if text.isascii() else None
    values = [
        node for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.Call | ast.Name | ast.Constant | ast.Attribute)
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    ]  # fmt: skip
    if not values:
        return text
    node, starts = chance.choice(values), _starts(text)
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    inner, depth = text[start:end], chance.choice((20, 80, 150, 300, 900))
    forms = (
        "(" * depth + inner + ")" * depth, "[" * depth + inner + "]" * depth, inner + ".real" * depth,
        "tf.identity(" * depth + inner + ")" * depth, "(" + " + ".join([inner] * depth) + ")",
        "(" + "'x' " * depth + ")", "-" * depth + inner,
        "(" + f"{inner} if x else " * depth + "y)", "(" + "lambda: " * min(depth, 80) + inner + ")",
    )  # fmt: skip
    return text[:start] + chance.choice(forms) + text[end:]


def chained(text: str, chance: random.Random) -> str:
    """A long chain of elif, or blocks in blocks, at the end."""
    if chance.random() < 0.5:
        chain = "if x == 0:\n    y = tf.to_float(x)\n"
        for number in range(chance.choice((20, 90, 400, 900))):
            chain += f"elif x == {number}:\n    y = tf.to_float(x)\n"
    else:
        depth = chance.choice((10, 19, 95, 110))
        word = chance.choice(
            ("if x:", "for x in y:", "with tf.device('/gpu:0'):", "def f():", "class A:", "try:")
        )
        chain = "".join(f"{' ' * level}{word}\n" for level in range(depth)) + " " * depth + "tf.to_float(x)\n"
        if word == "try:":
            chain += "".join(
                f"{' ' * level}finally:\n{' ' * level} pass\n" for level in reversed(range(depth))
            )
    return (text if text.endswith("\n") else text + "\n") + chain


EVERY: tuple[Damage, ...] = (
    tokens, lines, truncated, statements, renamed, inserted, tabbed, other_line_ends, nested,
    chained,
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
        return "bytes", encoded[:place] + chance.randbytes(3) + encoded[place:]
    return " and ".join(kind.__name__ for kind in kinds), encoded
