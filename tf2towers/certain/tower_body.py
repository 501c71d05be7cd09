"""What the body of a tower loop says in an unusual way, where it is certain what that means."""

from __future__ import annotations

import ast
from functools import cached_property

from tf2towers.certain.building import Building, fetches_of
from tf2towers.certain.straight_line import assignment_of, reads_of, runs_at_once, straight_line
from tf2towers.exact.certainty import RANGES
from tf2towers.exact.file import File
from tf2towers.exact.tower_loops import Loop
from tf2towers.names.meanings import Opaque, Scope

#: what may be computed in every tower for the sake of the first: it makes and draws nothing
_COMPUTES = frozenset(
    f"tf.{name}"
    for name in (
        "abs", "add", "argmax", "bool", "cast", "div", "divide", "equal", "float32", "float64", "greater", "int32",
        "int64", "less", "multiply", "nn.in_top_k", "nn.sigmoid", "nn.softmax", "reduce_mean", "reduce_sum", "reshape",
        "sqrt", "square", "squeeze", "subtract", "to_float", "to_int32", "to_int64",
    )
)  # fmt: skip
#: gives a tensor that is new, whatever it is given
_COMPUTED = frozenset(
    f"tf.{name}"
    for name in (
        "add", "add_n", "divide", "exp", "identity", "log", "matmul", "multiply", "negative", "nn.bias_add",
        "nn.conv2d", "nn.l2_loss", "nn.relu", "nn.sigmoid", "nn.tanh", "nn.xw_plus_b", "reduce_max", "reduce_mean",
        "reduce_min", "reduce_sum", "sqrt", "square", "squared_difference", "subtract", "tanh",
    )
)  # fmt: skip


class TowerBody:
    """The facts of one tower loop. Names are those of the function, or the module, that the loop is in."""

    def __init__(self, building: Building, file: File, loop: Loop) -> None:
        self._building = building
        self._file = file
        self._loop = loop.statement
        self._counts_from_zero = (
            isinstance(loop.iterable, ast.Call)
            and file.canonical(loop.iterable.func) in RANGES
            and len(loop.iterable.args) == 1
        )
        self._target = loop.target.id if isinstance(loop.target, ast.Name) else None

    @cached_property
    def _home(self) -> Scope:
        return self._file.meanings.scope(self._loop)

    @cached_property
    def _around(self) -> list[ast.stmt]:
        """The statements that run once, beside the loop."""
        found = list(straight_line(getattr(self._home.node, "body", [])))
        return found if self._loop in found else []

    @cached_property
    def _inside(self) -> list[ast.stmt]:
        """The statements that run once in every round."""
        return list(straight_line(getattr(self._loop, "body", [])))

    @cached_property
    def added_to(self) -> set[str]:
        """Names of what every round computes, and adds to: `loss = ...`, then `loss += decay`, then what reads it.

        Where a list takes it before the last `+=`, the list that is gathered by its name would have another value.
        """
        found: set[str] = set()
        for name, bindings in self._home.bindings.items():
            first = assignment_of(self._file, bindings[0]) if bindings else None
            added = [
                self._file.statement(binding.node) for binding in bindings[1:] if isinstance(binding, Opaque)
            ]
            if (
                first is not None
                and first in self._inside
                and _is_new_tensor(self._file, first.value)
                and len(added) == len(bindings) - 1 > 0
                and all(isinstance(line, ast.AugAssign) and line in self._inside for line in added)
                and all(line.lineno > first.lineno for line in added)
                and all(self._is_behind(read, added) for read in reads_of(self._file, name, self._home.node))
            ):
                found.add(name)
        return found

    def _is_behind(self, read: ast.Name, added: list[ast.stmt]) -> bool:
        """Whether a read comes after the last of some statements, or in one of them."""
        return read.lineno > max(line.lineno for line in added) or self._file.statement(read) in added

    @cached_property
    def flags(self) -> dict[str, ast.Assign]:
        """Names that are False in the first tower and True in the others, and the statement that sets them so."""
        found: dict[str, ast.Assign] = {}
        for name, (first, last) in self._bound_twice().items():
            if last not in self._inside or not (_is_constant(first, False) and _is_constant(last, True)):
                continue
            end = (last.lineno, last.col_offset)
            if all(
                (read.lineno, read.col_offset) < end and runs_at_once(self._file, read, self._loop)
                for read in reads_of(self._file, name, self._home.node)
            ):
                found[name] = last
        return found

    @cached_property
    def lists_bound_again(self) -> dict[str, ast.Assign]:
        """Lists that the towers fill, and the `grads = average(grads)` from which on the name stands for its result."""
        found: dict[str, ast.Assign] = {}
        for name, (first, last) in self._bound_twice().items():
            if last not in self._around or not (isinstance(first.value, ast.List) and not first.value.elts):
                continue
            call = last.value
            if not (isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords):
                continue
            given = call.args[0]
            if not (isinstance(given, ast.Name) and given.id == name) or last.lineno < self._loop.lineno:
                continue
            if all(
                runs_at_once(self._file, read, self._loop)
                or read is given
                or (
                    read.lineno > (last.end_lineno or last.lineno)
                    and runs_at_once(self._file, read, self._home.node)
                )
                for read in reads_of(self._file, name, self._home.node)
            ):
                found[name] = last
        return found

    @cached_property
    def optimizers(self) -> dict[str, ast.Assign]:
        """Optimizers that every tower makes alike, for `compute_gradients` alone; behind the loop the last one applies.

        An optimizer's state is made when it applies gradients: one that is made before the loop is all of them.
        """
        found: dict[str, ast.Assign] = {}
        bound = {
            node.id
            for node in ast.walk(self._loop)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for statement in self._inside:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
                continue
            target, call = statement.targets[0], statement.value
            made = self._file.canonical(call.func) or ""
            if not (made.startswith("tf.train.") and made.endswith("Optimizer")):
                continue
            if len(statement.targets) != 1 or not isinstance(target, ast.Name):
                continue
            read = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
            if read & bound or len(self._home.bindings.get(target.id, [])) != 1:
                continue
            if all(
                self._is_use_of_optimizer(use) for use in reads_of(self._file, target.id, self._home.node)
            ):
                found[target.id] = statement
        return found

    @cached_property
    def of_first_tower(self) -> dict[ast.If, set[str]]:
        """Blocks `if i == 0:` that compute values of the first tower for runs to fetch, and these values' names."""
        found: dict[ast.If, set[str]] = {}
        for statement in self._inside:
            if not isinstance(statement, ast.If) or not self._is_first(statement.test) or statement.orelse:
                continue
            names = {
                target.id
                for inner in statement.body
                if isinstance(inner, ast.Assign)
                for target in inner.targets
                if isinstance(target, ast.Name)
            }
            if all(self._computes(inner) for inner in statement.body) and all(
                self._is_only_fetched(statement, name) for name in names
            ):
                found[statement] = names
        return found

    def _bound_twice(self) -> dict[str, tuple[ast.Assign, ast.Assign]]:
        """Names with two bindings: one before the loop, under no condition, and another behind that one."""
        found: dict[str, tuple[ast.Assign, ast.Assign]] = {}
        for name, bindings in self._home.bindings.items():
            if len(bindings) != 2:
                continue
            first, last = (assignment_of(self._file, binding) for binding in bindings)
            if first is not None and last is not None and first in self._around:
                if first.lineno < self._loop.lineno and first.lineno < last.lineno:
                    found[name] = (first, last)
        return found

    def _is_use_of_optimizer(self, use: ast.Name) -> bool:
        method = self._file.parent(use)
        if not isinstance(method, ast.Attribute) or not isinstance(self._file.parent(method), ast.Call):
            return False
        inside = any(around is self._loop for around in self._file.ancestors(use))
        return method.attr == ("compute_gradients" if inside else "apply_gradients")

    def _is_first(self, test: ast.expr) -> bool:
        return (
            self._counts_from_zero
            and isinstance(test, ast.Compare)
            and isinstance(test.left, ast.Name)
            and test.left.id == self._target
            and len(test.ops) == 1
            and isinstance(test.ops[0], ast.Eq)
            and isinstance(test.comparators[0], ast.Constant)
            and test.comparators[0].value == 0
            and not isinstance(test.comparators[0].value, bool)
        )

    def _computes(self, statement: ast.stmt) -> bool:
        """Whether a statement gives names to what it computes with TensorFlow, and does nothing else."""
        if not isinstance(statement, ast.Assign) or not all(
            isinstance(target, ast.Name) for target in statement.targets
        ):
            return False
        symbols: dict[ast.AST, str] = dict(self._file.symbols)
        return all(
            symbols.get(node.func, "") in _COMPUTES
            if isinstance(node, ast.Call)
            else not isinstance(node, ast.Lambda | ast.NamedExpr | ast.Await | ast.Yield)
            for node in ast.walk(statement.value)
        )

    def _is_only_fetched(self, block: ast.If, name: str) -> bool:
        """Whether a name is bound in a block, once, and read there and as what a run fetches."""
        if len(self._home.bindings.get(name, [])) != 1:
            return False
        fetched = {id(fetch) for _, call in self._building.runs for fetch in fetches_of(call)}
        return all(
            id(read) in fetched or any(around is block for around in self._file.ancestors(read))
            for read in reads_of(self._file, name, self._home.node)
        )


def _is_new_tensor(file: File, value: ast.expr) -> bool:
    """Whether `+=` changes nothing but a name: of a tensor that has just been computed; no variable, nobody's list."""
    if isinstance(value, ast.Call):
        return (file.canonical(value.func) or "") in _COMPUTED or (
            file.canonical(value.func) or ""
        ).startswith("tf.losses.")
    return isinstance(value, ast.BinOp)


def _is_constant(statement: ast.Assign, value: bool) -> bool:
    return isinstance(statement.value, ast.Constant) and statement.value.value is value


def tower_bodies(building: Building) -> list[tuple[File, Loop, TowerBody]]:
    """Every tower loop with the facts of its body."""
    return [(file, loop, TowerBody(building, file, loop)) for file, loop in building.loops]
