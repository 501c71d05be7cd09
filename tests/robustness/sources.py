"""The Python files of repositories, of which each is cloned into a folder; nothing of them is kept in this one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TF1 = (b"tf.Session", b"tf.placeholder", b"tf.get_variable", b"tf.train.", b"tf.contrib", b"tf.app")
#: what the tool refuses for its size is not worth mutating
LONGEST = 5_000_000


@dataclass(frozen=True)
class Original:
    """A file of a repository, the first with its text."""

    name: str
    data: bytes

    @property
    def is_tf1(self) -> bool:
        """Whether the campaign counts it as a TF1 file."""
        return b"tensorflow" in self.data and any(word in self.data for word in _TF1)


def clones(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def originals(folder: Path) -> list[Original]:
    """Every distinct Python file, in a fixed order."""
    found: dict[bytes, Original] = {}
    for clone in clones(folder):
        for path, data in files_of(clone):
            if 0 < len(data) < LONGEST:
                found.setdefault(data, Original(f"{clone.name}/{path}", data))
    return list(found.values())


def files_of(clone: Path) -> Iterator[tuple[Path, bytes]]:
    """The Python files of a clone."""
    for path in sorted(clone.rglob("*.py")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(clone), path.read_bytes()
