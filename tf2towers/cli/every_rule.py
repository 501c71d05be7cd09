"""The rules of both registers, and of what is certain enough for the idiomatic one."""

from __future__ import annotations

from tf2towers.report.rule import Rule


def every_rule() -> list[Rule]:
    """Every rule, in the order of the codes."""
    from tf2towers.certain import registry as certain
    from tf2towers.exact import registry as exact
    from tf2towers.rewrites import registry as idiomatic

    return sorted([*idiomatic.rules(), *exact.rules(), *certain.rules()], key=lambda rule: rule.code)


def codes() -> list[str]:
    """The code of every rule; no rule is loaded."""
    from tf2towers.certain import registry as certain
    from tf2towers.exact import registry as exact
    from tf2towers.rewrites import registry as idiomatic

    return sorted([*idiomatic.codes(), *exact.codes(), *certain.codes()])


def rule_of(code: str) -> Rule | None:
    """The rule with a code; None where there is none."""
    from tf2towers.certain import registry as certain
    from tf2towers.exact import registry as exact
    from tf2towers.rewrites import registry as idiomatic

    return exact.rule_of(code) or certain.rule_of(code) or idiomatic.rule_of(code)
