"""TF1 names into TF2 ones, for one file: the rename of every symbol that stays."""

from __future__ import annotations

import ast
from typing import TypeVar

import libcst as cst

from tf2towers.names.old_names import argument_orders, keyword_renames, old_order
from tf2towers.names.tables import Replacement, RuntimeName, lookup, renamed_to
from tf2towers.rewrites.expressions.drawn_values import drawn_before, initial_of, is_drawn, with_function
from tf2towers.rewrites.expressions.shape_values import is_dimension_value, shape_names
from tf2towers.rewrites.expressions.variable_names import variable_names, variable_op_name, variable_targets
from tf2towers.rewrites.files.file_context import FileContext, parse_expression

AnyNode = TypeVar("AnyNode", bound=cst.CSTNode)
Left = cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel


class SymbolRewriter(cst.CSTTransformer):
    """Writes for each TensorFlow name what the table says; which `certain` has found to be known."""

    def __init__(self, context: FileContext) -> None:
        super().__init__()
        self.context = context
        self.names = context.names
        self._whole: set[cst.CSTNode] = set()  # attribute chains that are one symbol
        self._shapes: list[set[str]] = [set()]  # names that hold shapes, by function
        self._variables: list[set[str]] = [set()]  # names that hold variables, by function and loop
        self._drawn: dict[
            cst.CSTNode, cst.Call
        ] = {}  # lines that draw a variable's value: the variable's call
        self._values: dict[cst.Call, cst.BaseExpression] = {}  # what those have drawn
        self._comments: list[cst.EmptyLine] = []  # above the last of those lines

    # -- names ------------------------------------------------------------------------------------------------------

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        canonical = self.names.canonical(node)
        if canonical is not None and canonical.startswith("tf."):
            self._whole.add(node)
            return False
        return True

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if original_node in self._whole:
            return self.symbol(original_node, updated_node)
        if is_dimension_value(original_node, self._shapes[-1]):
            return updated_node.value
        name = variable_op_name(original_node)
        if name is not None and any(name in names for names in self._variables):
            return parse_expression(f"{name}.name.split(':')[0]")  # an eager variable has no op
        return updated_node

    def _enter_loop(self, node: cst.For | cst.ListComp | cst.GeneratorExp) -> None:
        self._variables.append(variable_targets(node if isinstance(node, cst.For) else node.for_in))

    def _leave_loop(self, original_node: cst.CSTNode, updated_node: AnyNode) -> AnyNode:
        self._variables.pop()
        return updated_node

    visit_For = visit_ListComp = visit_GeneratorExp = _enter_loop
    leave_For = leave_ListComp = leave_GeneratorExp = _leave_loop

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._variables.append(variable_names(node) if ".op.name" in self.context.text else set())
        self._shapes.append(shape_names(node) if ".value" in self.context.text else set())
        drawn = drawn_before(node, self.names)
        if drawn is not None:
            self._drawn[drawn[0]] = drawn[1]

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Left:
        if original_node in self._drawn:
            drawn = updated_node.body[0]
            assert isinstance(drawn, cst.Assign)
            self._values[self._drawn[original_node]] = drawn.value
            self._comments = [line for line in updated_node.leading_lines if line.comment is not None]
            return cst.RemoveFromParent()
        if self._comments and isinstance(original_node.body[0], cst.Return):
            above, self._comments = self._comments, []
            return updated_node.with_changes(leading_lines=[*above, *updated_node.leading_lines])
        return updated_node

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Left:
        self._variables.pop()
        self._shapes.pop()
        return updated_node

    def visit_Module(self, node: cst.Module) -> None:
        self._shapes[0] = shape_names(node) if ".value" in self.context.text else set()

    def symbol(self, node: cst.BaseExpression, updated: cst.BaseExpression) -> cst.BaseExpression:
        """The expression for a TensorFlow symbol."""
        canonical = self.names.canonical(node)
        assert canonical is not None
        if canonical == "tf.train.ExponentialMovingAverage":  # TF's own averages over the replicas first
            return cst.Name(self.context.need("ExponentialMovingAverage"))
        found = lookup(canonical)
        if not self.names.spelled(node):
            return updated  # through an alias, which is rewritten where it is made
        return self.replacement(found, updated)

    def replacement(self, found: Replacement, updated: cst.BaseExpression) -> cst.BaseExpression:
        """The text of a replacement, importing what it needs."""
        if isinstance(found.target, RuntimeName):
            module, name = found.target
            parent, _, last = module.rpartition(".")
            if parent == "tf2towers.runtime":  # `layers.conv2d`, with `from tf2towers.runtime import layers`
                self.context.imports.need(last, parent)
                return parse_expression(f"{last}.{name}")
            return parse_expression(self.context.need(name, module))
        if (found.target or "").startswith("tensorflow."):  # TensorFlow's own; no public name is left
            module, _, name = str(found.target).rpartition(".")
            return parse_expression(self.context.need(name, module))
        if found.kind == "compat" and not self.context.plain_tensorflow:
            return updated
        if found.target is None:  # `certain` lets no such symbol through
            raise LookupError(f"{found.found} has no counterpart")
        if not self.context.plain_tensorflow and found.kind in ("keep", "rename"):
            return updated if not _is_old(found) else parse_expression(_in_compat(found.target))
        return parse_expression(found.target)

    # -- calls ------------------------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        canonical = self.names.canonical(original_node.func)
        if canonical is None:
            return updated_node
        if canonical == "builtins.xrange":
            return updated_node.with_changes(func=cst.Name("range"))
        if not canonical.startswith("tf."):
            return updated_node
        called = self.tensorflow_call(canonical, original_node, updated_node)
        if canonical == "tf.Variable" and isinstance(called, cst.Call):
            if original_node in self._values:
                return with_function(called, self._values[original_node])
            if is_drawn(initial_of(original_node), self.names):
                return with_function(called)
        return called

    def tensorflow_call(self, canonical: str, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        """A call of a TensorFlow function: today's argument order and keywords, and plain TF2 where it is the same."""
        order = old_order(canonical, _as_ast(original)) if canonical in argument_orders() else None
        if order is not None:
            updated = _with_keywords(updated, order)
        renames = keyword_renames(canonical)
        if renames:
            updated = updated.with_changes(
                args=[
                    arg.with_changes(keyword=cst.Name(renames[arg.keyword.value].new))
                    if arg.keyword is not None
                    and arg.keyword.value in renames
                    and (not renames[arg.keyword.value].accepted)
                    else arg
                    for arg in updated.args
                    if arg.keyword is None
                    or arg.keyword.value not in renames
                    or renames[arg.keyword.value].new
                ]
            )
        found = lookup(canonical)
        if found.plain is not None and self.context.plain_tensorflow and self.names.spelled(original.func):
            if found.plain.fits(_as_ast(updated)):
                return updated.with_changes(func=parse_expression(found.plain.target))
        return updated


def _as_ast(call: cst.Call) -> ast.Call:
    found = ast.parse(cst.Module([]).code_for_node(call), mode="eval").body
    assert isinstance(found, ast.Call)
    return found


def _is_old(found: Replacement) -> bool:
    """Whether compat.v1 no longer has the name as it stands (a pre-1.0 name)."""
    return renamed_to(found.found) != ("", "")


def _in_compat(target: str) -> str:
    for prefix in ("tf.compat.v1.",):
        if target.startswith(prefix):
            return "tf." + target[len(prefix) :]
    return target


def _with_keywords(call: cst.Call, order: tuple[str, ...]) -> cst.Call:
    names = iter(order)
    args = []
    for arg in call.args:
        if arg.keyword is None and not arg.star and (name := next(names)):
            none = cst.SimpleWhitespace("")
            arg = arg.with_changes(keyword=cst.Name(name), equal=cst.AssignEqual(none, none))  # noqa: PLW2901
        args.append(arg)
    return call.with_changes(args=args)
