"""Pieces of scripts to run under the overlay, many in one process, each in a folder of its own."""

import json
import subprocess
import sys
from pathlib import Path

CLONE = Path(__file__).parents[3]

#: the user's folder, before
FILES = {
    "log.txt": "one\n",
    "data.bin": "0123456789",
    "train/checkpoint": "old",
    "train/model.ckpt-5.index": "index",
    "train/events.out.1": "events",
    "train/sub/deep.txt": "deep",
    "empty/": "",
    "link.txt": "-> log.txt",
    "train/here": "-> sub",
}


def parse(text: str) -> dict[str, str]:
    """The code of each case, by its name; '=== NAME' starts one."""
    found = {}
    for part in text.strip().split("=== ")[1:]:
        name, code = part.split("\n", 1)
        found[name.strip()] = code
    return found


def fill(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        elif text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text)
    (folder / "log.txt").chmod(0o444)


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything in a folder, with permissions, times and bytes."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        what = str(path.readlink()) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, what)
    return found


class Ran:
    """What came of the cases."""

    def __init__(
        self, codes: dict[str, str], folder: Path, python: str = sys.executable, tensorflow: bool = False
    ):
        self.scratch = folder / "scratch"
        self.users = folder / "users"
        self.before = {}
        cases = []
        for name, code in codes.items():
            user = self.users / name.replace(" ", "_")
            fill(user)
            self.before[name] = state(user)
            cases.append({"name": name, "folder": str(user), "code": code, "tensorflow": tensorflow})
        (folder / "cases.json").write_text(json.dumps(cases))
        (self.scratch / "tmp").mkdir(parents=True)
        done = subprocess.run(
            [python, Path(__file__).with_name("drive_writes.py"), CLONE, self.scratch, folder / "cases.json"],
            capture_output=True, text=True, check=False, cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(self.scratch / "tmp"),
                 "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.said = json.loads(done.stdout.splitlines()[-1])

    def check(self, name: str) -> None:
        """The case had no error, and the user's folder is as it was."""
        assert not self.said[name], self.said[name]
        assert state(self.users / name.replace(" ", "_")) == self.before[name]
