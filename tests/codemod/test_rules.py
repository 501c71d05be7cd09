"""Every rule's examples, and that every rule says what it is."""

from pathlib import Path

import pytest

from tests.runtime.tasks import run_python
from tf2towers.codemod.migrate import migrate
from tf2towers.codemod.rule import rule_of, rules
from tf2towers.report.rule import explain
from tf2towers.source.python2.reading import read_script
from tf2towers.source.script import Script

CODES = [rule.code for rule in rules()]
EXAMPLES = [(rule.code, number) for rule in rules() for number in range(len(rule.examples))]


@pytest.mark.parametrize("code", CODES)
def test_a_rule_is_complete(code):
    rule = rule_of(code)
    assert rule.code == code and code.startswith("T2T6")
    assert len(rule.why.split()) > 15 and rule.examples
    assert len(rule.title) <= 90
    assert (rule.does == "refuses") == any(example.left for example in rule.examples)
    if rule.does == "refuses":
        assert len(rule.todo.split()) >= 5


@pytest.mark.parametrize(("code", "number"), EXAMPLES)
def test_an_example_becomes_what_it_says(code, number):
    example = rule_of(code).examples[number]
    result = migrate(_script(example.before))
    if example.left:
        assert code in [finding.code for finding in result.left], result.findings
        assert {rule_of(finding.code).does for finding in result.left} == {"refuses"}
        assert all(finding.todo for finding in result.left)
        return
    assert result.status == 0
    if example.after is not None:
        assert result.changes[0].after == example.after
        return
    assert code not in [edit.code for edit in result.changes[0].edits]
    assert (code in [finding.code for finding in result.findings]) == (rule_of(code).does == "reports")


@pytest.mark.parametrize(("code", "number"), EXAMPLES)
def test_a_second_run_changes_nothing(code, number):
    example = rule_of(code).examples[number]
    first = migrate(_script(example.before))
    text = first.changes[0].after
    compile(text, code, "exec")
    second = migrate(Script.from_text(text))
    assert not second.changed
    assert second.status == first.status or code == "T2T609"  # nothing says that it was Python 2


def _script(text):
    return read_script(lambda checked: Script.from_text(text, checked=checked))


@pytest.mark.parametrize("code", CODES)
def test_a_page_is_a_screen(code):
    page = explain(rule_of(code))
    assert page.count("\n") <= 55


def test_the_page_of_all_rules_is_current():
    make_rules = Path(__file__).parents[2] / "docs" / "make_rules.py"
    run_python(make_rules, "--check")
