"""Every rule by its code. A rule's module is loaded when its code is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources

from tf2towers.rewrites.rule import Rule

_PACKAGE = "tf2towers.rewrites.rules"


def todo_of(code: str) -> str:
    """What to do by hand about a finding; empty for a code without a rule."""
    found = rule_of(code)
    return " ".join(found.todo.split()) if found is not None else ""


def rules() -> list[Rule]:
    """Every rule, in the order of the codes."""
    return [rule for code in sorted(_modules()) if (rule := rule_of(code)) is not None]


def codes() -> list[str]:
    """The code of every rule, in order; no rule is loaded."""
    return sorted(_modules())


def name_of(code: str) -> str:
    """A rule's name for programs, after its file: TowerDevices for t2t605_tower_devices.py."""
    return "".join(word.capitalize() for word in _modules()[code].split("_")[1:])


@cache
def rule_of(code: str) -> Rule | None:
    """The rule with a code; None where there is none."""
    module = _modules().get(code)
    if module is None:
        return None
    found: Rule = import_module(f"{_PACKAGE}.{module}").RULE
    return found


@cache
def _modules() -> dict[str, str]:
    """Code -> name of the module, from the file names: T2T101 is in t2t101_strategy.py."""
    names = [file.name for file in resources.files(_PACKAGE).iterdir()]
    modules = [name.removesuffix(".py") for name in names if name.startswith("t2t") and name.endswith(".py")]
    return {name.partition("_")[0].upper(): name for name in modules}


__all__ = ["Rule", "codes", "name_of", "rule_of", "rules", "todo_of"]
