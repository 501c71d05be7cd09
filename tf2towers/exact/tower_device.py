"""The GPU that a round of a tower loop names, read from what it gives to `tf.device`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tf2towers.exact.certainty import is_certain
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned

_PREFIXES = ("/gpu:", "/device:gpu:", "gpu:", "device:gpu:")


@dataclass(frozen=True)
class Device:
    """A GPU's name that depends on the loop's target.

    `index` is the name that holds the GPU's number, where it is '/gpu:' and that; `number` says that it certainly is a
    number and no text. `expression` gives the whole name and can be evaluated before the loop; None where that is not
    certain.
    """

    index: str | None = None
    number: bool = False
    expression: ast.expr | None = None


class Reader:
    """Reads the devices of one loop: its targets, and what its body gives to plain names."""

    def __init__(self, file: File, targets: set[str], body: list[ast.stmt]) -> None:
        self.file = file
        self.targets = targets
        self.local = _assigned_in(body)

    def device(self, given: ast.expr) -> Device | None:
        """The GPU in what is given to `tf.device`; None where it depends on no target, or is no GPU."""
        return self._read(given, set())

    def _read(self, node: ast.expr, seen: set[str]) -> Device | None:
        if isinstance(node, ast.Name) and node.id in self.local and node.id not in self.targets:
            values = self.local[node.id]
            if node.id in seen or len(values) != 1:
                return None
            return self._read(values[0], seen | {node.id})
        index = gpu_index(self.file, node)
        if index is not None and index in self.targets:
            return Device(index, takes_number(node), node if self._is_plain(node) else None)
        if self._depends(node) and self._is_plain(node):
            return Device(expression=node) if self._names_gpu(node) else None
        if isinstance(node, ast.Call):
            return self._helper(node) or self._of_arguments(node, seen)
        if self._depends(node) and self._names_gpu(node):
            return Device()
        return None

    def _of_arguments(self, call: ast.Call, seen: set[str]) -> Device | None:
        """A helper that is given the GPU's name: `assign_to_device('/gpu:%d' % i, ps_device='/cpu:0')`."""
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            found = self._read(argument, seen)
            if found is not None:
                return found
        return None

    def _helper(self, call: ast.Call) -> Device | None:
        """A function of the program that is given the GPU's number, and makes '/gpu:' and that of it."""
        found = self.file.program.defined(self.file, self.file.canonical(call.func) or "")
        if found is None:
            return None
        home, function = found
        if not isinstance(function, ast.FunctionDef):
            return None
        names = [parameter.arg for parameter in function.args.args]
        given = dict(zip(names, call.args))  # noqa: B905 - as many as there are
        given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg in names})
        for name, value in given.items():
            if not isinstance(value, ast.Name) or value.id not in self.targets:
                continue
            if any(_stores(node, name) for node in ast.walk(function)):
                continue
            made = [
                node
                for node in ast.walk(function)
                if isinstance(node, ast.expr) and gpu_index(home, node) == name
            ]
            if made:
                return Device(value.id, all(takes_number(node) for node in made))
        return None

    def _depends(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name) and part.id in self.targets for part in ast.walk(node))

    def _is_plain(self, node: ast.expr) -> bool:
        """Whether the expression means the same before the loop."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return not names & (set(self.local) - self.targets) and is_certain(self.file, node, value=True)

    def _names_gpu(self, node: ast.AST) -> bool:
        """Whether the strings in an expression, or in what its names were given, name GPUs and no task of a cluster."""
        strings = _strings(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                for binding in self._origins(part):
                    strings += _strings(binding)
        return any("gpu" in text for text in strings) and not any("job:" in text for text in strings)

    def _origins(self, name: ast.Name) -> list[ast.expr]:
        """What is assigned to a name; what a loop's target goes over."""
        found: list[ast.expr] = []
        for binding in self.file.meanings.bindings(name):
            if isinstance(binding, Assigned):
                found.append(binding.value)
        if name.id in self.targets:
            for loop in self.file.ancestors(name):
                if isinstance(loop, ast.For):
                    found += [
                        binding.value
                        for part in ast.walk(loop.iter)
                        if isinstance(part, ast.Name)
                        for binding in self.file.meanings.bindings(part)
                        if isinstance(binding, Assigned)
                    ]
                    found.append(loop.iter)
        return found


def gpu_index(file: File, node: ast.expr) -> str | None:
    """The name that says which GPU, in '/gpu:%d' % name and its like; None for any other expression."""
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
        text, value = str(node.left.value).lower(), node.right
        if isinstance(value, ast.Tuple) and len(value.elts) == 1:
            value = value.elts[0]
        if isinstance(node.op, ast.Mod) and text in [
            prefix + mark for prefix in _PREFIXES for mark in ("%d", "%s", "%i")
        ]:
            return value.id if isinstance(value, ast.Name) else None
        if isinstance(node.op, ast.Add) and text in _PREFIXES and isinstance(value, ast.Call):
            return _only_name(value) if file.canonical(value.func) == "builtins.str" else None
    if isinstance(node, ast.Call):
        return _index_of_call(file, node)
    if isinstance(node, ast.JoinedStr) and len(node.values) == 2:
        first, second = node.values
        if isinstance(first, ast.Constant) and str(first.value).lower() in _PREFIXES:
            if isinstance(second, ast.FormattedValue) and second.format_spec is None:
                return second.value.id if isinstance(second.value, ast.Name) else None
    return None


def takes_number(node: ast.AST) -> bool:
    """Whether what makes a GPU's name takes only numbers: '%d' does, '%s' takes anything."""
    if any(mark in text for text in _strings(node) for mark in ("%d", "%i", ":d}")):
        return True
    return isinstance(node, ast.Call) and any(keyword.arg == "device_index" for keyword in node.keywords)


def _index_of_call(file: File, call: ast.Call) -> str | None:
    func = call.func
    if isinstance(func, ast.Attribute) and func.attr == "format" and isinstance(func.value, ast.Constant):
        text = str(func.value.value).lower()
        if text in [prefix + mark for prefix in _PREFIXES for mark in ("{}", "{:d}", "{0}", "{0:d}")]:
            return _only_name(call)
    if file.canonical(func) == "tf.DeviceSpec" and not call.args:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        kind, index = given.get("device_type"), given.get("device_index")
        if set(given) == {"device_type", "device_index"} and isinstance(kind, ast.Constant):
            if str(kind.value).upper() == "GPU" and isinstance(index, ast.Name):
                return index.id
    return None


def _only_name(call: ast.Call) -> str | None:
    if len(call.args) == 1 and not call.keywords and isinstance(call.args[0], ast.Name):
        return call.args[0].id
    return None


def _strings(node: ast.AST) -> list[str]:
    return [
        part.value.lower()
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _assigned_in(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """What the statements of a loop's body assign to plain names; an empty list for a name bound in another way."""
    found: dict[str, list[ast.expr]] = {}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, [])
    return found
