"""A migrated script that enters no strategy has the default one, whatever its towers run on."""

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


def test_the_default_strategy_inside_another_one() -> None:
    import tensorflow as tf

    from tf2towers.runtime import no_strategy

    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        strategy = no_strategy.get_strategy()
        assert not isinstance(strategy, tf.distribute.MirroredStrategy)
        assert strategy.num_replicas_in_sync == 1 and not no_strategy.has_strategy()
        assert no_strategy.get_replica_context().replica_id_in_sync_group == 0
        assert not no_strategy.in_cross_replica_context()
