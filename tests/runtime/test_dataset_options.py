"""`tf.data.Options` as TF 1.15 had it: what TF 2 knows is taken over, the rest may be set."""

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tf2towers.runtime.dataset_options import Options  # noqa: E402


def test_options_of_tf1_may_be_set():
    options = Options()
    options.experimental_deterministic = False
    options.experimental_optimization.map_and_batch_fusion = True
    options.experimental_optimization.autotune = False
    options.experimental_optimization.map_vectorization.enabled = True
    options.experimental_distribute.auto_shard = False
    options.experimental_stats.prefix = "train"
    options.experimental_threading.private_threadpool_size = 3
    dataset = tf.data.Dataset.range(4).with_options(options).map(lambda x: x + 1).with_options(Options())

    taken = dataset.options()
    assert taken.experimental_deterministic is False
    assert taken.experimental_optimization.map_and_batch_fusion is True
    assert taken.threading.private_threadpool_size == 3
    assert sorted(int(x) for x in dataset.batch(1)) == [1, 2, 3, 4]


def test_options_of_two_datasets_are_merged():
    first, second = Options(), Options()
    first.experimental_optimization.map_fusion = True
    second.experimental_optimization.noop_elimination = True
    second.experimental_optimization.hoist_random_uniform = True
    both = (
        tf.data.Dataset.range(2)
        .with_options(first)
        .concatenate(tf.data.Dataset.range(2).with_options(second))
    )
    taken = both.options().experimental_optimization
    assert (taken.map_fusion, taken.noop_elimination) == (True, True)
    assert [int(x) for x in both] == [0, 1, 0, 1]


def test_an_option_that_tf1_and_tf2_lack_is_an_error():
    options = Options()
    for part in (options, options.experimental_optimization):
        try:
            part.experimental_speed = 3
        except AttributeError:
            continue
        raise AssertionError(part)
