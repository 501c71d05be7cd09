"""Values of Python's own that certainly stay as they are: numbers and texts, and what is only read."""

from __future__ import annotations

import ast

from tf2towers.certain.building import Building
from tf2towers.certain.parameters import arguments
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Binding, Defined, Imported, Opaque
from tf2towers.source.nodes import Function

#: functions that keep nothing of what they are given, give nothing of it back, and leave it as it was
_READ = (
    frozenset(
        f"builtins.{name}"
        for name in (
            "abs", "all", "any", "bool", "float", "int", "isinstance", "len", "print", "range", "repr", "round", "str",
            "sum", "type",
        )
    )
    | frozenset(
        f"numpy.{name}"
        for name in (
            "all", "any", "arange", "argmax", "argmin", "array_equal", "ceil", "dot", "exp", "floor", "full",
            "isfinite", "isnan", "log", "max", "mean", "min", "ndim", "ones", "prod", "random.RandomState",
            "random.permutation", "random.randint", "random.randn", "random.seed", "shape", "size", "sqrt", "std",
            "sum", "var", "zeros",
        )
    )
    | frozenset({"math.ceil", "math.exp", "math.floor", "math.log", "math.sqrt", "os.path.join"})
)  # fmt: skip
#: methods that do so, of what they are called on, or given
_METHODS = frozenset(
    {
        "astype", "endswith", "format", "join", "lower", "max", "mean", "min", "permutation", "replace", "split",
        "startswith", "std", "strip", "sum", "tolist", "upper",
    }
)  # fmt: skip
#: what gives a number or a text
_NUMBERS = frozenset(f"builtins.{name}" for name in ("int", "float", "bool", "str", "len", "round"))
#: what gives an object whose attributes are such
_OPTIONS = frozenset({"parse_args", "parse_known_args"})
#: methods that change a list or an array, certainly before the graph reads it
_FILL = frozenset({"append", "extend", "insert", "fill", "sort", "update"})


def may_change(building: Building, file: File, binding: Binding) -> bool:
    """Whether what is bound may have parts that change: not a library, nor a logger."""
    if isinstance(binding, Imported):
        name = binding.target.partition(".")[0]
        return any(name == other.path.stem for other in building.files)
    made = binding.value if isinstance(binding, Assigned) else None
    return not (isinstance(made, ast.Call) and file.canonical(made.func) == "logging.getLogger")


def changing_default(building: Building, file: File, function: Function) -> ast.expr | None:
    """A parameter's default that may be changed between two calls: a list, an object."""
    for default in [*function.args.defaults, *filter(None, function.args.kw_defaults)]:
        bindings = file.meanings.bindings(default) if isinstance(default, ast.Name) else []
        is_defined = bool(bindings) and all(isinstance(binding, Defined | Imported) for binding in bindings)
        known = is_defined or (file.canonical(default) or "").startswith("tf.")
        if not known and not is_number(building, file, default):
            return default
    return None


def only_reads(building: Building, file: File, name: ast.Name, *, filled: bool) -> bool:
    """Whether a use leaves a value as it is, and gives neither it nor a part of it a second name.

    Where it comes before anything else reads the value, it may be `filled`.
    """
    bindings = file.meanings.bindings(name)
    node: ast.expr = name
    around = file.parent(node)
    if isinstance(around, ast.Attribute) and isinstance(around.ctx, ast.Load):
        if all(
            _are_options(file, binding) or _is_of_module(building, binding, around.attr)
            for binding in bindings
        ):
            return True
        if any(isinstance(binding, Defined) and isinstance(binding.node, Function) for binding in bindings):
            return False
    while isinstance(around, ast.Attribute | ast.Subscript) and node is around.value:
        call = file.parent(around)
        if not isinstance(around.ctx, ast.Load):
            return filled
        if isinstance(call, ast.Call) and call.func is around:
            method = around.attr if isinstance(around, ast.Attribute) else ""
            return method in _METHODS or (filled and method in _FILL)
        node, around = around, call
    if isinstance(around, ast.Call) and node is around.func:
        return all(
            isinstance(binding, Defined) and has_no_parts(building, file, binding) for binding in bindings
        )
    if isinstance(around, ast.Call):
        method = around.func.attr if isinstance(around.func, ast.Attribute) else ""
        canonical = file.canonical(around.func)
        return canonical in _READ if canonical is not None else method in _METHODS
    is_written = isinstance(around, ast.Tuple) and isinstance(
        file.parent(around), ast.BinOp
    )  # "%s" % (name,)
    is_tested = isinstance(around, ast.If | ast.While | ast.IfExp) and node is around.test
    is_computed = isinstance(around, ast.BinOp | ast.UnaryOp | ast.Compare | ast.FormattedValue)
    return (
        is_computed or is_written or is_tested or (isinstance(node, ast.Attribute) and _is_number_of(around))
    )


def _is_number_of(around: ast.AST) -> bool:
    """Whether a number or a text stands here, as a rule: an index, a keyword's value."""
    return isinstance(around, ast.keyword | ast.Slice | ast.Subscript)


def _are_options(file: File, binding: Binding) -> bool:
    """Whether a name stands for what the program's user says: `FLAGS`, `parser.parse_args()`."""
    made: ast.AST | None = binding.value if isinstance(binding, Assigned) else None
    if isinstance(binding, Opaque) and isinstance(binding.node, ast.Name):
        statement = file.statement(binding.node)
        made = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(made, ast.Constant) and made.value is None:
        return True
    is_parsed = (
        isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _OPTIONS
    )
    return is_parsed or (made is not None and file.canonical(made) == "tf.app.flags.FLAGS")


def _is_of_module(building: Building, binding: Binding, name: str) -> bool:
    """Whether a name of one of the program's modules stands for a function, a class, a number or a text."""
    if not isinstance(binding, Imported):
        return False
    return all(
        isinstance(found, Defined) or is_frozen(building, file, found)
        for file in building.files
        if file.path.stem == binding.target.rpartition(".")[2]
        for found in file.meanings.module.bindings.get(name, [])
    )


def has_no_parts(building: Building, file: File, defined: Defined) -> bool:
    """Whether the objects of a class share nothing but numbers and texts; of a function, that it is one."""
    if isinstance(defined.node, Function):
        return True
    return all(
        isinstance(statement, Function | ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        or (isinstance(statement, ast.Assign) and is_number(building, file, statement.value))
        for statement in defined.node.body
    )


def is_frozen(building: Building, file: File, binding: Binding, asked: frozenset[str] = frozenset()) -> bool:
    """Whether a binding gives a number or a text: a part of `sys.argv`, a parameter that is given such alone, too."""
    if isinstance(binding, Assigned):
        return is_number(building, file, binding.value, asked)
    if isinstance(binding, Opaque) and isinstance(binding.node, ast.Name):
        statement = file.statement(binding.node)
        return isinstance(statement, ast.Assign) and is_number(building, file, statement.value, asked)
    if isinstance(binding, Opaque) and isinstance(binding.node, ast.arg):
        function = file.function_around(binding.node)
        calls = [(where, where.parent(use)) for where, use in building.uses_of(function)] if function else []
        given = [
            (where, arguments(function, call)) if isinstance(call, ast.Call) else (where, None)  # type: ignore[arg-type]
            for where, call in calls
        ]
        return bool(given) and all(
            found is not None and is_number(building, where, found[binding.node.arg], asked)
            for where, found in given
        )
    return False


def is_number(building: Building, file: File, node: ast.expr, asked: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is certainly a number, a text or a tuple of such, which nothing changes."""
    if isinstance(node, ast.Name):
        home = building.home(file, node)
        return (
            home is not None
            and node.id not in asked
            and all(is_frozen(building, file, binding, asked | {node.id}) for binding in home[1])
        )
    if isinstance(node, ast.Call):
        return file.canonical(node.func) in _NUMBERS
    if isinstance(node, ast.Attribute | ast.Subscript):
        return file.canonical(node.value) in ("tf.app.flags.FLAGS", "sys.argv")
    if isinstance(node, ast.BinOp):
        return is_number(building, file, node.left, asked) and is_number(building, file, node.right, asked)
    if isinstance(node, ast.UnaryOp):
        return is_number(building, file, node.operand, asked)
    if isinstance(node, ast.Tuple):
        return all(is_number(building, file, element, asked) for element in node.elts)
    return isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare)
