"""Diffs are applied by `patch`, and those of long texts take no time."""

import random
import subprocess
import time
from pathlib import Path

import pytest

from tf2towers.report.diff import unified_diff
from tf2towers.report.result import FileChange


def changed(seed: int) -> tuple[str, str]:
    """A long text and what comes of it."""
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
    return "".join(lines), "".join(new)


SHORT = [
    ("a\nb\n", "a\nc\n"), ("a\nb", "a\nc"), ("a\nb", "a\nb\n"), ("a\r\nb\r\n", "a\r\nc\r\n"),
    ("a\n\x0cb\n", "a\n\x0cc\n"), ("a\nb\n", "a\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), SHORT + [changed(seed) for seed in range(6)], ids=range(12))
def test_a_patch_gives_the_new_text(before: str, after: str, tmp_path: Path) -> None:
    (path := tmp_path / "a.py").write_bytes(before.encode())
    diff = "".join(unified_diff(FileChange(Path("a.py"), before, after))).encode()
    try:
        subprocess.run(["patch", "-p1", "--binary", "-s"], input=diff, cwd=tmp_path, check=True)
    except FileNotFoundError:
        pytest.skip("no patch program here")
    assert path.read_bytes() == after.encode()


def test_repeated_lines_take_no_time() -> None:
    before = "".join(f"def f{i}():\n    x = tf.log(1)\n    return x\n\n" for i in range(2500))
    start = time.perf_counter()
    diff = list(unified_diff(FileChange(Path("a.py"), before, before.replace("tf.log", "tf.math.log"))))
    assert time.perf_counter() - start < 2
    assert sum(line.startswith("+ ") for line in diff) == 2500
