"""`make robustness`: sources as people have them, and damaged ones, migrated; nothing may be hurt.

Every distinct Python file of the repositories, and damaged ones of them (`damage`, chosen by the seed), is written to a
folder of its own and migrated in place. Then every repository is migrated as a folder. Each time there is no exception
and no sentence that asks to report an error, in at most ten seconds of processor time. What is written compiles, and
has no new undefined name. Nothing is written on an error, or by a second run. What is at fault is kept under
OUT/faults; the status is then 1.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from damage import damaged  # noqa: E402
from record import Record  # noqa: E402
from running import one_file, one_repository  # noqa: E402
from sources import Original, clones, files_of, originals  # noqa: E402
from texts import undefined_names  # noqa: E402

#: of mutations, so many are made of TF1 files
TF1_SHARE = 0.85
#: and none of longer ones, in bytes
LONGEST = 6_000


def choose(every: list[Original], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Damaged files."""
    tf1 = [file for file in every if file.is_tf1 and len(file.data) < LONGEST]
    others = [file for file in every if not file.is_tf1 and len(file.data) < LONGEST]
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        original = chance.choice(tf1 if chance.random() < TF1_SHARE or not others else others)
        kinds, data = damaged(original.data, chance)
        yield f"mutation {number} of {original.name}: {kinds}", data


def main() -> int:
    """Runs all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", type=Path, help="a folder of clones")
    parser.add_argument("--files", type=int, default=3000, help="so many files as they are")
    parser.add_argument("--mutations", type=int, default=5000)
    parser.add_argument(
        "--largest-tree", type=int, default=40, metavar="FILES", help="of repositories migrated as folders"
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("/tmp/tf2towers-robustness"))
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    every = originals(options.repositories)
    files = random.Random(options.seed).sample(every, min(len(every), options.files))
    cases = [("files", file.name, file.data) for file in files]
    cases += [("mutations", *case) for case in choose(every, options.mutations, options.seed)]
    trees = [
        clone for clone in clones(options.repositories) if len(list(files_of(clone))) <= options.largest_tree
    ]
    count = options.processes
    parts = [(options, number, cases[number::count], trees[number::count]) for number in range(count)]
    with ProcessPoolExecutor(count) as pool:
        record = Record.of_parts(options.out, pool.map(part, parts))
    print(record.summary())
    return 1 if record.faults else 0


def part(given: tuple[argparse.Namespace, int, list[tuple[str, str, bytes]], list[Path]]) -> Record:
    """One process's share of it."""
    options, number, cases, trees = given
    os.environ["TF2TOWERS_DEBUG"] = "1"
    record = Record(options.out / str(number))
    record.out.mkdir()
    began = time.monotonic()

    def tell(done: str) -> None:
        seconds = time.monotonic() - began
        print(f"process {number}: {done}, {seconds:.0f} s, {len(record.faults)} faults", flush=True)

    for place, (kind, case, data) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            one_file(record, case, data, Path(folder))
        record.counts[kind] += 1
        if place % 250 == 0 or place == len(cases):
            tell(f"{place} of {len(cases)} files")
    for clone in trees:
        with tempfile.TemporaryDirectory() as folder:
            one_repository(record, clone, Path(folder))
        tell(clone.name)
    undefined_names(record)
    return record


if __name__ == "__main__":
    sys.exit(main())
