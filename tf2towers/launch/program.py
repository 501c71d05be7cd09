"""What the text of a program says of it: the flags it takes, its TensorFlow, its cluster, and its sessions."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable
from pathlib import Path

from tf2towers.launch.cluster import TASK_FLAGS, Shape
from tf2towers.source.local_imports import program_files


def _texts(script: Path) -> list[str]:
    """The text of the script and of the local modules that it imports, directly or not."""
    return [path.read_text(encoding="utf-8", errors="replace") for path in program_files(script)]


# -- the flags that say to a task which it is: those that the code defines or reads ------------------------------------

#: what a task reads of its environment instead; see `Cluster.environment`
_VARIABLES = re.compile(r"""["'](?:TF_CONFIG|CLUSTER_SPEC|JOB_NAME|TASK_INDEX)["']""")


def taken_flags(script: Path) -> str:
    """The words of TASK_FLAGS that a script takes, a flag with hyphens as it is defined.

    It takes a flag whose name it, or a local module that it reaches, has as a text ('job_name', '--job-name'), as where
    flags are defined; or reads as an attribute (`FLAGS.job_name`), where another package defines it.
    """
    code = _without_comments(script)
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
    return bool(taken_flags(script) or _VARIABLES.search(_without_comments(script)))


def _without_comments(script: Path) -> str:
    return re.sub(r"(?m)^\s*#.*$", "", "\n".join(_texts(script)))


# -- which TensorFlow it is written for, and for a cluster: by its code; comments and strings do not count -------------

#: it is written for TF 2, whatever else it uses
_TF2 = re.compile(
    r"\btensorflow\.compat\.v2\b|\btf2towers\.runtime\b|"
    r"\btf\.(?:function|GradientTape|random\.set_seed|distribute\.\w*Strategy)\b"
)
#: it chooses TensorFlow 1 by itself: `import tensorflow.compat.v1 as tf`, `tf.compat.v1.Session()`
_CHOSEN = re.compile(r"\bcompat\.v1\b|\bfrom tensorflow\.compat import\b")
_SESSION = re.compile(
    r"\b\w+\.(?:Session|InteractiveSession|placeholder|disable_v2_behavior|disable_eager_execution|"
    r"train\.(?:MonitoredTrainingSession|MonitoredSession|Supervisor))\b"
)
#: what TF 2 has under no such name, and every TF1 trainer uses some of
_TF1_ONLY = re.compile(
    r"\b(?:tf|tensorflow)\.(?:Session|InteractiveSession|placeholder|get_variable|variable_scope|ConfigProto|"
    r"global_variables_initializer|initialize_all_variables|app\.run|app\.flags|flags\.|contrib\.|layers\.|"
    r"get_collection|trainable_variables\(|set_random_seed|gfile\.|"
    r"train\.(?:\w+Optimizer|MonitoredTrainingSession|Saver|Server|get_or_create_global_step))"
)
_CLUSTER = re.compile(r"\btrain\.Server\(")
#: of a program that `migrate` wrote; `ParameterServerStrategy` alone stands for a device setter, and makes no cluster
_OURS = re.compile(r"\btf2towers\b[^\n]*\bruntime\b")
_OUR_CLUSTER = re.compile(r"(?<![\w.])Server\(|\bruntime\.Server\(")
#: and of TF 2, which has no single word for it
_CLUSTER_TOO = re.compile(
    r"\bParameterServerStrategy|\bMultiWorkerMirroredStrategy|\bCollectiveAllReduceStrategy|\bClusterCoordinator\b|"
    r"\bdistribute\.Server\(|\bClusterTask\b|\bcluster_resolver\b|\btrain\.ClusterSpec\("
)


def is_tf1(script: Path) -> bool:
    """Whether it, with the local modules that it reaches, is a program of TensorFlow 1: it has graphs and sessions.

    One that says `compat.v1` is, where it makes a session or a placeholder or turns TensorFlow 2 off.
    """
    texts = list(map(code, _texts(script)))
    if any(map(_TF2.search, texts)):
        return False
    sign = _SESSION if any(map(_CHOSEN.search, texts)) else _TF1_ONLY
    return any(map(sign.search, texts))


def is_of_cluster(script: Path) -> bool:
    """Whether the script is one task of a cluster, TF1's or as migrated: it starts a server.

    A device setter alone makes no cluster, and no more does a local module with a server, where nothing in the program
    says which task it is.
    """
    own, *others = map(_starts_server, _texts(script))
    return own or (any(others) and knows_its_task(script))


def _starts_server(text: str) -> bool:
    text = code(text)
    return bool(_CLUSTER.search(text) or (_OURS.search(text) and _OUR_CLUSTER.search(text)))


def find_shape(
    scripts: Iterable[Path], ps: int | None, workers: int | None, task_flags: str | None
) -> Shape | None:
    """The cluster to run scripts as; None where nobody asks for one, and none of them is a task of one.

    Args:
        ps, workers, task_flags: as the user says; one that says nothing has 1 and 2.
    """
    if ps is None and workers is None and not any(map(is_of_cluster, scripts)):
        return None
    return Shape(1 if ps is None else ps, 2 if workers is None else workers, task_flags)


def has_cluster(script: Path) -> bool:
    """Whether anything in it, or in the local modules that it reaches, is about a cluster, TF1's or TF2's."""
    return any(_CLUSTER.search(text) or _CLUSTER_TOO.search(text) for text in map(code, _texts(script)))


def code(text: str) -> str:
    """A program's text without comments and strings, names and dots without spaces; all of it where Python cannot."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and words and words[-1][-1:].isalnum():
                words.append(" ")
            if token.type not in (tokenize.COMMENT, tokenize.STRING, tokenize.INDENT, tokenize.DEDENT):
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        return text
    return "".join(words)


# -- whether it makes session calls through our runtime, or is one of TF 2 functions -----------------------------------

#: names of the runtime that only a program with a graph and sessions takes
_SESSIONS = r"\w*Session\w*|Supervisor|Server|graph_mode|towers|all_reduce_mean"
_IMPORTED = re.compile(
    r"^[ \t]*from[ \t]+tf2towers\.runtime(?:\.graph_session\S*)?[ \t]+import[ \t]*"
    rf"(?:\([^)]*|[^\n(]*)\b(?:{_SESSIONS})\b",
    re.MULTILINE,
)
_MODULE = re.compile(
    r"^[ \t]*(?:import[ \t]+tf2towers\.runtime(?:[ \t]+as[ \t]+(\w+))?|"
    r"from[ \t]+tf2towers[ \t]+import[ \t]+runtime(?:[ \t]+as[ \t]+(\w+))?)",
    re.MULTILINE,
)


def makes_session_calls(script: Path) -> bool:
    """Whether it, or a local module that it reaches, makes sessions of `tf2towers.runtime`, as `migrate` writes."""
    return any(map(_has_sessions, _texts(script)))


def _has_sessions(text: str) -> bool:
    if _IMPORTED.search(text):
        return True
    found = _MODULE.search(text)
    if found is None:
        return False
    name = found[1] or found[2] or r"(?:tf2towers\.)?runtime"
    return re.search(rf"\b{name}\.(?:{_SESSIONS})\b", text) is not None
