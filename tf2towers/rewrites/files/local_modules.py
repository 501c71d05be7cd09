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
from tf2towers.names.symbols import Names
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
    wrapper = MetadataWrapper(parse_tree(module), unsafe_skip_copy=True)
    names = Names(wrapper)
    counts = count_names(ast.parse(module.text))
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
