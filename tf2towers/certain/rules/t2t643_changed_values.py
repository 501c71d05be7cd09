"""T2T643: a value of Python's own that the graph is built with, and that changes afterwards."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator

from tf2towers.certain.building import Building, inside
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Opaque, Scope

#: of TensorFlow, and yet no part of a graph
_BESIDE = ("tf.app.", "tf.flags.", "tf.gfile.", "tf.logging.", "tf.examples.", "tf.errors.", "tf.python_io.")
#: what reads its arguments where it stands, in idiomatic form as well
_AT_ONCE = ("tf.data.", "tf.train.Saver", "tf.summary.FileWriter", "tf.Variable", "tf.get_variable")
_TYPES = ("tf.float", "tf.int", "tf.uint", "tf.string", "tf.bool")
#: functions that leave what they are given as it was, but for those of `_WRITE`
_READ = ("builtins.", "tf.", "numpy.", "math.", "os.path.", "tf2towers.runtime.")
_WRITE = frozenset(
    {"shuffle", "fill_diagonal", "put", "putmask", "copyto", "place", "setattr", "delattr", "next"}
)
#: methods that leave what they are given as it was
_METHODS = frozenset({"save", "restore", "add_summary", "format", "join", "permutation", "choice"})
#: what gives a number or a text
_NUMBERS = frozenset(f"builtins.{name}" for name in ("int", "float", "bool", "str", "len", "round"))

Value = tuple[Scope, str]


def doubts(building: Building) -> Iterator[Doubt]:
    """Names that the graph has read, where they are bound again, or what they stand for may be changed."""
    if building.bodies:
        yield from _Values(building).changed()


class _Values:
    """The function, or the module, whose statements build the towers, and the Python values that these read."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._file, part = building.bodies[0]
        self._owner = self._file.function_around(part) or self._file.tree
        self._symbols = {node for node, name in self._file.symbols if not name.startswith(_BESIDE)}
        self._towers: set[ast.AST] = {node for _, body in building.bodies for node in ast.walk(body)}
        targets: set[ast.AST] = set()
        for file, loop in building.loops:
            if file is self._file:
                self._towers.add(loop.statement)
                targets.update(ast.walk(loop.target))
        runs = {call for _, call in building.runs}
        self._statements = list(_statements(getattr(self._owner, "body", [])))
        running = [statement for statement in self._statements if not runs.isdisjoint(_own(statement))]
        running += [loop for run in running for loop in inside(self._file, run, ast.For, ast.While)]  # type: ignore[misc]
        self._end = min(
            (statement.lineno for statement in running), default=sys.maxsize
        )  # sessions run from here
        self._begin = part.lineno
        self._built = {name.id for name in _stored(self._towers | targets)} | {
            method.value.id  # a list that the towers fill
            for method in self._towers
            if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name)
            if method.attr in ("append", "extend")
        }

    def changed(self) -> Iterator[Doubt]:
        """What the rule doubts."""
        graph = [statement for statement in self._statements if self._builds(statement)]
        read: dict[Value, int] = {}  # a value, and the line from which on it is read
        for statement in graph:
            for file, name in self._names(statement, set()) if not self._reads_at_once(statement) else ():
                value = self._value(file, name)
                if value is not None and isinstance(name.ctx, ast.Load):
                    read.setdefault(value, statement.lineno)
            yield from self._draws(statement)
        parts: list[tuple[File, ast.AST]] = [(self._file, statement) for statement in graph]
        of_graph = {part for _, part in self._building.with_functions(parts)}
        for statement in self._statements:
            for file, name in [] if statement in graph else self._names(statement, of_graph):
                value = self._value(file, name)
                if value is None and self._sets_part(file, name):
                    yield Doubt(
                        file, name, f"a part of `{name.id}`, which the graph may have read, is set here"
                    )
                if value is None or read.get(value, statement.lineno) >= statement.lineno:
                    continue
                if not isinstance(name.ctx, ast.Load) or self._may_change(file, name):
                    yield Doubt(file, name, f"`{name.id}`, which the graph was built with, may change here")

    def _draws(self, statement: ast.stmt) -> Iterator[Doubt]:
        """What a function would draw of the process's random numbers when it is traced: later than the graph did."""
        calls = [node for node in _own(statement) if isinstance(node, ast.Call)]
        for call in calls if not self._reads_at_once(statement) else ():
            module, _, name = (self._file.canonical(call.func) or "").rpartition(".")
            if module in ("random", "numpy.random") and not name[0].isupper():
                yield Doubt(self._file, call, f"`{self._file.text.of(call)}` in what the graph is built with")

    def _builds(self, statement: ast.stmt) -> bool:
        """Whether a statement makes a part of the graph: with TensorFlow in it, or with what such statements made."""
        if statement in self._towers:
            return True
        own = set(_own(statement))
        names = {name.id for name in own if isinstance(name, ast.Name)}
        if statement.lineno >= self._end:
            return False
        if own.isdisjoint(self._symbols) and names.isdisjoint(self._built):
            return False
        self._built |= {name.id for name in _stored(own)}
        return True

    def _reads_at_once(self, statement: ast.stmt) -> bool:
        """Whether a statement is not moved into a function."""
        named = {self._file.canonical(node) or "" for node in self._symbols.intersection(_own(statement))}
        made = {name for name in named if not name.startswith(_TYPES)}
        return bool(made) and all(name.startswith(_AT_ONCE) for name in made)

    def _names(self, statement: ast.stmt, known: set[ast.AST]) -> Iterator[tuple[File, ast.Name]]:
        """The names in a statement, and in the functions that it leads to, but for those known."""
        own: list[tuple[File, ast.AST]] = [(self._file, node) for node in _own(statement)]
        for file, part in self._building.with_functions(own):
            for node in ast.walk(part) if isinstance(part, ast.FunctionDef) and part not in known else [part]:
                if isinstance(node, ast.Name):
                    yield file, node

    def _value(self, file: File, name: ast.Name) -> Value | None:
        """The owner's or a module's name for a value of Python's; None for what is defined, or of the graph."""
        home = self._building.home(file, name)
        if home is None or home[0].node not in (self._owner, file.tree):
            return None
        if home[0].node is self._owner and name.id in self._built:
            return None
        return (
            (home[0], name.id) if all(isinstance(binding, Assigned | Opaque) for binding in home[1]) else None
        )

    def _sets_part(self, file: File, name: ast.Name) -> bool:
        """Whether it is `module.name = ...`, or the like, of what was imported or defined, when the graph is built."""
        home = self._building.home(file, name)
        if (
            home is None
            or all(isinstance(binding, Assigned | Opaque) for binding in home[1])
            or name.lineno < self._begin
        ):
            return False
        node: ast.AST = name
        while isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
            node = file.parent(node)
        return isinstance(node, ast.Attribute | ast.Subscript)

    def _may_change(self, file: File, name: ast.Name) -> bool:
        """Whether a use of a name may change what it stands for."""
        if self._is_number(file, name, frozenset()):
            return False
        node: ast.expr = name
        around = file.parent(node)
        while isinstance(around, ast.Attribute | ast.Subscript | ast.Starred) and node is around.value:
            if not isinstance(around.ctx, ast.Load):
                return True
            node, around = around, file.parent(around)
        if isinstance(around, ast.AugAssign) and node is around.target:
            return True
        if isinstance(around, ast.Call) and node is around.func:
            return not self._is_number(file, getattr(node, "value", node), frozenset())  # a method of it
        if isinstance(around, ast.keyword):
            around = file.parent(around)
        if isinstance(around, ast.Call):
            called = self._file.canonical(around.func) or "" if file is self._file else ""
            last = around.func.attr if isinstance(around.func, ast.Attribute) else called.rpartition(".")[2]
            return last in _WRITE or (node is name and last not in _METHODS and not called.startswith(_READ))
        while isinstance(around, ast.Tuple | ast.List | ast.Dict):
            around = file.parent(around)
        return isinstance(around, ast.Assign | ast.Return) and node is name

    def _is_number(self, file: File, node: ast.expr, asked: frozenset[str]) -> bool:
        """Whether an expression is certainly a number or a text, which nothing changes."""
        if isinstance(node, ast.Name):
            home = self._building.home(file, node)
            return (
                home is not None
                and node.id not in asked
                and all(
                    isinstance(binding, Assigned) and self._is_number(file, binding.value, asked | {node.id})
                    for binding in home[1]
                )
            )
        if isinstance(node, ast.Call):
            return file.canonical(node.func) in _NUMBERS
        if isinstance(node, ast.Attribute | ast.Subscript):
            return file.canonical(node.value) in ("tf.app.flags.FLAGS", "sys.argv")
        if isinstance(node, ast.BinOp):
            return self._is_number(file, node.left, asked) and self._is_number(file, node.right, asked)
        if isinstance(node, ast.UnaryOp):
            return self._is_number(file, node.operand, asked)
        return isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare)


def _stored(nodes: Iterable[ast.AST]) -> Iterator[ast.Name]:
    return (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of a body in their order, and those inside of them; not those of functions."""
    for node in body:
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            yield from _statements(ast.iter_child_nodes(node))


def _own(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement, without those of the statements in it."""
    for node in ast.iter_child_nodes(statement):
        if not isinstance(node, ast.stmt):
            yield node
            yield from _own(node)


_RUN = "print(sess.run([train_op, loss], {x: batch})[1])"

RULE = Rule(
    code="T2T643",
    title="A value that the graph is built with changes afterwards",
    why="""
    A TF1 graph has read Python's lists, arrays and numbers when it was built. A function of TensorFlow 2 reads them
    when it is traced, at the first step, and would see what has become of them by then.
    """,
    todo="Give the graph a value of its own, that nothing changes: a number, a tuple, a copy.",
    doubts=doubts,
    doubtful=(
        *(
            f"before: sizes = [2.0]; rows = np.ones((2, 1))\nmodel: y = tf.matmul(xs[i], w) * sizes[0] + rows\n"
            f"train: {change}; {_RUN}"
            for change in (
                "sizes[0] = 3.0",
                "sizes.append(3.0)",
                "sizes = [3.0]",
                "rows += 1",
                "rows.fill(3)",
                "np.random.shuffle(rows)",
                "rng.shuffle(rows)",
                "rows[0] *= 2",
                "more = rows; more[0] = 2",
                "del sizes[0]",
            )
        ),
        *(
            "head: import numpy as np; import tensorflow as tf; N = 2; scale = 2.0; sizes = [1]; "
            "def model(value):;     return value * scale * len(sizes); "
            f"def more(number):;     sizes.append(number)\ntrain: {change}; {_RUN}\n"
            "model: y = model(tf.matmul(xs[i], w))"
            for change in (
                "scale = 3.0",
                "scale += 1",
                "for scale in (1.0, 2.0):;         pass",
                "more(step)",
            )
        ),
        "head: import numpy as np; import tensorflow as tf; N = 2; class Config(object):;     scale = 2.0\n"
        f"model: y = tf.matmul(xs[i], w) * Config.scale\ntrain: Config.scale = 3.0; {_RUN}",
        "before: z = tf.constant(np.random.rand(3, 1), tf.float32)\nmodel: y = tf.matmul(xs[i], w + z)",
        "before: sizes = [2.0]; z = x * sizes[0]; sizes[0] = 3.0\nmodel: y = tf.matmul(xs[i] + z[:2], w)",
    ),
    certain=(
        "before: sizes = []; sizes.append(2.0); sizes[0] = 3.0; rows = np.ones((2, 1))\n"
        "model: y = tf.matmul(xs[i], w) * sizes[0] + rows\n"
        f"train: print(len(sizes), sizes[0], rows.shape, np.mean(rows), rows * 2); {_RUN}",
        f"before: size = 2 * N\nmodel: y = tf.matmul(xs[i], w) * size\ntrain: print(rng.permutation(size)); {_RUN}",
    ),
)
