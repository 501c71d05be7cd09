"""Every rule, found by its file's name."""

from __future__ import annotations

from tf2towers.codemod.rule import Rule
from tf2towers.report.rule import Registry

REGISTRY = Registry(Rule)

rules, codes, rule_of, todo_of = REGISTRY.rules, REGISTRY.codes, REGISTRY.rule_of, REGISTRY.todo_of


def name_of(code: str) -> str:
    """The name of the rule with a code; empty where there is none."""
    rule = rule_of(code)
    return rule.name if rule is not None else ""
