"""The branches of `tf.cond` that operations are in, as the executor sees it.

An operation is dead where one of its inputs or control inputs is dead. A `Switch` kills the output
for the predicate's other value, and a `Merge` is dead only where all its inputs are
(tensorflow/core/common_runtime/executor.cc, TF 1.15). TensorFlow's control-flow contexts say less:
operations of a gradient have none.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from tf2towers.order.operations import Operation, Tensor, kind_of


class Branch(NamedTuple):
    """A branch of a `tf.cond`.

    Attributes:
        predicate: the tensor that its `Switch` takes.
        root: the tensor that it is a copy of; equal in all branches of one `tf.cond`.
        taken: the predicate's value for which the branch runs, 0 or 1.
    """

    predicate: Tensor
    root: Tensor
    taken: int

    @property
    def key(self) -> Tuple[Tensor, int]:
        """What tells two branches apart."""
        return self.root, self.taken

    @property
    def other(self) -> Tuple[Tensor, int]:
        """The key of the branch beside it."""
        return self.root, 1 - self.taken


#: the branches around an operation, the outermost first
Path = Tuple[Branch, ...]


class Branches(object):
    """The branches around each operation of a graph.

    Args:
        operations: in an order as of `sorted_operations`.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations: Dict[str, Operation] = {}
        self._paths: Dict[str, Optional[Path]] = {}
        self._loops: Dict[str, int] = {}
        for operation in operations:
            self._operations[operation.name] = operation
            self._add(operation)

    def around(self, name: str) -> Optional[Path]:
        """The branches around an operation; None where they are not certain."""
        return self._paths.get(name, ())

    def in_loop(self, name: str) -> bool:
        """True if an operation is in a `tf.while_loop`."""
        return self._loops.get(name, 0) > 0

    def _add(self, operation: Operation) -> None:
        kind = kind_of(operation)
        known = [tensor for tensor in operation.inputs if tensor[0] in self._paths]
        inside = max(
            [self._loops[name] for name, _ in known]
            + [self._loops[name] for name in operation.controls if name in self._loops] + [0]
        )  # fmt: skip
        self._loops[operation.name] = inside + (kind == "Enter") - (kind == "Exit" and inside > 0)
        if kind == "Merge":
            self._paths[operation.name] = _joined([self._of_tensor(tensor) for tensor in known])
            return
        before = [self._of_tensor(tensor) for tensor in known]
        before += [self._paths[name] for name in operation.controls if name in self._paths]
        self._paths[operation.name] = _together(before)

    def _of_tensor(self, tensor: Tensor) -> Optional[Path]:
        name, output = tensor
        path, operation = self._paths[name], self._operations[name]
        if path is None or kind_of(operation) != "Switch" or self._loops[name]:
            return path
        predicate = operation.inputs[1]
        return _together([path, (Branch(predicate, self._root(predicate), output),)])

    def _root(self, tensor: Tensor) -> Tensor:
        while tensor[0] in self._operations and kind_of(self._operations[tensor[0]]) in (
            "Identity",
            "Switch",
        ):
            tensor = self._operations[tensor[0]].inputs[0]
        return tensor


def _together(paths: Sequence[Optional[Path]]) -> Optional[Path]:
    """The branches of an operation that needs all its inputs; None if one is not certain."""
    found: Dict[Tuple[Tensor, int], Branch] = {}
    for path in paths:
        if path is None:
            return None
        for branch in path:
            found.setdefault(branch.key, branch)
    if any(branch.other in found for branch in found.values()):
        return None
    return tuple(found.values())


def _joined(paths: Sequence[Optional[Path]]) -> Optional[Path]:
    """The branches of a `Merge`: its inputs' common ones, if of the two of a `tf.cond`."""
    first, *others = paths or [()]
    if first is None or None in others:
        return None
    keys = [{branch.key for branch in path} for path in paths if path is not None]
    if all(other == keys[0] for other in keys[1:]):
        return first
    if len(keys) == 2:
        for branch in first:
            if branch.other in keys[1] and keys[0] - {branch.key} == keys[1] - {branch.other}:
                return tuple(each for each in first if each is not branch)
    return None


def never_together(one: Path, other: Path) -> bool:
    """True if at most one of two operations runs: they are in both branches of a `tf.cond`."""
    keys = {branch.key for branch in other}
    return any(branch.other in keys for branch in one)


def to_leave(path: Path, reached: Path) -> List[Branch]:
    """The branches of one path, outermost first, that end before the other can be sure."""
    keys = {branch.key for branch in reached}
    first = next((place for place, branch in enumerate(path) if branch.key not in keys), len(path))
    return list(path[first:])
