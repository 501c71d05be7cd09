"""`Record`: what came of a campaign."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Record:
    """What came of it."""

    out: Path
    #: kind, case and detail of what was hurt
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    #: seconds and case of the slowest program
    slowest: tuple[float, str] = (0.0, "")
    #: number of a text before and after -> the case
    pairs: list[str] = field(default_factory=list)

    @classmethod
    def of_parts(cls, out: Path, parts: Iterable[Record]) -> Record:
        """What came of all parts."""
        whole = cls(out)
        for part in parts:
            whole.faults += part.faults
            whole.counts += part.counts
            whole.slowest = max(whole.slowest, part.slowest)
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

    def keep(self, case: str, before: str, after: str) -> None:
        """A text to look for undefined names in, before and after."""
        self.pairs.append(case)
        for which, text in (("before", before), ("after", after)):
            place = self.out / which / f"{len(self.pairs) - 1:06d}.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, errors="backslashreplace", newline="")

    def summary(self) -> str:
        """The numbers, a line for each."""
        faults = collections.Counter(kind for kind, _, _ in self.faults)
        lines = [f"{count:7} {name}" for name, count in sorted(self.counts.items())]
        lines += [f"{count:7} at fault: {kind}" for kind, count in sorted(faults.items())]
        return "\n".join([*lines, f"{self.slowest[0]:7.1f} s, the slowest program: {self.slowest[1]}"])
