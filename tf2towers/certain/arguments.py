"""The arguments of what makes or asks state: those that are known (`data/arguments.tsv`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import resources

from tf2towers.certain.rule import Doubt
from tf2towers.exact.file import File
from tf2towers.names.old_names import todays_name

_LISTS = frozenset({"tf.global_variables", "tf.trainable_variables"})


def unknown_arguments(file: File) -> Iterator[Doubt]:
    """Every argument that is not in the table, and savers of some variables: not of all, or of the trained ones."""
    for call in file.all(ast.Call):
        name = file.canonical(call.func)
        made = todays_name(name or "")
        if name is None and isinstance(call.func, ast.Attribute):
            made = f".{call.func.attr}"
        if made not in _table():
            continue
        positional, known = _table()[made]
        given = dict(zip(positional, call.args, strict=False))
        if len(given) < len(call.args) or any(isinstance(argument, ast.Starred) for argument in call.args):
            yield Doubt(file, call, f"positional arguments of {made}")
        for keyword in call.keywords:
            if keyword.arg in known and keyword.arg not in given:
                given[keyword.arg] = keyword.value
            else:
                yield Doubt(file, keyword.value, f"{made}({keyword.arg or '**'}=...)")
        chosen = given.get("var_list") if made == "tf.train.Saver" else None
        if chosen is not None and not (
            isinstance(chosen, ast.Call)
            and todays_name(file.canonical(chosen.func) or "") in _LISTS
            and not (chosen.args or chosen.keywords)
        ):
            yield Doubt(file, chosen, f"{made} of `{file.text.of(chosen)}`")


@cache
def _table() -> dict[str, tuple[list[str], frozenset[str]]]:
    """The names that a call may give by place, and those that it may give by name."""
    text = resources.files("tf2towers.certain.data").joinpath("arguments.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    found = {}
    for symbol, names in rows:
        by_place, _, by_name = names.partition("*")
        alone, _, either = by_place.rpartition("/")
        found[symbol] = ([*alone.split(), *either.split()], frozenset([*either.split(), *by_name.split()]))
    return found
