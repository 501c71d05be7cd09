"""Reading: every encoding and line end comes back byte for byte; every bad input gets its sentence."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.report.result import FileChange
from tf2towers.source import script as script_module
from tf2towers.source.deep import with_deep_stack
from tf2towers.source.errors import NotPython3, SourceError
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """x.py, of one statement."""
    (tmp_path / "x.py").write_text("a = 1\n")
    return tmp_path / "x.py"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (b" \n\n", "utf-8"),
        (b"a = 1\n", "utf-8"),
        (b"a = 1", "utf-8"),
        (b"a = 1\r\nb = 2\r\n", "utf-8"),
        (b"a = 1\rb = 2\r", "utf-8"),
        (b"a = 1\r\nb = 2\n\n\n", "utf-8"),
        (b"if a:\n\tb = 1\n", "utf-8"),
        (b"\x0ca = 1\n", "utf-8"),
        ("# é €\na = 'ü'\n".encode(), "utf-8"),
        (b"\xef\xbb\xbfa = 1\n", "utf-8"),
        (b"\xef\xbb\xbf# -*- coding: utf-8 -*-\na = 1\n", "utf-8"),
        (b"# -*- coding: latin-1 -*-\na = '\xe9'\n", "iso-8859-1"),
        (b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\na = '\x80'\n", "cp1252"),
        ("# coding: gbk\na = '中'\n".encode("gbk"), "gbk"),
    ],
)
def test_what_is_read_is_what_is_written(path: Path, data: bytes, encoding: str) -> None:
    path.write_bytes(data)
    script = Script.read(path)
    assert script.encoding == encoding
    assert not script.text.startswith("\ufeff")
    same = FileChange(script.path, script.text, script.text, script.encoding, script.bom)
    assert same.encoded() == data


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"\x7fELF\0\0", None, "binary"),
        ("a = 1\n".encode("utf-16"), None, "UTF-16"),
        (b"a = 1\nb = '\xe9'\n", 2, "byte 0xe9 is not UTF-8"),
        (b"a = 1\nb = 2\nc = 3\nd = '\xe9'\n", 4, "coding: latin-1"),
        (b"# coding: ascii\na = 1\nb = '\xe9'\n", 3, "is not ascii"),
        (b"# coding: klingon\na = 1\n", None, "unknown encoding klingon"),
        (b"# coding: rot13\na = 1\n", None, "cannot be read as rot13"),
        (b"# coding: unicode_escape\na = '\\x41'\n", None, "unicode_escape text cannot be written back"),
        (b"\xef\xbb\xbf# coding: latin-1\na = 1\n", None, "contradict"),
        (b"def f(:\n  pass\n", 1, "not valid Python 3"),
        (b"x = (1,\n", 1, "not valid Python 3"),
        (b"flags = 1\nif flags.async:\n  pass\n", 2, "`async` is a keyword since Python 3.7"),
        (b"x = 1\nfrom async import y\n", 2, "`async` is a keyword since Python 3.7: rename the module"),
        (b"from nets.async import y\n", 1, "rename the module"),
        (b"import os, async\n", 1, "rename the module"),
        (b"if a:\n        b = 1\n\tc = 2\n", 3, "expand the tabs first"),
        (b"a = 1\nprint 'x'\n", 2, "Python 2"),
        (b"a = 1\nif a: print a\n", 2, "Python 2"),
        (b"print >>sys.stderr, 'x', y\nz z\n", 1, "Python 2"),
        (b"try:\n  a\nexcept IOError, e:\n  b\n", 3, "Python 2"),
        (b"try:\n  a\nexcept (A, B), e:\n  b\n", 3, "Python 2"),
        (b"raise ValueError, 'x'\n", 1, "Python 2"),
        (b"exec code in scope\n", 1, "Python 2"),
        (b"x = `1`\n", 1, "Python 2"),
        (b"if a <> b: pass\n", 1, "Python 2"),
        (b"os.chmod(p, 0755)\n", 1, "Python 2"),
        (b"x = 10L\n", 1, "Python 2"),
        (b"x = ur'a'\n", 1, "Python 2"),
        (b"def f(a, (b, c)): pass\n", 1, "Python 2"),
        (b"def f():\n  print(a)\n  global a\n", 3, "move the `global` to the function's beginning"),
        (b"import os\nfrom __future__ import division\n", 2, "from __future__ imports must occur"),
        (b"def f(a, a): pass\n", 1, "duplicate argument"),
        (b"if a:\n  return\n", 2, "'return' outside function"),
        (b"x = " + b"(" * 5000 + b")" * 5000, None, ""),
        (b"x = " + b"-" * 200_000 + b"1\n", None, ""),
    ],
)
def test_what_cannot_be_read_is_said(path: Path, data: bytes, line: int | None, message: str) -> None:
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        Script.read(path)
    assert message in caught.value.message
    if message:
        assert caught.value.line == line
    assert path.read_bytes() == data


def test_what_only_the_compiler_refuses_is_not_taken_for_python2(path: Path) -> None:
    path.write_text(
        dedent(
            """\
        def f():
          print(3 / 2, a)
          global a
        """
        )
    )  # of Python 3.5: the division is a true one
    with pytest.raises(SourceError) as caught:
        Script.read(path)
    assert not isinstance(caught.value, NotPython3)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.py", "no such file"), (".", "a directory"), ("a\0b.py", "cannot be read"), ("x.py", "larger than"),
        ("pipe.py", "a pipe or a device"), ("/dev/null", "a pipe or a device"),  # neither is waited for
    ],
)  # fmt: skip
def test_no_file_of_a_script(path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    os.mkfifo(path.with_name("pipe.py"))
    monkeypatch.setattr(script_module, "MAX_BYTES", 5)
    with pytest.raises(SourceError, match=message):
        Script.read(path.parent / name)


def test_a_file_that_may_not_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # for the superuser a mode refuses nothing
    with pytest.raises(SourceError, match="permission denied"):
        Script.read(path)


def test_string_escapes_warn_nobody(path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path.write_text("a = '\\d'\n")
    Script.read(path)
    assert not list(recwarn)


def test_threads_may_read_at_once() -> None:
    deep = "x = " + "+".join(["1"] * 500) + "\n"

    def read(_: int) -> int:
        return len(with_deep_stack(lambda: parse(deep, Path("deep.py"))).body)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, range(40))) == [1] * 40
