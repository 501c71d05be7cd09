"""Whether a function certainly is the plain mean of the towers' (gradient, variable) lists, and nothing else."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.file import File
from tf2towers.codemod.nodes import (
    Statement,
    block,
    has_star,
    index_of,
    is_docstring,
    is_name,
    is_plain,
    items,
    keyword_of,
    keywords,
    literal,
    parameters,
    positional,
    targets,
)

#: names of old releases, and others of the same function
_OLD = {"tf.concat_v2": "tf.concat", "tf.pack": "tf.stack", "tf.math.reduce_mean": "tf.reduce_mean"}


def is_plain_mean(file: File, function: cst.FunctionDef) -> bool:
    """Whether a function takes one list of towers and gives the list of (mean gradient, first tower's variable).

    The mean is that of the gradients stacked in tower order: expand_dims, concat and reduce_mean, or stack and
    reduce_mean. A test of any kind, a name, a clip, a print: then it is not a plain mean.
    """
    given = parameters(function)
    if function.decorators or len(given) != 1 or given[0].star or given[0].default is not None:
        return False
    if function.params.kwonly_params or function.asynchronous:
        return False
    body = _statements(function)
    if len(body) != 3:
        return False
    start, loop, end = body
    result = _empty_list(start)
    if result is None or not isinstance(loop, cst.For) or loop.orelse or not isinstance(end, cst.Return):
        return False
    if not (is_name(end.value) and end.value.value == result):
        return False
    pairs = _zipped_name(file, loop, given[0].name.value)
    return pairs is not None and _Mean(file, pairs, result).holds(_statements(loop))


class _Mean:
    """The body of the loop over variables, statement by statement: what each name holds is one of a few things."""

    def __init__(self, file: File, pairs: str, result: str) -> None:
        self.file = file
        self.pairs = pairs
        self.result = result
        #: name -> 'list' (empty), 'grads', 'rows' (each expanded), 'stack', 'mean', 'variable', 'pair'
        self.held: dict[str, str] = {}
        self.appended = False

    def holds(self, body: list[Statement]) -> bool:
        """Whether the statements append (mean, variable) to the result once, and do nothing else."""
        for statement in body:
            if self.appended or not self._statement(statement):
                return False
        return self.appended

    def _statement(self, statement: Statement) -> bool:
        if isinstance(statement, cst.For):
            return self._inner(statement)
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            target = targets(statement)[0]
            if not is_name(target) or target.value in (self.pairs, self.result):
                return False
            kind = self._kind(statement.value)
            if kind is None:
                return False
            self.held[target.value] = kind
            return True
        appended = _append_parts(statement)
        if appended is None or appended[0] != self.result or self._kind(appended[1]) != "pair":
            return False
        self.appended = True
        return True

    def _inner(self, loop: cst.For) -> bool:
        """`for g, _ in pairs:` that appends each gradient, expanded or not, to an empty list."""
        if loop.orelse or not (is_name(loop.iter) and loop.iter.value == self.pairs):
            return False
        gradient = _first_of_pair(loop.target)
        if gradient is None:
            return False
        row = {gradient: "gradient"}
        body = _statements(loop)
        for place, statement in enumerate(body):
            appended = _append_parts(statement)
            if appended is not None:
                kind = self._row(appended[1], row)
                if kind is None or self.held.get(appended[0]) != "list":
                    return False
                self.held[appended[0]] = kind
                return place + 1 == len(body)
            if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
                return False
            target, kind = targets(statement)[0], self._row(statement.value, row)
            if kind is None or not is_name(target):
                return False
            row[target.value] = "row" if kind == "rows" else "gradient"
        return False

    def _row(self, value: cst.BaseExpression, names: dict[str, str]) -> str | None:
        """'grads' for the gradient itself, 'rows' for the gradient with a dimension of the towers before it."""
        if is_name(value) and value.value in names:
            return "rows" if names[value.value] == "row" else "grads"
        call = self._call(value, "tf.expand_dims")
        if call is not None:
            given = _arguments(call, ("input", "axis"), {"dim": "axis"})
            if given is not None and _is_zero(given.get("axis")):
                inner = given["input"]
                if is_name(inner) and names.get(inner.value) == "gradient":
                    return "rows"
        return None

    def _kind(self, value: cst.BaseExpression) -> str | None:
        if is_name(value):
            return self.held.get(value.value)
        if isinstance(value, cst.List) and not value.elements:
            return "list"
        if isinstance(value, cst.Tuple) and len(value.elements) == 2 and not has_star(value):
            kinds = [self._kind(element) for element in items(value)]
            return "pair" if kinds == ["mean", "variable"] else None
        if isinstance(value, cst.Subscript):
            return "variable" if self._is_first_variable(value) else None
        if isinstance(value, cst.ListComp):
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

    def _is_stack(self, value: cst.BaseExpression) -> bool:
        concat = self._call(value, "tf.concat")
        if concat is not None:
            places = positional(concat)
            order = ("axis", "values") if places and _is_zero(places[0]) else ("values", "axis")
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

    def _listed(self, value: cst.ListComp) -> str | None:
        """`[g for g, _ in pairs]`, expanded or not."""
        over = value.for_in
        if over.inner_for_in is not None or over.ifs or over.asynchronous:
            return None
        if not (is_name(over.iter) and over.iter.value == self.pairs):
            return None
        gradient = _first_of_pair(over.target)
        return self._row(value.elt, {gradient: "gradient"}) if gradient is not None else None

    def _is_first_variable(self, value: cst.Subscript) -> bool:
        inner = value.value
        return (
            _is_index(index_of(value), 1)
            and isinstance(inner, cst.Subscript)
            and _is_zero(index_of(inner))
            and is_name(inner.value)
            and inner.value.value == self.pairs
        )

    def _call(self, value: cst.BaseExpression, name: str) -> cst.Call | None:
        if not isinstance(value, cst.Call):
            return None
        canonical = self.file.canonical(value.func)
        if canonical == name or (canonical in _OLD and _OLD[canonical] == name):
            return value
        return None


def _arguments(
    call: cst.Call, order: tuple[str, ...], old: dict[str, str]
) -> dict[str, cst.BaseExpression] | None:
    """The arguments of a call by name; None where it has others."""
    if len(call.args) > len(order) or has_star(call):
        return None
    given = dict(zip(order, positional(call)))  # noqa: B905 - as many as there are
    for keyword in keywords(call):
        name = old.get(keyword_of(keyword), keyword_of(keyword))
        if name not in order or name in given:
            return None
        given[name] = keyword.value
    return given if {"input", "values", "input_tensor"} & set(given) else None


def _zipped_name(file: File, loop: cst.For, towers: str) -> str | None:
    """The name in `for NAME in zip(*towers):`."""
    call = loop.iter
    if not is_name(loop.target) or not isinstance(call, cst.Call) or len(call.args) != 1:
        return None
    if file.canonical(call.func) not in ("builtins.zip", "six.moves.zip"):
        return None
    given = call.args[0]
    if given.star == "*" and is_name(given.value) and given.value.value == towers:
        return loop.target.value
    return None


def _empty_list(statement: Statement) -> str | None:
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target, value = targets(statement)[0], statement.value
        if is_name(target) and isinstance(value, cst.List) and not value.elements:
            return target.value
    return None


def _append_parts(statement: Statement) -> tuple[str, cst.BaseExpression] | None:
    """The list and the value of `name.append(value)`."""
    if not isinstance(statement, cst.Expr) or not isinstance(statement.value, cst.Call):
        return None
    call = statement.value
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "append" or len(call.args) != 1:
        return None
    name, given = call.func.value, call.args[0]
    return (name.value, given.value) if is_name(name) and is_plain(given) else None


def _first_of_pair(target: cst.BaseExpression) -> str | None:
    if isinstance(target, cst.Tuple) and len(target.elements) == 2 and not has_star(target):
        first, second = items(target)
        if is_name(first) and is_name(second) and first.value != second.value:
            return first.value
    return None


def _statements(node: cst.CSTNode) -> list[Statement]:
    """The statements of a body but for texts."""
    return [statement for statement in block(node) if not is_docstring(statement)]


def _is_zero(node: cst.CSTNode | None) -> bool:
    return _is_index(node, 0)


def _is_index(node: cst.CSTNode | None, wanted: int) -> bool:
    value = literal(node)
    return type(value) is int and value == wanted
