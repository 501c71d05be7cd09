"""What a run of the program reaches: what a flag or a name asks for, what may be looked up in a module.

Few things may stay under a test of a flag that is off by default (`if FLAGS.quantize_delay >= 0:`, with -1): additions
to a training that matter only to those who ask for them. A program whose flag chooses between two ways to train is
migrated for both, or is left.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libcst as cst

from tf2towers.codemod.meanings import Assigned, Imported
from tf2towers.codemod.nodes import (
    NOT_LITERAL,
    Branch,
    Symbol,
    argument,
    block,
    compared,
    is_name,
    is_none,
    items,
    keyword_of,
    keywords,
    last_name,
    literal,
    literal_value,
    positional,
    root_of,
    targets,
    walk,
)

if TYPE_CHECKING:
    from tf2towers.codemod.file import File

COMPARE: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.Equal: operator.eq, cst.NotEqual: operator.ne, cst.LessThan: operator.lt, cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt, cst.GreaterThanEqual: operator.ge,
}  # fmt: skip
_COMPARE: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    **COMPARE,
    cst.Is: operator.is_,
    cst.IsNot: operator.is_not,
}
#: what is added to a training
_ADDED = ("tf.contrib.quantize",)
#: the types of a default that is what the flag has
_TYPES: dict[str, tuple[type, ...]] = {
    "DEFINE_bool": (bool,), "DEFINE_boolean": (bool,), "DEFINE_integer": (int,), "DEFINE_float": (int, float),
    "DEFINE_string": (str,), "DEFINE_enum": (str,),
}  # fmt: skip
_PARSE = ("parse_args", "parse_known_args")
#: calls that give a flag another default by a keyword
_SET = ("set_defaults", "Namespace", "update")
#: "tpu" as a word of a name: `use_tpu`, `num_TPUs`, not `output`
_TPU = re.compile(r"(?:^|_)tpus?(?:_|$)", re.IGNORECASE)
#: a name that asks for a debugger: `debug`, `use_tfdbg`, `debug_port`, not `__debug__`
_DEBUGGER = re.compile(r"^(?!__|no).*(?:debug|dbg)", re.IGNORECASE)


class _NotKnown(Exception):
    """A value that the text does not say."""


def branches_around(file: File, node: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The tests of each `if` that a node is in, innermost first, and whether it is where the test says yes."""
    inner = node
    for around in file.ancestors(node):
        if isinstance(around, Branch) and inner is not around.test:
            yield around.test, inner in (block(around) if isinstance(around, cst.If) else [around.body])
        inner = around


# -- flags that are off by default ---------------------------------------------------------------


def is_optional_addition(why: str) -> bool:
    """Whether what has no counterpart, for the reason given, is of the few things that are added to a training."""
    return any(name in why for name in _ADDED)


def find_enabling_test(file: File, node: cst.CSTNode) -> str | None:
    """The test of a flag without which a node is not reached, where the default makes it so; None without one."""
    for test, is_yes in branches_around(file, node):
        asked: set[str] = set()
        try:
            truth = bool(_default_truth(file, test, asked))
        except (_NotKnown, TypeError):
            continue
        if asked and truth != is_yes:
            return file.text.of(test)
    return None


def _default_truth(file: File, node: cst.BaseExpression, asked: set[str]) -> Any:
    """The value of a test by default; adds the flags that it asks for, and raises _NotKnown where it is not known."""
    match node:
        case cst.UnaryOperation(operator=cst.Not()):
            return not _default_truth(file, node.expression, asked)
        case cst.BooleanOperation():
            return _of_some(file, node, asked)
        case cst.Comparison() if (sides := compared(node)) is not None and type(sides[1]) in _COMPARE:
            return _COMPARE[type(sides[1])](
                _default_truth(file, sides[0], asked), _default_truth(file, sides[2], asked)
            )
        case cst.Attribute():
            value = _flag_default(file, node)
            asked.add(node.attr.value)
            return value
    return _literal(node)


def _of_some(file: File, node: cst.BooleanOperation, asked: set[str]) -> bool:
    """An `and` is false where one of its parts is, whatever the others are; an `or` is true."""
    decisive = isinstance(node.operator, cst.Or)
    unknown = False
    for part in (node.left, node.right):
        flags: set[str] = set()
        try:
            if bool(_default_truth(file, part, flags)) == decisive:
                asked |= flags
                return decisive
            asked |= flags
        except (_NotKnown, TypeError):
            unknown = True
    if unknown:
        raise _NotKnown
    return not decisive


def _flag_default(file: File, flag: cst.Attribute) -> Any:
    """The default of `FLAGS.name` or `args.name`, if nothing in the program gives it another value."""
    files, name = file.program.all_files, flag.attr.value
    defined = [found for each in files for found in _flag_definitions(each, name)]
    calls = {call for call, _ in defined}
    if not defined or not _is_of_flags(file, flag.value, calls):
        raise _NotKnown
    if any(_may_set(each, node, name, calls) for each in files for node in each.tree.nodes):
        raise _NotKnown
    values = [value for _, value in defined]
    if any(value != values[0] or type(value) is not type(values[0]) for value in values):
        raise _NotKnown
    return values[0]


def _flag_definitions(file: File, name: str) -> Iterator[tuple[cst.Call, Any]]:
    """The calls that define a flag, with its default."""
    for call in file.all(cst.Call):
        function = last_name(call.func)
        options = [value for each in positional(call) if isinstance(value := literal(each), str)]
        if function == "add_argument":
            long = [option for option in options if option.startswith("--")]
            if long and long[0].lstrip("-").replace("-", "_") == name:
                yield call, _argparse_default(call)
        elif function in _TYPES and options[:1] == [name]:
            value = _literal(argument(call, 1, "default", "default_value"))
            if value is not None and type(value) not in _TYPES[function]:
                raise _NotKnown
            yield call, value


def _argparse_default(call: cst.Call) -> Any:
    given = {keyword_of(each): each.value for each in keywords(call)}
    action = _literal(given["action"]) if "action" in given else "store"
    if action not in ("store", "store_true", "store_false") or {"dest", "", "required", "nargs"} & set(given):
        raise _NotKnown
    if "default" not in given:
        return {"store_true": False, "store_false": True}.get(str(action))
    value = _literal(given["default"])
    if isinstance(value, str) and "type" in given and last_name(given["type"]) != "str":
        raise _NotKnown  # argparse makes something else of it
    return value


def _literal(node: cst.BaseExpression | None) -> Any:
    if node is None:
        raise _NotKnown
    try:
        return literal_value(node)
    except ValueError:
        raise _NotKnown from None


def _is_of_flags(file: File, value: cst.BaseExpression, calls: set[cst.Call]) -> bool:
    """Whether something is what the flags are in: `FLAGS` of TensorFlow or absl, or what `parse_args()` gives."""
    if any(last_name(call.func) != "add_argument" for call in calls):
        return (file.canonical(value) or "").endswith("flags.FLAGS") or last_name(value) == "FLAGS"
    return last_name(value) in set(_parsed_names(file))


def _parsed_names(file: File) -> Iterator[str]:
    """The names that the program gives what `parse_args()` returns, also by a function of its own."""
    files = file.program.all_files
    makers = set(_PARSE)
    for each in files:
        for made in each.all(cst.Return):
            around = each.function_around(made)
            if _calls_of_parser(made.value, set(_PARSE)) and around is not None:
                makers.add(around.name.value)
    for each in files:
        for node in each.all(cst.Assign):
            for target in targets(node) if _calls_of_parser(node.value, makers) else ():
                whole = items(target) if isinstance(target, cst.Tuple) else [target]
                yield last_name(whole[0])


def _calls_of_parser(value: cst.BaseExpression | None, names: set[str]) -> bool:
    return isinstance(value, cst.Call) and last_name(value.func) in names


def _may_set(file: File, node: cst.CSTNode, name: str, definitions: set[cst.Call]) -> bool:
    """Whether a node may give a flag another value: `FLAGS.name = 1`, `setattr(args, 'name', 1)`, `['--name']`."""
    if isinstance(node, cst.Attribute):
        return node.attr.value == name and not file.is_read(node)
    if isinstance(node, cst.Arg):
        return keyword_of(node) == name and _calls_of_parser(_as_expression(file.parent(node)), set(_SET))
    if isinstance(value := literal(node), str):
        if value != name and not re.search(rf"__{name}(?!\w)", value.replace("-", "_")):
            return False
        parent = file.parent(node)
        parent = file.parent(parent) if isinstance(parent, cst.Arg) else parent
        return not isinstance(parent, cst.Expr) and parent not in definitions
    return False


def _as_expression(node: cst.CSTNode) -> cst.BaseExpression | None:
    return node if isinstance(node, cst.BaseExpression) else None


# -- what a test asks for by its name ---------------------------------------------------------------


def only_for_tpus(file: File, node: cst.CSTNode) -> bool:
    """Whether a node is only reached where a test says that there is a TPU: `if FLAGS.use_tpu:`."""
    return any(_TPU.search(name) for name in _asked_names(file, node))


def only_for_debuggers(file: File, node: cst.CSTNode) -> bool:
    """Whether a node is only reached where a test asks for a debugger that nothing switches on: `if FLAGS.debug:`."""
    return any(_DEBUGGER.search(name) and not _is_on(file, name) for name in _asked_names(file, node))


def _asked_names(file: File, node: cst.CSTNode) -> Iterator[str]:
    """The names without which a node is not reached: of what is true, equal to a text, or not None."""
    for test, is_yes in branches_around(file, node):
        match test:
            case cst.UnaryOperation(operator=cst.Not()):
                denied, asked = True, test.expression
            case _:
                denied, asked = False, test
        if is_yes != denied:
            yield last_name(_tested_expression(asked))


def _tested_expression(test: cst.BaseExpression) -> cst.BaseExpression:
    """What `x is not None` and `x == "cli"` say something of: x."""
    match compared(test):
        case left, cst.IsNot(), right if is_none(right):
            return left
        case left, cst.Equal(), right if isinstance(value := literal(right), str) and value:
            return left
    return test


def _is_on(file: File, name: str) -> bool:
    """Whether the program itself may switch it on: `DEBUG = True`, `f(debug=True)`, a flag that is on by default."""
    return any(
        value is not None and literal(value) is not NOT_LITERAL and bool(literal(value))
        for each in file.program.files
        for node in each.tree.nodes
        for value in _values_of(node, name)
    )


def _values_of(node: cst.CSTNode, name: str) -> list[cst.BaseExpression | None]:
    """What one node gives such a name."""
    match node:
        case cst.Assign():
            return [node.value] if name in map(last_name, targets(node)) else []
        case cst.AnnAssign():
            return [node.value] if last_name(node.target) == name else []
        case cst.Arg():
            return [node.value] if keyword_of(node) == name else []
        case cst.Param():
            return [node.default] if node.name.value == name else []
        case cst.Call() if node.args and isinstance(value := literal(node.args[0].value), str):
            if value.lstrip("-").replace("-", "_") == name:
                named = [
                    each.value for each in keywords(node) if keyword_of(each) in ("default", "default_value")
                ]
                return [*positional(node)[1:2], *named]
    return []


# -- modules as values ---------------------------------------------------------------

#: what gives any module that there is
_ALL_MODULES = frozenset({"sys.modules", "inspect.getmodule", "gc.get_objects"})
#: what makes a module of a text or of a file
_MAKE_MODULES = frozenset(
    {
        "__import__", "import_module", "load_source", "load_module", "SourceFileLoader", "module_from_spec", "reload",
        "run_path", "run_module", "LazyLoader", "locate", "import_string", "resolve_name",
    }
)  # fmt: skip


class Modules:
    """The modules of a program, as values: in one, names may be looked up.

    Most programs name a module only to take something from it. Then no parameter, attribute or element is one.
    """

    def __init__(self, paths: Sequence[Path], runs: Sequence[tuple[File, cst.CSTNode]]) -> None:
        """Of the modules at `paths`, in which these parts may run."""
        self._runs = runs
        self._names = {path.parent.name if path.name == "__init__.py" else path.stem for path in paths}

    def may_be(self, file: File, value: cst.BaseExpression) -> bool:
        """Whether an expression may be a module of the program."""
        if is_name(value) and value.value in ("self", "FLAGS"):
            return False
        return self._names_one(file, value) or (self._are_handed_on and not _is_other(file, value))

    @cached_property
    def _are_handed_on(self) -> bool:
        """Whether the program does more with one of its modules than to take something from it."""
        return any(
            isinstance(node, Symbol) and self._is_handed_on(file, node)
            for file, part in self._runs
            for node in walk(part)
        )

    def _is_handed_on(self, file: File, node: Symbol) -> bool:
        if last_name(node) in _MAKE_MODULES or file.canonical(node) in _ALL_MODULES:
            return True
        around = file.parent(node)
        if isinstance(around, cst.Attribute) or not file.is_read(node):
            return False
        if isinstance(around, cst.Call) and (
            around.func is node or last_name(around.func) in ("getattr", "hasattr")
        ):
            return False
        return self._names_one(file, node)

    def _names_one(self, file: File, value: cst.BaseExpression) -> bool:
        """Whether an expression names a module of the program, or may: by an import, or a star."""
        rest: list[str] = []
        root = value
        while isinstance(root, cst.Attribute):
            rest.insert(0, root.attr.value)
            root = root.value
        if not is_name(root):
            return False
        bindings = file.meanings.bindings(root)
        if not bindings:
            return bool(file.meanings.star_imports) and [root.value, *rest][-1] in self._names
        local = file.program.imports.imports_of(file.path)
        roots = {dotted.partition(".")[0] for dotted in local}
        named = [".".join([each.target, *rest]) for each in bindings if isinstance(each, Imported)]
        return any(
            name in local or (name.partition(".")[0] in roots and name.rpartition(".")[2] in self._names)
            for name in named
        )


def _is_other(file: File, value: cst.BaseExpression) -> bool:
    """Whether a value certainly is something else: a module of a library, or what `parse_args()` gives."""
    bindings = file.meanings.bindings(root_of(value))
    if bindings and all(isinstance(binding, Imported) for binding in bindings):
        return True  # it names nothing that a file defines
    return (
        is_name(value)
        and bool(bindings)
        and all(
            isinstance(each, Assigned) and _calls_of_parser(each.value, {"parse_args"}) for each in bindings
        )
    )
