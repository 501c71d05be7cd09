"""Is a function the tutorial's `average_gradients`, and nothing more?

Only a plain mean over the towers becomes an all-reduce. A function that sums, clips or treats sparse gradients in its
own way is kept and given every tower's gradients, as before. So the function is run on kinds of values, statement by
statement, and whatever is not understood makes it another function.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tf2towers.program.functions import Functions
from tf2towers.program.local_module import LocalModule

#: The kinds of values. PAIRS: (gradient, variable) of every tower for one variable. STACK: its gradients, on an axis 0.
TOWERS, VARIABLES_OF_ALL, PAIRS, PAIR = "towers", "zip", "pairs", "pair"
GRAD, EXPANDED, VARIABLE, STACK, MEAN = "grad", "expanded", "variable", "stack", "mean"
AVERAGED, PLAIN = "averaged", "plain"
_LISTS = {GRAD: "grads", EXPANDED: "expandeds", AVERAGED: "result", VARIABLE: "variables"}
_OVER = {VARIABLES_OF_ALL: PAIRS, PAIRS: PAIR, "grads": GRAD, "expandeds": EXPANDED}
_SCOPES = frozenset({"tf.name_scope", "tf.device", "tf.variable_scope"})


class _Other(Exception):
    """The function does something else."""


@dataclass
class _List:
    """A list under construction: where it was made, what it was filled with in which loop."""

    depth: int
    item: str | None = None
    filled_in: int = 0


@dataclass
class _Reader:
    """Runs the statements of one function on kinds of values."""

    module: LocalModule
    names: dict[str, str | _List] = field(default_factory=dict)
    loops: list[str] = field(default_factory=list)  # what each loop around the statement goes over
    returned: str | None = None

    # -- statements -----------------------------------------------------------------------------------------------

    def run(self, statements: list[ast.stmt]) -> None:
        """Runs a block; raises _Other where it is not understood."""
        for statement in statements:
            if self.returned is not None:
                raise _Other
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._bind(node.targets[0], node.value)
        elif isinstance(node, ast.For) and not node.orelse:
            self._loop(node)
        elif isinstance(node, ast.With):
            for item in node.items:
                if (
                    not isinstance(item.context_expr, ast.Call)
                    or self._called(item.context_expr) not in _SCOPES
                ):
                    raise _Other
            self.run(node.body)
        elif isinstance(node, ast.Expr):
            self._expression_statement(node.value)
        elif isinstance(node, ast.Return) and node.value is not None and not self.loops:
            self.returned = self.value(node.value)
        elif not isinstance(node, ast.Pass):
            raise _Other

    def _expression_statement(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant):
            return
        if not isinstance(node, ast.Call):
            raise _Other
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            return
        if isinstance(node.func, ast.Attribute) and node.func.attr == "append" and len(node.args) == 1:
            owner = node.func.value
            filled = self.names.get(owner.id) if isinstance(owner, ast.Name) else None
            if isinstance(filled, _List) and filled.item is None and len(self.loops) == filled.depth + 1:
                filled.item, filled.filled_in = self.value(node.args[0]), len(self.loops)
                return
        raise _Other

    def _loop(self, node: ast.For) -> None:
        over = self.value(node.iter)
        if over not in _OVER:
            raise _Other
        self._bind_item(node.target, _OVER[over])
        self.loops.append(over)
        self.run(node.body)
        depth = len(self.loops)
        self.loops.pop()
        for name, value in self.names.items():
            if isinstance(value, _List) and value.item is not None and value.filled_in == depth:
                self.names[name] = self._listed(value.item, over)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        empty = isinstance(value, ast.List) and not value.elts
        empty |= isinstance(value, ast.Call) and self._called(value) == "list" and not value.args
        if isinstance(target, ast.Name):
            self.names[target.id] = _List(len(self.loops)) if empty else self.value(value)
        elif isinstance(target, ast.Tuple) and self._unzips(value):
            self._bind_names(target, ["grads", "variables"])
        else:
            raise _Other

    def _unzips(self, node: ast.expr) -> bool:
        """`zip(*pairs)`: the gradients, the variables."""
        if not isinstance(node, ast.Call) or self._called(node) != "zip" or len(node.args) != 1:
            return False
        starred = node.args[0]
        return isinstance(starred, ast.Starred) and self.value(starred.value) == PAIRS

    def _bind_item(self, target: ast.expr, item: str) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = item
        elif isinstance(target, ast.Tuple) and item == PAIR:
            self._bind_names(target, [GRAD, VARIABLE])
        else:
            raise _Other

    def _bind_names(self, target: ast.Tuple, kinds: list[str]) -> None:
        if len(target.elts) != len(kinds):
            raise _Other
        for name, kind in zip(target.elts, kinds, strict=True):
            if not isinstance(name, ast.Name):
                raise _Other
            self.names[name.id] = kind

    # -- expressions ------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> str:
        """The kind of an expression's value."""
        if isinstance(node, ast.Name):
            found = self.names.get(node.id)
            if isinstance(found, str):
                return found
        elif isinstance(node, ast.Constant):
            return PLAIN
        elif isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
            if [self.value(one) for one in node.elts] == [MEAN, VARIABLE]:
                return AVERAGED
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return self._element(self.value(node.value), node.slice.value)
        elif isinstance(node, ast.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs:
            return self._comprehension(node)
        elif isinstance(node, ast.Call):
            return self._call(node)
        raise _Other

    def _element(self, owner: str, index: object) -> str:
        if owner == PAIRS and isinstance(index, int):
            return PAIR
        if owner == "variables" and isinstance(index, int):
            return VARIABLE
        if owner == PAIR and index in (0, 1):
            return GRAD if index == 0 else VARIABLE
        raise _Other

    def _comprehension(self, node: ast.ListComp) -> str:
        generator = node.generators[0]
        over = self.value(generator.iter)
        if over not in _OVER:
            raise _Other
        outside = dict(self.names)
        self._bind_item(generator.target, _OVER[over])
        self.loops.append(over)
        item = self.value(node.elt)
        self.loops.pop()
        self.names = outside
        return self._listed(item, over)

    def _listed(self, item: str, over: str) -> str:
        """The kind of a list with one `item` a turn of a loop over `over`."""
        if (item == AVERAGED) != (over == VARIABLES_OF_ALL) or item not in _LISTS:
            raise _Other
        return _LISTS[item]

    def _call(self, node: ast.Call) -> str:
        called = self._called(node)
        if (
            called in ("zip", "itertools.izip", "izip")
            and len(node.args) == 1
            and isinstance(node.args[0], ast.Starred)
        ):
            if self.value(node.args[0].value) == TOWERS and not self.loops:
                return VARIABLES_OF_ALL
            raise _Other
        if called in ("list", "tuple") and len(node.args) == 1 and not node.keywords:
            return self.value(node.args[0])
        values, axis = self._arguments(node)
        if called == "tf.expand_dims" and values == GRAD and axis == 0:
            return EXPANDED
        if called in ("tf.concat", "tf.concat_v2") and values == "expandeds" and axis == 0:
            return STACK
        if called in ("tf.stack", "tf.pack") and values == "grads" and axis in (0, None):
            return STACK
        if called == "tf.reduce_mean" and values in (STACK, "grads") and axis == 0:
            return MEAN
        raise _Other

    def _arguments(self, node: ast.Call) -> tuple[str, int | None]:
        """The one argument that is no number, and the number: the axis, in either order."""
        given: list[str] = []
        axis: int | None = None
        for key, argument in [(None, one) for one in node.args] + [
            (one.arg, one.value) for one in node.keywords
        ]:
            number = (
                argument.elts[0] if isinstance(argument, ast.List) and len(argument.elts) == 1 else argument
            )
            if isinstance(number, ast.Constant) and type(number.value) is int and axis is None:
                axis = number.value
            elif key == "name":
                continue
            elif key in (None, "input", "values", "input_tensor", "value", "concat_dim"):
                given.append(self.value(argument))
            else:
                raise _Other
        if len(given) != 1:
            raise _Other
        return given[0], axis

    def _called(self, node: ast.Call) -> str | None:
        parts: list[str] = []
        func = node.func
        while isinstance(func, ast.Attribute):
            parts.append(func.attr)
            func = func.value
        if not isinstance(func, ast.Name):
            return None
        return self.module.resolve(".".join([func.id, *reversed(parts)]))


def is_mean_over_towers(functions: Functions, dotted: str) -> bool:
    """Whether the local function `dotted` returns [(reduce_mean over the towers, variable)] and does nothing else."""
    found = functions.find(dotted)
    if found is None:
        return False
    module, definition = found
    if not isinstance(definition, ast.FunctionDef) or not definition.args.args:
        return False
    reader = _Reader(module, {definition.args.args[0].arg: TOWERS})
    try:
        reader.run(definition.body)
    except _Other:
        return False
    return reader.returned == "result"
