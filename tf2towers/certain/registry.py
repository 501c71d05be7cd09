"""Every rule of certainty, found by its file's name."""

from __future__ import annotations

from tf2towers.certain.rule import Rule
from tf2towers.report.rule_files import RuleFiles

_FILES: RuleFiles[Rule] = RuleFiles("tf2towers.certain.rules")

rules, codes, rule_of = _FILES.rules, _FILES.codes, _FILES.rule_of
name_of, todo_of = _FILES.name_of, _FILES.todo_of

__all__ = ["Rule", "codes", "name_of", "rule_of", "rules", "todo_of"]
