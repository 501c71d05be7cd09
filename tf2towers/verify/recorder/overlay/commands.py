"""`rm`, `mkdir` and the like in Python, so that they go through the overlay: `python commands.py rm -rf FOLDER`."""

import glob
import os
import shutil
import sys
from typing import List, Set

NAMES = ("rm", "rmdir", "mkdir", "touch", "cp", "mv", "ln", "tee")


def run(name: str, arguments: List[str]) -> None:
    """One command; raises `OSError`, and `SystemExit` for an option that it does not have."""
    flags = {part for part in arguments if part.startswith("-") and len(part) > 1}
    letters = {letter for flag in flags if not flag.startswith("--") for letter in flag[1:]}
    letters |= {
        {"--parents": "p", "--recursive": "r", "--force": "f", "--append": "a"}.get(flag, "v")
        for flag in flags
    }
    unknown = letters - set("rRfpvsaiunTt" if name != "mkdir" else "pv")
    if unknown:
        raise SystemExit("{}: tf2towers has no option -{}".format(name, "".join(sorted(unknown))))
    paths: List[str] = []
    for part in arguments:
        if part not in flags:
            paths += (sorted(glob.glob(part)) if not os.path.lexists(part) else []) or [part]
    if name in ("cp", "mv", "ln"):
        _copy_move_or_link(name, paths, letters)
        return
    if name == "tee":
        _tee(paths, letters)
    for path in paths:
        _do_to_path(name, path, letters)


def _do_to_path(name: str, path: str, letters: Set[str]) -> None:
    if name == "rm":
        if "f" in letters and not os.path.lexists(path):
            return
        if letters & {"r", "R"} and os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)
    elif name == "rmdir":
        os.rmdir(path)
    elif name == "mkdir":
        if "p" in letters:
            os.makedirs(path, exist_ok=True)
        else:
            os.mkdir(path)
    elif name == "touch":
        with open(path, "a"):
            os.utime(path, None)


def _copy_move_or_link(name: str, paths: List[str], letters: Set[str]) -> None:
    if len(paths) < 2:
        raise SystemExit(name + ": needs two paths")
    target = paths[-1]
    for path in paths[:-1]:
        destination = (
            os.path.join(target, os.path.basename(path.rstrip("/"))) if os.path.isdir(target) else target
        )
        if name == "mv":
            os.replace(path, destination)
        elif name == "ln":
            if "f" in letters and os.path.lexists(destination):
                os.remove(destination)
            (os.symlink if "s" in letters else os.link)(path, destination)
        elif os.path.isdir(path):
            if not letters & {"r", "R", "a"}:
                raise SystemExit("cp: -r not specified; omitting directory " + path)
            shutil.copytree(path, destination)
        else:
            shutil.copy2(path, destination)


def _tee(paths: List[str], letters: Set[str]) -> None:
    files = [open(path, "ab" if "a" in letters else "wb") for path in paths]  # noqa: SIM115
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        for file in files:
            file.write(line)
    for file in files:
        file.close()


if __name__ == "__main__":
    if "tf2towers.verify.recorder.overlay" not in sys.modules:
        sys.exit(sys.argv[1] + ": there is no overlay, so nothing was done")
    try:
        run(sys.argv[1], sys.argv[2:])
    except OSError as error:
        sys.exit("{}: {}".format(sys.argv[1], error))
