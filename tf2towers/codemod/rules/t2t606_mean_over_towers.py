"""T2T606: a function that is the plain mean over the towers becomes the strategy's reduction."""

from __future__ import annotations

from functools import partial

import libcst as cst

from tf2towers.codemod.changes import Now, Removal, Replacement, expression, in_its_place
from tf2towers.codemod.dead_code import is_taken
from tf2towers.codemod.nodes import last_name
from tf2towers.codemod.program import File
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.means import find_means, find_prints
from tf2towers.codemod.towers.scopes import is_made_before
from tf2towers.codemod.towers.writing import Strategy, write_towers


def _reduced(strategy: str, updated: cst.Call, now: Now) -> cst.Call:
    """`strategy.reduce('MEAN', grads)` for `average(grads)`."""
    reduce = expression(f"{strategy}.reduce('MEAN', grads)")
    mean = reduce.args[0]
    [towers] = updated.args
    towers = towers.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
    return updated.with_changes(func=in_its_place(reduce.func, updated.func), args=[mean, towers])


def _is_made_at_top(file: File, strategy: Strategy, call: cst.Call) -> bool:
    """True if a module makes a strategy before it defines the function in which a call is."""
    strategies = write_towers(file).strategies
    same = [each.before for each in strategies if each.name == strategy.name]
    around: set[cst.CSTNode] = {*file.ancestors(call)}
    body: list[cst.CSTNode] = [*file.body]
    if strategy.before not in body or file.function_around(call) in map(file.function_around, same):
        return False
    return not around.isdisjoint(body[body.index(strategy.before) :])


def _count_uses(file: File, name: str) -> int:
    """How often a name is used in a file; a string with the name in it counts as well."""
    uses = [*file.all(cst.Name), *file.all(cst.Attribute)]
    names = sum(last_name(use) == name for use in uses)
    strings = sum(text.evaluated_value == name for text in file.all(cst.SimpleString))
    return names + strings


class MeanOverTowers(Rule):
    """The mean over the towers is the strategy's reduction

    A function takes the towers' lists of (gradient, variable), and certainly does nothing but the mean of each
    gradient, in the order of the towers; those that are None may be left out. It becomes `strategy.reduce('MEAN',
    ...)`, which means the same and is one all-reduce on the towers' devices. Any other function stays, and so does one
    that is called without a strategy in sight. The runtime finds a plain mean in the graph by itself. What the function
    printed is named in a note.
    """

    sources = ("tf.distribute.Strategy.reduce", "tf.raw_ops.CollectiveReduceV2")
    examples = (
        Example(
            "the classic function",
            """
                import tensorflow as tf


                def average(tower_grads):
                    result = []
                    for pairs in zip(*tower_grads):
                        mean = tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0)
                        result.append((mean, pairs[0][1]))
                    return result


                opt, tower_grads = tf.train.GradientDescentOptimizer(0.1), []
                for i in range(2):
                    with tf.device('/gpu:%d' % i):
                        tower_grads.append(opt.compute_gradients(tf.get_variable('w%d' % i, [])))
                train_op = opt.apply_gradients(average(tower_grads))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import TowerStrategy, graph_mode

                graph_mode()


                opt = tf.train.GradientDescentOptimizer(0.1)
                strategy = TowerStrategy(2)


                def tower(i):
                    with tf.device('/gpu:%d' % i):
                        return opt.compute_gradients(tf.get_variable('w%d' % i, []))


                with strategy.scope():
                    tower_grads = strategy.run(tower, args=(strategy.replica_ids,))
                train_op = opt.apply_gradients(strategy.reduce('MEAN', tower_grads))
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """`strategy.reduce('MEAN', ...)` for each call of such a function; one that is no longer used is removed."""
        file = self.file
        calls: dict[cst.FunctionDef, int] = {}
        for call, home, function in find_means(file):
            written = write_towers(file)
            made_before = (
                each.name
                for each in written.strategies
                if is_made_before(file, each.before, call) or _is_made_at_top(file, each, call)
            )
            if (strategy := written.reduced.get(call) or next(made_before, None)) is None:
                continue
            self.changes.append(Replacement(call, partial(_reduced, strategy)))
            prints = find_prints(function)
            for place in prints if home is file else [call] * bool(prints):
                self.note(place, "the strategy's reduce prints nothing", kind="note")
            if home is file:
                calls[function] = calls.get(function, 0) + 1
        for function, count in calls.items():
            if _count_uses(file, function.name.value) == count and not is_taken(file, function.name.value):
                self.changes.append(Removal(function, "go"))
