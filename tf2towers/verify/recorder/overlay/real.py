"""The file functions as they were before any patch: all that the overlay itself uses.

Nothing here calls a function of `os.path` or `shutil` that looks at the disk: those call the patched ones.
"""

import io
import os
import stat as modes
from typing import Optional

open_file = io.open
open_fd = os.open
stat = os.stat
lstat = os.lstat
listdir = os.listdir
scandir = os.scandir
mkdir = os.mkdir
rmdir = os.rmdir
unlink = os.unlink
replace = os.replace
link = os.link
symlink = os.symlink
readlink = os.readlink
chmod = os.chmod
utime = os.utime
getcwd = os.getcwd
chdir = os.chdir


def mode(path: str) -> Optional[int]:
    """The st_mode of what is at `path`, of a link itself; None where there is nothing."""
    try:
        return lstat(path).st_mode
    except OSError:
        return None


def exists(path: str) -> bool:
    """There is a file, folder or link."""
    return mode(path) is not None


def is_folder(path: str) -> bool:
    """It is a folder, not a link to one."""
    found = mode(path)
    return found is not None and modes.S_ISDIR(found)


def make_folders(path: str) -> None:
    """A folder and the folders above it, where they are missing."""
    if not is_folder(path):
        above = os.path.dirname(path)
        if above != path:
            make_folders(above)
        try:
            mkdir(path)
        except FileExistsError:
            pass


def copy_file(source: str, target: str) -> None:
    """One file, with its permissions (the owner may always write the copy) and times; a link as a link."""
    status = lstat(source)
    if modes.S_ISLNK(status.st_mode):
        symlink(readlink(source), target)
        return
    with open_file(source, "rb") as reader, open_file(target, "wb") as writer:
        while True:
            block = reader.read(1 << 20)
            if not block:
                break
            writer.write(block)
    chmod(target, modes.S_IMODE(status.st_mode) | modes.S_IWUSR)
    utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def remove_tree(path: str) -> None:
    """A file, or a folder with all that is in it."""
    if not is_folder(path):
        unlink(path)
        return
    for name in listdir(path):
        remove_tree(os.path.join(path, name))
    rmdir(path)
