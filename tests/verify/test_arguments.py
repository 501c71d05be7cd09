"""verify's command line: its options may stand anywhere before the --, and what follows that is the scripts'."""

from __future__ import annotations

import argparse

import pytest

from tf2towers.cli.main import parse

LINES = {
    "options first": "--steps 5 a.py b.py -- --num_gpus=2 --steps 7",
    "options last": "a.py b.py --steps 5 -- --num_gpus=2 --steps 7",
    "options around": "a.py --task-flags --job={job} b.py --steps=5 -- --num_gpus=2 --steps 7",
}


def _parsed(line: str) -> argparse.Namespace:
    return parse(["verify", *line.split()])


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_options_stand_before_or_after_the_scripts(line: str) -> None:
    found = _parsed(line)
    assert (str(found.legacy), str(found.migrated), found.steps) == ("a.py", "b.py", 5)
    assert found.arguments == ["--num_gpus=2", "--steps", "7"]


def test_a_script_may_have_no_arguments() -> None:
    assert _parsed("a.py b.py").arguments == _parsed("a.py b.py --").arguments == []
