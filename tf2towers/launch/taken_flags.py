"""Which flags a script can be given to learn which task it is: those that its code defines or reads."""

from __future__ import annotations

import re
from pathlib import Path

from tf2towers.launch.cluster import TASK_FLAGS
from tf2towers.source.local_imports import program_files

#: what a task reads of its environment instead; see `Cluster.environment`
_VARIABLES = re.compile(r"""["'](?:TF_CONFIG|CLUSTER_SPEC|JOB_NAME|TASK_INDEX)["']""")


def taken_flags(script: Path) -> str:
    """The words of TASK_FLAGS that a script takes, a flag with hyphens as it is defined.

    It takes a flag whose name it, or a local module that it reaches, has as a text ('job_name', '--job-name'), as where
    flags are defined; or reads as an attribute (`FLAGS.job_name`), where another package defines it.
    """
    code = _code(script)
    words = []
    for word in TASK_FLAGS.split():
        name, _, value = word.removeprefix("--").partition("=")
        named = name.replace("_", "[_-]")
        defined = re.findall(rf"""["'](?:--)?({named})=?["']""", code)
        if defined or re.search(rf"\.{name}\b", code):
            words.append(f"--{name if name in defined or not defined else defined[0]}={value}")
    return " ".join(words)


def knows_its_task(script: Path) -> bool:
    """Whether a script takes such a flag, or reads the environment for it."""
    return bool(taken_flags(script) or _VARIABLES.search(_code(script)))


def _code(script: Path) -> str:
    """All of a program, without what comments say."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in program_files(script)]
    return re.sub(r"(?m)^\s*#.*$", "", "\n".join(texts))


__all__ = ["knows_its_task", "taken_flags"]
