"""Damage by nesting: expressions and blocks deep in others."""

from __future__ import annotations

import ast
import random
import warnings


def nested(text: str, chance: random.Random) -> str:
    """An expression deep in parentheses, lists, calls, sums or attributes."""
    tree = parsed(text)
    values = (
        [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call | ast.Name | ast.Constant | ast.Attribute)
            and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        ]
        if tree is not None and text.isascii()
        else []
    )
    if not values:
        return text
    node = chance.choice(values)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    inner, depth = text[start:end], chance.choice((20, 80, 150, 300, 900))
    kinds = {
        "parentheses": "(" * depth + inner + ")" * depth,
        "lists": "[" * depth + inner + "]" * depth,
        "calls": "tf.identity(" * depth + inner + ")" * depth,
        "sum": "(" + " + ".join([inner] * depth) + ")",
        "attributes": inner + ".real" * depth,
        "strings": "(" + " ".join(["'x'"] * depth) + ")",
        "minus": "-" * depth + inner,
        "choices": "(" + f"{inner} if x else " * depth + "y)",
        "lambdas": "(" + "lambda: " * min(depth, 80) + inner + ")",
    }
    return text[:start] + kinds[chance.choice(sorted(kinds))] + text[end:]


def chained(text: str, chance: random.Random) -> str:
    """A long chain of elif, or blocks in blocks, at the end."""
    depth = chance.choice((20, 90, 400, 900))
    if chance.random() < 0.5:
        chain = "if x == 0:\n    y = tf.to_float(x)\n" + "".join(
            f"elif x == {number}:\n    y = tf.to_float(x)\n" for number in range(depth)
        )
    else:
        depth = chance.choice((10, 19, 95, 110))
        word = chance.choice(
            ("if x:", "for x in y:", "with tf.device('/gpu:0'):", "def f():", "class A:", "try:")
        )
        chain = "".join(f"{' ' * level}{word}\n" for level in range(depth)) + " " * depth + "tf.to_float(x)\n"
        if word == "try:":
            chain += "".join(
                f"{' ' * level}finally:\n{' ' * level} pass\n" for level in range(depth - 1, -1, -1)
            )
    return (text if text.endswith("\n") else text + "\n") + chain


def wrapped(text: str, chance: random.Random) -> str:
    """All of it in a block."""
    head = chance.choice(
        (
            "def main():",
            "class Main:",
            "if True:",
            "try:",
            "with tf.Graph().as_default():",
            "for i in range(2):",
            "async def main():",
        )
    )
    lines = [line for line in text.splitlines(keepends=True) if "from __future__" not in line]
    body = "".join(f"    {line}" for line in lines)
    return f"{head}\n{body}\n" + ("finally:\n    pass\n" if head == "try:" else "")


def parsed(text: str) -> ast.Module | None:
    """The syntax tree, where Python parses the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
