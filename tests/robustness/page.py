"""The numbers of a campaign, as a page."""

from __future__ import annotations

import collections
import datetime
import platform
import resource

from damage import EVERY
from limits import LONGEST
from record import Record
from sources import Original

FOUND = {
    "exception": "exceptions",
    "error of ours": "sentences that ask to report an error",
    "too long": f"programs that take longer than {LONGEST:.0f} s of processor time",
    "does not compile": "outputs that do not compile",
    "undefined": "outputs with an undefined name that was none before (ruff F821, F823)",
    "changed on an error": "files changed on an error",
    "not written": "results that could not be written",
    "second run": "second runs that change something",
}


def page(record: Record, files: list[Original], seed: int) -> str:
    """The whole page."""
    count = record.counts
    kinds = collections.Counter(kind for kind, _, _ in record.faults)
    tf1 = sum(file.is_tf1 for file in files)
    programs, changed = count["trees: programs"] // 2, count["trees: files changed"]
    found = [f"| {words} | {kinds[kind]} |" for kind, words in FOUND.items()]
    statuses = " | ".join(str(count[f"status {status}"]) for status in (0, 1, 2))
    seconds, _ = max(record.slowest, default=(0.0, ""))
    lines = [
        "# What hurts nothing",
        "",
        f"Written by `make robustness` on {datetime.date.today():%d %B %Y}, Python {platform.python_version()}.",
        f"Python files of {len({file.repository for file in files})} public repositories, each text once, and damaged",
        f"ones made of them (seed {seed}) by {len(EVERY)} kinds of damage: tokens, lines and statements deleted,",
        "doubled and swapped, names changed, files truncated, indentation, line ends and odd bytes, nesting, Python 2.",
        "None of that code is in this repository.",
        "",
        "| | |",
        "| --- | --- |",
        f"| files | {count['files']}, {tf1} of them with TF1 |",
        f"| damaged files | {count['mutations']} |",
        f"| whole repositories of at most 40 files, as folders | {count['trees']}: "
        f"{programs} programs with their modules, {changed} files changed |",
        "",
        "Each file is migrated in place, and once more where something was written; each repository twice.",
        "",
        "| found | |",
        "| --- | --- |",
        *found,
        "",
        "| changed | status 0 | status 1: sites are left | status 2: cannot be read |",
        "| --- | --- | --- | --- |",
        f"| {count['changed']} | {statuses} |",
        "",
        "Status 2 is what is no Python: damaged files, mostly. Of the files that were written",
        f"{count['before does not compile']} compile neither before nor after (a `return` outside a function).",
        f"The slowest program took {seconds:.1f} s of processor time, the whole campaign {_minutes():.0f} minutes.",
    ]
    return "\n".join(lines) + "\n"


def _minutes() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(times.ru_utime + times.ru_stime for times in used) / 60
