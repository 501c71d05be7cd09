"""Whether a function certainly is the plain mean of the towers' (gradient, variable) lists, and nothing else."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.source.nodes import has_star

#: names of old releases, and others of the same function
_OLD = {"tf.concat_v2": "tf.concat", "tf.pack": "tf.stack", "tf.math.reduce_mean": "tf.reduce_mean"}


def is_plain_mean(file: File, function: ast.FunctionDef) -> bool:
    """Whether a function takes one list of towers and gives the list of (mean gradient, first tower's variable).

    The mean is that of the gradients stacked in tower order: expand_dims, concat and reduce_mean, or stack and
    reduce_mean. A test of any kind, a name, a clip, a print: then it is no plain mean.
    """
    arguments = function.args
    if function.decorator_list or len(arguments.args) != 1 or arguments.vararg or arguments.kwarg:
        return False
    if arguments.kwonlyargs or arguments.posonlyargs or arguments.defaults:
        return False
    body = [statement for statement in function.body if not _is_text(statement)]
    if len(body) != 3:
        return False
    start, loop, end = body
    result = _empty_list(start)
    if result is None or not isinstance(loop, ast.For) or loop.orelse or not isinstance(end, ast.Return):
        return False
    if not (isinstance(end.value, ast.Name) and end.value.id == result):
        return False
    pairs = _zipped(file, loop, arguments.args[0].arg)
    return pairs is not None and _Mean(file, pairs, result).holds(loop.body)


class _Mean:
    """The body of the loop over variables, statement by statement: what each name holds is one of a few things."""

    def __init__(self, file: File, pairs: str, result: str) -> None:
        self.file = file
        self.pairs = pairs
        self.result = result
        #: name -> 'list' (empty), 'grads', 'rows' (each expanded), 'stack', 'mean', 'variable', 'pair'
        self.held: dict[str, str] = {}
        self.appended = False

    def holds(self, body: list[ast.stmt]) -> bool:
        """Whether the statements append (mean, variable) to the result once, and do nothing else."""
        for statement in body:
            if _is_text(statement):
                continue
            if self.appended or not self._statement(statement):
                return False
        return self.appended

    def _statement(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.For):
            return self._inner(statement)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if not isinstance(target, ast.Name) or target.id in (self.pairs, self.result):
                return False
            kind = self._kind(statement.value)
            if kind is None:
                return False
            self.held[target.id] = kind
            return True
        appended = _appended(statement)
        if appended is None or appended[0] != self.result or self._kind(appended[1]) != "pair":
            return False
        self.appended = True
        return True

    def _inner(self, loop: ast.For) -> bool:
        """`for g, _ in pairs:` that appends each gradient, expanded or not, to an empty list."""
        if loop.orelse or not (isinstance(loop.iter, ast.Name) and loop.iter.id == self.pairs):
            return False
        gradient = _first_of_pair(loop.target)
        if gradient is None:
            return False
        row = {gradient: "gradient"}
        for place, statement in enumerate(own for own in loop.body if not _is_text(own)):
            appended = _appended(statement)
            if appended is not None:
                kind = self._row(appended[1], row)
                if kind is None or self.held.get(appended[0]) != "list":
                    return False
                self.held[appended[0]] = kind
                return place + 1 == len([own for own in loop.body if not _is_text(own)])
            if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
                return False
            kind = self._row(statement.value, row)
            if kind is None or len(statement.targets) != 1:
                return False
            row[statement.targets[0].id] = "row" if kind == "rows" else "gradient"
        return False

    def _row(self, value: ast.expr, names: dict[str, str]) -> str | None:
        """'grads' for the gradient itself, 'rows' for the gradient with a dimension of the towers before it."""
        if isinstance(value, ast.Name) and value.id in names:
            return "rows" if names[value.id] == "row" else "grads"
        call = self._call(value, "tf.expand_dims")
        if call is not None:
            given = _arguments(call, ("input", "axis"), {"dim": "axis"})
            if given is not None and _is_zero(given.get("axis")):
                inner = given["input"]
                if isinstance(inner, ast.Name) and names.get(inner.id) == "gradient":
                    return "rows"
        return None

    def _kind(self, value: ast.expr) -> str | None:
        if isinstance(value, ast.Name):
            return self.held.get(value.id)
        if isinstance(value, ast.List) and not value.elts:
            return "list"
        if isinstance(value, ast.Tuple) and len(value.elts) == 2:
            kinds = [self._kind(element) for element in value.elts]
            return "pair" if kinds == ["mean", "variable"] else None
        if isinstance(value, ast.Subscript):
            return "variable" if self._is_first_variable(value) else None
        if isinstance(value, ast.ListComp):
            return self._listed(value)
        if self._is_stack(value):
            return "stack"
        mean = self._call(value, "tf.reduce_mean")
        if mean is not None:
            given = _arguments(mean, ("input_tensor", "axis"), {"reduction_indices": "axis"})
            if (
                given is not None
                and _is_zero(given.get("axis"))
                and self._kind(given["input_tensor"]) == "stack"
            ):
                return "mean"
        return None

    def _is_stack(self, value: ast.expr) -> bool:
        concat = self._call(value, "tf.concat")
        if concat is not None:
            order = ("axis", "values") if concat.args and _is_zero(concat.args[0]) else ("values", "axis")
            given = _arguments(concat, order, {"concat_dim": "axis"})
            return given is not None and _is_zero(given.get("axis")) and self._kind(given["values"]) == "rows"
        stack = self._call(value, "tf.stack")
        if stack is None:
            return False
        given = _arguments(stack, ("values", "axis"), {})
        return (
            given is not None
            and ("axis" not in given or _is_zero(given["axis"]))
            and self._kind(given["values"]) == "grads"
        )

    def _listed(self, value: ast.ListComp) -> str | None:
        """`[g for g, _ in pairs]`, expanded or not."""
        if len(value.generators) != 1 or value.generators[0].ifs:
            return None
        over = value.generators[0]
        if not (isinstance(over.iter, ast.Name) and over.iter.id == self.pairs):
            return None
        gradient = _first_of_pair(over.target)
        return self._row(value.elt, {gradient: "gradient"}) if gradient is not None else None

    def _is_first_variable(self, value: ast.Subscript) -> bool:
        inner = value.value
        return (
            _is_index(value.slice, 1)
            and isinstance(inner, ast.Subscript)
            and _is_zero(inner.slice)
            and isinstance(inner.value, ast.Name)
            and inner.value.id == self.pairs
        )

    def _call(self, value: ast.expr, name: str) -> ast.Call | None:
        if not isinstance(value, ast.Call):
            return None
        canonical = self.file.canonical(value.func)
        if canonical == name or (canonical in _OLD and _OLD[canonical] == name):
            return value
        return None


def _arguments(call: ast.Call, order: tuple[str, ...], old: dict[str, str]) -> dict[str, ast.expr] | None:
    """The arguments of a call by name; None where it has others."""
    if len(call.args) > len(order) or has_star(call):
        return None
    given = dict(zip(order, call.args))  # noqa: B905 - as many as there are
    for keyword in call.keywords:
        name = old.get(keyword.arg or "", keyword.arg or "")
        if name not in order or name in given:
            return None
        given[name] = keyword.value
    return given if {"input", "values", "input_tensor"} & set(given) else None


def _zipped(file: File, loop: ast.For, towers: str) -> str | None:
    """The name in `for NAME in zip(*towers):`."""
    call = loop.iter
    if not isinstance(loop.target, ast.Name) or not isinstance(call, ast.Call) or call.keywords:
        return None
    if file.canonical(call.func) not in ("builtins.zip", "six.moves.zip") or len(call.args) != 1:
        return None
    star = call.args[0]
    if isinstance(star, ast.Starred) and isinstance(star.value, ast.Name) and star.value.id == towers:
        return loop.target.id
    return None


def _empty_list(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and isinstance(value, ast.List) and not value.elts:
            return target.id
    return None


def _appended(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The list and the value of `name.append(value)`."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "append" or len(call.args) != 1:
        return None
    name = call.func.value
    return (name.id, call.args[0]) if isinstance(name, ast.Name) and not call.keywords else None


def _first_of_pair(target: ast.expr) -> str | None:
    if isinstance(target, ast.Tuple) and len(target.elts) == 2:
        first, second = target.elts
        if isinstance(first, ast.Name) and isinstance(second, ast.Name) and first.id != second.id:
            return first.id
    return None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_zero(node: ast.AST | None) -> bool:
    return _is_index(node, 0)


def _is_index(node: ast.AST | None, wanted: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == wanted
