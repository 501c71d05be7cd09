"""Whether a function certainly is the plain mean of the towers' (gradient, variable) lists, and nothing else."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File

#: function, by any of its names -> its one name, and its arguments in order
_FUNCTIONS = {
    "tf.expand_dims": ("expand", ("value", "axis")),
    "tf.stack": ("stack", ("value", "axis")),
    "tf.pack": ("stack", ("value", "axis")),
    "tf.concat": ("concat", ("value", "axis")),
    "tf.concat_v2": ("concat", ("value", "axis")),
    "tf.reduce_mean": ("mean", ("value", "axis")),
    "tf.math.reduce_mean": ("mean", ("value", "axis")),
}
#: keyword, now or in an old release -> which argument it is
_KEYWORDS = {
    "input": "value", "values": "value", "input_tensor": "value", "axis": "axis", "dim": "axis", "concat_dim": "axis",
    "reduction_indices": "axis",
}  # fmt: skip
#: what a function makes of what a name holds
_MADE = {
    ("expand", "gradient"): "row", ("stack", "gradients"): "stack", ("concat", "rows"): "stack",
    ("mean", "stack"): "mean",
}  # fmt: skip
_LISTS = {"gradient": "gradients", "row": "rows"}


def is_plain_mean(file: File, function: cst.FunctionDef) -> bool:
    """Whether a function takes one list of towers and gives the list of (mean gradient, first tower's variable).

    The mean is that of the gradients stacked in tower order: expand_dims, concat and reduce_mean, or stack and
    reduce_mean. A test of any kind, a name, a clip, a print: then it is not a plain mean.
    """
    given = nodes.parameters(function)
    if function.decorators or len(given) != 1 or given[0].star or given[0].default is not None:
        return False
    body = _statements(function)
    if function.params.kwonly_params or function.asynchronous or len(body) != 3:
        return False
    start, loop, end = body
    result, made = _assigned(start) or ("", None)
    if not (
        isinstance(made, cst.List) and not made.elements and isinstance(loop, cst.For) and not loop.orelse
    ):
        return False
    if not isinstance(end, cst.Return) or not nodes.is_name(end.value) or end.value.value != result:
        return False
    pairs = _zipped_name(file, loop, given[0].name.value)
    return pairs is not None and _Mean(file, pairs, result).holds(_statements(loop))


class _Mean:
    """The body of the loop over variables, statement by statement: what each name holds is one of a few things.

    `held` is by name: 'list' (an empty one), 'gradient', 'row' (a gradient with a dimension before it), 'gradients' and
    'rows' (of all towers), 'stack', 'mean', 'variable', 'pair'.
    """

    def __init__(self, file: File, pairs: str, result: str) -> None:
        self.file, self.pairs, self.result = file, pairs, result
        self.held: dict[str, str] = {}

    def holds(self, body: list[nodes.Statement]) -> bool:
        """Whether the statements append (mean, variable) to the result, at their end, and do nothing else."""
        last = _appended(body[-1]) if body else None
        if last is None or last[0] != self.result or not all(map(self._is_known, body[:-1])):
            return False
        return self._kind(last[1]) == "pair"

    def _is_known(self, statement: nodes.Statement) -> bool:
        if isinstance(statement, cst.For):
            return self._is_inner_loop(statement)
        name, value = _assigned(statement) or (self.result, None)
        kind = self._kind(value)
        if kind is None or name in (self.pairs, self.result):
            return False
        self.held[name] = kind
        return True

    def _is_inner_loop(self, loop: cst.For) -> bool:
        """`for g, _ in pairs:` that appends each gradient, expanded or not, to an empty list, and ends so."""
        gradient, body = _first_of_pair(loop.target), _statements(loop)
        last = _appended(body[-1])
        if last is None or gradient is None or loop.orelse or not self._are_pairs(loop.iter):
            return False
        outside, self.held = self.held, {gradient: "gradient"}
        in_rows = all(
            self._is_known(statement) and set(self.held.values()) <= set(_LISTS) for statement in body[:-1]
        )
        kind = _LISTS.get(self._kind(last[1]) or "")
        self.held = outside
        if not in_rows or kind is None or self.held.get(last[0]) != "list":
            return False
        self.held[last[0]] = kind
        return True

    def _kind(self, value: cst.BaseExpression | None) -> str | None:
        match value:
            case cst.Name():
                return self.held.get(value.value)
            case cst.List(elements=[]):
                return "list"
            case cst.Tuple() if not nodes.has_star(value):
                kinds = [self._kind(each) for each in nodes.items(value)]
                return "pair" if kinds == ["mean", "variable"] else None
            case cst.Subscript(value=cst.Subscript() as inner):  # pairs[0][1]
                is_first = _is(nodes.index_of(value), 1) and _is(nodes.index_of(inner), 0)
                return "variable" if is_first and self._are_pairs(inner.value) else None
            case cst.ListComp(for_in=cst.CompFor(inner_for_in=None, ifs=[], asynchronous=None) as over):
                gradient = _first_of_pair(over.target)
                if gradient is None or not self._are_pairs(over.iter):
                    return None
                outside, self.held = self.held, {gradient: "gradient"}
                kind, self.held = self._kind(value.elt), outside
                return _LISTS.get(kind or "")
            case cst.Call():
                return self._made(value)
        return None

    def _made(self, call: cst.Call) -> str | None:
        """The kind of a call's result, if it works along the first axis; else None."""
        name, order = _FUNCTIONS.get(self.file.canonical(call.func) or "", ("", ()))
        by_place = nodes.positional(call)
        if not name or nodes.has_star(call) or len(call.args) > 2:
            return None
        if name == "concat" and by_place and _is(by_place[0], 0):  # of TF 0.x
            order = ("axis", "value")
        given = dict(zip(order, by_place, strict=False))
        for each in nodes.keywords(call):
            argument = _KEYWORDS.get(nodes.keyword_of(each), "")
            if not argument or argument in given:
                return None
            given[argument] = each.value
        if "axis" in given and not _is(given["axis"], 0):
            return None
        if "value" not in given or ("axis" not in given and name != "stack"):
            return None
        return _MADE.get((name, self._kind(given["value"]) or ""))

    def _are_pairs(self, value: cst.BaseExpression) -> bool:
        return nodes.is_name(value) and value.value == self.pairs


def _zipped_name(file: File, loop: cst.For, towers: str) -> str | None:
    """The name in `for NAME in zip(*towers):`."""
    match loop:
        case cst.For(
            target=cst.Name(value=name),
            iter=cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=given), star="*")]),
        ) if given == towers and file.canonical(func) in ("builtins.zip", "six.moves.zip"):
            return name
    return None


def _assigned(statement: nodes.Statement) -> tuple[str, cst.BaseExpression] | None:
    """The name and the value of `name = value`."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return name, value
    return None


def _appended(statement: nodes.Statement) -> tuple[str, cst.BaseExpression] | None:
    """The list and the value of `name.append(value)`."""
    match statement:
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append")), args=[given]
            )
        ) if nodes.is_plain(given):
            return name, given.value
    return None


def _first_of_pair(target: cst.BaseExpression) -> str | None:
    match target:
        case cst.Tuple(
            elements=[cst.Element(value=cst.Name(value=first)), cst.Element(value=cst.Name(value=second))]
        ) if first != second:
            return first
    return None


def _statements(node: cst.CSTNode) -> list[nodes.Statement]:
    """The statements of a body but for texts."""
    return [statement for statement in nodes.block(node) if not nodes.is_docstring(statement)]


def _is(node: cst.CSTNode | None, wanted: int) -> bool:
    value = nodes.literal(node)
    return type(value) is int and value == wanted
