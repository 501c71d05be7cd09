"""T2T605: the towers are the replicas of a strategy, and their loop is a replica function."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.towers.writing import write_towers


class TowerLoop(Rule):
    """The towers are the replicas of a strategy

    A tower loop enters `tf.device` with another GPU in each round. Its devices make a `TowerStrategy`, a
    `tf.distribute.MirroredStrategy` whose replicas are the towers. Without a visible number of towers,
    `TowerStrategy()` takes those that the graph names.

    The strategy's scope replaces `with tf.device('/cpu:0')` around the loop, if the strategy's arguments are known
    there. Else it is added to the `with` that makes the graph, or is written around the towers.

    The loop's body becomes a function that `strategy.run` calls for each tower, in order. A name that is read after it
    is returned (the last tower's value), or is `nonlocal`. A list of gradients is returned, too. A flag that is set
    from the second tower on becomes `reuse = i > 0`. The loops of a function, and of one class with the same towers,
    have one strategy. A loop that is not certainly the same as a function stays, over `strategy.towers(...)`. GPUs with
    parts of one model are no towers, but notes.
    """

    sources = ("tf.distribute.MirroredStrategy",)
    examples = (
        Example(
            "one tower a GPU",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [])
                losses = []
                for i in range(2):
                    with tf.device('/gpu:%d' % i):
                        losses.append(x * i)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import TowerStrategy, graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [])
                losses = []
                strategy = TowerStrategy(2)


                def tower(i):
                    with tf.device('/gpu:%d' % i):
                        losses.append(x * i)


                with strategy.scope():
                    strategy.run(tower, args=(strategy.replica_ids,))
                """,
        ),
        Example(
            "the last tower's value",
            """
                import tensorflow as tf


                def build(x):
                    gpus = [0, 2]
                    with tf.Graph().as_default(), tf.device('/cpu:0'):
                        for i, gpu in enumerate(gpus):
                            with tf.device('/gpu:%d' % gpu), tf.name_scope('tower_%d' % i):
                                loss = tf.get_variable('w%d' % i, [])
                        return loss
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import TowerStrategy, graph_mode

                graph_mode()


                def build(x):
                    gpus = [0, 2]
                    strategy = TowerStrategy(gpus, parameter_device='/cpu:0')
                    with tf.Graph().as_default(), strategy.scope():
                        def tower(i, gpu):
                            with tf.device('/gpu:%d' % gpu), tf.name_scope('tower_%d' % i):
                                loss = tf.get_variable('w%d' % i, [])
                            return loss

                        loss = strategy.run(tower, args=(strategy.replica_ids, strategy.per_replica(gpus)))
                        loss = strategy.experimental_local_results(loss)[-1]
                        return loss
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """A strategy, its scope, and a replica function or a loop over its towers for each tower loop."""
        self.change(write_towers(self.file).changes)
