"""The strategy of a TF 1 script that enters none: the default one, of one replica, whatever the towers run on."""

from __future__ import annotations

import tensorflow as tf


def get_strategy() -> tf.distribute.Strategy:
    """The default strategy. (The towers' strategy is of the script's graph, and not of another one.)"""
    with tf.Graph().as_default():
        return tf.distribute.get_strategy()


def get_replica_context() -> tf.distribute.ReplicaContext:
    """The one replica's context."""
    with tf.Graph().as_default():
        return tf.distribute.get_replica_context()


def has_strategy() -> bool:
    """Whether a strategy has been entered: a migrated script enters none of its own."""
    return False


def in_cross_replica_context() -> bool:
    """Whether the code is outside of every replica: without a strategy it never is."""
    return False
