"""Reads which GPU a round of a tower loop names, from the argument of `tf.device`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.certainty import is_certain
from tf2towers.codemod.meanings import Assigned, Defined
from tf2towers.codemod.program import File

#: words for the tasks of a cluster
_OF_CLUSTERS = re.compile(r"worker|job|task|(^|_)ps(_|$)")
_PREFIXES = ("/gpu:", "/device:gpu:", "gpu:", "device:gpu:")
#: nodes that hold devices and are not devices themselves
_COLLECTIONS = (
    cst.BaseList, cst.BaseSet, cst.BaseDict, cst.Tuple, cst.GeneratorExp, cst.Lambda,
)  # fmt: skip


@dataclass(frozen=True)
class Device:
    """A GPU's name that depends on the loop's target.

    `index` is the name that holds the GPU's number, if the device is '/gpu:' and the number. `expression` gives the
    whole device, and can be evaluated before the loop; None where that is not certain.
    """

    index: str | None = None
    expression: cst.BaseExpression | None = None


class Reader:
    """Reads the devices of one loop, from its targets and from what its body assigns to plain names."""

    def __init__(self, file: File, bound: set[str], body: Sequence[nodes.Statement]) -> None:
        self.file = file
        self.targets = bound
        self.local = _assigned_in(file, body)

    def device(self, given: cst.BaseExpression) -> Device | None:
        """The GPU in the argument of `tf.device`; None if it does not depend on a target, or is not a GPU."""
        found = self._read(given, set())
        return Device() if found is None and self._may_be_gpu(given) else found

    def _may_be_gpu(self, given: cst.BaseExpression) -> bool:
        """True if the words of a device that depends on the target show that it is a tower's: `available_gpus[i]`."""
        seen: set[str] = set()
        while nodes.is_name(given) and given.value not in self.targets | seen:
            seen.add(given.value)
            values = self.local.get(given.value, [])
            given = values[0] if len({*map(self.file.text.of, values)}) == 1 else given
        if not self._depends(given) or any("cpu" in text or "job:" in text for text in texts_in(given)):
            return False
        if any(map(self._gives_gpu, nodes.calls_in(given))):
            return True
        origins = (each for part in nodes.find_names(given) for each in self._origins(part))
        words = {nodes.last_name(part).lower() for part in nodes.walk(given, *origins)}
        owned = (nodes.last_name(part) for part in nodes.walk(given) if isinstance(part, cst.Attribute))
        if any(map(_OF_CLUSTERS.search, words)) or "device" in owned:
            return False  # of a task, or of a variable: `variable.device`
        return any("gpu" in word or "device" in word or "tower" in word for word in words)

    def _gives_gpu(self, call: cst.Call) -> bool:
        """True if every function or method of the program that a call may mean has a GPU's name, and no task's."""
        name = nodes.last_name(call.func)
        if name not in self.file.program.own_names:
            return False
        functions = (each for other in self.file.program.files for each in other.all(cst.FunctionDef))
        bodies = [nodes.block(function) for function in functions if function.name.value == name]
        said = [[each for each in body if not nodes.is_docstring(each)] for body in bodies]
        return bool(said) and all(name_gpus(texts_in(*body), "gpu:") for body in said)

    def _read(self, node: cst.BaseExpression, seen: set[str]) -> Device | None:
        if nodes.is_name(node) and node.value in self.local and node.value not in self.targets:
            values = [] if node.value in seen else self.local[node.value]
            found = [self._read(value, seen | {node.value}) for value in values]
            if len(found) == 1:
                return found[0]
            indices = {device.index for device in found if device}
            if not indices:
                return None
            return Device(indices.pop()) if len(indices) == 1 and all(found) else Device()
        match self.file.meanings.bindings(node):
            case [Defined(node=cst.FunctionDef() as function)]:  # `def place(op, i=i): return '/gpu:%d' % i`
                is_gpu = self._depends(function) and self._names_gpu(function)
                return Device() if is_gpu else None
        # a helper's argument: which device it gives is not seen
        if isinstance(node, _COLLECTIONS):
            return Device() if self._depends(node) and self._names_gpu(node) else None
        index = gpu_index(self.file, node)
        if index is not None and index in self.targets:
            return Device(index, node if self._is_plain(node) else None)
        if self._depends(node) and self._is_plain(node):
            return Device(expression=node) if self._names_gpu(node) else None
        if isinstance(node, cst.Call):
            # `assign_to_device('/gpu:%d' % i, ps_device='/cpu:0')`
            given = (self._read(each.value, seen) for each in node.args)
            if device := self._helper(node) or next(filter(None, given), None):
                return device
        names = nodes.names_in(node) & self.local.keys()
        made_of = [node, *(value for name in names for value in self.local[name])]
        is_gpu = any(map(self._depends, made_of)) and self._names_gpu(node)
        return Device() if is_gpu else None

    def _helper(self, call: cst.Call) -> Device | None:
        """The GPU of a function of the program that is given the GPU's number, and returns '/gpu:' with the number."""
        found = self.file.program.defined(self.file, self.file.called(call))
        if found is None or not isinstance(function := found[1], cst.FunctionDef):
            return None
        home = found[0]
        names = [parameter.name.value for parameter in function.params.params]
        given = dict(zip(names, nodes.positional(call)))  # noqa: B905 - as many as there are
        by_word = {nodes.keyword_of(own): own.value for own in nodes.keywords(call)}
        given.update({name: by_word[name] for name in names if name in by_word})
        bound = {name.value for name in nodes.find_names(function) if home.is_bound(name)}
        for name, value in given.items():
            if nodes.is_name(value) and value.value in self.targets and name not in bound:
                if any(gpu_index(home, node) == name for node in nodes.walk(function)):
                    return Device(value.value)
        return None

    def _depends(self, node: cst.CSTNode) -> bool:
        return not nodes.names_in(node).isdisjoint(self.targets)

    def _is_plain(self, node: cst.BaseExpression) -> bool:
        """True if the expression means the same before the loop."""
        changed = nodes.names_in(node) & self.local.keys() - self.targets
        return not changed and is_certain(self.file, node, value=True)

    def _names_gpu(self, node: cst.CSTNode) -> bool:
        """True if the strings in an expression, or in what its names were given, name GPUs and no task of a cluster."""
        names = nodes.find_names(node)
        origins = (origin for name in names for origin in self._origins(name))
        return name_gpus(texts_in(node, *origins))

    def _origins(self, name: cst.Name) -> list[cst.CSTNode]:
        """What is assigned to a name, or its function; what a loop's target goes over."""
        found = self._assigned(name)
        if name.value in self.targets:
            for loop in self.file.ancestors(name):
                if isinstance(loop, cst.For):
                    for part in nodes.find_names(loop.iter):
                        found += self._assigned(part)
                    found.append(loop.iter)
        return found

    def _assigned(self, name: cst.Name) -> list[cst.CSTNode]:
        bindings = self.file.meanings.bindings(name)
        values = [each.value for each in bindings if isinstance(each, Assigned)]
        return [*values, *(each.node for each in bindings if isinstance(each, Defined))]


def gpu_index(file: File, node: cst.CSTNode) -> str | None:
    """The name that holds the GPU's number, in '/gpu:%d' % name and the like; None for any other expression."""
    given: cst.CSTNode
    marks: tuple[str, ...]
    match node:
        case cst.BinaryOperation(left=text, operator=cst.Modulo(), right=given):
            marks = ("%d", "%s", "%i")
            if isinstance(given, cst.Tuple) and len(given.elements) == 1:
                given = given.elements[0].value
        case cst.BinaryOperation(left=text, operator=cst.Add(), right=cst.Call(func=func, args=[own])):
            marks, given = ("",), own.value if nodes.is_plain(own) else func
            if file.canonical(func) != "builtins.str":
                return None
        case cst.Call(func=cst.Attribute(value=text, attr=cst.Name(value="format")), args=[own]):
            marks, given = ("{}", "{:d}", "{0}", "{0:d}"), own.value if nodes.is_plain(own) else own
        case cst.FormattedString(parts=[text, cst.FormattedStringExpression(format_spec=None) as part]):
            marks, given = ("",), part.expression
        case cst.Call():
            return _index_of_spec(file, node)
        case _:
            return None
    is_gpu = str(nodes.literal(text)).lower() in {prefix + mark for prefix in _PREFIXES for mark in marks}
    return given.value if is_gpu and nodes.is_name(given) else None


def _index_of_spec(file: File, call: cst.Call) -> str | None:
    given = {nodes.keyword_of(own): own.value for own in nodes.keywords(call)}
    if file.called(call) != "tf.DeviceSpec" or nodes.positional(call):
        return None
    kind, index = given.get("device_type"), given.get("device_index")
    is_gpu = set(given) == {"device_type", "device_index"} and str(nodes.literal(kind)).upper() == "GPU"
    return index.value if is_gpu and nodes.is_name(index) else None


def names_gpu(text: str) -> bool:
    """True if a text begins as the name of a GPU of this machine does."""
    return text.lower().startswith(_PREFIXES[:2])


def name_gpus(texts: list[str], word: str = "gpu") -> bool:
    """True if texts have a word for GPUs, and name no task of a cluster."""
    return any(word in text for text in texts) and not any("job:" in text for text in texts)


def texts_in(*wholes: cst.CSTNode) -> list[str]:
    """The texts in expressions, in small letters, those of f-strings too."""
    return [
        str(nodes.literal(part)).lower()
        for part in nodes.walk(*wholes)
        if nodes.is_text(part) or isinstance(part, cst.FormattedStringText)
    ]


def _assigned_in(file: File, body: Sequence[nodes.Statement]) -> dict[str, list[cst.BaseExpression]]:
    """What the statements of a loop's body assign to plain names; an empty list for a name bound in another way."""
    found: dict[str, list[cst.BaseExpression]] = {}
    for node in nodes.walk(*body):
        if isinstance(node, cst.Assign):
            for target in filter(nodes.is_name, nodes.targets(node)):
                found.setdefault(target.value, []).append(node.value)
        elif nodes.is_name(node) and file.is_bound(node):
            found.setdefault(node.value, [])
    return found
