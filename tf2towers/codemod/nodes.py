"""What single LibCST nodes say: the parts of a dotted name, a literal, an argument, a block, an import.

Rules see a tree without LibCST's wrapping: lines, blocks, `Element`, `AssignTarget`, `Arg` without a keyword ...
are left out of `children`, `walk` and `File.parent`. Names that are not expressions (`x` of `a.x`, of `f(x=1)`, of
`def x`) are left out as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TypeGuard

import libcst as cst

from tf2towers.source.cst_nodes import fields_of

Statement = cst.BaseSmallStatement | cst.BaseCompoundStatement
Import = cst.Import | cst.ImportFrom
Alias = cst.ImportAlias | cst.ImportStar
Symbol = cst.Name | cst.Attribute
Comprehension = cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp
#: an `if` or `elif` statement, or an expression with `if`
Branch = cst.If | cst.IfExp
#: nodes that have names of their own
OWN_NAMES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)

_CONSTANTS = {"None": None, "True": True, "False": False}

#: nodes that only wrap others
_WRAPPERS: frozenset[type[cst.CSTNode]] = frozenset((
    cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock, cst.Else, cst.Finally, cst.Element,
    cst.DictElement, cst.Index, cst.SubscriptElement, cst.AssignTarget, cst.Annotation, cst.Decorator, cst.AsName,
    cst.CompIf, cst.ComparisonTarget, cst.Parameters, cst.From,
))  # fmt: skip
#: fields of signs, and of names that are not expressions
_NO_PARTS = frozenset({
    "asynchronous", "attr", "colon", "dot", "equal", "first_colon", "keyword", "module", "name", "operator",
    "posonly_ind", "relative", "rest", "second_colon", "star", "type_parameters",
})  # fmt: skip
_FIELDS: dict[type[cst.CSTNode], tuple[str, ...]] = {cst.AsName: ("name",), cst.ImportAlias: ()}


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a kind of node that may have parts in them."""
    if kind in _FIELDS:
        return _FIELDS[kind]
    return tuple(name for name in fields_of(kind) if name not in _NO_PARTS)  # type: ignore[arg-type]


@cache
def _is_part(kind: type[object]) -> bool:
    """True if the values of a kind are parts of a node, or wrap some."""
    return issubclass(kind, cst.CSTNode) and not issubclass(kind, cst.ParamStar)


def is_wrapper(node: cst.CSTNode) -> bool:
    """True if a node only wraps others, as rules see them."""
    return type(node) in _WRAPPERS or (isinstance(node, cst.Arg) and is_plain(node))


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The parts of a node, without what only wraps them."""
    found: list[cst.CSTNode] = []
    if type(node) is cst.ConcatenatedString and is_text(node):
        return found
    for field in _fields(type(node)):
        value = getattr(node, field)
        for part in value if type(value) in (list, tuple) else (value,):
            if _is_part(type(part)):  # type: ignore[arg-type]  # classes can be hashed
                found += children(part) if is_wrapper(part) else [part]
    return found


def walk(*wholes: cst.CSTNode, but: tuple[type[cst.CSTNode], ...] = ()) -> Iterator[cst.CSTNode]:
    """Nodes and everything in them, in the order of the text, but not what is inside nodes of the kinds `but`."""
    pending = [*reversed(wholes)]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, but):
            pending += reversed(children(node))


def find_names(*wholes: cst.CSTNode) -> list[cst.Name]:
    """The names in some nodes, in the order of the text, without those of attributes and keywords."""
    return [node for node in walk(*wholes) if is_name(node)]


def names_in(*wholes: cst.CSTNode) -> set[str]:
    """What the names in some nodes are."""
    return {node.value for node in find_names(*wholes)}


# -- names ------------------------------------------------------------------------------------------------------------


def is_name(node: cst.CSTNode | None) -> TypeGuard[cst.Name]:
    """True if it is a name, and not `None`, `True` or `False`, which LibCST calls names, too."""
    return isinstance(node, cst.Name) and node.value not in _CONSTANTS


def is_same_name(one: cst.CSTNode | None, other: cst.CSTNode | None) -> bool:
    """True if two nodes are names, and the same."""
    return is_name(one) and is_name(other) and one.value == other.value


def root_of(node: cst.CSTNode) -> cst.CSTNode:
    """What a dotted name begins with: `tf` of `tf.train.Saver`; the node itself where it is not an attribute."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def last_name(node: cst.CSTNode | None) -> str:
    """What a dotted name ends with: `Saver`; empty for what is neither a name nor an attribute."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if is_name(node) else ""


def dotted(node: cst.CSTNode | None) -> str | None:
    """The names and attributes of a dotted name as a text: `tf.train.Saver`; None where it begins with a value."""
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr.value}"
    return node.value if is_name(node) else None


# -- literals ---------------------------------------------------------------------------------------------------------

#: what `literal` gives for what is not a literal
NOT_LITERAL: Any = object()


def literal(node: cst.CSTNode | None) -> Any:
    """The value of a constant: a number, a text, bytes, True, False, None or `...`; else NOT_LITERAL.

    For the text between the values of an f-string it is that text, as it is written.
    """
    if isinstance(node, cst.Name):
        return _CONSTANTS.get(node.value, NOT_LITERAL)
    if isinstance(node, cst.SimpleString | cst.Integer | cst.Float | cst.Imaginary):
        return _evaluated(node.value)
    if isinstance(node, cst.ConcatenatedString):
        value = node.evaluated_value
        return NOT_LITERAL if value is None else value
    if isinstance(node, cst.FormattedStringText):
        return node.value
    return ... if isinstance(node, cst.Ellipsis) else NOT_LITERAL


@lru_cache(100_000)
def _evaluated(text: str) -> Any:
    """The value of a number or a text as it is written, which takes the time of parsing it."""
    return ast.literal_eval(text)


def is_literal(node: cst.CSTNode | None) -> bool:
    """True if it is a constant (what Python's own tree calls so)."""
    return literal(node) is not NOT_LITERAL


def is_text(node: cst.CSTNode | None) -> bool:
    """True if it is a text, written out."""
    return isinstance(node, cst.SimpleString | cst.ConcatenatedString) and isinstance(
        node.evaluated_value, str
    )


def is_none(node: cst.CSTNode | None) -> bool:
    """True if it is `None`."""
    return isinstance(node, cst.Name) and node.value == "None"


def literal_value(node: cst.CSTNode) -> Any:
    """The value of a constant, or of a list, tuple, set or dict of such; a ValueError or SyntaxError for others."""
    return ast.literal_eval(f"({cst.Module([]).code_for_node(node)})")


# -- calls ------------------------------------------------------------------------------------------------------------


def calls_in(*wholes: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls in some nodes, in the order of the text."""
    return (node for node in walk(*wholes) if isinstance(node, cst.Call))


def is_plain(given: cst.Arg) -> bool:
    """True if an argument is given by position, and is not `*arguments`."""
    return given.keyword is None and not given.star


def positional(call: cst.Call) -> list[cst.BaseExpression]:
    """The values of a call's positional arguments, `*arguments` among them."""
    return [given.value for given in call.args if given.keyword is None and given.star != "**"]


def method_of(call: cst.Call) -> str:
    """The name of the method, or of the module's function, that a call calls; empty for what is called by a name."""
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""


def keywords(call: cst.Call | cst.ClassDef) -> list[cst.Arg]:
    """The arguments that a call gives by keyword; `**more` is among them, with the keyword ""."""
    args = call.args if isinstance(call, cst.Call) else call.keywords
    return [given for given in args if given.keyword is not None or given.star == "**"]


def keyword_of(given: cst.Arg) -> str:
    """The keyword of an argument; empty for a positional one, and for `**more`."""
    return given.keyword.value if given.keyword is not None else ""


def argument(call: cst.Call, place: int, *words: str) -> cst.BaseExpression | None:
    """An argument of a call, by one of its keywords or by its position."""
    for given in call.args:
        if keyword_of(given) in words and given.keyword is not None:
            return given.value
    given_by_place = positional(call)
    return given_by_place[place] if len(given_by_place) > place else None


def has_star(node: cst.Call | cst.List | cst.Tuple | cst.Set) -> bool:
    """True if a call is given `*arguments`, or a list has `*items`: then no position says which one it is."""
    if isinstance(node, cst.Call):
        return any(given.star == "*" for given in node.args)
    return any(isinstance(element, cst.StarredElement) for element in node.elements)


def items(node: cst.List | cst.Tuple | cst.Set) -> list[cst.BaseExpression]:
    """The elements of a list; where `has_star`, some are to be spread."""
    return [element.value for element in node.elements]


# -- statements -------------------------------------------------------------------------------------------------------


def block(node: cst.CSTNode | None) -> list[Statement]:
    """The statements of a module, of a body, or of what has one (`def`, `if`, `else`, ...), `;` or not."""
    if node is None:
        return []
    inner = node if isinstance(node, cst.BaseSuite) else getattr(node, "body", ())
    statements: Sequence[Any] = inner.body if isinstance(inner, cst.BaseSuite) else inner
    found: list[Statement] = []
    for statement in statements:
        found += statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]
    return found


def orelse(node: cst.If | cst.For | cst.While | cst.Try | cst.TryStar) -> list[Statement]:
    """The statements of `else`; an `elif` is one, as it is to Python."""
    return [node.orelse] if isinstance(node.orelse, cst.If) else block(node.orelse)


def targets(statement: cst.Assign) -> list[cst.BaseExpression]:
    """What an assignment binds: `a` and `b` of `a = b = 1`."""
    return [target.target for target in statement.targets]


def only_target(statement: cst.CSTNode) -> cst.BaseExpression | None:
    """What an assignment to one target binds: `x` of `x = 1`; None for anything else."""
    if not isinstance(statement, cst.Assign) or len(statement.targets) > 1:
        return None
    return statement.targets[0].target


def assigned(statement: cst.Assign) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What an assignment binds, and its value; item by item in `a, b = 1, 2`."""
    for target in targets(statement):
        match target, statement.value:
            case cst.Tuple() as names, cst.Tuple() as values if len(names.elements) == len(values.elements):
                if not has_star(names) and not has_star(values):
                    yield from zip(items(names), items(values), strict=True)
                    continue
        yield target, statement.value


def is_docstring(statement: cst.CSTNode) -> bool:
    """True if a statement is a text alone."""
    return isinstance(statement, cst.Expr) and is_text(statement.value)


def decorators(node: cst.FunctionDef | cst.ClassDef) -> list[cst.BaseExpression]:
    """The decorators of a definition."""
    return [decorator.decorator for decorator in node.decorators]


def parameters(node: cst.FunctionDef | cst.Lambda) -> list[cst.Param]:
    """Every parameter, in order, `*args` and `**kwargs` among them."""
    params = node.params
    star = [params.star_arg] if isinstance(params.star_arg, cst.Param) else []
    more = [params.star_kwarg] if params.star_kwarg is not None else []
    return [*params.posonly_params, *params.params, *star, *params.kwonly_params, *more]


def defaults(node: cst.FunctionDef | cst.Lambda) -> list[cst.BaseExpression]:
    """The defaults of the parameters."""
    return [param.default for param in parameters(node) if param.default is not None]


def bases(node: cst.ClassDef) -> list[cst.BaseExpression]:
    """The bases of a class."""
    return [given.value for given in node.bases]


def generators(node: Comprehension) -> list[cst.CompFor]:
    """The `for ... in ...` of a comprehension, in order."""
    found = [node.for_in]
    while found[-1].inner_for_in is not None:
        found.append(found[-1].inner_for_in)
    return found


def index_of(node: cst.Subscript) -> cst.BaseExpression | cst.Slice | None:
    """The index in the brackets; None where there are several."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=index), comma=cst.MaybeSentinel.DEFAULT)]:
            return index
        case [cst.SubscriptElement(slice=cst.Slice() as part, comma=cst.MaybeSentinel.DEFAULT)]:
            return part
    return None


def sides_of(node: cst.Comparison) -> list[cst.BaseExpression]:
    """What a comparison compares, in the order of the text."""
    return [node.left, *(each.comparator for each in node.comparisons)]


def compared(
    node: cst.CSTNode | None,
) -> tuple[cst.BaseExpression, cst.BaseCompOp, cst.BaseExpression] | None:
    """The sides of a comparison of two, and its sign; None for anything else."""
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return node.left, node.comparisons[0].operator, node.comparisons[0].comparator
    return None


# -- imports ----------------------------------------------------------------------------------------------------------


def module_of(statement: Import) -> str:
    """The module that names are taken from, with the dots of a relative one: `..model`; empty for `import x`."""
    if isinstance(statement, cst.Import):
        return ""
    return "." * len(statement.relative) + (dotted(statement.module) or "")


def aliases(statement: Import) -> Sequence[Alias]:
    """What an import takes, one by one; the star is one."""
    return [statement.names] if isinstance(statement.names, cst.ImportStar) else statement.names


def name_of(alias: Alias) -> str:
    """The dotted name that an import takes: `*` for all."""
    return "*" if isinstance(alias, cst.ImportStar) else dotted(alias.name) or ""


def asname_of(alias: Alias) -> str | None:
    """The name after `as`."""
    if isinstance(alias, cst.ImportStar) or alias.asname is None:
        return None
    return last_name(alias.asname.name)


def as_named(name: str, bound: str | None) -> str:
    """What an import says of a name: `Session as S`, or the name alone."""
    return name if bound in (None, name) else f"{name} as {bound}"


def imported(statement: Import) -> Iterator[tuple[Alias, str]]:
    """Each alias of an import, and its dotted name: `model.loss`, or `.loss` of `.`."""
    module = module_of(statement)
    start = module if module.endswith(".") or not module else f"{module}."
    yield from ((alias, start + name_of(alias)) for alias in aliases(statement))


def bound_by(alias: Alias) -> str:
    """The name that an import binds: `a` for `import a.b`."""
    return asname_of(alias) or name_of(alias).partition(".")[0]
