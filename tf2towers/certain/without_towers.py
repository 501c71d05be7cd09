"""Programs without towers: variables, and what is computed from them on devices that the program names."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from tf2towers.certain.building import SESSIONS, Building
from tf2towers.certain.straight_line import assignment_of, runs_at_once, straight_line
from tf2towers.exact.file import File
from tf2towers.exact.program import Program

_TRAINS = ("tf.gradients", "tf.train.")
#: Python's own, that may stand anywhere
_PLAIN = ("tf.app.flags", "tf.flags", "tf.logging.", "tf.float", "tf.int")
_COMPUTES = frozenset(
    f"tf.{name}"
    for name in (
        "Variable", "abs", "add", "add_n", "argmax", "cast", "concat", "constant", "constant_initializer", "divide",
        "equal", "exp", "expand_dims", "get_variable", "glorot_uniform_initializer", "identity", "matmul", "maximum",
        "minimum", "multiply", "negative", "nn.relu", "nn.sigmoid", "nn.softmax", "nn.tanh", "ones", "ones_initializer",
        "placeholder", "pow", "random_normal_initializer", "random_uniform_initializer", "reduce_max", "reduce_mean",
        "reduce_min", "reduce_sum", "reshape", "sqrt", "square", "stack", "subtract", "tanh", "transpose",
        "truncated_normal_initializer", "zeros", "zeros_initializer",
    )
)  # fmt: skip
_SCOPES = frozenset({"tf.name_scope", "tf.variable_scope"})
_OF_SESSION = frozenset(
    {
        "tf.ConfigProto", "tf.GPUOptions", "tf.Session", "tf.disable_eager_execution", "tf.disable_v2_behavior",
        "tf.global_variables_initializer", "tf.initialize_all_variables",
    }
)  # fmt: skip
_PLAIN_CALLS = frozenset(
    {"builtins.range", "builtins.len", "builtins.int", "builtins.float", "builtins.tuple"}
)
_VARIABLES = frozenset({"tf.Variable", "tf.get_variable"})
_OWN_DEVICE = re.compile(r"/?(device:)?(cpu|gpu):\d+", re.IGNORECASE)


def trains(program: Program) -> bool:
    """Whether a program has gradients, optimizers, savers and their like."""
    return any(canonical.startswith(_TRAINS) for file in program.files for _, canonical in file.symbols)


@dataclass(frozen=True)
class Graph:
    """What a program without towers computes.

    `made` are its statements, and the names that each gives to something of the graph; `functions` are called by them.
    """

    made: dict[ast.stmt, set[str]]
    functions: set[ast.FunctionDef]
    sessions: set[str]  # names of sessions, which are all alike
    has_variables: bool

    @property
    def names(self) -> set[str]:
        """The names of what is computed."""
        return {name for names in self.made.values() for name in names}


def graph_on_devices(building: Building) -> Graph | None:
    """The graph of a program that certainly is values computed on devices, for runs to fetch; None for any other.

    Where there are no variables there may be several sessions, for nothing lives in one.
    """
    main = building.program.main
    if building.bodies or [file for file in building.files if file.symbols] != [main]:
        return None
    known = {*_COMPUTES, *_SCOPES, *_OF_SESSION, "tf.device"}
    if not all(name in known or name.startswith(_PLAIN) for _, name in main.symbols):
        return None
    has_variables = any(name in _VARIABLES for _, name in main.symbols)
    lines = list(straight_line(main.tree.body))
    sessions = [line for line in lines if _makes_session(main, line)]
    if not sessions:
        return None
    several = not has_variables and all(isinstance(line, ast.With) for line in sessions)
    end = sessions[-1 if several else 0]
    of_sessions = {part for line in sessions for part in straight_line([line])}
    graph = [line for line in lines if line.lineno < end.lineno and line not in of_sessions]
    functions = _computing_functions(main)
    inside = {node for function in functions for node in ast.walk(function)}
    if not graph or not all(node in inside or main.statement(node) in lines for node, _ in main.symbols):
        return None
    if not all(runs_at_once(main, call, main.tree) for _, call in building.runs):
        return None
    found = Graph(
        _made(main, graph), functions, _names_of_sessions(sessions) if several else set(), has_variables
    )
    names = found.names
    certain = all(_is_certain(building, line, found) for line in graph) and all(
        main.statement(node) in found.made or _is_asked(building, node)
        for node in main.all(ast.Name)
        if isinstance(node.ctx, ast.Load) and node.id in names and node not in inside
    )
    return found if certain and all(_is_bound_by(main, name, found) for name in names) else None


def _makes_session(main: File, line: ast.stmt) -> bool:
    """Whether a statement makes a session: of a `with` block, its head."""
    parts: list[ast.AST] = [*line.items] if isinstance(line, ast.With) else [line]
    nodes = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Call))
    return any(main.canonical(node.func) in SESSIONS for node in nodes)


def _names_of_sessions(sessions: list[ast.stmt]) -> set[str]:
    """The names that `with tf.Session() as sess` gives."""
    return {
        item.optional_vars.id
        for line in sessions
        if isinstance(line, ast.With)
        for item in line.items
        if isinstance(item.optional_vars, ast.Name)
    }


def _computing_functions(main: File) -> set[ast.FunctionDef]:
    """The functions that return what they compute from their arguments, and do nothing else."""
    candidates = {
        function.name: function
        for function in main.tree.body
        if isinstance(function, ast.FunctionDef) and len(main.meanings.module.bindings[function.name]) == 1
    }
    while True:
        kept = {
            name: function
            for name, function in candidates.items()
            if _only_computes(main, function, candidates)
        }
        if len(kept) == len(candidates):
            return set(kept.values())
        candidates = kept


def _only_computes(main: File, function: ast.FunctionDef, others: dict[str, ast.FunctionDef]) -> bool:
    arguments = function.args
    if (
        function.decorator_list
        or arguments.defaults
        or arguments.vararg
        or arguments.kwarg
        or arguments.kwonlyargs
    ):
        return False
    own = {parameter.arg for parameter in arguments.args}
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not (isinstance(node, ast.If | ast.Return) or is_text):
                return False
        if isinstance(node, ast.Name) and node.id not in own | set(others):
            if main.canonical(node) != "tf":
                return False
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in others):
            if main.canonical(node.func) not in _COMPUTES - _VARIABLES - {"tf.placeholder"}:
                return False
        if isinstance(
            node, ast.Lambda | ast.NamedExpr | ast.comprehension | ast.Await | ast.Yield | ast.YieldFrom
        ):
            return False
    return True


def _made(main: File, graph: list[ast.stmt]) -> dict[ast.stmt, set[str]]:
    """The statements that make something of the graph, and the names that they give to it."""
    found: dict[ast.stmt, set[str]] = {}
    known: set[str] = set()
    symbols = {node for node, name in main.symbols if not name.startswith(_PLAIN) and name not in _OF_SESSION}
    for line in graph:
        if isinstance(line, ast.With | ast.FunctionDef):
            continue
        names = [node for node in ast.walk(line) if isinstance(node, ast.Name)]
        if any(node.id in known for node in names) or any(node in symbols for node in ast.walk(line)):
            found[line] = {node.id for node in names if isinstance(node.ctx, ast.Store)}
            call = _append(line)
            if call is not None:
                found[line] = (
                    {ast.unparse(call.func.value)} if isinstance(call.func, ast.Attribute) else set()
                )
            known |= found[line]
    return found


def _append(line: ast.stmt) -> ast.Call | None:
    """The call that `values.append(value)` consists of."""
    call = line.value if isinstance(line, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    is_append = call.func.attr == "append" and isinstance(call.func.value, ast.Name)
    return call if is_append and len(call.args) == 1 and not call.keywords else None


def _is_certain(building: Building, line: ast.stmt, graph: Graph) -> bool:
    """Whether a statement beside the sessions makes values, or has nothing to do with them."""
    main = building.program.main
    if isinstance(line, ast.With):
        return all(_is_block(main, item) for item in line.items)
    if line in graph.made:
        return _makes_values(building, line, graph)
    return not isinstance(main.parent(line), ast.With)


def _is_block(main: File, item: ast.withitem) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return False
    if main.canonical(call.func) == "tf.device" and len(call.args) == 1:
        device = call.args[0]
        return isinstance(device, ast.Constant) and _OWN_DEVICE.fullmatch(str(device.value)) is not None
    return main.canonical(call.func) in _SCOPES and item.optional_vars is None


def _makes_values(building: Building, line: ast.stmt, graph: Graph) -> bool:
    """Whether it is `name = value`, or `values.append(value)`, computed by functions that do nothing else."""
    main = building.program.main
    call = _append(line)
    if call is not None:
        value = call.args[0]
    elif isinstance(line, ast.Assign) and all(isinstance(target, ast.Name) for target in line.targets):
        value = line.value
    else:
        return False
    return all(
        main.canonical(node.func) in _COMPUTES | _PLAIN_CALLS
        or building.function_called(main, node) in graph.functions
        if isinstance(node, ast.Call)
        else not isinstance(node, ast.Lambda | ast.NamedExpr | ast.IfExp | ast.comprehension | ast.Await)
        for node in ast.walk(value)
    )


def _is_bound_by(main: File, name: str, graph: Graph) -> bool:
    """Whether the graph's statements alone bind a name; where they fill a list, it begins as `[]`, once."""
    statements = [assignment_of(main, binding) for binding in main.meanings.module.bindings.get(name, [])]
    if any(_append(line) is not None and name in names for line, names in graph.made.items()):
        value = statements[0].value if len(statements) == 1 and statements[0] is not None else None
        return isinstance(value, ast.List) and not value.elts
    fed = [assignment is not None and _is_placeholder(main, assignment.value) for assignment in statements]
    return all(assignment in graph.made for assignment in statements) and (all(fed) or not any(fed))


def _is_placeholder(main: File, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and main.canonical(value.func) == "tf.placeholder"


def _is_asked(building: Building, node: ast.Name) -> bool:
    """Whether a name stands where a run fetches or feeds it."""
    parts = [
        part
        for _, call in building.runs
        for part in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    for part in parts:
        asked = part.elts if isinstance(part, ast.List | ast.Tuple) else [part]
        if any(element is node for element in (part.keys if isinstance(part, ast.Dict) else asked)):
            return True
    return False
