"""T2T632: the towers of a model_fn."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst

from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import Found
from tf2towers.codemod.tf1_signs import builds_towers

_TOWERS = dedent(
    """

    # a model_fn of towers, each with its part of the batch
    def {name}(
        model_fn, loss_reduction={reduction}, devices=None
    ):
        def of_towers(features, labels, mode, params=None, config=None):
            given = dict(mode=mode, params=params, config=config)
            towers = {towers}(model_fn, loss_reduction, devices, **given)
            strategy = {strategy}(towers.devices)
            with strategy.scope():
                parts = [strategy.per_replica(part) for part in towers.split(features, labels)]
                specs = strategy.run(towers.build, args=(strategy.replica_ids, *parts))
                return towers.reduce(specs)

        return of_towers

    """
)


class ModelFnTowers(Rule):
    """The towers of a model_fn

    `tf.contrib.estimator.replicate_model_fn` built a `model_fn` once for each GPU. A function of the script builds the
    same towers in the scope of a strategy. `strategy.run` builds each with its part of the batch, and a reduction makes
    one EstimatorSpec of theirs. `TowerOptimizer` adds up the gradients of all towers.

    Where the function is imported by its own name, that of the runtime is.
    """

    sources = ("tf2towers/runtime/tf1/estimator_towers.py",)
    examples = (
        Example(
            "towers on all GPUs",
            """
                import tensorflow as tf

                classifier = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import TowerStrategy, estimator, graph_mode

                graph_mode()


                # a model_fn of towers, each with its part of the batch
                def replicate_model_fn(
                    model_fn, loss_reduction=tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS, devices=None
                ):
                    def of_towers(features, labels, mode, params=None, config=None):
                        given = dict(mode=mode, params=params, config=config)
                        towers = estimator.ModelTowers(model_fn, loss_reduction, devices, **given)
                        strategy = TowerStrategy(towers.devices)
                        with strategy.scope():
                            parts = [strategy.per_replica(part) for part in towers.split(features, labels)]
                            specs = strategy.run(towers.build, args=(strategy.replica_ids, *parts))
                            return towers.reduce(specs)

                    return of_towers


                classifier = estimator.Estimator(replicate_model_fn(model_fn))
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """A function of the script's own builds the towers, in a strategy's scope."""
        file = self.file
        uses = [use for use, canonical in file.symbols if builds_towers(file, use, canonical)]
        if not uses:
            return
        name = file.decided.fresh("replicate_model_fn")
        text = _TOWERS.format(
            name=name,
            reduction=file.decided.name_of(Found("v1", "tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS")),
            towers=file.decided.runtime_text("tf2towers.runtime.tf1.estimator", "ModelTowers"),
            strategy=file.need("TowerStrategy"),
        )
        file.decided.open_with(text.rstrip(" ").replace("\n", file.text.newline))
        for use in uses:
            self.replace(use, name)
