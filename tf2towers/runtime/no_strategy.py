"""`tf.distribute`'s functions for a TF 1 script that enters no strategy: they see the default one, of one replica."""

from __future__ import annotations

import tensorflow as tf


def get_strategy() -> tf.distribute.Strategy:
    """Returns the default strategy, in a new graph, since the towers' strategy belongs to the script's graph."""
    with tf.Graph().as_default():
        return tf.distribute.get_strategy()


def get_replica_context() -> tf.distribute.ReplicaContext:
    """Returns the context of the only replica."""
    with tf.Graph().as_default():
        return tf.distribute.get_replica_context()


def has_strategy() -> bool:
    """True if the script has entered a strategy; always False, since a migrated script enters none of its own."""
    return False


def in_cross_replica_context() -> bool:
    """True if the code runs outside of every replica; always False, since no strategy is entered."""
    return False
