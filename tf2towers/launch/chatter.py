"""TensorFlow's messages about itself, which say nothing about the user's program.

Lines that certainly are TensorFlow's are dropped: its C++ log of INFO and WARNING, messages on
missing drivers, deprecations, reports at the start of a strategy or session. Lines that the program
logs with `tf.logging`, reports of its hooks and savers on the training, and every error stay. A
user who sets TF_CPP_MIN_LOG_LEVEL to 0 or 1 gets all lines.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable

LEVEL = "TF_CPP_MIN_LOG_LEVEL"

#: TensorFlow's C++ code, INFO and WARNING: `I0000 00:00:17.. 11 port.cc:153] ..`, `2024-05-01
#: 10:00:00.1: W tens..`
_CPP = re.compile(
    r"^(?:[IW]\d{4} [\d:.]+ +\d+ [\w.]+\.(?:cc|h|cu):\d+\] |\d{4}-\d\d-\d\d [\d:.]+: [IW] [\w/.]+:\d+\] )"
)
#: errors that only report a missing GPU, or a library that was loaded twice
_NO_GPU = re.compile(
    r"^(?:E\d{4} [\d:.]+ +\d+ |\d{4}-\d\d-\d\d [\d:.]+: E ).*(?:failed call to cuInit|"
    r"Unable to register cu\w+ factory|computation_placer.*already registered)"
)
_ABSL = re.compile(r"^WARNING: All log messages before absl::InitializeLog\(\) is called")
#: the second line of the message about the processor
_INSTRUCTIONS_OF_CPU = re.compile(r"^To enable the following instructions: .*rebuild TensorFlow")
_DEPRECATED = re.compile(
    r"^(?:WARNING:tensorflow:|W\d{4} [\d:.]+ +\d+ (?:deprecation|module_wrapper)\w*\.py:\d+\] )From .*"
    r"(?:deprecated|will be removed)"
)
_UPDATING = re.compile(r"^Instructions for updating:$")
#: the further lines of the few instructions that have more than one: back_prop=False and tf.py_func
_MORE_UPDATING = re.compile(
    r"^(?:Instead of:|Use:|results = tf\.|    $|    (?:options available in V2|- tf\.py_function takes|"
    r"- tf\.numpy_function maintains|tensors instead of numpy|an ndarray \(just|means `tf\.py_function`s|"
    r"being differentiable using|\(it is not differentiable|stateful argument making))"
)
#: reports at the start of a strategy and of a session
_STRATEGY = re.compile(
    r"^(?:(?:INFO|WARNING):tensorflow:|[IW]\d{4} [\d:.]+ +\d+ [\w.]+\.py:\d+\] )(?:"
    r"`tf\.distribute\.experimental\.ParameterServerStrategy` is initialized|"
    r"ParameterServerStrategyV2 is now connecting|"
    r"ParameterServerStrategy \(CentralStorageStrategy if|Number of GPUs on workers: |"
    r"Graph was finalized\.|Running local_init_op\.|Done running local_init_op\.|Create \w+Hook\.|"
    r"Starting standard services\.|Starting queue runners\.|Calling checkpoint listeners |"
    r"Waiting for model to be ready|"
    r"Using MirroredStrategy with devices|There are non-GPU devices in `tf\.distribute\.Strategy`|"
    r"Enabled multi-worker collective ops|Single-worker MultiWorkerMirroredStrategy|Using MultiWorkerMirroredStrategy|"
    r"Waiting for the cluster|Cluster is ready|Collective all_reduce|Reduce to /|batch_all_reduce)"
)
_CONFIG = re.compile(r"^I\d{4} [\d:.]+ +\d+ remote\.py:\d+\] default session config: ")
_PROTO = re.compile(r"^ *(?:[a-z_]+: \S+|[a-z_]+ \{|\})?$")
#: a message of TF's own logger, and the same message a second time, as absl writes it
_LOGGED = re.compile(r"^(?:INFO|WARNING|ERROR):tensorflow:(.*)$")
_AGAIN = re.compile(r"^[IWE]\d{4} [\d:.]+ +\d+ [\w.]+\.py:\d+\] (.*)$")
#: NumPy's warnings to the TensorFlow 1 that imports it; Python shows a line of code below each
_NUMPY = re.compile(
    r"/(?:tensorflow|tensorflow_core|tensorboard|tensorflow_estimator)/.*: (?:Future|Deprecation)Warning: "
)
#: TF 1's message about contrib: a whole paragraph
_CONTRIB = re.compile(
    r"^(?:The TensorFlow contrib module will not be included in TensorFlow 2\.0\.|"
    r"For more information, please see:|  \* https://github\.com/tensorflow/|"
    r"If you depend on functionality not listed there, please file an issue\.)"
)
_SIMPLE = (_CPP, _NO_GPU, _ABSL, _INSTRUCTIONS_OF_CPU, _STRATEGY, _CONTRIB, _UPDATING)


class Chatter:
    """Removes TensorFlow's own lines from the output of one process, which comes in pieces."""

    def __init__(self) -> None:
        self._kind_before = ""  # the kind of the line before, where this line may continue it
        self._recent: deque[str] = deque(maxlen=4)  # several, because threads log at the same time

    def without(self, lines: Iterable[str]) -> list[str]:
        """The lines that are the program's own."""
        return [line for line in lines if not self._is_chatter(line)]

    def _is_chatter(self, line: str) -> bool:
        kind_before, self._kind_before = self._kind_before, ""
        if (again := _AGAIN.match(line)) and again[1] in self._recent:
            return True
        if logged := _LOGGED.match(line):
            self._recent.append(logged[1])
        if _DEPRECATED.match(line):
            return True
        if _UPDATING.match(line):
            self._kind_before = "updating"
            return True
        if kind_before == "updating" or (kind_before == "more" and _MORE_UPDATING.match(line)):
            self._kind_before = "more"
            return True
        if _CONFIG.match(line) or (kind_before == "config" and _PROTO.match(line)):
            self._kind_before = "config"
            return True
        if _NUMPY.search(line):
            self._kind_before = "code"
            return True
        if kind_before == "code" and line.startswith("  "):
            return True
        if logged and not logged[1].strip():  # the first line of TF 1's paragraph about contrib
            return True
        return any(pattern.match(line) for pattern in _SIMPLE)


def is_wanted() -> bool:
    """True if the user asked for TensorFlow's own lines."""
    return os.environ.get(LEVEL) in ("0", "1")


def without_chatter(lines: Iterable[str]) -> list[str]:
    """The program's own lines of an output; those of a cluster begin with `[ps 0] `."""
    tasks: dict[str, Chatter] = {}
    found: list[str] = []
    for line in lines:
        prefix = task[0] if (task := re.match(r"^\[\w+ \d+\] ", line)) else ""
        if tasks.setdefault(prefix, Chatter()).without([line[len(prefix) :]]):
            found.append(line)
    return found
