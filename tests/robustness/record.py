"""`Record`: what came of a campaign, and its numbers as a page."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

#: the kinds of faults, in words
FAULTS = {
    "exception": "exceptions",
    "error of ours": "sentences that ask to report an error",
    "too long": "programs that take longer than they may",
    "does not compile": "outputs that do not compile",
    "undefined": "outputs with an undefined name that was none before (ruff F821, F823)",
    "changed on an error": "files changed on an error",
    "not written": "results that could not be written",
    "second run": "second runs that change something",
}


@dataclass
class Record:
    """What came of it."""

    out: Path
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    #: number of a text before and after -> the case
    pairs: list[str] = field(default_factory=list)

    @classmethod
    def of_parts(cls, out: Path, parts: Iterable[Record]) -> Record:
        """What came of all parts."""
        whole = cls(out)
        for part in parts:
            whole.faults += part.faults
            whole.counts += part.counts
            whole.slowest += part.slowest
        return whole

    def fault(self, kind: str, case: str, detail: str, data: bytes = b"") -> None:
        """Something was hurt; the input is kept."""
        self.faults.append((kind, case, detail))
        folder = self.out / "faults"
        folder.mkdir(exist_ok=True)
        place = folder / f"{len(self.faults):04d}.py"
        place.write_bytes(data)
        place.with_suffix(".txt").write_text(f"{kind}\n{case}\n{detail}\n", errors="backslashreplace")
        print(f"{kind}: {case}: {detail[-300:]} ({place})", flush=True)

    def took(self, seconds: float, case: str) -> None:
        """A program took so long."""
        self.slowest = sorted([*self.slowest, (seconds, case)])[-5:]

    def keep(self, case: str, before: str, after: str) -> None:
        """A text to look for undefined names in, before and after."""
        self.pairs.append(case)
        for which, text in (("before", before), ("after", after)):
            place = self.out / which / f"{len(self.pairs) - 1:06d}.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, errors="backslashreplace", newline="")

    def page(self, repositories: int, seed: int) -> str:
        """The numbers."""
        kinds = collections.Counter(kind for kind, _, _ in self.faults)
        seconds, case = max(self.slowest, default=(0.0, ""))
        lines = [
            f"# Python files of {repositories} public repositories, whole and damaged (seed {seed}), migrated twice",
            "",
            "| | |",
            "| --- | --- |",
            *(f"| {name} | {count} |" for name, count in sorted(self.counts.items())),
            *(f"| {words} | {kinds[kind]} |" for kind, words in FAULTS.items()),
            f"| the slowest program | {seconds:.1f} s: {case} |",
        ]
        return "\n".join(lines) + "\n"
