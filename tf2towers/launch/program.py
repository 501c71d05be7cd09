"""Facts found in a program's text: its flags, its TensorFlow, its cluster and its sessions."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Sequence
from pathlib import Path

from tf2towers.launch.cluster import CHIEF_FLAG, TASK_FLAGS, Shape
from tf2towers.launch.server_flags import server_flags
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import program_files
from tf2towers.source.script import Script


def _texts(script: Path) -> list[str]:
    """The text of the script and of the local modules that it imports, directly or not."""
    return [text_of(path) for path in program_files(script)]


def text_of(path: Path) -> str:
    """The text of a script, or of a notebook's code cells."""
    if path.suffix == ".ipynb":
        with contextlib.suppress(SourceError):
            return Script.from_notebook(path, checked=False).text
    return path.read_text(encoding="utf-8", errors="replace")


# -- the flags that tell a script its task: those that the code defines or reads -------------------

#: the environment variables that tell a script its task; see `Cluster.environment`
_VARIABLES = re.compile(r"""["'](?:TF_CONFIG|CLUSTER_SPEC|JOB_NAME|TASK_INDEX)["']""")


def taken_flags(script: Path) -> str:
    """The words of TASK_FLAGS, and CHIEF_FLAG, that a script takes, spelled as it does.

    A script takes a flag whose name stands as a string ('job_name', '--job-name'), as in a
    definition of flags, in it or a local module that it imports. So it does where it reads the flag
    as an attribute (`FLAGS.job_name`), which another package may define; but not of CHIEF_FLAG,
    which scripts read without defining it.

    Flags of other names are those that reach the script's `tf.train.Server` (`server_flags`).
    """
    code = _without_comments(script)
    words = []
    for word in (*TASK_FLAGS.split(), CHIEF_FLAG):
        name, _, value = word.removeprefix("--").partition("=")
        named = name.replace("_", "[_-]")
        defined = re.findall(rf"""["'](?:--)?({named})=?["']""", code)
        read = word != CHIEF_FLAG and re.search(rf"\.{name}\b", code)
        if defined or read:
            words.append(f"--{name if name in defined or not defined else defined[0]}={value}")
    own = server_flags(_texts(script))
    if all(field in own or f"{{{field}}}" in " ".join(words) for field in ("job_name", "task_index")):
        first = [word for word in own.values() if word not in words and not _is_given(word)]
        words = (
            [word for word in first if word[0] != "-"] + words + [word for word in first if word[0] == "-"]
        )
    return " ".join(words)


def _is_given(word: str) -> bool:
    """True if a word is a variable that every task has."""
    return bool(_VARIABLES.fullmatch(f"'{word.partition('=')[0]}'"))


def knows_its_task(script: Path) -> bool:
    """True if a script takes such a flag, or reads its task from variables, as Estimators do."""
    text = _without_comments(script)
    return bool(taken_flags(script) or _VARIABLES.search(text) or _ESTIMATOR.search(text))


def knows_hosts(script: Path) -> bool:
    """True if a script takes the hosts of its cluster by a known flag, or from the environment."""
    return "_hosts}" in taken_flags(script) or bool(_VARIABLES.search(_without_comments(script)))


#: an Estimator, whose RunConfig reads TF_CONFIG
_ESTIMATOR = re.compile(
    r"\b(?:Estimator|train_and_evaluate|learn_runner\.run)\(|"
    r"estimator\.(?:\w+(?:Classifier|Regressor|Estimator)|RunConfig)\("
)
#: the job of a task, compared with a name
_COMPARED = r"""(?:[!=]=\s*["']{0}["']|["']{0}["']\s*[!=]=)"""


def chief_of(script: Path) -> str:
    """The job that a program's TF_CONFIG has for the first worker: 'chief', 'master' or 'worker'.

    A script that takes its task from flags has a chief of its own where it takes its host
    (CHIEF_FLAG). One that reads TF_CONFIG compares the name with its own job. An Estimator needs a
    chief, `learn_runner` a master.
    """
    text, flags = _without_comments(script), taken_flags(script)
    if "job_name" in flags or "worker_hosts" in flags:
        return "chief" if "chief_hosts" in flags else "worker"
    by_estimator = bool(_ESTIMATOR.search(text))
    if not (by_estimator or _VARIABLES.search(text)):
        return "worker"
    named = [job for job in ("chief", "master") if re.search(_COMPARED.format(job), text)]
    if "learn_runner.run(" in text:
        return "master"
    return named[0] if named else "chief" if by_estimator else "worker"


def evaluates_apart(script: Path) -> bool:
    """True if a program has an evaluator beside its chief, by an Estimator or its own."""
    text = _without_comments(script)
    return bool(re.search(r"\btrain_and_evaluate\(", text) or re.search(_COMPARED.format("evaluator"), text))


def chief_hands_out_steps(script: Path) -> bool:
    """True if a program's workers serve its chief: it has a `ClusterCoordinator`."""
    return bool(re.search(r"\bClusterCoordinator\(", _without_comments(script)))


def _without_comments(script: Path) -> str:
    return re.sub(r"(?m)^\s*#.*$", "", "\n".join(_texts(script)))


# -- which TensorFlow a program is written for, and if for a cluster; without comments and strings
# --

#: signs of a program for TF 2, which outweigh all other signs
_TF2 = re.compile(
    r"\btensorflow\.compat\.v2\b|\btf2towers\.runtime\b|"
    r"\btf\.(?:function|GradientTape|random\.set_seed|distribute\.\w*Strategy)\b"
)
#: the program chooses TensorFlow 1 explicitly: `import tensorflow.compat.v1 as tf`,
#: `tf.compat.v1.Session()`
_CHOSEN = re.compile(r"\bcompat\.v1\b|\bfrom tensorflow\.compat import\b")
_SESSION = re.compile(
    r"\b\w+\.(?:Session|InteractiveSession|placeholder|disable_v2_behavior|disable_eager_execution|"
    r"train\.(?:MonitoredTrainingSession|MonitoredSession|Supervisor))\b"
)
#: names that TF 2 does not have at this place; every TF1 trainer uses some of them
_TF1_ONLY = re.compile(
    r"\b(?:tf|tensorflow)\.(?:Session|InteractiveSession|placeholder|get_variable|variable_scope|ConfigProto|"
    r"global_variables_initializer|initialize_all_variables|app\.run|app\.flags|flags\.|contrib\.|layers\.|"
    r"get_collection|trainable_variables\(|set_random_seed|gfile\.|"
    r"train\.(?:\w+Optimizer|MonitoredTrainingSession|Saver|Server|get_or_create_global_step))"
)
_CLUSTER = re.compile(r"\btrain\.Server\(")
#: signs of a migrated program; `ParameterServerStrategy` alone replaces a device setter, and makes
#: no cluster
_MIGRATED = re.compile(r"\btf2towers\b[^\n]*\bruntime\b")
_MIGRATED_CLUSTER = re.compile(r"(?<![\w.])Server\(|\bruntime\.Server\(")
#: signs of a cluster in TF 2, which has several names for it
_CLUSTER_TOO = re.compile(
    r"\bParameterServerStrategy|\bMultiWorkerMirroredStrategy|\bCollectiveAllReduceStrategy|\bClusterCoordinator\b|"
    r"\bdistribute\.Server\(|\bClusterTask\b|\bcluster_resolver\b|\btrain\.ClusterSpec\("
)


def is_tf1(script: Path) -> bool:
    """True if the script, with its local modules, is a TensorFlow 1 program with sessions.

    A program that uses `compat.v1` is one if it makes a session or a placeholder, or turns
    TensorFlow 2 off.
    """
    texts = list(map(code, _texts(script)))
    if any(map(_TF2.search, texts)):
        return False
    sign = _SESSION if any(map(_CHOSEN.search, texts)) else _TF1_ONLY
    return any(map(sign.search, texts))


def is_of_cluster(script: Path) -> bool:
    """True if the script, original or migrated, is one task of a cluster: it starts a server.

    A device setter alone makes no cluster. Nor does a server, where nothing in the program tells
    the script its task: it starts all tasks by itself.
    """
    return starts_server(script) and knows_its_task(script)


def starts_server(script: Path) -> bool:
    """True if the script, or a local module that it imports, starts a `tf.train.Server`."""
    return any(map(_starts_server, _texts(script)))


def _starts_server(text: str) -> bool:
    text = code(text)
    return bool(_CLUSTER.search(text) or (_MIGRATED.search(text) and _MIGRATED_CLUSTER.search(text)))


def find_shape(
    scripts: Sequence[Path],
    ps: int | None,
    workers: int | None,
    task_flags: str | None,
    chief: str | None = None,
) -> Shape | None:
    """The shape of the cluster to run scripts as; None if nobody asks for one or needs it.

    Args:
        scripts: the original first; it says which job its first worker has.
        ps, workers, task_flags, chief: as the user gives them; `ps` defaults to 1, `workers` to 2.
    """
    asked = any(given is not None for given in (ps, workers, task_flags, chief))
    if not asked and not any(map(is_of_cluster, scripts)):
        return None
    return Shape(
        1 if ps is None else ps,
        2 if workers is None else workers,
        task_flags,
        chief or chief_of(scripts[0]),
    )


def has_cluster(script: Path) -> bool:
    """True if the script, or a local module that it imports, uses a cluster, TF1's or TF2's."""
    return any(_CLUSTER.search(text) or _CLUSTER_TOO.search(text) for text in map(code, _texts(script)))


def code(text: str) -> str:
    """A text without comments, strings and spaces around dots; all of it if tokenizing fails."""
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


# -- whether a program makes session calls through the runtime, or calls TF 2 functions ------------

#: names of the runtime that only a program with a graph and sessions imports
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
    """True if the script, or a local module, makes sessions of `tf2towers.runtime`."""
    return any(map(_has_sessions, _texts(script)))


def _has_sessions(text: str) -> bool:
    if _IMPORTED.search(text):
        return True
    found = _MODULE.search(text)
    if found is None:
        return False
    name = found[1] or found[2] or r"(?:tf2towers\.)?runtime"
    return re.search(rf"\b{name}\.(?:{_SESSIONS})\b", text) is not None
