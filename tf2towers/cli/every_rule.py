"""The rules of both registers, and of what is certain enough for the idiomatic one."""

from __future__ import annotations

from functools import cache
from typing import Any

from tf2towers.report.rule import Registry, Rule


@cache
def _registries() -> list[Registry[Any]]:
    from tf2towers.certain.registry import REGISTRY as certain
    from tf2towers.exact.registry import REGISTRY as exact
    from tf2towers.rewrites.registry import REGISTRY as idiomatic

    return [idiomatic, exact, certain]


def every_rule() -> list[Rule]:
    """Every rule, in the order of the codes."""
    found = [rule for registry in _registries() for rule in registry.rules()]
    return sorted(found, key=lambda rule: rule.code)


def codes() -> list[str]:
    """The code of every rule; no rule is loaded."""
    return sorted(code for registry in _registries() for code in registry.codes())


def rule_of(code: str) -> Rule | None:
    """The rule with a code; None where there is none."""
    return next((rule for registry in _registries() if (rule := registry.rule_of(code)) is not None), None)
