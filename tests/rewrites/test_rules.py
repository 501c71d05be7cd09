"""The registry: every code that the tool gives has a rule, every rule is told in full."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cases import CHANGED_CASES, all_cases, marks

from tf2towers.certain.registry import codes as codes_of_certainty
from tf2towers.cli.every_rule import every_rule
from tf2towers.exact.registry import codes as exact_codes
from tf2towers.report.rule import anchor, explanation, kind
from tf2towers.rewrites.registry import rule_of, rules, todo_of

PACKAGE = Path(__file__).parents[2] / "tf2towers"
CODES = sorted(rule.code for rule in rules())


def test_every_code_in_the_source_has_a_rule():
    text = "\n".join(file.read_text() for file in PACKAGE.rglob("*.py") if "parity" not in file.parts)
    used = set(re.findall(r"T2T\d{3}", text))
    assert used - {rule.code for rule in every_rule()} == set()


def test_every_rule_is_given():
    """By code beside the rules; a rule of certainty, or one that edits, acts itself."""
    given = {
        node.value
        for file in PACKAGE.rglob("*.py")
        if file.parent != PACKAGE / "rewrites" / "rules"
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for rule in every_rule():
        acts = getattr(rule, "edits", None) or getattr(rule, "doubts", None)
        assert acts or rule.code in given, f"{rule.code} is given by nothing"


def test_every_rule_is_shown():
    """By its own examples, which their registers' tests hold to; of the idiomatic one by a case or a changed one."""
    met = {code for case in all_cases().values() for code in case.codes}
    met |= {code for case in all_cases().values() for _, code in marks(case.script)}
    for rule in every_rule():
        if rule.code in {*exact_codes(), *codes_of_certainty()}:
            assert rule.examples, rule.code
        else:
            assert rule.code in met | set(CHANGED_CASES), f"{rule.code} is shown by nothing"


def test_codes_are_sorted_and_apart():
    assert len(CODES) == len(set(CODES))
    assert [rule.code for rule in rules()] == CODES


@pytest.mark.parametrize("code", CODES)
def test_a_rule_says_what_and_why(code):
    rule = rule_of(code)
    assert rule.code == code
    assert rule.title and len(rule.title) <= 90
    assert len(rule.why.split()) >= 12
    assert rule.title in explanation(rule)


@pytest.mark.parametrize("code", [code for code in CODES if code[3] in "345"])
def test_a_rule_that_leaves_sites_says_what_to_do(code):
    assert len(todo_of(code).split()) >= 5
    assert "\n" not in todo_of(code)


def test_safe_is_said_of_rules_that_change_something():
    for rule in every_rule():
        assert ("safe" in kind(rule)) == (rule.does == "changes" and rule.safe), rule.code
        assert rule.safe or rule.does != "refuses", rule.code
        assert rule.name.isidentifier() and (rule.todo or rule.does != "refuses")


def test_an_unknown_code_has_nothing_to_do():
    assert todo_of("T2T999") == ""
    assert rule_of("T2T999") is None


@pytest.mark.parametrize("code", CODES)
def test_examples_can_be_shown(code):
    for example in rule_of(code).examples:
        assert example.name.startswith(code.lower())
        assert example.before and example.script


def test_a_todo_loads_one_rule_and_no_example():
    program = (
        "import sys; from tf2towers.rewrites.registry import todo_of; todo_of('T2T401')\n"
        "print([n for n in sys.modules if n.startswith('tf2towers.rewrites.rules.')], 'tensorflow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['tf2towers.rewrites.rules.t2t401_session'] False"


def test_the_page_of_rules_is_current():
    docs = PACKAGE.parent / "docs"
    done = subprocess.run(
        [sys.executable, str(docs / "make_rules.py"), "--check"],
        cwd=PACKAGE.parent,
        check=False,
    )
    assert done.returncode == 0, "run: python docs/make_rules.py"
    assert all(f'<a id="{anchor(rule)}"></a>' in (docs / "rules.md").read_text() for rule in every_rule())
