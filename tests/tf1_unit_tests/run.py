"""Runs unit tests of TensorFlow 1.15 there and migrated, and prints what passes there alone. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from preparing import plain_program, without

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[2]
#: how often what is left is taken out, and the rest migrated
ROUNDS = 6
SECONDS_A_FILE = 900


class Left(NamedTuple):
    """A site that `migrate` leaves."""

    path: str
    line: int
    code: str
    reason: str


class Outcome(NamedTuple):
    """Of one test: 'ok', 'FAIL', 'ERROR' or 'skip', and what went wrong where."""

    verdict: str
    why: str


def environment(**more: str) -> dict[str, str]:
    quiet = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",
    }
    return {**os.environ, **quiet, **more}


def migrated(folder: Path, into: Path) -> list[Left] | None:
    """What is left of `folder/program.py`, which is written with all that it imports; None: it ended badly."""
    options = ["--format", "json", "-o"]
    command = [sys.executable, "-m", "tf2towers", "migrate", "program.py", *options, str(into)]
    run = subprocess.run(
        command,
        cwd=folder,
        env=environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        (result,) = json.loads(run.stdout)["results"]
    except ValueError:
        print(run.stdout[-300:], run.stderr[-300:])
        return None
    if result["status"] == 0:
        return []
    return [
        Left(found.get("path", ""), found.get("line", 0), found["code"], found.get("message", ""))
        for found in result["findings"]
    ]


def made(source: Path, folder: Path) -> bool:
    """Writes the program and its migration, without what is left; False where nothing can be made of it."""
    text = plain_program(source.read_text(errors="replace"))
    original = folder / "original"
    original.mkdir(parents=True)
    shutil.copy(PROGRAMS / "classes_of_tests.py", original)
    dropped: list[Left] = []
    for _ in range(ROUNDS):
        (original / "program.py").write_text(text)
        left = migrated(original, folder / "migrated")
        if left is None:
            return False
        dropped += left
        (folder / "dropped.txt").write_text(
            "".join(f"{site.code} {site.line} {site.reason}\n" for site in dropped)
        )
        if not left:
            for name in ("program.py", "classes_of_tests.py"):  # nothing to change in it
                if not (folder / "migrated" / name).exists():
                    shutil.copy(original / name, folder / "migrated" / name)
            return True
        shorter = without(text, {site.line for site in left if site.path.endswith("program.py")})
        if shorter == text:
            return False
        text = shorter
    return False


def outcomes(folder: Path, pythons: dict[str, str]) -> dict[str, dict[str, Outcome]]:
    """Runs the tests of both programs side by side: what came of each, by its name."""
    running = []
    for side, python in pythons.items():
        command = [python, str(PROGRAMS / "run_each.py"), "program", str(folder / f"{side}.tsv")]
        with (folder / f"{side}.log").open("w") as log:
            running.append(
                subprocess.Popen(
                    command,
                    cwd=folder / side,
                    env=environment(PYTHONPATH=str(ROOT) if side == "migrated" else ""),
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            )
    for process in running:
        try:
            process.wait(SECONDS_A_FILE)
        except subprocess.TimeoutExpired:
            process.kill()
    found: dict[str, dict[str, Outcome]] = {}
    for side in pythons:
        table = folder / f"{side}.tsv"
        lines = table.read_text(errors="replace").splitlines() if table.exists() else []
        rows = [line.split("\t") for line in lines]
        found[side] = {name: Outcome(verdict, why) for verdict, name, why in rows}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, help="a folder with TensorFlow 1.15's tensorflow/ in it")
    parser.add_argument("tests", nargs="+", help="tensorflow/.../x_test.py, below it")
    parser.add_argument("--legacy-python", required=True, help="a Python with TensorFlow 1.15")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    for test in given.tests:
        folder = given.out.resolve() / test.removeprefix("tensorflow/").removesuffix(".py").replace("/", "__")
        shutil.rmtree(folder, ignore_errors=True)
        if not made(given.sources / test, folder):
            print(f"{test}: nothing is left of it, see {folder / 'dropped.txt'}", flush=True)
            continue
        found = outcomes(folder, {"original": given.legacy_python, "migrated": sys.executable})
        passed = [name for name, outcome in found["original"].items() if outcome.verdict == "ok"]
        nothing = Outcome("did not run", "")
        differing = [name for name in passed if found["migrated"].get(name, nothing).verdict != "ok"]
        print(
            f"{test}: {len(passed)} pass in TensorFlow 1.15, {len(passed) - len(differing)} migrated",
            flush=True,
        )
        for name in differing:
            print(f"    {name}: {' '.join(found['migrated'].get(name, nothing))}", flush=True)


if __name__ == "__main__":
    main()
