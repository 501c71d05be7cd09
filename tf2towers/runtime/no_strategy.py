"""`tf.distribute`'s functions for a script without a strategy: the default one, one replica."""

from __future__ import annotations

import tensorflow as tf


def get_strategy() -> tf.distribute.Strategy:
    """The default strategy, in a new graph: the towers' one belongs to the script's graph."""
    with tf.Graph().as_default():
        return tf.distribute.get_strategy()


def get_replica_context() -> tf.distribute.ReplicaContext:
    """Returns the context of the only replica."""
    with tf.Graph().as_default():
        return tf.distribute.get_replica_context()


def has_strategy() -> bool:
    """True if the script has entered a strategy: never, a migrated script enters none."""
    return False


def in_cross_replica_context() -> bool:
    """True if the code runs outside of every replica: always, no strategy is entered."""
    return False
