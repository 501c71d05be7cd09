"""What came of migrating one script: the texts that change, the sites left, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Protocol


class Cells(Protocol):
    """The notebook that a text is the code of."""

    def encoded(self, shown: str, *, python3: bool = False) -> bytes:
        """The notebook's bytes, with another text as its code."""


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
    #: "left": the site is left to be migrated by hand; "changed" and "note": for information; "edit": `--check` found a
    #: line that would be rewritten
    kind: FindingKind = "left"
    #: in a notebook, the code cell that the line is counted in, from 1
    cell: int | None = None
    #: how the user accepted this: "noqa" or "ignore"; empty where nothing was said. A site that is left and
    #: accepted is the user's to migrate: it is counted, and the status does not follow it
    accepted_by: str = ""


class EditedLine(NamedTuple):
    """A line that a rule rewrites, of the text before; in a notebook, of a cell."""

    code: str
    line: int
    cell: int | None = None


@dataclass(frozen=True)
class FileChange:
    """A file and its text before and after. The texts keep their line ends, so the rest stays as it is."""

    path: Path
    before: str
    after: str
    encoding: str = "utf-8"
    #: whether the file starts with a UTF-8 byte order mark, which the texts leave out
    bom: bool = False
    #: whether the text after is known to be Python
    checked: bool = False
    #: the rules' edits
    edits: tuple[EditedLine, ...] = ()
    #: the notebook that the texts are the code cells of, and the text after as Python, without magics
    notebook: Cells | None = None
    python: str = ""
    #: whether a notebook was converted from Python 2
    converted: bool = False

    @property
    def code(self) -> str:
        """The text after as Python."""
        return self.after if self.notebook is None else self.python

    def encoded(self) -> bytes:
        """The bytes of the file with the text after; UnicodeEncodeError when its encoding lacks such a character."""
        if self.notebook is not None:
            return self.notebook.encoded(self.after, python3=self.converted and self.after != self.before)
        return (b"\xef\xbb\xbf" if self.bom else b"") + self.after.encode(self.encoding)


@dataclass
class MigrationResult:
    """What came of migrating one script."""

    script: Path
    #: the script and the local modules whose text changes
    changes: list[FileChange] = field(default_factory=list)
    #: local modules the script reaches that need no change; `-o` copies them so that its directory runs by
    #: itself
    copied: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    #: why nothing could be done at all
    error: str | None = None
    #: a sentence about the program as a whole
    remark: str = ""
    #: in the report of a folder: modules with sites left that are reported with a program above
    left_above: tuple[Path, ...] = ()
    #: folders that modules are imported from: what `-o` writes keeps its places below them
    roots: tuple[Path, ...] = ()

    @property
    def left(self) -> list[Finding]:
        """The sites left to be migrated by hand, without those that the user accepted."""
        return [finding for finding in self.findings if finding.kind == "left" and not finding.accepted_by]

    @property
    def accepted(self) -> list[Finding]:
        """The sites left that the user accepted: they are migrated by hand, and known to be."""
        return [finding for finding in self.findings if finding.kind == "left" and finding.accepted_by]

    @property
    def hidden(self) -> list[Finding]:
        """Notes that the user did not want to see, where nothing is left."""
        return [finding for finding in self.findings if finding.kind != "left" and finding.accepted_by]

    def edits(self) -> list[Finding]:
        """A finding for each line that would be rewritten: what `--check` fails for, by its rule."""
        return [
            Finding(
                edit.code, "this line would be rewritten", "", change.path, edit.line, 1, "edit", edit.cell
            )
            for change in self.changes
            if change.before != change.after
            for edit in sorted(set(change.edits), key=lambda edit: (edit.cell or 0, edit.line, edit.code))
        ]

    @property
    def changed(self) -> bool:
        """Whether any file would be written with another text."""
        return any(change.before != change.after for change in self.changes)

    @property
    def status(self) -> int:
        """The exit status: 0 nothing left by hand, 1 sites left, 2 could not be done at all."""
        if self.error is not None:
            return 2
        return 1 if self.left else 0
