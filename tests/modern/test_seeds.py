"""docs/seeds.md: each line has a test, which is there, and the defaults that it names are those."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "seeds.md").read_text()
LINES = [" ".join(line.split()) for line in re.findall(r"^- ((?:.|\n(?![-#\n]))+)", TEXT, re.MULTILINE)]


def test_every_name_is_there():
    files, tests, last = 0, 0, Path()
    for path, name in re.findall(r"`((?:[\w/]+\.(?:py|md))?)(?:::(\w+))?`", TEXT):
        if path:
            candidates = [ROOT / path, ROOT / "tests" / path]
            last = next((found for found in candidates if found.exists()), candidates[0])
            assert last.exists(), path
            files += 1
        if name:
            assert re.search(rf"^def {name}\(", last.read_text(), re.M), f"{last}::{name}"
            tests += 1
    assert files > 40 and tests > 40


def test_the_seeds_have_many_lines():
    assert len(LINES) > 45


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:40])
def test_each_line_has_a_test_or_a_reason(line):
    """`not measured` where a GPU is needed."""
    assert re.search(r"::test_|the same (two )?tests?\b|: not measured, for there is no GPU here", line)


def test_the_seeds_defaults():
    """Of seed 1 in the legacy script, of seed 2 in the modern one."""
    supervisor, mobilenet, images = (
        (ROOT / path).read_text()
        for path in ("legacy/mnist_supervisor.py", "modern/mobilenet_setup.py", "modern/mobilenet_images.py")
    )
    for name, value in (
        ("hidden_units", 100), ("train_steps", 10000), ("batch_size", 100), ("learning_rate", 0.01), ("log_every", 1000)
    ):  # fmt: skip
        assert re.search(rf"DEFINE_\w+\('{name}', {value},", supervisor), name
    assert re.search(r'"batch_size", 64,', mobilenet)
    for default in (
        "image_size or (32 if small else 224)",
        "num_epochs or (30 if small else 5)",
        "learning_rate or 0.001",
    ):
        assert f"FLAGS.{default}" in mobilenet
    assert ".shuffle(1024, " in images and "[size, size]) / 255.0" in images
