"""T2T622: a distribution strategy of the script's own."""

from __future__ import annotations

from tf2towers.codemod.rule import Example, Rule


class ExistingStrategy(Rule):
    """A distribution strategy of the script's own

    tf.distribute and tf.contrib.distribute in a TF1 graph have semantics of their own (scopes, per-replica values,
    scaled gradients). The runtime's sessions do not have them. People often try a `with strategy.scope():` around a
    session first: it does not distribute what the session runs. A cluster resolver only gives addresses, and
    `get_strategy()` without a strategy is TF's default one, of one replica: both stay.
    """

    does = "refuses"
    todo = """
    Take the strategy out: delete the line that makes it and its `with strategy.scope():`, keep its body, and
    migrate again. migrate sets a strategy and a scope of its own around the towers, or the parameter servers, that
    the script has. A script with neither runs on one device: for several give each its tower, or write it in TF 2.
    """
    examples = (
        Example(
            "a strategy's scope",
            """
                import tensorflow as tf

                strategy = tf.distribute.MirroredStrategy()
                with strategy.scope():
                    v = tf.get_variable('v', [])
                """,
            left=True,
        ),
        Example(
            "a cluster resolver, and the default strategy",
            """
                import tensorflow as tf

                resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
                server = tf.train.Server(resolver.cluster_spec(), job_name=resolver.task_type)
                scale = 1.0 / tf.distribute.get_strategy().num_replicas_in_sync
                tf.Session(server.target).run(tf.constant(scale))
                """,
        ),
    )
