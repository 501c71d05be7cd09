"""Mutations of layout: comments, strings, brackets, line ends."""

from __future__ import annotations

import ast
import random
from itertools import pairwise

from mutations.text import Source, mutation, pick

WORDS = (
    "sess.run(train_op)", "with tf.device('/gpu:0'):", "tf.Session()", "import tensorflow as tf", "tower_grads",
    "for i in range(num_gpus):", "from tf2towers.runtime import Session", "strategy = None", "tf.train.Saver()",
    "é à ü 漢字 tf.Session()", "average_gradients(tower_grads)", "if __name__ == '__main__':", "@tf.function",
    "tf.compat.v1.disable_eager_execution()", "fmt: off", "type: ignore", "noqa", "-*- coding: utf-8 -*-",
)  # fmt: skip


@mutation
def comments(source: Source, rng: random.Random) -> str:
    """Comments that look like code, on their own lines and behind code."""
    lines = source.text.splitlines()
    plain = _ends_of_statements(source)
    starts = {node.lineno for node in source.all(ast.stmt) if source.plain(node)}
    out = []
    for number, line in enumerate(lines, 1):
        if number in starts and rng.random() < 0.15:
            out.append(" " * rng.choice([0, 2, 4, len(line) - len(line.lstrip())]) + "# " + rng.choice(WORDS))
        if number in plain and "#" not in line and rng.random() < 0.15:
            out.append(f"{line}  # {rng.choice(WORDS)}")
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def _ends_of_statements(source: Source) -> set[int]:
    ends = {node.end_lineno for node in source.all(ast.stmt) if source.plain(node)}
    inside = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            inside.update(range(node.lineno, node.end_lineno))
    return ends - inside


@mutation
def strings_as_statements(source: Source, rng: random.Random) -> str | None:
    """Strings that do nothing, docstrings among them."""
    places = [node for node in source.all(ast.stmt) if source.plain(node)]
    places = [node for node in places if not isinstance(node, ast.ImportFrom) or node.module != "__future__"]
    places = [node for node in places if not getattr(node, "decorator_list", None)]
    edits = []
    for node in pick(rng, places, 4):
        if not _is_elif(source, node):
            edits.append(
                source.before(
                    node, rng.choice(['"""{}"""', "'''{}'''", '"{}"', 'f"{}"']).format(rng.choice(WORDS))
                )
            )
    return source.replaced(edits) if edits else None


def _is_elif(source: Source, node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and source.text.encode()[source.start(node) :].startswith(b"elif")


@mutation
def docstrings(source: Source, rng: random.Random) -> str | None:
    edits = []
    for node in source.all(ast.FunctionDef, ast.ClassDef):
        first = node.body[0]
        if source.plain(first) and first.lineno > node.lineno and not getattr(first, "decorator_list", None):
            edits.append(source.before(first, f'"""{rng.choice(WORDS)}\n\n    {rng.choice(WORDS)}\n"""'))
    if rng.random() < 0.7:
        return '"""' + rng.choice(WORDS) + '\n\nimport tensorflow as tf\n"""\n' + source.replaced(edits)
    return source.replaced(edits) if edits else None


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


def outermost(source: Source, nodes: list[ast.AST]) -> list[ast.AST]:
    """Those of the nodes that stand in no other of them."""
    chosen = set(nodes)
    return [node for node in nodes if not any(up in chosen for up in source.around(node))]


@mutation
def brackets(source: Source, rng: random.Random) -> str | None:
    form = rng.choice(["({})", "(({}))", "(\n{}\n)", "( # sess.run(\n   {})", "({}\n   # tf.Session()\n)"])
    nodes = outermost(source, pick(rng, expressions(source), 12))
    return source.replaced([(node, form.format(source.of(node))) for node in nodes]) if nodes else None


@mutation
def split_calls(source: Source, rng: random.Random) -> str | None:
    """Arguments each on a line of their own, or a line that goes on behind a backslash."""
    calls = [
        node for node in source.all(ast.Call)
        if (node.args or node.keywords) and source.of(node).endswith(")")
        and not (len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp))
    ]  # fmt: skip
    edits = []
    for node in outermost(source, pick(rng, calls, 6)):
        parts = sorted([*node.args, *node.keywords], key=source.start)
        if all("#" not in source.of(part) for part in parts):
            gap = rng.choice([",\n  ", ", \\\n  ", ",  # tf.Session(\n  "])
            body = gap.join(source.of(part) for part in parts)
            edits.append((node, f"{source.of(node.func)}(\n  {body},\n)"))
    return source.replaced(edits) if edits else None


@mutation
def backslashes(source: Source, rng: random.Random) -> str | None:
    nodes = [node for node in source.all(ast.Assign) if source.plain(node)]
    edits = [((source.start(node.value),) * 2, "\\\n      ") for node in pick(rng, nodes, 6)]
    return source.replaced(edits) if edits else None


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
    found = []
    for node in source.all(ast.With, ast.For, ast.If):
        simple = all(isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign) for statement in node.body)
        if (
            simple
            and not getattr(node, "orelse", None)
            and source.plain(node)
            and node.body[0].lineno > node.lineno
        ):
            between = source.text.encode()[source.start(node) : source.end(node)]
            if b"#" not in between and len({statement.lineno for statement in node.body}) == len(node.body):
                found.append(node)
    edits = []
    for node in outermost(source, pick(rng, found, 4)):
        head = source.text.encode()[source.start(node) : source.start(node.body[0])].decode().rstrip()
        edits.append((node, head + " " + "; ".join(source.of(statement) for statement in node.body)))
    return source.replaced(edits) if edits else None


@mutation
def written_again(source: Source, rng: random.Random) -> str:
    """As Python's own unparser writes it: no comments, no layout of the script's own."""
    return ast.unparse(source.tree) + "\n"


@mutation
def line_ends(source: Source, rng: random.Random) -> str:
    form = rng.choice(["crlf", "no end", "form feed", "tabs", "future", "coding", "blank lines", "long"])
    text = source.text
    if form == "crlf":
        return text.replace("\r\n", "\n").replace("\n", "\r\n")
    if form == "no end":
        return text.rstrip("\n")
    if form == "form feed":
        return "\f\n" + text
    if form == "future" and "__future__" not in text:
        return "from __future__ import absolute_import, division, print_function\n" + text
    if form == "coding":
        return "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Übung: tf.Session()\n" + text
    if form == "blank lines":
        return "\n\n" + text + "\n\n\n"
    if form == "long":
        return text + "#" + " tf.Session()" * 40 + "\n"
    return (
        "\n".join(
            line.replace("    ", "\t") if not line.strip().startswith(("'", '"')) else line
            for line in text.splitlines()
        )
        + "\n"
    )


@mutation
def umlauts(source: Source, rng: random.Random) -> str | None:
    """Characters of several bytes before code on its line."""
    nodes = [
        node for node in source.all(ast.Assign, ast.Expr)
        if source.plain(node) and not isinstance(getattr(node, "value", None), ast.Constant)
    ]  # fmt: skip
    edits = [((source.start(node),) * 2, '"größe 漢字"; ') for node in pick(rng, nodes, 5)]
    return source.replaced(edits) if edits else None
