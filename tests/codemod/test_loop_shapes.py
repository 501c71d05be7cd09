"""Tower loops of many shapes become functions, or stay loops, and build the same."""

import json
from pathlib import Path

import pytest
from codemod_texts import after, migrated, printed
from loop_shapes import FUNCTIONS, HEAD, LOOPS, SHAPES


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_loop_becomes_a_function(name):
    text, wanted = FUNCTIONS[name]
    result = after(HEAD + text)
    assert wanted in result and ".run(" in result and "for i in strategy.towers" not in result


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_stays_a_loop(name):
    text, wanted = LOOPS[name]
    result = after(HEAD + text)
    assert wanted in result and "strategy.towers(" in result and ".run(" not in result


@pytest.mark.parametrize("name", SHAPES)
def test_there_is_a_strategy_with_its_scope_once(name):
    result = migrated(HEAD + SHAPES[name])
    text = result.changes[0].after
    compile(text, name, "exec")
    assert "TowerStrategy(" in text and "strategy.scope()" in text and result.status == 0
    assert not migrated(text).changed


@pytest.fixture(scope="module")
def built():
    pytest.importorskip("tensorflow")
    return json.loads(printed(Path(__file__).with_name("drive_loop_shapes.py")).splitlines()[-1])


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", SHAPES)
def test_it_builds_and_prints_the_same(built, name):
    original, result = built[name]["original"], built[name]["migrated"]
    assert original == result
    assert original[0]
