"""Diffs of long texts are applied by `patch`, and take no time."""

import random
import subprocess
import time
from pathlib import Path

import pytest

from tf2towers.report.result import FileChange
from tf2towers.report.text import unified_diff


@pytest.mark.parametrize("seed", range(6))
def test_a_patch_gives_the_new_text(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    lines = [f"line {draw.randrange(40)}\n" for _ in range(3000)]
    new: list[str] = []
    for line in lines:
        chance = draw.random()
        if chance < 0.1:
            continue
        new += [line if chance < 0.7 else f"new {line}"]
        if chance > 0.97:
            new += ["inserted\n"] * draw.randrange(30)
    if seed == 1:
        del lines[500:1500]
    change = FileChange(Path("a.py"), "".join(lines), "".join(new))
    (tmp_path / "a.py").write_text(change.before)
    diff = "".join(unified_diff(change))
    subprocess.run(["patch", "-p1"], input=diff, text=True, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "a.py").read_text() == change.after


def test_repeated_lines_take_no_time() -> None:
    before = "".join(f"def f{i}():\n    x = tf.log(1)\n    return x\n\n" for i in range(2500))
    start = time.perf_counter()
    diff = list(unified_diff(FileChange(Path("a.py"), before, before.replace("tf.log", "tf.math.log"))))
    assert time.perf_counter() - start < 2
    assert sum(line.startswith("+ ") for line in diff) == 2500
