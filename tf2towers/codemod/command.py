"""`MigrateCommand`: the migration as a command of LibCST's own tool.

python -m libcst.tool codemod -x --no-format tf2towers.codemod.command.MigrateCommand train.py
"""

from __future__ import annotations

import argparse
from pathlib import Path

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from tf2towers.codemod.migrate import Options, migrate
from tf2towers.codemod.tree import keep_tree
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script


class MigrateCommand(CodemodCommand):
    """Migrates each file as a script of its own; the modules it imports are read, and not changed.

    What is left to the user, and what differs, are warnings.
    """

    DESCRIPTION = (
        "Turns TensorFlow 1 tower and parameter-server scripts into TF 2 programs with strategy scopes."
    )

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Adds `--towers`."""
        arg_parser.add_argument("--towers", help="the number of towers, where a loop does not say it")

    def __init__(self, context: CodemodContext, towers: str | None = None) -> None:
        super().__init__(context)
        self.towers = towers

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The migrated module; SkipFile, with the reason, where it cannot be migrated."""
        path = Path(self.context.filename or "script.py")
        keep_tree(tree, path)
        try:
            result = migrate(Script.from_text(tree.code, path), Options(self.towers))
        except SourceError as problem:
            raise SkipFile(str(problem)) from None
        for finding in result.findings:
            place = "" if finding.path == path else f"{finding.path}:"
            self.warn(f"{place}{finding.line}:{finding.column}: {finding.code} {finding.message}")
        changed = [change.after for change in result.changes if change.path == path]
        return cst.parse_module(changed[0], config=tree.config_for_parsing) if changed else tree
