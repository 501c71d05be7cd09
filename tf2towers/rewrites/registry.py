"""Every rule of the idiomatic register, found by its file's name."""

from __future__ import annotations

from tf2towers.report.rule_files import RuleFiles
from tf2towers.rewrites.rule import Rule

_FILES: RuleFiles[Rule] = RuleFiles("tf2towers.rewrites.rules")

rules, codes, rule_of = _FILES.rules, _FILES.codes, _FILES.rule_of
name_of, todo_of = _FILES.name_of, _FILES.todo_of

__all__ = ["Rule", "codes", "name_of", "rule_of", "rules", "todo_of"]
