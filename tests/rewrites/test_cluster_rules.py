"""Rules about clusters, each met by a case of another kind with one piece of its script in another's place."""

from __future__ import annotations

import pytest
from cases import CHANGED_CASES, all_cases

from tf2towers.certain.doubts import doubts
from tf2towers.exact.program import Program
from tf2towers.migrate import migrate
from tf2towers.source.script import Script


@pytest.mark.parametrize("code", CHANGED_CASES)
def test_a_changed_case_is_left_with_the_code(code: str) -> None:
    case, pieces = CHANGED_CASES[code]
    text = all_cases()[case].script
    for old, new in pieces:
        assert text.count(old) == 1
        text = text.replace(old, new)
    script = Script.from_text(text)
    assert doubts(Program(script)) == []
    assert code in [finding.code for finding in migrate(Program(script), collective=code == "T2T509").left]
