"""`make soundness`: many variants of the suite's scripts, each migrated and run beside itself.

A variant is a script under one to three changes that keep its meaning (`mutations`), chosen by the seed. It is dropped
where the original no longer prints what the script printed; else it is migrated, and with exit status 0 it has to print
exactly the same. Wrong ones are kept under OUT/wrong with both programs and the difference; the status is then 1.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import random
import shutil
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from mutations import MUTATIONS, Source  # noqa: E402
from run_many import run_all  # noqa: E402
from suite import all_scripts, first_difference, migrated  # noqa: E402

TRIES = 12
#: seconds for one script, on a machine that does other things as well
LONGEST = 90.0


@dataclass
class Variant:
    """One variant, and what came of it."""

    number: int
    script: Path
    changes: list[str]
    files: dict[str, str]
    #: "dropped", "refused", "same", "wrong", "crash"
    came: str = "dropped"
    detail: str = ""
    codes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.number:05d}_{self.script.stem}"

    def write(self, folder: Path) -> Path:
        for name, text in self.files.items():
            path = folder / self.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return folder / self.name / "script.py"


def variant(number: int, seed: int, scripts: list[Path], only: list[str]) -> Variant:
    """The variant of a number, always the same for a seed."""
    rng = random.Random(f"{seed}/{number}")
    path = rng.choice(scripts)
    wanted = rng.choice([1, 1, 2, 2, 3])
    files, changes = {"script.py": path.read_text()}, []
    for _ in range(TRIES):
        if len(changes) == wanted:
            break
        name = rng.choice(only or sorted(MUTATIONS))
        try:
            made = MUTATIONS[name](Source(files["script.py"]), rng)
            if isinstance(made, str):
                made = {"script.py": made}
            if (
                made is None
                or made["script.py"] == files["script.py"]
                or set(made) & (set(files) - {"script.py"})
            ):
                continue
            for text in made.values():
                compile(text, name, "exec", ast.PyCF_ONLY_AST)
                compile(text, name, "exec")
        except (SyntaxError, ValueError, IndexError, StopIteration):
            continue
        files.update(made)
        changes.append(name)
    return Variant(number, path, changes, files)


def judge(variants: list[Variant], expected: dict[Path, dict], out: Path) -> None:
    """Runs, migrates, runs again and compares a number of variants."""
    folder = Path(tempfile.mkdtemp(prefix="soundness"))
    originals = {variant.name: variant.write(folder / "original") for variant in variants if variant.changes}
    runs = run_all("original", [str(path) for path in originals.values()], LONGEST) if originals else {}
    sane = [
        variant for variant in variants
        if variant.name in originals
        and first_difference(expected[variant.script], runs[str(originals[variant.name])]) is None
    ]  # fmt: skip
    targets: dict[str, Path] = {}
    for variant in sane:
        targets |= _migrate(variant, originals[variant.name], folder)
    after = run_all("migrated", [str(path) for path in targets.values()], LONGEST) if targets else {}
    doubtful = []
    for variant in sane:
        if variant.name in targets:
            run = after[str(targets[variant.name])]
            difference = first_difference(expected[variant.script], run)
            variant.came = "same" if difference is None else "wrong"
            if difference is not None:
                variant.detail = f"{difference}\n{run['traceback']}"
                doubtful.append(variant)
    if doubtful:  # what is chance in both programs is no difference between them
        again = run_all("original", [str(originals[variant.name]) for variant in doubtful], LONGEST)
        twice = run_all("migrated", [str(targets[variant.name]) for variant in doubtful], LONGEST)
        for variant in doubtful:
            difference = first_difference(
                again[str(originals[variant.name])], twice[str(targets[variant.name])]
            )
            if difference is None:
                variant.came = "same"
                variant.detail = ""
    for variant in variants:
        if variant.came in ("wrong", "crash"):
            kept = out / "wrong" / variant.name
            kept.mkdir(parents=True, exist_ok=True)
            for kind in ("original", "migrated"):
                if (folder / kind / variant.name).exists():
                    shutil.copytree(folder / kind / variant.name, kept / kind, dirs_exist_ok=True)
            (kept / "difference.txt").write_text(
                f"{variant.script}\n{', '.join(variant.changes)}\n{variant.detail}\n"
            )
    shutil.rmtree(folder, ignore_errors=True)


def _migrate(variant: Variant, path: Path, folder: Path) -> dict[str, Path]:
    """The migrated program's main script, by the variant's name; nothing where it is refused."""
    try:
        result = migrated(path)
    except Exception:
        variant.came, variant.detail = "crash", traceback.format_exc()
        return {}
    if result.left or result.status:
        variant.came, variant.codes = "refused", sorted({finding.code for finding in result.left})
        return {}
    home = folder / "migrated" / variant.name
    shutil.copytree(path.parent, home, ignore=shutil.ignore_patterns("__pycache__"))
    for change in result.changes:
        (home / change.path.relative_to(path.parent)).write_bytes(change.encoded())
    return {variant.name: home / path.name}


def summary(done: list[Variant], seconds: float) -> dict:
    """The numbers of a campaign."""
    came = collections.Counter(variant.came for variant in done)
    by_change: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for variant in done:
        for name in variant.changes:
            by_change[name][variant.came] += 1
    return {
        "variants": len(done),
        **{name: came[name] for name in ("dropped", "refused", "same", "wrong", "crash")},
        "refused by code": dict(
            collections.Counter(code for variant in done for code in variant.codes).most_common()
        ),
        "wrong ones": [variant.name for variant in done if variant.came in ("wrong", "crash")],
        "by change": {name: dict(count) for name, count in sorted(by_change.items())},
        "seconds": round(seconds),
    }


def main() -> int:
    import time

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="other scripts than the suite's")
    parser.add_argument("--variants", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the first variant's number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--only", action="append", default=[], choices=sorted(MUTATIONS), help="these changes alone"
    )
    parser.add_argument("--out", type=Path, default=Path("/tmp/tf2towers-soundness"))
    options = parser.parse_args()
    started = time.monotonic()
    scripts = sorted(options.folder.rglob("*.py")) if options.folder else all_scripts()
    options.out.mkdir(parents=True, exist_ok=True)
    expected = _expected(scripts)
    print(f"{len(expected)} of {len(scripts)} scripts run and print the same twice", flush=True)
    numbers = list(range(options.first, options.first + options.variants))
    done: list[Variant] = []

    def chunk(some: list[int]) -> list[Variant]:
        variants = [variant(number, options.seed, sorted(expected), options.only) for number in some]
        judge(variants, expected, options.out)
        return variants

    with ThreadPoolExecutor(options.processes) as pool:
        chunks = [numbers[k : k + options.chunk] for k in range(0, len(numbers), options.chunk)]
        for variants in pool.map(chunk, chunks):
            done += variants
            made = summary(done, time.monotonic() - started)
            (options.out / "summary.json").write_text(json.dumps(made, indent=1))
            counts = {
                key: made[key]
                for key in ("variants", "dropped", "refused", "exact", "same", "wrong", "crash", "seconds")
            }
            print(counts, flush=True)
    print(json.dumps(summary(done, time.monotonic() - started), indent=1))
    return 1 if any(variant.came in ("wrong", "crash") for variant in done) else 0


def _expected(scripts: list[Path]) -> dict[Path, dict]:
    """What the scripts print as they are: those that run, and print the same in two runs."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(
            lambda _: run_all("original", [str(path) for path in scripts], LONGEST), range(2)
        )
    return {
        path: first[str(path)] for path in scripts
        if first[str(path)]["error"] is None and first_difference(first[str(path)], second[str(path)]) is None
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
