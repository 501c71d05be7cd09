"""A rule of the codemod: one small rewrite, or one reason to leave a site, with examples; and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import libcst as cst

from tf2towers.codemod.changes import Change, replace
from tf2towers.report import rule
from tf2towers.report.result import FindingKind

if TYPE_CHECKING:
    from tf2towers.codemod.program import File

#: what a program is: one of TF1; one that turns eager execution on; one that was migrated; any other
ProgramKind = Literal["tf1", "eager", "migrated", "other"]

_PACKAGE = "tf2towers.codemod.rules"


@dataclass(frozen=True)
class Example:
    """A script, and what the whole migration makes of it; `after` is None where the rule changes nothing in it.

    A text that begins with a new line is a block: it begins after that, and loses its indentation.

    `left` says that a site of it is reported by the rule and left.
    """

    title: str
    before: str
    after: str | None = None
    left: bool = False

    def __post_init__(self) -> None:
        for name, text in (("before", self.before), ("after", self.after)):
            if text is not None and text.startswith("\n"):
                object.__setattr__(self, name, dedent(text[1:]))


class Rule(rule.Rule):
    """A rule says what becomes of a file's nodes, and what of them is left.

    Its methods are named as those of a visitor of LibCST: `visit_Call` is called for each call. All rules share one
    pass over the nodes, in the order of the text; `visit_Module` comes first. `visit_Symbol` is called with each use
    of a name of TensorFlow, and its canonical name. No method changes anything: `apply_changes` makes all changes.

    Attributes:
        programs: what it is for.
        modules: whether it is for local modules without TensorFlow, too.
        changes: what becomes of the file's nodes.
    """

    programs: ClassVar[frozenset[ProgramKind]] = frozenset({"tf1"})
    modules: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = ()

    def __init__(self, file: File) -> None:
        self.file = file
        self.changes: list[Change] = []

    def applies(self) -> bool:
        """True if there may be something for it in the file."""
        return True

    def change(self, changes: Iterable[Change]) -> None:
        """Adds changes."""
        self.changes += changes

    def replace(self, node: cst.CSTNode, template: str, **parts: cst.CSTNode) -> None:
        """An expression becomes that of a text, in which `{name}` stands for a part (`changes.replace`)."""
        self.changes.append(replace(node, template, **parts))

    def note(self, node: cst.CSTNode, message: str, kind: FindingKind = "left", todo: str = "") -> None:
        """Reports a site. Kind 'left': it is left to the user, and the status is 1 (`Decided.note`)."""
        self.file.note(node, self.code, message, kind, todo)


def visit_file(file: File, kinds: Iterable[type[Rule]]) -> list[Rule]:
    """The rules of some kinds after their pass over a file."""
    made = [rule for each in kinds if (rule := each(file)).applies()]
    of_symbols = [rule.visit_Symbol for rule in made if hasattr(rule, "visit_Symbol")]
    symbols = {id(node): canonical for node, canonical in file.symbols} if of_symbols else {}
    visits: dict[type[cst.CSTNode], list[Callable[[Any], None]]] = {}
    for rule in made:
        for name in dir(rule):
            if name.startswith("visit_") and name != "visit_Symbol":
                visits.setdefault(getattr(cst, name[6:]), []).append(getattr(rule, name))
    kinds_visited = {*visits, *((cst.Name, cst.Attribute) if symbols else ())}
    for node in [node for node in file.tree.nodes if type(node) in kinds_visited]:
        for visit in visits.get(type(node), ()):
            visit(node)
        if id(node) in symbols:
            for visit in of_symbols:
                visit(node, symbols[id(node)])
    return made


@cache
def _modules() -> dict[str, str]:
    """The module of each rule by code: t2t605_tower_loop has that of T2T605."""
    files = (file.name for file in resources.files(_PACKAGE).iterdir())
    names = (name.removesuffix(".py") for name in files if name.startswith("t2t") and name.endswith(".py"))
    return {name.partition("_")[0].upper(): name for name in sorted(names)}


def codes() -> list[str]:
    """The code of every rule, in order, without importing any rule."""
    return list(_modules())


def rules() -> list[type[Rule]]:
    """Every rule, in the order of the codes."""
    return [rule for code in codes() if (rule := rule_of(code)) is not None]


@cache
def rule_of(code: str) -> type[Rule] | None:
    """The rule with a code, whose module is imported when it is requested; None where there is none."""
    module = _modules().get(code)
    defined = vars(import_module(f"{_PACKAGE}.{module}")).values() if module is not None else ()
    return next((each for each in defined if getattr(each, "code", None) == code), None)


def todo_of(code: str) -> str:
    """The advice on a finding; empty for a rule without one, and for an unknown code."""
    found = rule_of(code)
    return " ".join(found.todo.split()) if found is not None else ""


def name_of(code: str) -> str:
    """The name of the rule with a code; empty where there is none."""
    found = rule_of(code)
    return found.name if found is not None else ""


def title_of(code: str) -> str:
    """The title of the rule with a code; empty where there is none."""
    found = rule_of(code)
    return found.title if found is not None else ""
