"""Functions that certainly are the plain mean of the towers' (gradient, variable) lists, and nothing else."""

from __future__ import annotations

from collections import ChainMap
from typing import Any, NamedTuple

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.certainty import ZIPS
from tf2towers.codemod.meanings import Defined, Imported
from tf2towers.codemod.program import File, found_once

#: function, by any of its names -> its one name, and its arguments in order
_FUNCTIONS = {
    "tf.expand_dims": ("expand", ("value", "axis")),
    "tf.stack": ("stack", ("value", "axis")),
    "tf.pack": ("stack", ("value", "axis")),
    "tf.concat": ("concat", ("value", "axis")),
    "tf.concat_v2": ("concat", ("value", "axis")),
    "tf.reduce_mean": ("mean", ("value", "axis")),
    "tf.math.reduce_mean": ("mean", ("value", "axis")),
    "tf.add_n": ("sum", ("value",)),
    "tf.math.add_n": ("sum", ("value",)),
}
#: functions of a sum and a factor, or of a sum and a number to divide by
_MULTIPLIES = frozenset({"tf.multiply", "tf.mul", "tf.scalar_mul", "tf.math.multiply"})
_DIVIDES = frozenset({"tf.divide", "tf.div", "tf.truediv", "tf.realdiv", "tf.math.divide"})
#: keyword, now or in an old release -> which argument it is
_KEYWORDS = {
    "input": "value", "values": "value", "input_tensor": "value", "axis": "axis", "dim": "axis", "concat_dim": "axis",
    "reduction_indices": "axis",
}  # fmt: skip
#: what a function makes of what a name holds
_MADE = {
    ("expand", "gradient"): "row", ("stack", "gradients"): "stack", ("concat", "rows"): "stack",
    ("stack", "some gradients"): "stack", ("concat", "some rows"): "stack", ("mean", "stack"): "mean",
    ("mean", "gradients"): "mean", ("sum", "gradients"): "sum",
}  # fmt: skip
_LISTS = {"gradient": "gradients", "row": "rows"}
#: what is a list, and not a tensor
_INDEXED = (
    "towers", "own pair", "gradients", "some gradients", "rows", "some rows", "variables",
)  # fmt: skip


def _saved(word: str, pattern: Any = m.Name()) -> Any:  # noqa: B008 - nobody changes it
    """A name, or what matches another pattern, which `m.extract` gives under a word."""
    return m.SaveMatchedNode(pattern, word)


#: one list of towers, `self` or not, and nothing that changes what comes of it
_FUNCTION = m.FunctionDef(
    params=m.Parameters(
        [m.AtMostN(m.Param(default=None), n=1), m.Param(_saved("towers"), default=None)],
        ~m.Param(), kwonly_params=[], star_kwarg=None, posonly_params=[],
    ),
    decorators=[m.AtMostN(m.Decorator(m.Name("staticmethod")), n=1)],
    asynchronous=None,
)  # fmt: skip
_ZIPPED = m.Call(_saved("zip", m.DoNotCare()), [m.Arg(_saved("zipped"), star="*")])
_ASSIGN = m.Assign([m.AssignTarget(_saved("name"))], _saved("value", m.DoNotCare()))
#: `result = []`, `for pairs in zip(*towers):`, `return result`
_BODY = (
    m.Assign([m.AssignTarget(_saved("result"))], m.List([])),
    _saved("loop", m.For(_saved("pairs"), _ZIPPED, orelse=None, asynchronous=None)),
    m.Return(_saved("returned")),
)
_APPENDED = m.Call(
    m.Attribute(_saved("list"), m.Name("append")),
    [m.Arg(_saved("value", m.DoNotCare()), keyword=None, star="")],
)
_PAIR = m.Tuple([m.Element(_saved("first")), m.Element(_saved("second"))])


class Mean(NamedTuple):
    """A call that certainly gives the plain mean of its only argument, and the function that it calls."""

    call: cst.Call
    home: File
    function: cst.FunctionDef


@found_once
def find_means(file: File) -> list[Mean]:
    """Every call of a function of the program that is the plain mean over the towers."""
    found = []
    for call in file.all(cst.Call):
        if len(call.args) != 1 or call.args[0].star:
            continue
        word = nodes.keyword_of(call.args[0])
        match find_definition(file, call.func):
            case home, cst.FunctionDef() as function if is_plain_mean(home, function):
                if word and word != function.params.params[-1].name.value:
                    continue
                # it has no brackets of its own
                bare = isinstance(call.args[0].value, cst.GeneratorExp)
                if not bare and not _is_replaced(file, function.name.value):
                    found.append(Mean(call, home, function))
    return found


def find_definition(
    file: File, func: cst.BaseExpression
) -> tuple[File, cst.FunctionDef | cst.ClassDef] | None:
    """The function, method or class of the program that an expression means, with its file.

    A module may hand it on from another one, by its name or by a star. A method is that of the class itself, or of
    `self`, where nothing else of the program has its name.
    """
    bindings = file.meanings.bindings(func)
    match bindings:
        case [Defined(node)] if file.function_around(node) is not None:
            return file, node
        case [_, _, *_]:
            return None
    name = file.canonical(func) or ""
    if name.startswith(("tf.", "builtins.")):
        return None
    if nodes.is_name(func) and not bindings:
        return _handed_on(file, func.value)
    if (found := file.program.defined(file, name)) is not None:
        return found
    if isinstance(func, cst.Attribute) and (owner := _class_of(file, func.value)) is not None:
        return _method(*owner, func.attr.value)
    module, _, last = name.rpartition(".")
    home = file.program.module_of(file, module)
    return _handed_on(home, last) if home is not None else None


def _handed_on(
    file: File, name: str, through: tuple[File, ...] = ()
) -> tuple[File, cst.FunctionDef | cst.ClassDef] | None:
    """What a module has under a name, be it another one's.

    Args:
        through: the modules that led here; two may import each other.
    """
    if file in through:
        return None
    through = (*through, file)
    if file.meanings.is_replaced_by_star(name):
        return None
    match file.meanings.at_top(name):
        case [Defined(node)]:
            return file, node
        case [Imported(target=target)]:
            module, _, last = target.rpartition(".")
            home = file.program.module_of(file, module)
            return _handed_on(home, last, through) if home is not None else None
        case [_, *_]:
            return None
    for statement in reversed(file.all(cst.ImportFrom)):
        if not isinstance(statement.names, cst.ImportStar):
            continue
        home = file.program.module_of(file, nodes.module_of(statement))
        # under a condition another star's may be in force
        if home is None or statement not in file.body:
            return None
        if home.meanings.at_top(name) or home.meanings.star_imports:
            return _handed_on(home, name, through)
    return None


def _class_of(file: File, owner: cst.BaseExpression) -> tuple[File, cst.ClassDef] | None:
    """The class that an expression means, or whose first argument it is: `self`."""
    function = file.function_around(owner)
    around = file.parent(function) if function is not None else None
    if isinstance(around, cst.ClassDef) and isinstance(function, cst.FunctionDef):
        first = function.params.params[:1] if not function.decorators else []
        if nodes.is_name(owner) and [each.name.value for each in first] == [owner.value]:
            return (file, around) if len(file.meanings.bindings(owner)) == 1 else None
    match find_definition(file, owner):
        case home, cst.ClassDef() as found:
            return home, found
    return None


def _method(file: File, owner: cst.ClassDef, name: str) -> tuple[File, cst.FunctionDef] | None:
    """The method of a class, if nothing else of the program has its name."""
    files = file.program.all_files
    functions = (each for other in files for each in other.all(cst.FunctionDef))
    defined = [each for each in functions if each.name.value == name]
    match defined:
        case [function] if function in nodes.block(owner) and not _is_replaced(file, name):
            others = (
                other.is_bound(each)
                for other in files
                for each in other.all(cst.Name)
                if each.value == name and each is not function.name
            )
            return (file, function) if not any(others) else None
    return None


def _is_replaced(file: File, name: str) -> bool:
    """True if the program gives an attribute of a function's name a value: `util.average = other`."""
    files = file.program.all_files
    bound = (at for each in files for at in each.all(cst.Attribute) if each.is_bound(at))
    return any(at.attr.value == name for at in bound)


def is_plain_mean(file: File, function: cst.FunctionDef) -> bool:
    """True if a function takes one list of towers and gives the list of (mean gradient, first tower's variable).

    The mean is that of the gradients stacked in tower order: expand_dims, concat and reduce_mean, or stack and
    reduce_mean; those that are None may be left out. Any other test, a name, a clip: then it is not a plain mean.
    """
    return (found := _parts(file, function)) is not None and found.holds(_statements(found.loop))


def gives_an_item_a_variable(file: File, function: cst.FunctionDef) -> bool:
    """True if a function goes over `zip(*towers)` and returns a list, which is empty if there are no towers."""
    return _parts(file, function) is not None


def find_prints(function: cst.FunctionDef) -> list[cst.Call]:
    """The calls of `print` in a function."""
    calls = nodes.calls_in(function)
    return [call for call in calls if nodes.is_name(call.func) and call.func.value == "print"]


def _parts(file: File, function: cst.FunctionDef) -> _Mean | None:
    """What goes over `zip(*towers)` in a function that returns a list, and does nothing else beside."""
    given = _extract(function, _FUNCTION)
    before = _Mean(file, None, "", "", {given["towers"].value: "towers"} if given else {})
    statements = _statements(function)
    body = [each for each in statements if not before.is_without_effect(each)]
    parts = [given, *map(_extract, body, _BODY)]
    if len(body) != 3 or not all(parts):
        return None
    found = dict(ChainMap(*parts))
    towers, zipped, result, returned = (
        found[word].value for word in ("towers", "zipped", "result", "returned")
    )
    is_zip = file.canonical(found["zip"]) in ZIPS
    if not is_zip or towers != zipped or result != returned or result in before.held:
        return None
    return _Mean(file, found["loop"], found["pairs"].value, result, before.held)


class _Mean:
    """The body of the loop over variables, statement by statement: what each name holds is one of a few things.

    `held` is by name: 'list' (an empty one), 'gradient', 'row' (a gradient with a dimension before it), 'gradients' and
    'rows' (of all towers, or 'some'), 'variables', 'stack', 'mean', 'variable', 'pair'; 'own pair' is that of a tower,
    'towers' the argument, 'nothing' of no use. Of means by a sum there are 'sum', 'number' (of towers) and 'share' (1
    by that).
    """

    def __init__(self, file: File, loop: Any, pairs: str, result: str, held: dict[str, str]) -> None:
        self.file, self.loop, self.pairs, self.result, self.held = file, loop, pairs, result, held

    def holds(self, body: list[nodes.Statement]) -> bool:
        """True if the statements append (mean, variable) to the result, at their end, and do nothing else."""
        last = _extract(body[-1], m.Expr(_APPENDED)) if body else {}
        if not last or last["list"].value != self.result or not all(map(self._is_known, body[:-1])):
            return False
        return self._kind(last["value"]) == "pair"

    def is_without_effect(self, statement: nodes.Statement) -> bool:
        """True if a statement only prints, or gives what is read here another name."""
        match statement:
            case cst.Expr(value=cst.Call(func=cst.Name(value="print"), args=given)):
                return all(nodes.is_plain(each) and self._is_read(each.value) for each in given)
        found = _extract(statement, _ASSIGN)
        if not found or not self._is_read(found["value"]):
            return False
        kind = self._kind(found["value"]) or "nothing"
        return self.held.setdefault(found["name"].value, kind) == kind

    def _is_read(self, value: cst.BaseExpression) -> bool:
        """True if an expression makes nothing in the graph: names, shapes, what stands in the lists of towers."""
        match value:
            case cst.Name() | cst.SimpleString() | cst.Integer():
                return True
            case cst.Attribute(value=owner, attr=cst.Name(value="name" | "op" | "shape" | "dtype")):
                return self._is_read(owner)
            case cst.Subscript(value=cst.Name(value=name)):
                is_list = name == self.pairs or self.held.get(name) in _INDEXED
                return is_list and isinstance(nodes.index_of(value), cst.Integer)
            case cst.Subscript(value=cst.Subscript() as inner):
                return self._is_read(inner) and isinstance(nodes.index_of(value), cst.Integer)
            case cst.Call(
                func=cst.Attribute(value=owner, attr=cst.Name(value="get_shape" | "as_list")), args=[]
            ):
                return self._is_read(owner)
            case cst.Call(
                func=cst.Attribute(value=cst.SimpleString(), attr=cst.Name(value="format")), args=given
            ):
                return all(nodes.is_plain(each) and self._is_read(each.value) for each in given)
            case cst.Call(args=[given]) if self.file.called(value) == "builtins.len":
                return nodes.is_plain(given) and self._is_read(given.value)
            case cst.BinaryOperation(left=cst.SimpleString(), operator=cst.Modulo(), right=right):
                return self._is_read(right)
            case cst.Tuple():
                return not nodes.has_star(value) and all(map(self._is_read, nodes.items(value)))
        return False

    def _is_known(self, statement: nodes.Statement) -> bool:
        if isinstance(statement, cst.For):
            return self._is_inner_loop(statement)
        if self._is_unzipped(statement):
            return True
        found = _extract(statement, _ASSIGN)
        name, kind = nodes.last_name(found.get("name")), self._kind(found.get("value"))
        if kind is None and self.pairs != name != self.result:
            return self.is_without_effect(statement)
        if kind is None or name == self.result:
            return False
        if name == self.pairs:
            if kind != "pair":
                return False
            self.pairs = ""  # `pairs = (mean, variable)`
        self.held[name] = kind
        return True

    def _is_unzipped(self, statement: nodes.Statement) -> bool:
        """`grads, variables = zip(*pairs)`."""
        match statement:
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=cst.Call() as call):
                names, zipped = _extract(target, _PAIR), _extract(call, _ZIPPED)
            case _:
                return False
        if not names or not zipped or not self._are_pairs(zipped["zipped"]):
            return False
        first, second = names["first"].value, names["second"].value
        self.held |= {first: "gradients", second: "variables"}
        is_zip = self.file.canonical(zipped["zip"]) in ZIPS
        return is_zip and len({first, second, self.pairs, self.result}) == 4

    def _of_a_tower(self, target: cst.BaseExpression) -> dict[str, str]:
        """What a target holds that goes over the pairs: `g, v`, or `pair`."""
        if nodes.is_name(target):
            return {target.value: "own pair"}
        found = _extract(target, _PAIR)
        names = [found[place].value for place in ("first", "second") if found]
        return {names[0]: "gradient", names[1]: "nothing"} if len(set(names)) == 2 else {}

    def _is_inner_loop(self, loop: cst.For) -> bool:
        """`for g, _ in pairs:` that appends each gradient, expanded or not, to an empty list, and ends so."""
        held, body = self._of_a_tower(loop.target), _statements(loop)
        gradient = next((name for name, kind in held.items() if kind == "gradient"), "")
        leaves_out = any(isinstance(each, cst.If) for each in body)
        if len(body) == 1 and isinstance(body[0], cst.If) and body[0].orelse is None:
            if not _is_none(body[0].test, gradient, cst.IsNot | cst.NotEqual):
                return False
            body = _statements(body[0])
        last = _extract(body[-1], m.Expr(_APPENDED)) if body else {}
        if not last or not held or loop.orelse or not self._are_pairs(loop.iter):
            return False
        outside, self.held = self.held, held
        in_rows = all(
            _is_about_none(statement, gradient)
            or (self._is_known(statement) and set(self.held.values()) <= {*_LISTS, "own pair", "nothing"})
            for statement in body[:-1]
        )
        kind, name = _LISTS.get(self._kind(last["value"]) or ""), last["list"].value
        self.held = {name: kind for name, kind in outside.items() if name not in self.held}
        if not in_rows or kind is None or self.held.get(name) != "list":
            return False
        self.held[name] = f"some {kind}" if leaves_out else kind
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
            case cst.Subscript(value=cst.Name(value=of)) if _is(nodes.index_of(value), 0):
                return {"variables": "variable", "own pair": "gradient"}.get(self.held.get(of, ""))
            case cst.ListComp(for_in=cst.CompFor(inner_for_in=None, ifs=[], asynchronous=None) as over):
                held = self._of_a_tower(over.target)
                if not held or not self._are_pairs(over.iter):
                    return None
                outside, self.held = self.held, held
                item, self.held = self._kind(value.elt), outside
                return _LISTS.get(item or "")
            case cst.BinaryOperation(left=left, operator=operator, right=right):
                return self._combined(left, type(operator), right)
            case cst.Call(args=[cst.Arg(keyword=None, star="", value=left)]):
                if self.file.called(value) == "builtins.float" and self._kind(left) == "number":
                    return "number"
                if self.file.called(value) == "builtins.len":
                    of_all = self._are_pairs(left) or self._kind(left) in ("gradients", "rows", "towers")
                    return "number" if of_all else None
                return self._made(value)
            case cst.Call(args=[cst.Arg(value=left, keyword=None), cst.Arg(value=right, keyword=None)]):
                name = self.file.called(value)
                if name in _MULTIPLIES or name in _DIVIDES:
                    return self._combined(left, cst.Multiply if name in _MULTIPLIES else cst.Divide, right)
                return self._made(value)
            case cst.Call():
                return self._made(value)
        return None

    def _combined(
        self, left: cst.BaseExpression, operator: type[cst.BaseBinaryOp], right: cst.BaseExpression
    ) -> str | None:
        """The kind of `sum / number`, `sum * (1.0 / number)`, `1.0 / number`; else None."""
        kinds = (self._kind(left), self._kind(right))
        if operator is cst.Divide:
            if kinds == ("sum", "number"):
                return "mean"
            one = nodes.literal(left)
            return "share" if kinds[1] == "number" and type(one) is float and one == 1 else None
        if operator is cst.Multiply and kinds in (("sum", "share"), ("share", "sum")):
            return "mean"
        return None

    def _made(self, call: cst.Call) -> str | None:
        """The kind of a call's result, if it works along the first axis; else None."""
        name, order = _FUNCTIONS.get(self.file.called(call), ("", ()))
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
        if "value" not in given or ("axis" not in given and name not in ("stack", "sum")):
            return None
        return _MADE.get((name, self._kind(given["value"]) or ""))

    def _are_pairs(self, value: cst.BaseExpression) -> bool:
        return nodes.is_name(value) and value.value == self.pairs


def _is_about_none(statement: nodes.Statement, gradient: str) -> bool:
    """True if it is `assert gradient is not None`, or `if gradient is None: continue`."""
    match statement:
        case cst.Assert(test=test):
            return _is_none(test, gradient, cst.IsNot)
        case cst.If(test=test, orelse=None):
            is_left_out = [type(each) for each in nodes.block(statement)] == [cst.Continue]
            return is_left_out and _is_none(test, gradient, cst.Is | cst.Equal)
    return False


def _is_none(test: cst.BaseExpression, name: str, sign: Any) -> bool:
    """True if it compares what a name holds with None, by one of some signs."""
    found = nodes.compared(test)
    if found is None or not isinstance(found[1], sign) or not nodes.is_name(found[0]):
        return False
    return found[0].value == name and nodes.is_none(found[2])


def _extract(node: cst.CSTNode, pattern: m.BaseMatcherNode) -> dict[str, Any]:
    """The nodes that a pattern saves; none where it does not match."""
    return m.extract(node, pattern) or {}


def _statements(node: cst.CSTNode) -> list[nodes.Statement]:
    """The statements of a body but for texts."""
    return [statement for statement in nodes.block(node) if not nodes.is_docstring(statement)]


def _is(node: cst.CSTNode | None, wanted: int) -> bool:
    value = nodes.literal(node)
    return type(value) is int and value == wanted
