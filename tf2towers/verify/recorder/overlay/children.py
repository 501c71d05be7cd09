"""Other programs that the script starts: Python gets the overlay, `rm` and the like are our own, the rest is judged.

What is not known to leave the disk alone is refused. Python finds the overlay through a `sitecustomize` in FOLDER/site;
`rm`, `mkdir`, `cp`, .. are found in FOLDER/bin, the first folder of PATH.
"""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import commands, real
from .paths import Overlay
from .refusals import RefusedCommand

#: They only read, or write nothing but what they print.
_HARMLESS = frozenset(
    """
    uname hostname whoami id date pwd which whereis type echo printf true false : test [ sleep expr seq
    basename dirname realpath readlink stat file ls cat head tail grep egrep fgrep wc sort uniq cut tr
    md5sum sha256sum du df free ps top nproc lscpu lspci lsb_release sw_vers sysctl getconf locale ldd
    ldconfig printenv ip fc-list fc-match ifconfig nvidia-smi nvcc rocm-smi stty tput clear cd export
    set unset exit wait ulimit umask kill
    """.split()
)
_GIT = frozenset(
    """
    rev-parse rev-list log status describe diff show ls-files symbolic-ref name-rev --version
    """.split()
)
#: ctypes.util.find_library runs one
_COMPILERS = frozenset(["gcc", "cc", "g++", "c++", "clang", "ld", "objdump"])
_BEFORE = frozenset(["env", "nohup", "time", "nice", "command", "exec"])
_SHELLS = frozenset(["sh", "bash", "dash", "zsh"])
_SITE = """import os, sys, traceback
if sys.version_info >= (3, 6):
    try:
        sys.path.insert(0, {root!r})
        from tf2towers.verify.recorder.overlay.start_child import start as _start
        del sys.path[0]
        _start({folder!r})
    except BaseException:  # Python would go on without the overlay
        traceback.print_exc()
        os._exit(70)
# and the one that this one hides
_here = os.path.dirname(os.path.abspath(__file__))
_path = sys.path[:]
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
_own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = _own
sys.path[:] = _path
"""


def patch_children(overlay: Overlay) -> None:
    """Patch `subprocess`, `os.system`, `os.exec*`, `os.spawn*` and `os.posix_spawn`, and the environment."""
    settings = _settings(overlay)
    os.environ.update(_with(settings, os.environ))
    original = subprocess.Popen.__init__

    @functools.wraps(original)
    def start(self: Any, args: Any, *rest: Any, **kwargs: Any) -> None:
        if kwargs.get("executable") is not None:
            program = [kwargs["executable"]]
            _judged(overlay, [*program, "-c", args] if kwargs.get("shell") else program, False)
        args = _judged(overlay, args, bool(kwargs.get("shell")))
        if kwargs.get("env") is not None:
            kwargs["env"] = _with(settings, kwargs["env"])
        if kwargs.get("cwd") is not None:
            kwargs["cwd"] = overlay.readable(kwargs["cwd"])
        original(self, args, *rest, **kwargs)

    subprocess.Popen.__init__ = start  # type: ignore[method-assign]
    _wrap("system", lambda command: (_judged(overlay, command, True),))
    for name in ("execv", "execve", "posix_spawn", "posix_spawnp"):
        _wrap(name, lambda path, argv, *rest: (*_program(overlay, path, argv), *rest))
    for name in ("spawnv", "spawnve", "spawnvp", "spawnvpe"):
        _wrap(name, lambda mode, path, argv, *rest: (mode, *_program(overlay, path, argv), *rest))


def _program(overlay: Overlay, path: Any, argv: Any) -> Tuple[Any, Any]:
    """What to start, and its arguments."""
    new = _judged(overlay, [path, *argv[1:]], False)
    return (new[0], new) if new[0] != path else (path, argv)


def _wrap(name: str, judge: Callable[..., Any]) -> None:
    original = getattr(os, name, None)
    if original is not None:
        setattr(os, name, functools.wraps(original)(lambda *args, **more: original(*judge(*args), **more)))


def _settings(overlay: Overlay) -> Dict[str, str]:
    """Write FOLDER/site and FOLDER/bin; the folders to put first in environment variables."""
    package = os.path.dirname(os.path.abspath(__file__))
    site, programs = os.path.join(overlay.folder, "site"), os.path.join(overlay.folder, "bin")
    real.make_folders(site)
    real.make_folders(programs)
    root = os.path.dirname(os.path.dirname(os.path.dirname(package)))
    text = _SITE.format(root=root, folder=overlay.folder)
    _write(os.path.join(site, "sitecustomize.py"), text, 0o644)
    script = os.path.join(package, "commands.py")
    for name in commands.NAMES:
        text = "#!/bin/sh\nexec '{}' '{}' {} \"$@\"\n".format(sys.executable, script, name)
        _write(os.path.join(programs, name), text, 0o755)
    return {"PYTHONPATH": site, "PATH": programs}


def _write(path: str, text: str, mode: int) -> None:
    """Once and at once: a child of a child comes here too, while another Python starts and reads the file."""
    if not real.exists(path):
        part = "{}.{}".format(path, os.getpid())
        with real.open_file(part, "w") as file:
            file.write(text)
        real.chmod(part, mode)
        real.replace(part, path)


def _with(settings: Dict[str, str], environment: Any) -> Dict[Any, Any]:
    new = dict(environment)
    for name, folder in settings.items():
        old_value = new.get(name, os.defpath if name == "PATH" else "")
        if old_value.split(os.pathsep)[0] != folder:
            new[name] = folder + (os.pathsep + old_value if old_value else "")
    new.setdefault("GIT_OPTIONAL_LOCKS", "0")  # `git status` refreshes its index else
    return new


def _judged(overlay: Overlay, args: Any, shell: bool) -> Any:
    """The command, perhaps with a program of ours for the system's; raises `RefusedCommand` for one that is refused."""
    if isinstance(args, (str, bytes)) or hasattr(args, "__fspath__"):
        text = os.fsdecode(args)
        for found in commands_of(text) if shell else [[text]]:
            _judge(overlay, found, text)
        return args
    listed = [os.fsdecode(part) for part in args]
    if shell:
        return [_judged(overlay, listed[0], True), *listed[1:]]
    if listed and os.path.basename(listed[0]) in commands.NAMES:
        return [os.path.join(overlay.folder, "bin", os.path.basename(listed[0])), *listed[1:]]
    _judge(overlay, listed, " ".join(listed))
    return args


def _judge(overlay: Overlay, command: List[str], text: str) -> None:
    while command and (os.path.basename(command[0]) in _BEFORE or re.match(r"\w+=", command[0])):
        command = command[1:]
    if not command or _harmless(overlay, command):
        return
    raise RefusedCommand(
        "the script runs `{}`: tf2towers does not know that it leaves the disk alone, and does not run it".format(
            text
        )
    )


def _harmless(overlay: Overlay, command: List[str]) -> bool:
    program, rest = command[0], command[1:]
    name = os.path.basename(program)
    if name in commands.NAMES:
        return program == name or program.startswith(overlay.folder + os.sep)
    if name in _HARMLESS:
        return not (name == "sort" and "-o" in rest)
    if program.endswith("/tensorboard_data_server/bin/server"):  # TensorBoard's: reads a folder of logs
        return True
    if name == "git":
        return bool(rest) and rest[0] in _GIT
    if name in _COMPILERS:
        outputs = [rest[place + 1] for place, part in enumerate(rest[:-1]) if part == "-o"]
        return all(overlay.locate(path) is None for path in outputs)
    if name in _SHELLS and "-c" in rest[:-1]:
        _judged(overlay, rest[rest.index("-c") + 1], True)
        return True
    if program == sys.executable or re.match(r"python[\d.]*$", name):
        return not {"-E", "-I", "-S"} & set(
            rest[: next((place for place, part in enumerate(rest) if part[:1] != "-"), 0)]
        )
    found = shutil.which(program)
    return found is None or _is_python(found)  # what is not there fails by itself


def _is_python(path: str) -> bool:
    try:
        with real.open_file(path, "rb") as file:
            first: Optional[bytes] = file.readline(200)
    except OSError:
        return False
    return bool(first and re.match(rb"#!.*\bpython3?[\d.]*\s*$", first))


# -- the commands in a line for the shell ------------------------------------------------------------------------------

_STARTS = frozenset(["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"])
_ENDS = frozenset(["fi", "done", "}"])


def commands_of(text: str) -> List[List[str]]:
    """Each command of a line as a list of words.

    Raises `RefusedCommand` where the line writes to a file with `>`, or has a command within quotes.
    """
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        raise _refused(text)
    found: List[List[str]] = [[]]
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if "`" in word or "$(" in word:
            raise _refused(text)
        if set(word) <= set(";&|()"):
            if not (word == "&" and re.match(r"\d*$|-$", "".join(words[place : place + 1])) and found[-1]):
                found.append([])
        elif ">" in word and set(word) <= set("<>&|"):
            target = "".join(words[place : place + 1])
            if target != "/dev/null" and not ("&" in word and re.match(r"\d+$|-$", target)):
                raise _refused(text)
            place += 1
        elif word in _STARTS and not found[-1]:
            continue
        elif word not in _ENDS or found[-1]:
            found[-1].append(word)
    return [command for command in found if command]


def _refused(text: str) -> RefusedCommand:
    return RefusedCommand(
        "the script runs `{}` in a shell, which may write to the disk: tf2towers does not".format(text)
    )
