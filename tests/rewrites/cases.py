"""The table of cases: the rules' own examples, and the files of `cases/` in the same form.

A case's head has `title:`, `codes:` (findings that leave nothing), `towers: 1 2` (how many towers it is trained with,
before and after; 'none: why' where it is not), `argv:`. Its parts replace those of the rules' `frame.txt`.
"""

import re
from functools import cache
from pathlib import Path

from tf2towers.certain.doubts import doubts
from tf2towers.exact.program import Program
from tf2towers.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.rewrites.registry import rules
from tf2towers.rewrites.rule import Example, parse_example
from tf2towers.source.script import Script

HERE = Path(__file__).parent
GOLDENS = HERE / "goldens"
#: code -> a case, and the pieces of its script that something else stands for: then it is left with the code
CHANGED_CASES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "T2T503": (
        "cluster_either",
        [("if FLAGS.sync:\n            opt =", "for _ in range(FLAGS.sync):\n            opt =")],
    ),
    "T2T506": (
        "cluster_either",
        [("last_step=FLAGS.steps)]", "last_step=FLAGS.steps), tf.train.FinalOpsHook(loss)]")],
    ),
    "T2T507": (
        "cluster_supervisor",
        [
            ("cluster=cluster)):", "cluster=cluster, ps_strategy=first)):"),
            ("def main(_):", "def first(op):\n    return 0\n\n\ndef main(_):"),
        ],
    ),
    "T2T509": ("cluster_supervisor", []),
}


@cache
def all_cases() -> dict[str, Example]:
    """Every case by name."""
    found = [example for rule in rules() for example in rule.examples]
    found += [parse_example(file.stem, file.read_text()) for file in sorted((HERE / "cases").glob("*.txt"))]
    return {example.name: example for example in found}


def marks(text: str) -> list[tuple[int, str]]:
    """(line, code) of the '# T2T303' comments of a script: the sites it expects to be left."""
    found = [
        (number, re.search(r"#((?: T2T\d+)+)$", line)) for number, line in enumerate(text.splitlines(), 1)
    ]
    return [(number, code) for number, match in found if match for code in match.group(1).split()]


def is_left(case: Example) -> bool:
    """Whether the case expects sites to be left."""
    return bool(marks(case.script))


def is_certain(name: str) -> bool:
    """Whether the rewrites get to see a case's script: nothing of it is in doubt."""
    return not doubts(Program(Script.from_text(all_cases()[name].script)))


@cache
def migrated(name: str) -> MigrationResult:
    """What came of migrating a case."""
    return migrate(Program(Script.from_text(all_cases()[name].script)))


def after(name: str) -> str:
    """The case's script after the migration."""
    (change,) = migrated(name).changes
    return change.after


def towers(case: Example) -> list[int]:
    """With how many towers the case is trained before and after."""
    given = case.options.get("towers", "1 2")
    return [] if given.startswith("none") else [int(word) for word in given.split()]
