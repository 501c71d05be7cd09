"""T2T619: what TensorFlow 1 leaves open, or drew by other numbers: updates of all towers, the graph's seed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Assigned, Opaque
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.loops import Loop, find_tower_loops

#: what is said, and the advice
_UPDATES = (
    "a moving average that several towers update: TF 1 leaves the order open, here it is the towers'",
    "Nothing. Where the towers share their variables, and each has the whole model, one tower's updates "
    "(scope='tower_0') leave nothing open.",
)
_TWO_UPDATES = (
    "two optimizers' updates in one run: TF 1 leaves their order open, here it is that of the text",
    "Nothing. tf.control_dependencies orders the updates of two optimizers.",
)
_AGAIN = (
    "each worker that joins sets all variables anew. TF 1's looked every 30 seconds whether the chief is ready, here "
    "it begins at once",
    "Run the initializers in the chief alone: `if task_index == 0:`, or by the Supervisor's `init_op`.",
)
_SEEDS = (
    "the graph's seed alone draws other first weights than TF 1.15's: it counts operations; an operation's own seed "
    "does not",
    "Give initializers and random operations seeds of their own where the same first weights are wanted on both "
    "TensorFlows, or start from a checkpoint.",
)
_DRAWS = (
    "TensorFlow Probability has it: the same numbers, but a seed draws others than TF 1's",
    "Nothing: by a seed the numbers are the same each time.",
)
_CELLS = (
    "plain cells compute what cuDNN's did: they take longer, a checkpoint has other names than TF 1's, first weights "
    "and dropout are other draws",
    "Nothing to train anew. To go on from a checkpoint of TF 1, copy its weights by their new names.",
)
#: what of the rule's text an advice belongs to
_ADVICES = {
    "Moving averages": _UPDATES, "Two optimizers": _TWO_UPDATES, "Initializers": _AGAIN, "Seeds": _SEEDS,
    "cuDNN's cells": _CELLS, "Distributions": _DRAWS,
}  # fmt: skip
#: distributions that TensorFlow Probability serves
_BY_PROBABILITY = frozenset(
    f"tf.contrib.distributions.{name}"
    for name in (
        "Binomial", "Cauchy", "Chi2", "Deterministic", "Geometric", "HalfNormal", "Independent", "Logistic", "Mixture",
        "MixtureSameFamily", "MultivariateNormalDiag", "MultivariateNormalDiagWithSoftplusScale",
        "MultivariateNormalFullCovariance", "MultivariateNormalTriL", "NegativeBinomial", "NormalWithSoftplusScale",
        "OneHotCategorical", "Poisson", "RelaxedBernoulli", "RelaxedOneHotCategorical",
    )
)  # fmt: skip
#: words of a program that may put something into the collection of updates
_UPDATED = ("batch_norm", "batch_normalization", "BatchNormalization", "BatchNorm", "UPDATE_OPS")
#: methods that make an update of variables
_APPLIES = frozenset({"apply_gradients", "minimize"})

#: methods that give a worker a session whose variables the chief has initialized
_WAITS = frozenset({"managed_session", "prepare_or_wait_for_session", "wait_for_session"})
_INITIALIZERS = frozenset({"tf.global_variables_initializer", "tf.initialize_all_variables"})


def _initializes_again(file: File, call: cst.Call) -> bool:
    """True for `session.run(init)` of all variables, in a session that has waited for the chief, without an `if`."""
    if not isinstance(call.func, cst.Attribute) or not _is_run(call) or not call.args:
        return False
    runs = any(file.called(made) in _INITIALIZERS for made in _calls(file, call.args[0].value))
    waited = any(nodes.last_name(made.func) in _WAITS for made in _calls(file, call.func.value))
    chosen = file.around(call, cst.If) is not None
    return runs and waited and not chosen and any(name == "tf.train.Server" for _, name in file.symbols)


def _calls(file: File, value: cst.CSTNode) -> list[cst.Call]:
    """The calls that a value may come from: itself, or those that its name is bound to."""
    if isinstance(value, cst.Call):
        return [value]
    found = []
    for binding in file.meanings.bindings(value):
        made = binding.value if isinstance(binding, Assigned) else None
        if isinstance(binding, Opaque):  # `with .. as session`
            item = file.around(binding.node, cst.WithItem)
            made = item.item if item is not None else None
        if isinstance(made, cst.Call):
            found.append(made)
    return found


@found_once
def _nodes_of_towers(file: File) -> frozenset[cst.CSTNode] | None:
    """What is in tower loops; None if there are none, or if the towers have variables of their own."""
    loops = find_tower_loops(file)
    if not loops or any(_has_variables_of_its_own(file, loop) for loop in loops):
        return None
    return frozenset(node for loop in loops for node in nodes.walk(loop.node))


def _is_of_updates(file: File, call: cst.Call) -> bool:
    """True if it collects all updates, and the program has some."""
    if not any(file.canonical(given) == "tf.GraphKeys.UPDATE_OPS" for given in nodes.positional(call)[:1]):
        return False
    if isinstance(file.parent(call), cst.CompFor) and isinstance(
        file.parent(file.parent(call)), nodes.Comprehension
    ):
        return False  # what is taken of it is chosen by the script
    texts = [each.script.text for each in file.program.all_files]
    return any(
        word in text
        and (word != "UPDATE_OPS" or "add_to_collection" in text or "updates_collections" in text)
        for word in _UPDATED
        for text in texts
    )


def _has_variables_of_its_own(file: File, loop: Loop) -> bool:
    """True if each tower of a loop makes variables in a scope of its own: `tf.variable_scope('tower_%d' % i)`."""
    scopes = (call for call in nodes.calls_in(loop.node) if file.called(call) == "tf.variable_scope")
    bound = nodes.names_in(loop.target)
    return any(not bound.isdisjoint(nodes.names_in(*call.args[:1])) for call in scopes)


def _runs_of_two_updates(file: File) -> Iterator[cst.Call]:
    """Calls that run, or group, what two calls of `apply_gradients` or `minimize` gave, and nothing orders them."""
    if sum(file.script.text.count(f".{name}(") for name in _APPLIES) < 2:
        return
    made: dict[str, list[cst.Call]] = {}
    for statement in file.all(cst.Assign):
        call, target = statement.value, nodes.only_target(statement)
        if isinstance(call, cst.Call) and _is_update(call) and target is not None:
            made.setdefault(file.text.of(target), []).append(call)
    for call in file.all(cst.Call):
        if not _runs_all(file, call):
            continue
        given = [
            each for arg in nodes.positional(call)[: 1 if _is_run(call) else None] for each in _parts(arg)
        ]
        updates = [made[text][-1] for each in given if (text := file.text.of(each)) in made]
        updates += [each for each in given if isinstance(each, cst.Call) and _is_update(each)]
        if len(dict.fromkeys(updates)) > 1 and not any(_waits(file, each) for each in updates):
            yield call


def _is_update(call: cst.Call) -> bool:
    return nodes.method_of(call) in _APPLIES


def _is_run(call: cst.Call) -> bool:
    return nodes.method_of(call) == "run"


def _runs_all(file: File, call: cst.Call) -> bool:
    return _is_run(call) or file.called(call) == "tf.group"


def _parts(given: cst.BaseExpression) -> list[cst.BaseExpression]:
    return nodes.items(given) if isinstance(given, cst.List | cst.Tuple) else [given]


def _waits(file: File, call: cst.Call) -> bool:
    """True if an update is made in `tf.control_dependencies`."""
    return any(
        isinstance(around, cst.With)
        and any(file.called(item.item) == "tf.control_dependencies" for item in around.items)
        for around in file.ancestors(call)
    )


class OpenOrder(Rule):
    """What TensorFlow 1 leaves open, or draws by other numbers

    Where several towers update one moving average, the graph does not say which update comes first. TF 1 makes the
    updates in any order, the migrated program in the order in which they are built. The same is true of the updates of
    two optimizers that one run makes: where one reads what the other writes, TF 1 takes the old value or the new one.

    A worker that joins waits until the chief has initialized the variables. Where its script runs the initializer
    again, the training of all begins anew. In TF 1 this was after up to 30 seconds, between two looks at the chief.

    TF 1.15 and TF 2 count operations differently. A graph's seed gives each random operation a seed by that count, so
    the random numbers differ.

    `tf.contrib.cudnn_rnn.CudnnLSTM` ran in NVIDIA's library, which drew its own numbers and had its own layout of the
    weights. Plain cells compute the same from one variable of the same name. Distributions of TensorFlow Probability
    draw other numbers by a seed.
    """

    does = "reports"
    todo = "\n\n".join(f"{of}: {advice}" for of, (_, advice) in _ADVICES.items())
    sources = ("tf.GraphKeys.UPDATE_OPS", "tf.set_random_seed")
    examples = (
        Example(
            "the seed of a graph",
            """
                import tensorflow as tf

                tf.set_random_seed(1)
                w = tf.get_variable('w', [2])
                """,
        ),
    )

    def visit_Symbol(self, node: nodes.Symbol, canonical: str) -> None:
        """Notes each seed of a graph, what draws otherwise, and where updates of several towers are collected."""
        file, call = self.file, self.file.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            return
        if canonical == "tf.set_random_seed" and not nodes.is_none(nodes.argument(call, 0, "seed")):
            self._say(call, _SEEDS)
        if canonical == "tf.contrib.cudnn_rnn.CudnnLSTM":
            self._say(call, _CELLS)
        if canonical == "tf.contrib.gan.get_joint_train_hooks":
            self._say(call, _TWO_UPDATES)
        if canonical in _BY_PROBABILITY:
            self._say(call, _DRAWS)
        if canonical == "tf.get_collection" and nodes.argument(call, 1, "scope") is None:
            towers = _nodes_of_towers(file)
            if towers is not None and call not in towers and _is_of_updates(file, call):
                self._say(call, _UPDATES)

    def visit_Call(self, node: cst.Call) -> None:
        """Notes each initializer that a worker of a cluster runs again, after it has waited for the chief's."""
        if _initializes_again(self.file, node):
            self._say(node, _AGAIN)

    def visit_Module(self, node: cst.Module) -> None:
        """Notes updates by two optimizers in one run."""
        for call in _runs_of_two_updates(self.file):
            self._say(call, _TWO_UPDATES)

    def _say(self, call: cst.Call, said: tuple[str, str]) -> None:
        message, advice = said
        self.note(call, message, "note", advice)
