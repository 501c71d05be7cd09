"""The local modules a script reaches: TF1 model code that keeps its TF1 spelling.

Model code runs unchanged inside the replica function, so a module gets the smallest edit that makes it run on TF 2.21:
`import tensorflow as tf` becomes `import tensorflow.compat.v1 as tf`, and what compat.v1
has lost comes from the runtime.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper

from tf2towers.exact.program import Program
from tf2towers.names.old_names import is_reordered
from tf2towers.names.symbols import Names
from tf2towers.names.tables import RuntimeName, lookup
from tf2towers.program.python_code.function_summaries import used_names
from tf2towers.program.python_code.local_module import LocalModule
from tf2towers.report.result import FileChange
from tf2towers.rewrites.files.file_context import FileContext
from tf2towers.rewrites.files.module_rewriter import ModuleRewriter, with_imports
from tf2towers.rewrites.files.name_counts import count_names
from tf2towers.source.script import Script
from tf2towers.source.tree import parse_tree, text_of


@dataclass
class ModuleResults:
    """What became of the local modules."""

    changes: list[FileChange] = field(default_factory=list)
    copied: list[Path] = field(default_factory=list)


def migrate_modules(program: Program) -> ModuleResults:
    """Rewrites the modules a program reaches."""
    results = ModuleResults()
    for path in program.imports.modules:
        module = program.read(path)
        after = _rewritten(module)
        if after != module.before:
            results.changes.append(FileChange(module.path, module.before, after, module.encoding, module.bom))
        else:
            results.copied.append(path)
    return results


def _rewritten(module: Script) -> str:
    """A module's text on `tensorflow.compat.v1`."""
    if "tensorflow" not in module.text and "tf2towers" not in module.text:
        return module.text
    syntax = ast.parse(module.text)
    if runs_as_it_is(LocalModule(module.path.stem, module.path, syntax), module.text):
        return module.text
    wrapper = MetadataWrapper(parse_tree(module), unsafe_skip_copy=True)
    names = Names(wrapper)
    counts = count_names(syntax)
    context = FileContext(
        names,
        used_names=counts.plain,
        text=module.text,
        plain_tensorflow=False,
    )
    rewriter = ModuleRewriter(context)
    tree = with_imports(wrapper.module.visit(rewriter), context)
    assert isinstance(tree, cst.Module)
    return text_of(tree, module)


def runs_as_it_is(module: LocalModule, text: str) -> bool:
    """Whether a module on `tensorflow.compat.v1` has nothing to change: told on the standard `ast`, which is fast."""
    if any(target == "tensorflow" or target.startswith("tensorflow.contrib") for target in module.targets()):
        return False
    if _may_name_variables(module.tree) or ".value" in text or "xrange" in text or "disable_v2" in text:
        return False
    positional = {
        ast.unparse(node.func) for node in ast.walk(module.tree) if isinstance(node, ast.Call) and node.args
    }
    for dotted in used_names(module.tree):
        canonical = module.resolve(dotted)
        if not canonical.startswith("tf."):
            continue
        found = lookup(canonical)
        if isinstance(found.target, RuntimeName) or (dotted in positional and is_reordered(canonical)):
            return False
        if canonical.startswith(("tf.train.ExponentialMovingAverage", "tf.contrib")):
            return False
    return True


def _may_name_variables(tree: ast.AST) -> bool:
    """Whether some `x.op.name` may be a variable's: called so, made by a `..variable..` call, or a loop target."""
    named = {
        node.value.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "name"
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "op"
        and isinstance(node.value.value, ast.Name)
    }
    if not named:
        return False
    suspects = {"var", "variable", "v"}
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            suspects |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if "variable" in ast.unparse(node.value.func).lower():
                suspects |= {
                    name.id
                    for target in node.targets
                    for name in ast.walk(target)
                    if isinstance(name, ast.Name)
                }
    return bool(named & suspects)
