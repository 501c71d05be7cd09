"""Programs without towers: variables, and what is computed from them on devices that the program names."""

from __future__ import annotations

import ast
import re

from tf2towers.certain.building import Building
from tf2towers.certain.straight_line import runs_at_once, straight_line
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
_OWN_DEVICE = re.compile(r"/?(device:)?(cpu|gpu):\d+", re.IGNORECASE)


def trains(program: Program) -> bool:
    """Whether a program has gradients, optimizers, savers and their like."""
    return any(canonical.startswith(_TRAINS) for file in program.files for _, canonical in file.symbols)


def is_computed_on_devices(building: Building) -> bool:
    """Whether a program certainly is variables, and values of them that runs of one session fetch."""
    main = building.program.main
    if building.bodies or [file for file in building.files if file.symbols] != [main]:
        return False
    known = {*_COMPUTES, *_SCOPES, *_OF_SESSION, "tf.device"}
    if not all(name in known or name.startswith(_PLAIN) for _, name in main.symbols):
        return False
    lines = list(straight_line(main.tree.body))
    session = next((line for line in lines if _makes_session(building, main, line)), None)
    if session is None or not all(main.statement(node) in lines for node, _ in main.symbols):
        return False
    if not all(runs_at_once(main, call, main.tree) for _, call in building.runs):
        return False
    graph = [line for line in lines if line.lineno < session.lineno]
    made = _made(main, graph)
    return all(_is_certain(main, line, made) for line in graph) and all(
        main.statement(node) in made or _is_asked(building, node)
        for node in main.all(ast.Name)
        if isinstance(node.ctx, ast.Load) and any(node.id in names for names in made.values())
    )


def _makes_session(building: Building, main: File, line: ast.stmt) -> bool:
    """Whether a statement makes the session itself: of a `with` block, its head."""
    parts: list[ast.AST] = [*line.items] if isinstance(line, ast.With) else [line]
    return any(building.makes_session(main, part) for part in parts)


def _made(main: File, graph: list[ast.stmt]) -> dict[ast.stmt, set[str]]:
    """The statements that make something of the graph, and the names that they give to it."""
    found: dict[ast.stmt, set[str]] = {}
    known: set[str] = set()
    symbols = {node for node, name in main.symbols if not name.startswith(_PLAIN) and name not in _OF_SESSION}
    for line in graph:
        if isinstance(line, ast.With):
            continue
        names = [node for node in ast.walk(line) if isinstance(node, ast.Name)]
        if any(node.id in known for node in names) or any(node in symbols for node in ast.walk(line)):
            found[line] = {node.id for node in names if isinstance(node.ctx, ast.Store)}
            known |= found[line]
    return found


def _is_certain(main: File, line: ast.stmt, made: dict[ast.stmt, set[str]]) -> bool:
    """Whether a statement before the session makes values, in a block or beside one, or has nothing to do with them."""
    if isinstance(line, ast.With):
        return all(_is_block(main, item) for item in line.items)
    if line in made:
        return _makes_values(main, line)
    return not isinstance(main.parent(line), ast.With)


def _is_block(main: File, item: ast.withitem) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return False
    if main.canonical(call.func) == "tf.device" and len(call.args) == 1:
        device = call.args[0]
        return isinstance(device, ast.Constant) and _OWN_DEVICE.fullmatch(str(device.value)) is not None
    return main.canonical(call.func) in _SCOPES and item.optional_vars is None


def _makes_values(main: File, line: ast.stmt) -> bool:
    """Whether it is `name = value`, computed by TensorFlow's own functions and operators."""
    if not isinstance(line, ast.Assign) or not all(isinstance(one, ast.Name) for one in line.targets):
        return False
    return all(
        main.canonical(node.func) in _COMPUTES | _PLAIN_CALLS
        if isinstance(node, ast.Call)
        else not isinstance(node, ast.Lambda | ast.NamedExpr | ast.IfExp | ast.comprehension | ast.Await)
        for node in ast.walk(line.value)
    )


def _is_asked(building: Building, node: ast.Name) -> bool:
    """Whether a name stands where a run fetches or feeds it."""
    parts = [
        part
        for _, call in building.runs
        for part in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    for part in parts:
        asked = part.elts if isinstance(part, ast.List | ast.Tuple) else [part]
        if any(one is node for one in (part.keys if isinstance(part, ast.Dict) else asked)):
            return True
    return False
