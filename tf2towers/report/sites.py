"""The findings of a script for people: few lines, each path once, each advice once; what is left out is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.report.paths import display_path
from tf2towers.report.result import Finding, MigrationResult

#: how many lines say what is left of a script, and how many what else there is to know
LEFT, NOTES = 10, 6
#: how many places of one message are written out
_PLACES = 4


def lines(
    result: MigrationResult,
    name_of: Callable[[str], str] = lambda code: "",
    *,
    all_sites: bool = False,
    notes: bool = True,
) -> Iterator[str]:
    """The lines below a script's summary. `all_sites`: however many there are; `notes`: what is not left, too."""
    reported = [finding for finding in result.findings if not finding.accepted_by]
    informed = [finding for finding in reported if finding.kind != "left"] if notes else []
    left = [finding for finding in reported if finding.kind == "left"]
    yield from _block_lines(informed, result.script, None if all_sites else NOTES, name_of)
    if informed and left:
        yield "  left to be migrated by hand:"
    yield from _block_lines(left, result.script, None if all_sites else LEFT, name_of)


def rule_words(code: str, name_of: Callable[[str], str]) -> str:
    """A rule's code and name, as findings show it."""
    return f"{code} {name}:" if (name := name_of(code)) else code


@dataclass
class _Site:
    """One message, and the places it is about."""

    finding: Finding
    places: list[str] = field(default_factory=list)

    def line(self, limit: int | None, rule: str = "") -> tuple[str, int]:
        """The line, which names the rule, and how many places it leaves out."""
        count = len(self.places) if limit is None else limit
        places = ", ".join(self.places[:count]) + (", ..." if len(self.places) > count else "")
        return f"{places}: {rule} {self.finding.message}", max(0, len(self.places) - count)


@dataclass
class _Block:
    """The sites of one file and one code, and what to do about them."""

    #: the file, where it is not the script
    heading: str
    sites: list[_Site]
    todo: str


class _AlreadySaid:
    """What need not be said again: the file that is spoken of, and each advice."""

    def __init__(self) -> None:
        self._heading = ""
        self._todos = {""}

    def about(self, block: _Block) -> tuple[bool, bool]:
        """Whether a block needs its heading, and its advice."""
        heading = block.heading != self._heading
        todo = block.todo not in self._todos
        self._heading = block.heading
        self._todos.add(block.todo)
        return heading, todo


def _block_lines(
    findings: list[Finding], script: Path, limit: int | None, name_of: Callable[[str], str]
) -> Iterator[str]:
    blocks = list(_blocks(findings, script))
    places = None if limit is None else _PLACES
    counts = _shown_counts(blocks, limit)
    said = _AlreadySaid()
    more: list[tuple[str, int]] = []
    for block, count in zip(blocks, counts, strict=True):
        more += [(site.finding.code, len(site.places)) for site in block.sites[count:]]
        if not count:
            continue
        heading, todo = said.about(block)
        if heading:
            yield f"  {block.heading}:"
        for site in block.sites[:count]:
            line, lost = site.line(places, rule_words(site.finding.code, name_of))
            more.append((site.finding.code, lost))
            yield f"  {'  ' if block.heading else ''}{line}"
        if todo:
            yield f"      to do: {block.todo}"
    if total := sum(number for _, number in more):
        codes = ", ".join(sorted({code for code, number in more if number}))
        yield f"  and {total} more ({codes}): -v shows them"


def _shown_counts(blocks: list[_Block], limit: int | None) -> list[int]:
    """How many sites of each block are shown: first one of each block, as far as the lines go, then more."""
    sizes = [len(block.sites) for block in blocks]
    if limit is None:
        return sizes
    said = _AlreadySaid()
    whole = sum(len(block.sites) + sum(said.about(block)) for block in blocks)
    if whole + any(site.line(_PLACES)[1] for block in blocks for site in block.sites) <= limit:
        return sizes
    free = limit - 1  # the last line says how many more there are
    counts = [0] * len(blocks)
    said = _AlreadySaid()
    for place, block in enumerate(blocks):
        if free < 3:  # a block takes up to 3 lines
            break
        free -= 1 + sum(said.about(block))
        counts[place] = 1
    for place, count in enumerate(counts):
        if count:
            more = min(free, sizes[place] - 1)
            counts[place] += more
            free -= more
    return counts


def _blocks(findings: list[Finding], script: Path) -> Iterator[_Block]:
    """The findings by file, the script first, and by code; one line for those that say the same."""
    for path in sorted({finding.path for finding in findings}, key=lambda path: (path != script, str(path))):
        findings_of_file = sorted((finding for finding in findings if finding.path == path), key=_place)
        for code, todo in dict.fromkeys((finding.code, finding.todo) for finding in findings_of_file):
            sites = list(
                _sites(
                    finding for finding in findings_of_file if (finding.code, finding.todo) == (code, todo)
                )
            )
            yield _Block("" if path == script else display_path(path), sites, todo)


def _sites(findings: Iterable[Finding]) -> Iterator[_Site]:
    by_message: dict[str, _Site] = {}
    for finding in findings:
        site = by_message.setdefault(finding.message, _Site(finding))
        site.places.append(where(finding))
    yield from by_message.values()


def where(finding: Finding) -> str:
    """The location of a finding in its file."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{cell}{finding.line}:{finding.column}"


def _place(finding: Finding) -> tuple[int, int, int]:
    return finding.cell or 0, finding.line, finding.column
