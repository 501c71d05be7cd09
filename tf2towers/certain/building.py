"""`Building`: the code of a program that builds its towers, and what the names in it stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from tf2towers.exact.file import File
from tf2towers.exact.program import Program
from tf2towers.exact.tower_loops import Loop, tower_loops
from tf2towers.names.meanings import Assigned, Binding, Defined, Scope
from tf2towers.source.nodes import Function

#: what makes something that sessions run in
SESSIONS = frozenset(
    {
        "tf.Session", "tf.InteractiveSession", "tf.train.MonitoredTrainingSession", "tf.train.Supervisor",
        "tf.train.MonitoredSession", "tf.train.SingularMonitoredSession", "tf.train.SessionManager",
    }
)  # fmt: skip
#: what is fed
PLACEHOLDERS = frozenset({"tf.placeholder", "tf.placeholder_with_default"})
#: methods that make a session, of what was made by one of `SESSIONS`
MAKE_SESSIONS = frozenset({"prepare_or_wait_for_session", "managed_session", "prepare_session"})
#: what has nothing to do with a graph
_NOT_BUILDING = ("tf.app.", "tf.flags.", "tf.gfile.", "tf.logging.", "tf.ConfigProto", "tf.GPUOptions")
#: what takes fetches
RUNS = frozenset({"run", "partial_run", "make_callable", "run_step_fn", "eval"})


class Building:
    """A program, and the answers to what the rules ask about it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.files = program.files

    @cached_property
    def loops(self) -> list[tuple[File, Loop]]:
        """The loops over towers."""
        return [(file, loop) for file in self.files for loop in tower_loops(file)]

    @cached_property
    def bodies(self) -> list[tuple[File, ast.stmt]]:
        """The statements that build the towers: those of the loops, else of what a device setter places."""
        found = [
            (file, statement)
            for file, loop in self.loops
            for statement in getattr(loop.statement, "body", [loop.statement])
        ]
        return found or [(file, statement) for file, block in self.placed for statement in block.body]

    @cached_property
    def placed(self) -> list[tuple[File, ast.With]]:
        """The blocks whose variables are on parameter servers."""
        return [
            (file, block)
            for file in self.files
            for block in file.all(ast.With)
            if any(
                self._is_setter(file, part) for item in block.items for part in ast.walk(item.context_expr)
            )
        ]

    def _is_setter(self, file: File, node: ast.AST) -> bool:
        """Whether it is the device setter of parameter servers, or a name that is set to it once."""
        made = self.value_of(file, node) if isinstance(node, ast.Name) else node
        return isinstance(made, ast.Call) and file.canonical(made.func) == "tf.train.replica_device_setter"

    @cached_property
    def has_one_worker(self) -> bool:
        """Whether the one cluster of the program is written down, with one worker."""
        clusters = [
            (file, call)
            for file in self.files
            for call in file.all(ast.Call)
            if file.canonical(call.func) == "tf.train.ClusterSpec"
        ]
        if len(clusters) != 1 or len(clusters[0][1].args) != 1:
            return False
        file, call = clusters[0]
        jobs = self.value_of(file, call.args[0]) or call.args[0]
        if not isinstance(jobs, ast.Dict):
            return False
        workers = [
            hosts
            for job, hosts in zip(jobs.keys, jobs.values, strict=True)
            if not (isinstance(job, ast.Constant) and job.value == "ps")
        ]
        return len(workers) == 1 and isinstance(workers[0], ast.List) and len(workers[0].elts) == 1

    @cached_property
    def owners(self) -> list[ast.AST]:
        """The functions, or the modules, whose own statements build the towers."""
        found: list[ast.AST] = []
        for file, part in self.bodies:
            around = file.function_around(part) or file.tree
            if around not in found:
                found.append(around)
        return found

    def built(self, file: File) -> set[str]:
        """The names that statements at a file's top level bind to what they make with TensorFlow."""
        own = [
            (file, statement)
            for statement in file.tree.body
            if not isinstance(statement, Function | ast.ClassDef)
        ]
        return _built(own, self._begun if file in {where for where, _ in self.bodies} else set())[1]

    @cached_property
    def reached(self) -> list[tuple[File, Function]]:
        """The functions of the program that the towers call, and those that these call."""
        return [(file, part) for file, part in self.with_functions(self.bodies) if isinstance(part, Function)]

    def with_functions(self, parts: Sequence[tuple[File, ast.AST]]) -> list[tuple[File, ast.AST]]:
        """Parts of the program, and the functions of it that they name, and that those name."""
        found = {part: file for file, part in parts}
        waiting = list(found)
        while waiting:
            part = waiting.pop()
            for node in ast.walk(part):
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                    for home, function in self.functions_named(found[part], node):
                        if function not in found:
                            found[function] = home
                            waiting.append(function)
        return [(file, part) for part, file in found.items()]

    def function_called(self, file: File, call: ast.Call) -> Function | None:
        """The function of the program that a call certainly calls."""
        found = self.functions_named(file, call.func)
        return found[0][1] if len(found) == 1 else None

    def uses_of(self, function: Function) -> list[tuple[File, ast.expr]]:
        """Where a function of the program is named: called, or handed on."""
        return self._uses.get(function, [])

    @cached_property
    def _uses(self) -> dict[Function, list[tuple[File, ast.expr]]]:
        found: dict[Function, list[tuple[File, ast.expr]]] = {}
        for file in self.files:
            named: list[ast.Name | ast.Attribute] = [*file.all(ast.Name), *file.all(ast.Attribute)]
            for node in named:
                if isinstance(node.ctx, ast.Load):
                    for _, function in self.functions_named(file, node):
                        found.setdefault(function, []).append((file, node))
        return found

    def functions_named(self, file: File, node: ast.expr) -> list[tuple[File, Function]]:
        """The functions of the program that a name may stand for."""
        if isinstance(node, ast.Name):
            bindings = file.meanings.bindings(node)
            own = [
                binding.node
                for binding in bindings
                if isinstance(binding, Defined) and isinstance(binding.node, Function)
            ]
            if own:
                return [(file, function) for function in own]
        canonical = file.canonical(node)
        found = (
            self.program.defined(file, canonical) if canonical and not canonical.startswith("tf.") else None
        )
        if found is not None and isinstance(found[1], Function):
            return [(found[0], found[1])]
        return []

    @cached_property
    def following(self) -> list[tuple[File, ast.stmt]]:
        """What stands behind a tower loop, in the blocks around it, until a session is made."""
        found: list[tuple[File, ast.stmt]] = []
        for file, loop in self.loops:
            statement: ast.AST = loop.statement
            while True:
                parent = file.meanings.parents.get(statement)
                if parent is None:
                    break
                rest = _behind(parent, statement)
                for sibling in rest:
                    if self.makes_session(file, sibling):
                        break
                    found.append((file, sibling))
                else:
                    if not isinstance(parent, Function | ast.Module | ast.ClassDef):
                        statement = parent
                        continue
                break
        return _built(found, self._begun)[0]

    @cached_property
    def averaging(self) -> list[tuple[File, Function]]:
        """The functions of one parameter that are given a list which the towers filled, in one call of the program."""
        found: list[tuple[File, Function]] = []
        for file, statement in self.following:
            for call in ast.walk(statement):
                if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
                    continue
                function = self.function_called(file, call)
                given = call.args[0]
                if function is None or not isinstance(given, ast.Name) or given.id not in self._begun:
                    continue
                if len(function.args.args) == 1 and self._calls(function) == 1:
                    found.append(self.functions_named(file, call.func)[0])
        return found

    def _calls(self, function: Function) -> int:
        return sum(
            self.function_called(file, call) is function for file in self.files for call in file.all(ast.Call)
        )

    @cached_property
    def _begun(self) -> set[str]:
        """The names that the towers bind, or call methods of."""
        built = {name for _, body in self.bodies for name in _names(body, ast.Store)}
        return built | {
            call.func.value.id
            for file, body in self.bodies
            for call in ast.walk(body)
            if isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and file.canonical(call.func.value) is None
        }

    def makes_session(self, file: File, part: ast.AST) -> bool:
        """Whether a session is made, or asked for something, in a part of a file."""
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                if file.canonical(node.func) in SESSIONS:
                    return True
                if isinstance(node.func, ast.Attribute) and node.func.attr in {*MAKE_SESSIONS, "run"}:
                    return True
        return False

    @cached_property
    def runs(self) -> list[tuple[File, ast.Call]]:
        """The calls that give fetches to a session."""
        return [
            (file, call)
            for file in self.files
            for call in file.all(ast.Call)
            if isinstance(call.func, ast.Attribute)
            and call.func.attr in RUNS
            and file.canonical(call.func) is None
        ]

    def value_of(self, file: File, node: ast.expr) -> ast.expr | None:
        """What a name is set to, where it is set once."""
        if not isinstance(node, ast.Name):
            return None
        bindings = file.meanings.bindings(node)
        only = bindings[0] if len(bindings) == 1 else None
        return only.value if isinstance(only, Assigned) else None

    def home(self, file: File, node: ast.Name) -> tuple[Scope, list[Binding]] | None:
        """The scope that has a name, and its bindings there."""
        return file.meanings.scope(node).lookup(node.id)


def fetches_of(call: ast.Call) -> list[ast.expr]:
    """What a run asks for, one by one."""
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "fetches")]
    return [
        part
        for fetches in given
        for part in (fetches.elts if isinstance(fetches, ast.List | ast.Tuple) else [fetches])
    ]


def _built(
    statements: list[tuple[File, ast.stmt]], built: set[str]
) -> tuple[list[tuple[File, ast.stmt]], set[str]]:
    """Those of some statements that make something with TensorFlow, or with such things; and the names of these."""
    found: list[tuple[File, ast.stmt]] = []
    for file, statement in statements:
        symbols = {node for node, canonical in file.symbols if not canonical.startswith(_NOT_BUILDING)}
        if any(node in symbols for node in ast.walk(statement)) or built & _names(statement, ast.Load):
            built = built | _names(statement, ast.Store)
            found.append((file, statement))
    return found, built


def _names(part: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        node.id for node in ast.walk(part) if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def _behind(parent: ast.AST, statement: ast.AST) -> list[ast.stmt]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) + 1 :]
    return []


def inside(file: File, node: ast.AST, *node_types: type[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of these kinds around a node, innermost first, up to the function it is in."""
    for ancestor in file.ancestors(node):
        if isinstance(ancestor, Function | ast.Lambda):
            return
        if isinstance(ancestor, node_types):
            yield ancestor
