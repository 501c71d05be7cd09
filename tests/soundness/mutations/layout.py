"""Mutations of layout: comments, strings, brackets, line ends."""

from __future__ import annotations

import ast
import random
from itertools import pairwise

from mutations.text import Source, mutation, pick


def expressions(source: Source) -> list[ast.expr]:
    """Expressions that may stand in brackets anywhere."""
    found = []
    for node in source.all(
        ast.Call, ast.Attribute, ast.Name, ast.BinOp, ast.Constant, ast.Subscript, ast.Compare
    ):
        parent = source.parents[node]
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or isinstance(parent, ast.JoinedStr):
            continue
        if isinstance(parent, ast.FunctionDef | ast.ClassDef | ast.arg | ast.withitem):
            continue
        if isinstance(parent, ast.Expr) and isinstance(node, ast.Constant):
            continue
        if any(isinstance(up, ast.Assert | ast.MatchAs | ast.match_case) for up in source.around(node)):
            continue
        found.append(node)
    return found


@mutation
def brackets(source: Source, rng: random.Random) -> str | None:
    form = rng.choice(["({})", "(({}))", "(\n{}\n)", "( # sess.run(\n   {})", "({}\n   # tf.Session()\n)"])
    return source.one_of(rng, [(node, [form.format(source.of(node))]) for node in expressions(source)], 12)


@mutation
def split_calls(source: Source, rng: random.Random) -> str | None:
    """Arguments each on a line of their own, or a line that goes on after a backslash."""
    options = []
    for node in source.all(ast.Call):
        parts = sorted([*node.args, *node.keywords], key=source.start)
        texts = [source.of(part) for part in parts]
        alone = len(parts) == 1 and isinstance(parts[0], ast.GeneratorExp)
        if parts and not alone and source.of(node).endswith(")") and not any("#" in text for text in texts):
            gaps = [",\n  ", ", \\\n  ", ",  # tf.Session(\n  "]
            options.append((node, [f"{source.of(node.func)}(\n  {gap.join(texts)},\n)" for gap in gaps]))
    return source.one_of(rng, options, 6)


@mutation
def semicolons(source: Source, rng: random.Random) -> str | None:
    """Two simple statements on one line."""
    simple = (ast.Assign, ast.Expr, ast.AugAssign)
    pairs = []
    for node in ast.walk(source.tree):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list):
                pairs += [
                    (first, two) for first, two in pairwise(body)
                    if isinstance(first, simple) and isinstance(two, simple) and source.plain(first) and source.plain(two)
                    and not source.lines[first.end_lineno - 1][first.end_col_offset:].strip()
                ]  # fmt: skip
    edits, last = [], -1
    for first, two in pick(rng, pairs, 5):
        if (
            source.end(first) > last
            and not source.text.encode()[source.end(first) : source.start(two)].strip()
        ):
            edits.append(((source.end(first), source.start(two)), "; "))
            last = source.end(two)
    return source.replaced(edits) if edits else None


@mutation
def one_line_blocks(source: Source, rng: random.Random) -> str | None:
    """`with x: statement` on one line."""
    options = []
    for node in source.all(ast.With, ast.For, ast.If):
        first, text = node.body[0], source.text.encode()[source.start(node) : source.end(node)]
        simple = all(isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign) for statement in node.body)
        alone = len({statement.lineno for statement in node.body}) == len(node.body) and source.plain(node)
        if (
            simple
            and alone
            and not getattr(node, "orelse", None)
            and first.lineno > node.lineno
            and b"#" not in text
        ):
            head = text[: source.start(first) - source.start(node)].decode().rstrip()
            options.append((node, [f"{head} {'; '.join(map(source.of, node.body))}"]))
    return source.one_of(rng, options, 4)
