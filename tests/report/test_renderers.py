"""The four ways a result is shown."""

import json
from pathlib import Path
from textwrap import dedent

from tf2towers.report import github, sarif, text
from tf2towers.report import json as as_json
from tf2towers.report.result import FileChange, Finding, MigrationResult

LEFT = Finding("T2T104", "a fetch, 9% known:\nodd", "write it out", Path("train.py"), 12, 5)
DONE = Finding("T2T101", "the tower loop became a replica function", "", Path("train.py"), 3, 1, "changed")


def example() -> MigrationResult:
    change = FileChange(
        Path("train.py"),
        dedent(
            """\
        a
        b
        c
        """
        ),
        dedent(
            """\
        a
        B
        c
        """
        ),
    )
    return MigrationResult(Path("train.py"), [change], [Path("model.py")], [LEFT, DONE])


def broken() -> MigrationResult:
    return MigrationResult(Path("old.py"), error="line 3: Python 2 syntax")


def test_the_status_of_a_result() -> None:
    assert example().status == 1
    assert broken().status == 2
    assert MigrationResult(Path("x.py"), findings=[DONE]).status == 0
    assert example().changed
    assert not MigrationResult(Path("x.py"), [FileChange(Path("x.py"), "a", "a")]).changed


def test_text_has_the_sites_and_what_to_do() -> None:
    shown = "".join([*text.lines(example()), *text.lines(broken())])
    assert shown.startswith("train.py: 1 file to change, 1 place left to you\n")
    assert "\n  12:5: T2T104 a fetch" in shown
    assert "      to do: write it out\n" in shown
    assert shown.endswith("old.py: line 3: Python 2 syntax\n")


def test_nothing_to_do_is_said() -> None:
    [line] = text.lines(MigrationResult(Path("x.py")))
    assert line == "x.py: nothing to change, nothing left to you\n"


def test_a_result_as_json() -> None:
    document = json.loads(as_json.render([example(), broken()]))
    assert document["version"] == 1
    assert document["status"] == 2
    first, second = document["results"]
    assert first["findings"][0] == {
        "code": "T2T104", "kind": "left", "path": "train.py", "line": 12, "column": 5, "message": LEFT.message,
        "todo": "write it out", "accepted_by": "", "source": "",
    }  # fmt: skip
    assert first["copied"] == ["model.py"]
    assert "+B" in first["changes"][0]["diff"]
    assert second["error"] == "line 3: Python 2 syntax"


def test_a_result_as_sarif() -> None:
    log = json.loads(sarif.render([example(), broken()]))
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["T2T101", "T2T104"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    left = run["results"][0]
    assert (left["level"], left["kind"]) == ("warning", "fail")
    place = left["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 12, "startColumn": 5}
    assert place["artifactLocation"]["uri"] == "train.py"
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == broken().error


def test_sarif_addresses_are_addresses() -> None:
    finding = Finding("T2T1", "m", "", Path("/some where/ü.py"), 1, 1)
    log = json.loads(sarif.render([MigrationResult(finding.path, findings=[finding])]))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "file:///some%20where/%C3%BC.py"


def test_a_result_as_lines_for_github() -> None:
    lines = github.render([example(), broken()], lambda code: None).splitlines()
    said = "a fetch, 9%25 known:%0Aodd%0ATo do: write it out"
    assert lines[0] == f"::warning file=train.py,line=12,col=5,title=T2T104::{said}"
    assert lines[1].startswith("::notice file=train.py,line=3,col=1,title=T2T101::")
    assert lines[2] == "::error file=old.py::line 3: Python 2 syntax"
