"""The Python files of repositories, from their newest commits; nothing of them is kept in this one."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Original:
    """A file of a repository, the first with its text."""

    repository: str
    path: str
    data: bytes

    @property
    def is_tf1(self) -> bool:
        """Whether the campaign counts it as a TF1 file."""
        return b"tensorflow" in self.data and any(word in self.data for word in _TF1)


_TF1 = (
    b"tf.Session",
    b"tf.placeholder",
    b"tf.get_variable",
    b"tf.train.",
    b"tf.contrib",
    b"tf.app",
    b"tf.variable_scope",
)
#: what the tool refuses for its size is not worth mutating
LONGEST = 5_000_000


def git_directories(folder: Path) -> Iterator[Path]:
    """The git directories at most three levels below a folder."""
    for level in ("HEAD", "*/HEAD", "*/*/HEAD", "*/*/*/HEAD"):
        for head in sorted(folder.glob(level)):
            if (head.parent / "objects").is_dir():
                yield head.parent


def originals(folder: Path) -> list[Original]:
    """Every distinct Python file, in a fixed order."""
    found: list[Original] = []
    seen: set[bytes] = set()
    for directory in git_directories(folder):
        for path, data in files_of(directory):
            digest = hashlib.sha256(data).digest()
            if path.endswith(".py") and digest not in seen and 0 < len(data) < LONGEST:
                seen.add(digest)
                found.append(Original(name_of(directory, folder), path, data))
    return found


def name_of(directory: Path, folder: Path) -> str:
    """A repository's name: that of the folder it was put in."""
    return directory.relative_to(folder).parts[0]


def files_of(directory: Path) -> Iterator[tuple[str, bytes]]:
    """The Python files of a repository's newest commit."""
    git = ["git", f"--git-dir={directory}"]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=False).stdout
    wanted = []
    for line in filter(None, listed.split(b"\0")):
        about, _, path = line.partition(b"\t")
        mode, kind, name = about.split()
        if kind == b"blob" and mode != b"120000" and path.endswith(b".py"):
            wanted.append((name, path.decode(errors="surrogateescape")))
    asked = b"".join(name + b"\n" for name, _ in wanted)
    given = subprocess.run(
        [*git, "cat-file", "--batch"], input=asked, capture_output=True, check=False
    ).stdout
    place = 0
    for _, path in wanted:
        end = given.index(b"\n", place)
        head = given[place:end].split()
        place = end + 1
        if len(head) == 3:  # else it is missing
            size = int(head[2])
            yield path, given[place : place + size]
            place += size + 1
