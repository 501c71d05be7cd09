"""The result of migrating one script: the texts that change, the sites left, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Protocol


class Cells(Protocol):
    """The notebook whose code a text is."""

    def encoded(self, shown: str, *, python3: bool = False) -> bytes:
        """The notebook's bytes, with its code replaced by another text."""


FindingKind = Literal["left", "changed", "note", "edit"]


@dataclass(frozen=True)
class Finding:
    """Something to report about one location in a script."""

    code: str
    message: str
    #: what the reader should do about it; empty when there is nothing to do
    todo: str
    path: Path
    line: int
    #: counted from 1, as editors do
    column: int
    #: "left": the place is left to the user; "changed" and "note": for information; "edit": for
    #: `--check`, a line that would be rewritten
    kind: FindingKind = "left"
    #: in a notebook, the code cell that the line is counted in, from 1
    cell: int | None = None
    #: how the user accepted this finding: "noqa" or "ignore"; empty where the user did not. An
    #: accepted site that is left is counted, but the exit status ignores it
    accepted_by: str = ""
    #: the line of the script, without its indentation; empty where it is not known
    source: str = ""


class EditedLine(NamedTuple):
    """A line of the old text that a rule rewrites; in a notebook, a line of a cell.

    `added` says that new lines are written before it, and that it stays.
    """

    code: str
    line: int
    cell: int | None = None
    added: bool = False


@dataclass(frozen=True)
class FileChange:
    """A file with its old and new text; both keep their line ends."""

    path: Path
    before: str
    after: str
    encoding: str = "utf-8"
    #: whether the file starts with a UTF-8 byte order mark, which the texts leave out
    bom: bool = False
    #: whether the new text was parsed as Python
    checked: bool = False
    #: the rules' edits
    edits: tuple[EditedLine, ...] = ()
    #: the notebook whose code cells the texts are; `python` is the new text as Python, without
    #: magics
    notebook: Cells | None = None
    python: str = ""
    #: whether a notebook was converted from Python 2
    converted: bool = False

    @property
    def code(self) -> str:
        """The new text as Python."""
        return self.after if self.notebook is None else self.python

    def edited_lines(self) -> list[EditedLine]:
        """The lines that rules rewrite, each with its rule, in order; none if nothing changes."""
        if self.before == self.after:
            return []
        return sorted(set(self.edits), key=lambda edit: (edit.cell or 0, edit.line, edit.code))

    def encoded(self) -> bytes:
        """The new text's bytes; raises UnicodeEncodeError if the encoding lacks a character."""
        if self.notebook is not None:
            return self.notebook.encoded(self.after, python3=self.converted and self.after != self.before)
        return (b"\xef\xbb\xbf" if self.bom else b"") + self.after.encode(self.encoding)


@dataclass
class MigrationResult:
    """The result of migrating one script."""

    script: Path
    #: the script and the local modules whose text changes
    changes: list[FileChange] = field(default_factory=list)
    #: local modules that the script imports and that need no change; `-o` copies them, so that its
    #: directory is complete
    copied: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    #: why the script could not be migrated at all
    error: str | None = None
    #: a sentence about the program as a whole
    remark: str = ""
    #: in a folder's report: modules with sites left that are reported with an earlier program
    left_above: tuple[Path, ...] = ()
    #: folders that modules are imported from: `-o` keeps paths relative to them
    roots: tuple[Path, ...] = ()
    #: lines for a requirements.txt: the releases of other libraries that the program needs as it
    #: stands
    requirements: tuple[str, ...] = ()
    #: whether notes count as sites that are left (`--strict`)
    strict: bool = False

    @property
    def left(self) -> list[Finding]:
        """The places left to the user, without those that the user accepted."""
        return [finding for finding in self.findings if finding.kind == "left" and not finding.accepted_by]

    @property
    def accepted(self) -> list[Finding]:
        """The places left that the user accepted."""
        return [finding for finding in self.findings if finding.kind == "left" and finding.accepted_by]

    @property
    def hidden(self) -> list[Finding]:
        """Notes that the user chose to hide."""
        return [finding for finding in self.findings if finding.kind != "left" and finding.accepted_by]

    def edits(self, title_of: Callable[[str], str], *, check: bool = False) -> list[Finding]:
        """One finding for each line that a rule rewrites or adds; with `check`, they make it fail.

        Args:
            title_of: a rule's title, by its code.
        """
        kind: FindingKind = "edit" if check else "changed"
        would = "would be" if check else "is"
        found = []
        for change in self.changes:
            for edit in change.edited_lines():
                what = "new code {} written before this line" if edit.added else "this line {} rewritten"
                message = f"{what.format(would)}: {title_of(edit.code)}"
                found.append(Finding(edit.code, message, "", change.path, edit.line, 1, kind, edit.cell))
        return found

    @property
    def failure(self) -> str:
        """'could not be written' or 'could not be migrated'; empty without an error."""
        if self.error is None:
            return ""
        return "could not be written" if self.changed else "could not be migrated"

    @property
    def changed(self) -> bool:
        """True if the text of any file changes."""
        return any(change.before != change.after for change in self.changes)

    @property
    def status(self) -> int:
        """The exit status: 0 nothing is left; 1 something is, or a note if strict; 2 an error."""
        if self.error is not None:
            return 2
        noted = self.strict and any(each.kind == "note" and not each.accepted_by for each in self.findings)
        return 1 if self.left or noted else 0
