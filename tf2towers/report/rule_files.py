"""Rules found by their files' names: T2T601 is `RULE` in t2t601_symbols.py of its package."""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module, resources
from typing import Generic, TypeVar

from tf2towers.report.rule import Rule

AnyRule = TypeVar("AnyRule", bound=Rule)


@cache
def name_in(package: str, code: str) -> str:
    """A rule's name for programs, after its file in a package: TowerDevices for t2t605_tower_devices.py."""
    return RuleFiles[Rule](package).name_of(code)


class RuleFiles(Generic[AnyRule]):
    """The rules of a package. A rule's module is loaded when it is asked for."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._known: dict[str, AnyRule] = {}

    def rules(self) -> list[AnyRule]:
        """Every rule, in the order of the codes."""
        return [rule for code in self.codes() if (rule := self.rule_of(code)) is not None]

    def codes(self) -> list[str]:
        """The code of every rule, in order; no rule is loaded."""
        return sorted(self._modules)

    def rule_of(self, code: str) -> AnyRule | None:
        """The rule with a code; None where there is none."""
        module = self._modules.get(code)
        if module is not None and code not in self._known:
            self._known[code] = import_module(f"{self._package}.{module}").RULE
        return self._known.get(code)

    def name_of(self, code: str) -> str:
        """A rule's name for programs, after its file: TowerDevices for t2t605_tower_devices.py."""
        return "".join(word.capitalize() for word in self._modules[code].split("_")[1:])

    def todo_of(self, code: str) -> str:
        """What to do by hand about a finding; empty for a rule that leaves nothing, and a code without a rule."""
        found = self.rule_of(code)
        return " ".join(found.todo.split()) if found is not None else ""

    @cached_property
    def _modules(self) -> dict[str, str]:
        files = (file.name for file in resources.files(self._package).iterdir())
        names = (
            name.removesuffix(".py") for name in files if name.startswith("t2t") and name.endswith(".py")
        )
        return {name.partition("_")[0].upper(): name for name in sorted(names)}
