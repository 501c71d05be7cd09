"""T2T618: what SyncReplicasOptimizer needs to take a step at all, in TF 1 as well."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule

_OPTIMIZERS = frozenset({"tf.train.SyncReplicasOptimizer", "tf.train.SyncReplicasOptimizerV2"})
#: names by which a script starts the chief's queue runner
_STARTERS = frozenset({"get_chief_queue_runner", "make_session_run_hook", "sync_optimizer"})
_FED = frozenset({"tf.placeholder", "tf.placeholder_with_default"})


def notes(file: File) -> None:
    """Notes each such optimizer whose queue runner nothing starts, whose rate is fed, or whose keywords are unknown."""
    calls = [call for call in file.all(cst.Call) if file.canonical(call.func) in _OPTIMIZERS]
    if not calls:
        return
    if not any(word in other.script.text for other in file.program.files for word in _STARTERS):
        for call in calls:
            message = "neither its chief queue runner nor its hook is started here: workers wait for tokens for ever"
            file.note(call, "T2T618", f"{message}, in TF 1 as well", "note")
    fed = {
        target.target.value
        for node in file.all(cst.Assign)
        if isinstance(node.value, cst.Call) and file.canonical(node.value.func) in _FED
        for target in node.targets
        if isinstance(target.target, cst.Name)
    }
    for call in file.all(cst.Call):
        given = {arg.value.value for arg in call.args if isinstance(arg.value, cst.Name)}
        if given & fed and (file.canonical(call.func) or "").endswith("Optimizer"):
            message = "its learning rate is fed, and the chief's queue runner feeds nothing: no step is made"
            file.note(call, "T2T618", f"{message}, in TF 1 as well", "note")
    for call in calls:
        named = any("replica_id" in other.script.text for other in file.program.files)
        if named and any(arg.star == "**" for arg in call.args):
            message = "replica_id, which TensorFlow 1.0 took out, may be in its **keywords: take it out there"
            file.note(call, "T2T618", message, "note")


RULE = Rule(
    code="T2T618",
    title="What SyncReplicasOptimizer needs to take a step",
    does="reports",
    why="""
    The chief's queue runner, or the hook that starts it, makes the update of SyncReplicasOptimizer and gives out the
    workers' tokens. A script that starts neither hangs in TF 1 and after the migration. The queue runner feeds
    nothing, so with a learning rate that is a placeholder no update is made (TF 1.15.5: no step in 40 seconds).
    """,
    todo="Pass `opt.make_session_run_hook(is_chief)` to the session's hooks, or start `opt.get_chief_queue_runner()`. "
    "Keep the learning rate in a variable, and assign it between the steps.",
    notes=notes,
    sources=("tf.compat.v1.train.SyncReplicasOptimizer",),
    examples=(
        Example(
            "one that nothing starts",
            "import tensorflow as tf\n\nopt = tf.train.GradientDescentOptimizer(0.1)\n"
            "opt = tf.train.SyncReplicasOptimizer(opt, 2)\ntrain = opt.minimize(tf.get_variable('v', []))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode\n\ngraph_mode()\n\n"
            "opt = tf.train.GradientDescentOptimizer(0.1)\nopt = tf.train.SyncReplicasOptimizer(opt, 2)\n"
            "train = opt.minimize(tf.get_variable('v', []))\n",
        ),
    ),
)
