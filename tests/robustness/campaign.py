"""`make robustness`: sources as people have them, and damaged ones, through both registers; nothing may be hurt.

Every distinct Python file of the repositories, and damaged ones of them (`damage`, chosen by the seed), is written to a
folder of its own and migrated in place, in the exact and the idiomatic register. Then every repository is migrated as
a folder. Each time: no exception, no sentence that asks to report an error, at most ten seconds of processor time, what
is written compiles and has no undefined name that it had not before, nothing is written on an error, and a second run
writes nothing. What is at fault is kept under OUT/faults; the status is then 1.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from damage import damaged  # noqa: E402
from page import page  # noqa: E402
from record import Record  # noqa: E402
from running import one_file, one_repository  # noqa: E402
from sources import Original, git_directories, name_of, originals  # noqa: E402
from texts import undefined_names  # noqa: E402

#: of mutations, so many are made of TF1 files
TF1_SHARE = 0.85
#: and none of longer ones, in bytes
LONGEST = 15_000


def choose(every: list[Original], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Damaged files."""
    tf1 = [one for one in every if one.is_tf1 and len(one.data) < LONGEST]
    others = [one for one in every if not one.is_tf1 and len(one.data) < LONGEST]
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        original = chance.choice(tf1 if chance.random() < TF1_SHARE or not others else others)
        kinds, data = damaged(original.data, chance)
        yield f"mutation {number} of {original.repository}/{original.path}: {kinds}", data


def fewer(every: list[Original], count: int, seed: int) -> list[Original]:
    """So many files, half of them with TF1 where there are so many."""
    tf1 = [one for one in every if one.is_tf1]
    others = [one for one in every if not one.is_tf1]
    chance = random.Random(seed)
    first = chance.sample(tf1, min(len(tf1), count // 2))
    return first + chance.sample(others, min(len(others), count - len(first)))


def told(
    record: Record, name: str, every: list[tuple[str, bytes]], work: Callable[[str, bytes], None]
) -> None:
    """Does the work on each, with a line now and then."""
    began = time.monotonic()
    for number, (case, data) in enumerate(every, 1):
        work(case, data)
        if number % 500 == 0 or number == len(every):
            print(
                f"{name}: {number} of {len(every)}, {time.monotonic() - began:.0f} s, {len(record.faults)} faults",
                flush=True,
            )
    record.counts[name] += len(every)


def main() -> int:
    """Runs all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", type=Path, help="a folder of git directories")
    parser.add_argument("--files", type=int, default=None, help="only so many files, half of them with TF1")
    parser.add_argument("--mutations", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="the first mutation")
    parser.add_argument("--no-trees", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("/tmp/tf2towers-robustness"))
    parser.add_argument("--page", type=Path, help="write the numbers there")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    os.environ["TF2TOWERS_DEBUG"] = "1"
    record = Record(options.out)
    every = originals(options.repositories)
    files = every if options.files is None else fewer(every, options.files, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        told(
            record,
            "files",
            [(f"{one.repository}/{one.path}", one.data) for one in files],
            lambda case, data: one_file(record, case, data, place),
        )
        told(
            record,
            "mutations",
            list(choose(every, options.mutations, options.seed))[options.first :],
            lambda case, data: one_file(record, case, data, place),
        )
    if not options.no_trees:
        for directory in git_directories(options.repositories):
            with tempfile.TemporaryDirectory() as folder:
                one_repository(record, name_of(directory, options.repositories), directory, Path(folder))
        print(f"trees: {record.counts['trees']}, {len(record.faults)} faults", flush=True)
    undefined_names(record)
    text = page(record, files, options.seed)
    if options.page is not None:
        options.page.write_text(text, encoding="utf-8")
    print(text)
    return 1 if record.faults else 0


if __name__ == "__main__":
    sys.exit(main())
