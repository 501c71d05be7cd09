"""Every case migrated: exact text, findings, a second time; what is left alone is left whole."""

import ast

import pytest
from cases import GOLDENS, after, all_cases, is_certain, is_left, marks, migrated

from tf2towers.exact.migrate import Options
from tf2towers.registers import idiomatic_or_exact
from tf2towers.rewrites.rule import Example
from tf2towers.source.script import Script

CHANGED = [name for name, case in all_cases().items() if not is_left(case)]
LEFT = [name for name, case in all_cases().items() if is_left(case)]


def blocks(fragment: str) -> list[list[str]]:
    """The pieces of an example's `after`, between '...' lines."""
    return [piece.strip("\n").splitlines() for piece in fragment.split("\n...\n")]


def stands_in(lines: list[str], text: list[str]) -> bool:
    """Whether the lines stand together in a text, indented as one."""
    for start, line in enumerate(text):
        indent = line[: len(line) - len(line.lstrip())]
        if [indent + searched if searched else searched for searched in lines] == text[
            start : start + len(lines)
        ]:
            return True
    return False


@pytest.mark.parametrize("name", CHANGED)
def test_migrated_text_is_exact(name):
    assert migrated(name).status == 0, migrated(name).left
    assert after(name) == (GOLDENS / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", CHANGED)
def test_findings_that_leave_nothing(name):
    found = [finding.code for finding in migrated(name).findings]
    wanted = list(all_cases()[name].codes)
    if not any(
        code.startswith("T2T2") for code in wanted
    ):  # notes are only counted where a case is about them
        found = [code for code in found if not code.startswith("T2T2")]
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("name", CHANGED)
def test_second_migration_changes_nothing(name):
    again = idiomatic_or_exact(Script.from_text(after(name)), Options())
    assert (again.status, again.changed, again.left) == (0, False, [])


@pytest.mark.parametrize("name", CHANGED)
def test_migrated_text_compiles(name):
    compile(after(name), name, "exec")


@pytest.mark.parametrize("name", LEFT)
def test_left_sites_are_the_marked_ones_and_nothing_changes(name):
    result = migrated(name)
    found = sorted((finding.line, finding.code) for finding in result.left)
    assert found == sorted(marks(all_cases()[name].script))
    assert result.status == 1
    assert not result.changed
    assert all(finding.todo and finding.message for finding in result.left)


@pytest.mark.parametrize("name", all_cases())
def test_no_case_is_in_doubt(name):
    """What the rules of certainty keep from the rewrites needs no code there, and no case."""
    assert is_certain(name)


def test_goldens_have_a_case_each():
    assert {file.stem for file in GOLDENS.glob("*.txt")} == set(CHANGED)


@pytest.mark.parametrize("name", [name for name in all_cases() if all_cases()[name].after is not None])
def test_what_an_example_shows_after_stands_in_the_migrated_script(name):
    lines = after(name).splitlines()
    for block in blocks(all_cases()[name].after):
        assert stands_in(block, lines), "\n".join(block)


@pytest.mark.parametrize("name", list(all_cases()))
def test_cases_are_programs(name):
    case = all_cases()[name]
    assert isinstance(case, Example)
    ast.parse(case.script)
