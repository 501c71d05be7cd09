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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """x.py, alone in its folder."""
    (tmp_path / "x.py").write_text("a = 1\n")
    return tmp_path / "x.py"


def test_in_place_keeps_encoding_line_ends_and_mode(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfa = '\xc3\xa9'\r\nb = 1\r\n")
    path.chmod(0o751)
    write(FileChange(path, "a = 'é'\r\nb = 1\r\n", "a = 'é'\r\nb = 2\r\n", "utf-8", bom=True))
    assert path.read_bytes() == b"\xef\xbb\xbfa = '\xc3\xa9'\r\nb = 2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(path.parent.iterdir()) == [path]


def test_elsewhere_makes_the_directories(path: Path) -> None:
    path.chmod(0o755)
    target = path.parent / "out" / "deep" / "x.py"
    write(FileChange(path, "a = 1\n", "a = 2\n"), target)
    assert target.read_text() == "a = 2\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("a = 1\n")
    (tmp_path / "link.py").symlink_to("real.py")
    write(FileChange(tmp_path / "link.py", "a = 1\n", "a = 2\n"))
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text() == "a = 2\n"


@pytest.mark.parametrize("after", ["def f(:\n", "print 'x'\n", "a = '\0'\n"])
def test_what_is_not_python_is_not_written(path: Path, after: str) -> None:
    with pytest.raises(SourceError, match="not written"):
        write(FileChange(path, "a = 1\n", after))
    assert path.read_text() == "a = 1\n"
    assert list(path.parent.iterdir()) == [path]


def test_what_the_encoding_cannot_hold_is_not_written(path: Path) -> None:
    path.write_bytes(b"# coding: latin-1\n")
    with pytest.raises(SourceError, match="'€'"):
        write(FileChange(path, "# coding: latin-1\n", "# coding: latin-1\na = '€'\n", "iso-8859-1"))
    assert path.read_bytes() == b"# coding: latin-1\n"


def test_a_failure_while_writing_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SourceError, match="No space left"):
        write_together([(path, b"a = 2\n", None)])
    assert path.read_text() == "a = 1\n"
    assert list(path.parent.iterdir()) == [path]


def test_several_files_all_or_none(path: Path) -> None:
    new, folder = path.with_name("new.py"), path.with_name("folder.py")
    folder.mkdir()
    files = [(path, b"a = 2\n", None), (new, b"b = 1\n", path), (folder, b"", None)]
    with pytest.raises(SourceError, match="not a regular file"):
        write_together(files)
    assert path.read_text() == "a = 1\n"
    assert sorted(path.parent.iterdir()) == [folder, path]
    write_together(files[:2])
    assert (path.read_text(), new.read_text()) == ("a = 2\n", "b = 1\n")


def test_a_read_only_file_is_not_replaced(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(SourceError, match="read-only"):
        write_together([(path, b"a = 2\n", None)])
    assert path.read_text() == "a = 1\n"
