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
    """Comments that look like code, on their own lines and after code."""
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


@mutation
def written_again(source: Source, rng: random.Random) -> str:
    """As Python's own unparser writes it: no comments, no layout of the script's own."""
    return ast.unparse(source.tree) + "\n"


def _tabs(text: str) -> str:
    lines = text.splitlines()
    return "".join(
        (line if line.strip().startswith(("'", '"')) else line.replace("    ", "\t")) + "\n" for line in lines
    )


LINES = (
    lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"), lambda text: text.rstrip("\n"), lambda text: "\f\n" + text,
    lambda text: "from __future__ import absolute_import, division, print_function\n" + text, _tabs,
    lambda text: "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Übung: tf.Session()\n" + text,
    lambda text: "\n\n" + text + "\n\n\n", lambda text: text + "#" + " tf.Session()" * 40 + "\n",
)  # fmt: skip


@mutation
def line_ends(source: Source, rng: random.Random) -> str:
    """Line ends, tabs, and what stands above and below all of it."""
    return rng.choice(LINES)(source.text)


@mutation
def umlauts(source: Source, rng: random.Random) -> str | None:
    """Characters of several bytes before code on its line."""
    nodes = [
        node for node in source.all(ast.Assign, ast.Expr)
        if source.plain(node) and not isinstance(getattr(node, "value", None), ast.Constant)
    ]  # fmt: skip
    edits = [((source.start(node),) * 2, '"größe 漢字"; ') for node in pick(rng, nodes, 5)]
    return source.replaced(edits) if edits else None
