"""Writing: all or nothing, modes and links kept, nothing written that is not Python."""

import os
import stat
from pathlib import Path

import pytest

from tf2towers.report.result import FileChange
from tf2towers.source.errors import SourceError
from tf2towers.source.write import encoded, write_together


def write(change: FileChange, target: Path | None = None) -> None:
    """Over the file it was made from, or elsewhere."""
    write_together([(target or change.path, encoded(change), change.path)])


def test_in_place_keeps_encoding_line_ends_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"\xef\xbb\xbfa = '\xc3\xa9'\r\nb = 1\r\n")
    path.chmod(0o751)
    write(FileChange(path, "a = 'é'\r\nb = 1\r\n", "a = 'é'\r\nb = 2\r\n", "utf-8", bom=True))
    assert path.read_bytes() == b"\xef\xbb\xbfa = '\xc3\xa9'\r\nb = 2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [tmp_path / "x.py"]


def test_elsewhere_makes_the_directories(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("a = 1\n")
    source.chmod(0o755)
    target = tmp_path / "out" / "deep" / "x.py"
    write(FileChange(source, "a = 1\n", "a = 2\n"), target)
    assert target.read_text() == "a = 2\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("a = 1\n")
    (tmp_path / "link.py").symlink_to("real.py")
    write(FileChange(tmp_path / "link.py", "a = 1\n", "a = 2\n"))
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text() == "a = 2\n"


@pytest.mark.parametrize("after", ["def f(:\n", "print 'x'\n", "a = '\0'\n"])
def test_what_is_not_python_is_not_written(tmp_path: Path, after: str) -> None:
    path = tmp_path / "x.py"
    path.write_text("a = 1\n")
    with pytest.raises(SourceError, match="not written"):
        write(FileChange(path, "a = 1\n", after))
    assert path.read_text() == "a = 1\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "x.py"]


def test_what_the_encoding_cannot_hold_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"# coding: latin-1\n")
    with pytest.raises(SourceError, match="'€'"):
        write(FileChange(path, "# coding: latin-1\n", "# coding: latin-1\na = '€'\n", "iso-8859-1"))
    assert path.read_bytes() == b"# coding: latin-1\n"


def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.py"
    path.write_text("a = 1\n")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SourceError, match="No space left"):
        write_together([(path, b"a = 2\n", None)])
    assert path.read_text() == "a = 1\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "x.py"]


def test_several_files_all_or_none(tmp_path: Path) -> None:
    old = tmp_path / "old.py"
    old.write_text("a = 1\n")
    (tmp_path / "folder.py").mkdir()
    files = [
        (old, b"a = 2\n", None),
        (tmp_path / "new.py", b"b = 1\n", old),
        (tmp_path / "folder.py", b"", None),
    ]
    with pytest.raises(SourceError, match="not a regular file"):
        write_together(files)
    assert old.read_text() == "a = 1\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.py", "old.py"]
    write_together(files[:2])
    assert old.read_text() == "a = 2\n"
    assert (tmp_path / "new.py").read_text() == "b = 1\n"


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text("a = 1\n")
    path.chmod(0o444)
    with pytest.raises(SourceError, match="read-only"):
        write_together([(path, b"a = 2\n", None)])
    assert path.read_text() == "a = 1\n"
