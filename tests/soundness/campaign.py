"""`make soundness`: many variants of the suite's programs, each migrated and run beside itself, and many verified.

A variant is a program under one to three changes that keep its meaning (`mutations`), chosen by the
seed. It is dropped where it no longer prints what the program printed. Else it is migrated, and
with exit status 0 it has to print exactly the same. Wrong ones are kept under OUT/wrong with both
programs and the difference; the status is then 1.

Some of those that print the same are given to `tf2towers verify`, which has to find them equal; so
is all of `batch_norm`.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from batch_norm import matrix
from mutations import MUTATIONS
from run_many import run_all
from suite import Program, first_difference, migrated, one_process
from verify_many import forked_recorders, verify_all

TRIES = 12
#: the results that a variant may have
OUTCOMES = ("dropped", "refused", "same", "wrong", "crash")
#: the results that a verification may have: a false alarm is wrong, in `none` there is no verdict
VERDICTS = ("equal", "alarm", "none")


@dataclass
class Variant:
    """One variant, and its result."""

    number: int
    program: Program
    changes: list[str]
    files: dict[str, str]
    came: str = "dropped"
    detail: str = ""
    codes: list[str] = field(default_factory=list)
    verdict: str = ""

    @property
    def name(self) -> str:
        return f"{self.number:05d}_{Path(self.program.name).name}"

    def write(self, folder: Path) -> str:
        """Its main script, below a folder."""
        for name, text in self.files.items():
            path = folder / self.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return str(folder / self.name / "script.py")

    def migrate(self, original: Path, folder: Path) -> str | None:
        """The migrated program's main script; None where it is refused, or `migrate` crashes."""
        try:
            result = migrated(original)
        except Exception:
            self.came, self.detail = "crash", traceback.format_exc()
            return None
        if result.left or result.status:
            self.came, self.codes = "refused", sorted({finding.code for finding in result.left})
            return None
        home = folder / self.name
        shutil.copytree(original.parent, home, ignore=shutil.ignore_patterns("__pycache__"))
        for change in result.changes:
            (home / change.path.relative_to(original.parent)).write_bytes(change.encoded())
        return str(home / original.name)


def variant(number: int, seed: int, programs: list[Program], only: list[str]) -> Variant:
    """The variant of a number, always the same for a seed."""
    rng = random.Random(f"{seed}/{number}")
    program = rng.choice(programs)
    wanted = rng.choice([1, 1, 2, 2, 3])
    files: dict[str, str] = {"script.py": program.text}
    changes: list[str] = []
    for _ in range(TRIES):
        if len(changes) == wanted:
            break
        name = rng.choice(only or sorted(MUTATIONS))
        try:
            made = MUTATIONS[name](files["script.py"], rng)
            for text in (made or {}).values():
                compile(text, name, "exec")
        except (SyntaxError, ValueError, IndexError, StopIteration):
            continue  # the change does not apply
        if made and not set(made) & (set(files) - {"script.py"}):
            files.update(made)
            changes.append(name)
    return Variant(number, program, changes, files)


def judge(variants: list[Variant], expected: dict[Program, dict], out: Path, to_verify: int = 0) -> None:
    """Runs, migrates, runs again and compares a number of variants; some that print the same are verified."""
    with tempfile.TemporaryDirectory(prefix="soundness") as name:
        folder = Path(name)
        originals = {each.name: each.write(folder / "original") for each in variants if each.changes}
        runs = _run("original", originals)
        targets = {}
        sane = [
            each for each in variants
            if each.name in runs and first_difference(expected[each.program], runs[each.name]) is None
        ]  # fmt: skip
        for each in sane:
            target = each.migrate(Path(originals[each.name]), folder / "migrated")
            if target is not None:
                targets[each.name] = target
        compared = [each for each in sane if each.name in targets]
        after = _run("migrated", targets)
        doubtful = [
            each.name for each in compared if first_difference(expected[each.program], after[each.name])
        ]
        again = _run("original", {name: originals[name] for name in doubtful})
        twice = _run("migrated", {name: targets[name] for name in doubtful})
        for each in compared:
            each.came = "same"
            if (
                each.name in doubtful
            ):  # output that differs from run to run is no difference between the two programs
                difference = first_difference(again[each.name], twice[each.name])
                if difference is not None:
                    each.came, each.detail = "wrong", f"{difference}\n{twice[each.name]['traceback']}"
        same = [each for each in compared if each.came == "same"]
        check(same[:to_verify], originals, targets, folder)
        for each in variants:
            if each.came in ("wrong", "crash") or each.verdict in ("alarm", "none"):
                kept = out / "wrong" / each.name
                for kind in ("original", "migrated"):
                    if (folder / kind / each.name).exists():
                        shutil.copytree(folder / kind / each.name, kept / kind, dirs_exist_ok=True)
                about = f"{each.program.name}\n{', '.join(each.changes)}\n{each.detail}\n"
                (kept / "difference.txt").write_text(about)


def check(variants: list[Variant], originals: dict[str, str], scripts: dict[str, str], folder: Path) -> None:
    """Verifies the scripts of some variants, and notes in them how it came."""
    pairs = {}
    for each in variants:
        place = folder / "arguments" / each.name
        place.mkdir(parents=True)
        pairs[each.name] = Path(originals[each.name]), Path(scripts[each.name]), [str(place)]
    results = verify_all(pairs)
    for each in variants:
        result = results[each.name]
        each.verdict = {"bitwise": "equal", "within": "equal", "differs": "alarm"}.get(result.outcome, "none")
        if each.verdict != "equal":
            why = [result.error, *(diagnosis.message for diagnosis in result.diagnoses), *result.notes]
            each.detail = "\n".join([f"verify: {result.outcome}", *why])


def alarms_of_batch_norm(folder: Path) -> list[str]:
    """The programs of the batch norm matrix that `verify` does not find equal to what `migrate` writes."""
    pairs = {}
    for choice in matrix():
        text, home = choice.text, folder / choice.name
        original = Program(f"original/{choice.name}", text).write(folder)
        result = migrated(original)
        home.mkdir(parents=True, exist_ok=True)
        (home / "script.py").write_bytes(result.changes[0].encoded())
        pairs[choice.name] = original, home / "script.py", ()
    return [name for name, result in verify_all(pairs).items() if result.outcome not in ("bitwise", "within")]


def _run(mode: str, paths: dict[str, str]) -> dict[str, dict]:
    """The runs of some scripts, by the names that are given to them."""
    runs = run_all(mode, list(paths.values())) if paths else {}
    return {name: runs[path] for name, path in paths.items()}


def is_wrong(variant: Variant) -> bool:
    """True if `migrate` or `verify` is wrong about a variant."""
    return variant.came in ("wrong", "crash") or variant.verdict == "alarm"


def summary(done: list[Variant], seconds: float) -> dict:
    """The numbers of a campaign."""
    came = collections.Counter(each.came for each in done)
    verdicts = collections.Counter(each.verdict for each in done)
    return {
        "variants": len(done),
        **{name: came[name] for name in OUTCOMES},
        **{name: verdicts[name] for name in VERDICTS},
        "seconds": round(seconds),
        "refused by code": collections.Counter(code for each in done for code in each.codes),
        "wrong ones": [each.name for each in done if is_wrong(each)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variants", type=int, default=2000)
    parser.add_argument("--verify", type=int, default=500, help="of them, how many are verified")
    parser.add_argument("--no-batch-norm", action="store_true", help="without the batch norm matrix")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--only", action="append", default=[], choices=sorted(MUTATIONS), help="these changes alone"
    )
    parser.add_argument("--out", type=Path, default=Path("/tmp/tf2towers-soundness"))
    options = parser.parse_args()
    started = time.monotonic()
    programs = one_process()
    options.out.mkdir(parents=True, exist_ok=True)
    expected = _expected(programs, options.out)
    print(f"{len(expected)} of {len(programs)} programs run and print the same twice", flush=True)
    numbers = range(options.variants)
    chunks = [numbers[start : start + options.chunk] for start in range(0, len(numbers), options.chunk)]

    to_verify = -(-options.verify // len(chunks))

    def chunk(some: range) -> list[Variant]:
        variants = [variant(number, options.seed, list(expected), options.only) for number in some]
        judge(variants, expected, options.out, to_verify)
        return variants

    done: list[Variant] = []
    with forked_recorders(), ThreadPoolExecutor(options.processes) as pool:
        for variants in pool.map(chunk, chunks):
            done += variants
            made = summary(done, time.monotonic() - started)
            print(json.dumps(made), flush=True)
        alarms = [] if options.no_batch_norm else alarms_of_batch_norm(options.out / "batch_norm")
    if not options.no_batch_norm:
        print(f"batch norm: {len(alarms)} of {len(matrix())} are not found equal {alarms}", flush=True)
    return 1 if alarms or any(map(is_wrong, done)) else 0


def _expected(programs: list[Program], out: Path) -> dict[Program, dict]:
    """What the programs print as they are: those that run, and print the same in two runs."""
    paths = {program.name: str(program.write(out / "programs")) for program in programs}
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: _run("original", paths), range(2))
    return {
        program: first[program.name] for program in programs
        if first[program.name]["error"] is None
        and first_difference(first[program.name], second[program.name]) is None
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
