"""The rules of both registers."""

from __future__ import annotations

from tf2towers.report.rule import Rule


def every_rule() -> list[Rule]:
    """Every rule of the exact and of the idiomatic register, in the order of the codes."""
    from tf2towers.exact import registry as exact
    from tf2towers.rewrites import registry as idiomatic

    return sorted([*idiomatic.rules(), *exact.rules()], key=lambda rule: rule.code)


def rule_of(code: str) -> Rule | None:
    """The rule with a code; None where there is none."""
    from tf2towers.exact import registry as exact
    from tf2towers.rewrites import registry as idiomatic

    return exact.rule_of(code) or idiomatic.rule_of(code)
