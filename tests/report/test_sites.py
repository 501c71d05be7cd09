"""What is printed of a script's findings: few lines, nothing twice, and what is left out is counted."""

from pathlib import Path

from tf2towers.report.result import Finding, MigrationResult
from tf2towers.report.text import LEFT, NOTES, site_lines

SCRIPT = Path("train.py")


def left(code: str, line: int, message: str = "gone", path: str = "train.py", todo: str = "") -> Finding:
    return Finding(code, message, todo or f"see {code}", Path(path), line, 1)


def printed(*findings: Finding, all_sites: bool = False) -> list[str]:
    return list(site_lines(MigrationResult(SCRIPT, findings=list(findings)), all_sites=all_sites))


def test_a_path_an_advice_and_a_message_are_printed_once() -> None:
    assert printed(
        left("T2T620", 9), left("T2T620", 3), left("T2T624", 5, "lost"), left("T2T620", 7, path="model.py"),
        left("T2T620", 8, "other", path="model.py"),
    ) == [
        "  3:1, 9:1: T2T620 gone",
        "      to do: see T2T620",
        "  5:1: T2T624 lost",
        "      to do: see T2T624",
        "  model.py:",
        "    7:1: T2T620 gone",
        "    8:1: T2T620 other",
    ]  # fmt: skip


def test_at_most_ten_lines_report_what_is_left() -> None:
    many = [left("T2T620", number, f"message {number}") for number in range(1, 41)]
    shown = printed(*many, left("T2T626", 50), left("T2T624", 60, path="model.py"))
    assert len(shown) == LEFT
    assert shown[-1] == "  and 37 more (T2T620): -v shows them"
    assert [line for line in shown if "T2T626" in line and "to do" not in line] == ["  50:1: T2T626 gone"]
    assert "    60:1: T2T624 gone" in shown
    assert len(printed(*many, all_sites=True)) == 41


def test_files_that_have_no_room_are_counted() -> None:
    shown = printed(*(left("T2T620", 1, path=f"m{number}.py") for number in range(20)))
    assert len(shown) <= LEFT
    places = sum(line.startswith("    1:1") for line in shown)
    assert shown[-1] == f"  and {20 - places} more (T2T620): -v shows them"
    assert sum(line.startswith("  m") for line in shown) == places


def test_places_that_are_not_written_out_are_counted() -> None:
    shown = printed(*(left("T2T620", number) for number in range(1, 8)))
    assert shown == [
        "  1:1, 2:1, 3:1, 4:1, ...: T2T620 gone",
        "      to do: see T2T620",
        "  and 3 more (T2T620): -v shows them",
    ]


def test_notes_have_lines_of_their_own() -> None:
    notes = [Finding("T2T605", f"note {n}", "", SCRIPT, n, 1, "note") for n in range(1, 21)]
    shown = printed(*notes, left("T2T620", 5))
    assert len(shown) == NOTES + 3
    by_hand = ["  left to you:", "  5:1: T2T620 gone", "      to do: see T2T620"]
    assert shown[NOTES:] == by_hand
    assert shown[NOTES - 1] == "  and 15 more (T2T605): -v shows them"
