"""Every place where a script trains the TF1 way: what to list when the tool does not know its shape."""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.problems import Problem
from tf2towers.program.roles import role

_WORDS = {
    "session": ("T2T401", "a session"),
    "cluster": ("T2T501", "parameter-server training"),
    "server": ("T2T501", "a task of a cluster"),
    "placement": ("T2T501", "variables on parameter servers"),
    "synchronous": ("T2T501", "synchronous updates on parameter servers"),
    "supervisor": ("T2T501", "a training loop of TF1's own"),
    "monitored": ("T2T501", "a training loop of TF1's own"),
    "scaffold": ("T2T501", "a training loop of TF1's own"),
    "hook": ("T2T501", "a hook of a monitored session"),
    "tensor_hook": ("T2T501", "a hook of a monitored session"),
    "plumbing": ("T2T401", "queue runners"),
    "queue": ("T2T305", "a queue input pipeline"),
    "placeholder": ("T2T305", "a placeholder"),
}
_METHODS = {"compute_gradients": "gradients", "apply_gradients": "an update"}


#: Libraries that build TF1 graphs of their own and do not run on TF 2.21.
_TF1_LIBRARIES = frozenset(
    {"prettytensor", "sonnet", "tensor2tensor", "tensorlayer", "tensorpack", "tflearn"}
)


#: What runs a queue pipeline in a migrated script.
_GRAPH_INPUTS = frozenset({"tf2towers.runtime.GraphInput", "tf2towers.runtime.TowerInputs"})


def library_sites(module: cst.Module, names: Names) -> list[Problem]:
    """One problem for each import of a library that only knows TF1."""
    return [
        Problem(
            one.node,
            "T2T311",
            f"{one.target.partition('.')[0]}: a library for TF1 graphs, which TF 2.21 does not run",
        )
        for one in names.imports
        if one.target.partition(".")[0] in _TF1_LIBRARIES
    ]


def training_sites(module: cst.CSTNode, names: Names) -> list[Problem]:
    """One problem for each TF1 training construct of a script whose towers were not found."""
    finder = _SiteFinder(names)
    module.visit(finder)
    if any(one.target in _GRAPH_INPUTS for one in names.imports):  # migrated already: its queues run there
        return [site for site in finder.found if site.code != _WORDS["queue"][0]]
    return finder.found


class _SiteFinder(cst.CSTVisitor):
    def __init__(self, names: Names) -> None:
        self._names = names
        self.found: list[Problem] = []

    def visit_Call(self, node: cst.Call) -> None:
        canonical = self._names.canonical(node.func)
        kind = role(canonical) if canonical is None or not canonical.startswith("tf2towers.") else "foreign"
        if kind in _WORDS:
            code, word = _WORDS[kind]
            self.found.append(Problem(node, code, f"{canonical}: {word}, in a shape the tool does not know"))
        elif canonical == "tf.device" and any(_names_gpu(argument.value) for argument in node.args):
            self.found.append(
                Problem(node, "T2T307", "a device placement, outside a tower loop the tool knows")
            )
        elif canonical is None and isinstance(node.func, cst.Attribute) and node.func.attr.value in _METHODS:
            word = _METHODS[node.func.attr.value]
            self.found.append(
                Problem(
                    node, "T2T307", f"{node.func.attr.value}: {word}, outside a tower loop the tool knows"
                )
            )
        elif isinstance(node.func, cst.Attribute) and _on_session(node.func):
            self.found.append(Problem(node, "T2T401", "a call of a session that is made elsewhere"))
        elif isinstance(node.func, cst.Attribute) and node.func.attr.value == "minimize":
            self.found.append(
                Problem(node, "T2T307", "minimize: an update, outside a tower loop the tool knows")
            )
        elif (
            canonical is not None
            and canonical.startswith(("tf.contrib.", "tf.train."))
            and _is_runner(canonical)
        ):
            self.found.append(Problem(node, "T2T401", f"{canonical}: a training loop of TF1's own"))


def _on_session(func: cst.Attribute) -> bool:
    owner = func.value
    name = owner.attr.value if isinstance(owner, cst.Attribute) else getattr(owner, "value", "")
    return (
        func.attr.value == "run" and isinstance(name, str) and name.lower().strip("_") in ("sess", "session")
    )


def _is_runner(canonical: str) -> bool:
    return canonical.endswith((".learning.train", ".gan_train", ".QueueRunner", ".run_n", ".evaluate_once"))


def _names_gpu(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.SimpleString) and "gpu" in node.value.lower()
