"""T2T631: the strategy that an Estimator trains on."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.nodes import Symbol, dotted
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import Found
from tf2towers.codemod.tf1_signs import (
    ASK_FOR_STRATEGY,
    only_estimators_have_strategies,
    strategy_for_estimator,
)


class EstimatorStrategy(Rule):
    """The strategy of an Estimator

    `tf.estimator.RunConfig(train_distribute=...)` takes a strategy of the runtime in the place of TensorFlow 1's. It
    trains in the same way: each tower has the next batch, its loss is divided by the number of towers, and the
    gradients are added up. With parameter servers an Estimator trains as it does without a strategy.

    The program may ask a strategy for the number of its towers (`num_replicas_in_sync`). One that it uses in any other
    way is left (T2T622).
    """

    sources = ("tf2towers/runtime/tf1/estimator_strategies.py",)
    examples = (
        Example(
            "towers on two GPUs",
            """
                import tensorflow as tf

                strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
                config = tf.estimator.RunConfig(train_distribute=strategy)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import TowerStrategy, estimator, graph_mode

                graph_mode()

                strategy = TowerStrategy(2)
                config = estimator.RunConfig(train_distribute=strategy)
                """,
        ),
    )

    def applies(self) -> bool:
        """True if only Estimators have strategies."""
        return only_estimators_have_strategies(self.file)

    def visit_Call(self, node: cst.Call) -> None:
        """The runtime's strategy for each one that goes to a RunConfig alone."""
        if (made := strategy_for_estimator(self.file, node)) is not None:
            name, arguments, given = made
            parts = {} if given is None else {"given": given}
            self.replace(node, f"{self.file.need(name)}({arguments})", **parts)

    def visit_Symbol(self, node: Symbol, canonical: str) -> None:
        """Whether a strategy has been entered is asked of TensorFlow 2."""
        if canonical in ASK_FOR_STRATEGY:
            text = self.file.decided.name_of(Found("v1", "tf.distribute.has_strategy"))
            if text != dotted(node):
                self.replace(node, text)
