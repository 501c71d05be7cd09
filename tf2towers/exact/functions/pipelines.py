"""Functions that certainly give a `tf.data` dataset, and hold nothing of the graph beside."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Binding, Defined, Imported
from tf2towers.source.nodes import Function

_FLAGS = ("tf.app.flags", "tf.flags")
_SOURCES = frozenset(
    f"tf.data.Dataset.{name}"
    for name in ("from_generator", "from_tensor_slices", "from_tensors", "list_files", "range", "zip")
) | {"tf.data.FixedLengthRecordDataset", "tf.data.TFRecordDataset", "tf.data.TextLineDataset"}
_METHODS = frozenset(
    {
        "batch", "cache", "concatenate", "filter", "flat_map", "interleave", "map", "padded_batch", "prefetch",
        "repeat", "shard", "shuffle", "skip", "take",
    }
)  # fmt: skip
#: methods that are given a function, which is called with what the dataset holds
_CALLING = frozenset({"filter", "flat_map", "interleave", "map"})
#: what a function that gives a dataset may have of TensorFlow: it makes no variable, no placeholder, no summary,
#: puts nothing into a collection, and draws nothing
_MAY_HAVE = (
    *_FLAGS, "tf.data.", "tf.gfile.", "tf.float", "tf.int", "tf.uint", "tf.bool", "tf.string",
    "tf.TensorShape", "tf.FixedLenFeature", "tf.VarLenFeature", "tf.parse_single_example", "tf.decode_raw",
    "tf.read_file", "tf.image.decode_", "tf.image.resize_", "tf.image.per_image_standardization", "tf.cast",
    "tf.to_float", "tf.to_int32", "tf.to_int64", "tf.reshape", "tf.transpose", "tf.expand_dims", "tf.squeeze",
    "tf.one_hot", "tf.equal", "tf.less", "tf.greater", "tf.mod", "tf.divide", "tf.div", "tf.multiply", "tf.add",
    "tf.subtract", "tf.concat", "tf.stack", "tf.slice", "tf.strided_slice", "tf.shape", "tf.constant", "tf.gather",
)  # fmt: skip


def parts_that_are_datasets(file: File, function: ast.AST) -> list[bool] | None:
    """Of each value that a function returns, whether it is a dataset; None where the function is no such.

    At least one is. The others have nothing to do with TensorFlow, nor with what the function is given.
    """
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    nodes = list(ast.walk(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for node in nodes):
        return None
    inside = set(nodes)
    if not all(name.startswith(_MAY_HAVE) for node, name in file.symbols if node in inside):
        return None
    returned = [
        node.value
        for node in nodes
        if isinstance(node, ast.Return)
        and next(around for around in file.ancestors(node) if isinstance(around, Function)) is function
    ]
    found = {tuple(_parts(file, value)) for value in returned}
    parts = found.pop() if len(found) == 1 else ()
    return [part for part in parts if part is not None] if any(parts) and None not in parts else None


def called_with_elements(file: File, function: ast.AST) -> list[ast.expr]:
    """What a function gives to its datasets' `map`, `filter` and the like."""
    return [
        call.args[0]
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in _CALLING
        and call.args
        and _is_dataset(file, call.func.value, frozenset())
    ]


def _parts(file: File, value: ast.expr | None) -> list[bool | None]:
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return [
        None
        if value is None
        else True
        if _is_dataset(file, value, frozenset())
        else False
        if is_plain(file, value)
        else None
        for value in values
    ]


def _is_dataset(file: File, node: ast.expr, seen: frozenset[str]) -> bool:
    if isinstance(node, ast.Call):
        if file.canonical(node.func) in _SOURCES:
            return True
        function = node.func
        return (
            isinstance(function, ast.Attribute)
            and function.attr in _METHODS
            and _is_dataset(file, function.value, seen)
        )
    if not isinstance(node, ast.Name):
        return False
    if node.id in seen:  # `dataset = dataset.map(...)`: what it was before says it
        return True
    bindings = file.meanings.bindings(node)
    return _begins_as_dataset(file, node.id, bindings) and all(
        isinstance(binding, Assigned) and _is_dataset(file, binding.value, seen | {node.id})
        for binding in bindings
    )


def _begins_as_dataset(file: File, name: str, bindings: list[Binding]) -> bool:
    """Whether some binding of a name does not hang on the name itself."""
    return any(
        isinstance(binding, Assigned)
        and not any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(binding.value))
        for binding in bindings
    )


def is_plain(file: File, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a value is Python's own, whatever the function is given."""
    if _has_tensorflow(file, node):
        return False
    return all(
        _is_plain_binding(file, binding, seen | {part.id})
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in seen
        for binding in file.meanings.bindings(part)
    )


def _is_plain_binding(file: File, binding: Binding, seen: frozenset[str]) -> bool:
    if isinstance(binding, Assigned):
        return is_plain(file, binding.value, seen)
    if isinstance(binding, Defined):
        return not _has_tensorflow(file, binding.node)
    if isinstance(binding, Imported):  # of a module of the program that has no TensorFlow, or of a library
        modules = (binding.target, binding.target.rpartition(".")[0])
        return all(file.program.module_of(file, module) is None for module in modules if module)
    if isinstance(binding.node, ast.arg):
        return False
    statement = file.statement(binding.node)
    if isinstance(statement, ast.For):
        return is_plain(file, statement.iter, seen)
    return isinstance(statement, ast.Assign) and is_plain(file, statement.value, seen)


def _has_tensorflow(file: File, node: ast.AST) -> bool:
    inside = set(ast.walk(node))
    return any(symbol in inside and not name.startswith(_FLAGS) for symbol, name in file.symbols)
