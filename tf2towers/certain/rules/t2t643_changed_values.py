"""T2T643: a value of Python's own that the graph is built with, and that is not known to stay as it was."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property

from tf2towers.certain.building import Building, inside
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.steady import changing_default, is_frozen, may_change, only_reads
from tf2towers.exact.file import File
from tf2towers.names.meanings import Imported, Scope
from tf2towers.source.nodes import Function

#: of TensorFlow, and yet no part of a graph
_BESIDE = (
    "tf.app.",
    "tf.flags.",
    "tf.gfile.",
    "tf.logging.",
    "tf.examples.",
    "tf.errors.",
    "tf.python_io.",
    "tf.train.latest_checkpoint",
    "tf.train.get_checkpoint_state",
)
#: what reads its arguments where it stands, in idiomatic form as well
_AT_ONCE = ("tf.data.", "tf.train.", "tf.summary.FileWriter", "tf.Variable", "tf.get_variable")
_TYPES = ("tf.float", "tf.int", "tf.uint", "tf.string", "tf.bool")

Value = tuple[File, Scope, str]


def doubts(building: Building) -> Iterator[Doubt]:
    """What the graph has read, where it may be bound again, changed, or known by another name."""
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
        self._built = _made(self._towers | targets)
        self._graph = [statement for statement in self._statements if self._builds(statement)]

    def changed(self) -> Iterator[Doubt]:
        """What the rule doubts."""
        read: dict[Value, int] = {}  # a value, and the line from which on it is read
        for statement in self._graph:
            if not self._reads_at_once(statement):
                yield from self._draws(statement)
                for file, name in self._names(statement):
                    value = self._value(file, name)
                    if value is not None:
                        read.setdefault(value, statement.lineno)
        parts: list[tuple[File, ast.AST]] = [
            (self._file, node) for statement in self._graph for node in _own(statement)
        ]
        traced: set[ast.AST] = set()
        for file, part in self._building.with_functions(parts):
            traced.update(ast.walk(part) if isinstance(part, Function) else [part])
            default = changing_default(self._building, file, part) if isinstance(part, Function) else None
            if default is not None:
                yield Doubt(file, default, "a default that may change between two calls")
        for value, line in read.items():
            yield from self._unknown_uses(value, line, traced)
        yield from self._libraries()

    def _libraries(self) -> Iterator[Doubt]:
        """Parts of libraries that are set behind the graph's beginning: `os.environ['SIZE'] = '3'`."""
        begin = min((statement.lineno for statement in self._graph), default=sys.maxsize)
        for file in self._building.files:
            parts: list[ast.Attribute | ast.Subscript] = [*file.all(ast.Attribute), *file.all(ast.Subscript)]
            for part in parts:
                root: ast.expr = part
                while isinstance(root, ast.Attribute | ast.Subscript):
                    root = root.value
                if isinstance(part.ctx, ast.Load) or not isinstance(root, ast.Name):
                    continue
                imported = any(isinstance(binding, Imported) for binding in file.meanings.bindings(root))
                if imported and not self._is_before(file, root, begin):
                    what = f"a part of `{root.id}`, which the graph may have read, is set here"
                    yield Doubt(file, part, what)

    def _unknown_uses(self, value: Value, line: int, traced: set[ast.AST]) -> Iterator[Doubt]:
        """Uses of a value that the graph reads from a line on, but for those that certainly leave it as it was."""
        file, scope, name = value
        frozen = all(
            is_frozen(self._building, file, binding, frozenset({name})) for binding in scope.bindings[name]
        )
        for use in file.all(ast.Name):
            found = self._building.home(file, use) if use.id == name else None
            if found is None or found[0] is not scope:
                continue
            certain = before = self._is_before(file, use, line)
            if isinstance(use.ctx, ast.Load):
                certain = frozen or use in traced or only_reads(self._building, file, use, filled=before)
            if not certain:
                yield Doubt(file, use, f"`{name}`, which the graph was built with, may change here")

    def _is_before(self, file: File, use: ast.Name, line: int) -> bool:
        """Whether a use certainly comes before the graph has read a value, in `line`."""
        where = file.function_around(use) or file.tree
        if where is self._owner:
            return use.lineno < line
        return where is file.tree and (file is not self._file or use.lineno < self._called)

    @cached_property
    def _called(self) -> int:
        """The line of the module in which the function that builds the towers is called, or handed on."""
        return min(
            (
                node.lineno
                for file, node in self._building.uses_of(self._owner)  # type: ignore[arg-type]
                if file is self._file and file.function_around(node) is None
            ),
            default=sys.maxsize,
        )

    def _draws(self, statement: ast.stmt) -> Iterator[Doubt]:
        """What a function would draw of the process's random numbers when it is traced: later than the graph did."""
        for call in (node for node in _own(statement) if isinstance(node, ast.Call)):
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
        self._built |= _made(own)
        return True

    def _reads_at_once(self, statement: ast.stmt) -> bool:
        """Whether a statement is not moved into a function."""
        named = {self._file.canonical(node) or "" for node in self._symbols.intersection(_own(statement))}
        made = {name for name in named if not name.startswith(_TYPES)}
        return bool(made) and all(name.startswith(_AT_ONCE) for name in made)

    def _names(self, statement: ast.stmt) -> Iterator[tuple[File, ast.Name]]:
        """The names that a statement reads, and the functions that it leads to."""
        own: list[tuple[File, ast.AST]] = [(self._file, node) for node in _own(statement)]
        for file, part in self._building.with_functions(own):
            for node in ast.walk(part) if isinstance(part, ast.FunctionDef) else [part]:
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    yield file, node

    def _value(self, file: File, name: ast.Name) -> Value | None:
        """The owner's or a module's name for a value of Python's; None for libraries, and what is the graph's own."""
        home = self._building.home(file, name)
        if home is None or home[0].node not in (self._owner, file.tree):
            return None
        if home[0].node is self._owner and name.id in self._built:
            return None
        changes = all(may_change(self._building, file, binding) for binding in home[1])
        return (file, home[0], name.id) if changes else None


def _made(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that nodes bind, and the lists that they fill."""
    found: set[str] = set()
    for node in nodes:
        is_filled = isinstance(node, ast.Attribute) and node.attr in ("append", "extend")
        name = node.value if isinstance(node, ast.Attribute) and is_filled else node
        if isinstance(name, ast.Name) and (is_filled or isinstance(name.ctx, ast.Store)):
            found.add(name.id)
    return found


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
        f"head: import sys; import numpy as np; import tensorflow as tf; N = 2\nmodel: y = tf.matmul(xs[i], w)"
        f" * float(sys.argv[1])\ntrain: sys.argv[1] = '3'; {_RUN}",
        "before: z = tf.constant(np.random.rand(3, 1), tf.float32)\nmodel: y = tf.matmul(xs[i], w + z)",
        "before: sizes = [2.0]; z = x * sizes[0]; sizes[0] = 3.0\nmodel: y = tf.matmul(xs[i] + z[:2], w)",
        # another name for it, or for a part of it; what a function or an object keeps of it
        *(
            f"before: rows = np.ones((2, 1)); {more}\nmodel: y = tf.matmul(xs[i], w) + rows\ntrain: {change}; {_RUN}"
            for more, change in (
                ("view = rows[:1]", "view[:] = 2"),
                ("flat = np.reshape(rows, -1)", "flat[0] = 2"),
                ("every = [rows]", "every[0][0] = 2"),
                ("turned = rows.T", "turned[0] = 2"),
                ("kept = rows", "np.multiply(rows, 2, out=rows)"),
            )
        ),
        *(
            f"head: import numpy as np; import tensorflow as tf; N = 2; class Config(object):;     scale = {scale}; "
            f"def by(value, power=[2.0]):;     return value * power[0]; def more(own=Config):;     {change}\n"
            f"model: y = {model}\ntrain: more(); {_RUN}"
            for scale, change, model in (
                ("2.0", "own.scale = 3.0", "tf.matmul(xs[i], w) * Config.scale"),
                ("2.0", "Config.scale = 3.0", "tf.matmul(xs[i], w) * Config.scale"),
                ("[2.0]", "Config().scale[0] = 3.0", "tf.matmul(xs[i], w) * Config.scale[0]"),
                ("2.0", "by.__defaults__[0][0] = 3.0", "by(tf.matmul(xs[i], w))"),
            )
        ),
    ),
    certain=(
        "before: sizes = []; sizes.append(2.0); sizes[0] = 3.0; rows = np.ones((2, 1))\n"
        "model: y = tf.matmul(xs[i], w) * sizes[0] + rows\n"
        f"train: print(len(sizes), sizes[0], rows.shape, np.mean(rows), rows * 2); {_RUN}",
        f"before: size = 2 * N\nmodel: y = tf.matmul(xs[i], w) * size\ntrain: print(rng.permutation(size)); {_RUN}",
    ),
)
