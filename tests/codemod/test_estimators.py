"""Estimators: strategies that a RunConfig is given, names of the script's own, and what may be TF 2's."""

import textwrap
from textwrap import dedent

import pytest
from codemod_texts import TF, after, codes, migrated

STRATEGIES = textwrap.dedent(
    """\
    import tensorflow as tf


    def strategy(gpus):
        if gpus == 0:
            return tf.contrib.distribute.OneDeviceStrategy("device:CPU:0")
        if gpus == 1:
            return tf.distribute.MirroredStrategy()
        return tf.contrib.distribute.MirroredStrategy(
            num_gpus=gpus, cross_tower_ops=tf.contrib.distribute.AllReduceCrossTowerOps("nccl")
        )


    def model_fn(features, labels, mode):
        if not tf.contrib.distribute.has_distribution_strategy():
            print("alone")


    config = tf.estimator.RunConfig(train_distribute=strategy(2), eval_distribute=None)
    servers = tf.estimator.RunConfig(train_distribute=tf.contrib.distribute.ParameterServerStrategy())
    tf.placeholder(tf.float32)
    """
)


def test_strategies_of_a_run_config() -> None:
    text = after(STRATEGIES)
    assert codes(migrated(STRATEGIES)) == []
    assert 'return TowerStrategy(["device:CPU:0"])' in text
    assert "return TowerStrategy()\n" in text
    assert "return TowerStrategy(gpus)\n" in text
    assert "if not tf.distribute.has_strategy():" in text
    assert "train_distribute=ParameterServerStrategy())" in text


COUNTED = """
import tensorflow as tf

strategy = None
if input():
    strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    tf.logging.info("%d devices", strategy.num_replicas_in_sync)
config = tf.contrib.tpu.RunConfig(train_distribute=strategy)
tf.placeholder(tf.float32)
"""


def test_a_strategy_may_be_asked_for_the_number_of_its_towers() -> None:
    assert codes(migrated(COUNTED)) == []
    text = after(COUNTED)
    assert "strategy = TowerStrategy(2)\n" in text and '"%d devices", strategy.num_replicas_in_sync)' in text
    servers = "tf.estimator.RunConfig(train_distribute=tf.contrib.distribute.ParameterServerStrategy())\n"
    assert {"T2T620", "T2T622"} & set(codes(migrated(COUNTED + servers)))


def test_the_scope_of_a_model_is_no_strategys() -> None:
    lines = """
class Model:
    def __init__(self):
        self.scope = "model"

    def build(self):
        with tf.variable_scope(self.scope):
            return tf.get_variable("w", [])
"""
    assert codes(migrated(STRATEGIES + lines)) == []
    assert {"T2T620", "T2T622"} & set(codes(migrated(STRATEGIES + lines + "strategy(1).scope()\n")))


@pytest.mark.parametrize(
    "line",
    [
        "with strategy(2).scope(): pass",
        "tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=1)",
        "tf.estimator.RunConfig(experimental_distribute=tf.contrib.distribute.DistributeConfig())",
    ],
)
def test_strategies_that_are_used_otherwise_are_left(line: str) -> None:
    result = migrated(STRATEGIES + line + "\n")
    assert {"T2T620", "T2T622"} & set(codes(result))
    assert all("TowerStrategy" not in change.after for change in result.changes)


OBJECT = """
import tensorflow as tf


class Model(BASE):
    def __init__(self, strategy):
        self.name = "model"
        self.strategy = strategy

    def build(self, x):
        with tf.variable_scope(self.scope):
            return tf.layers.dense(x, 1)


strategy = tf.distribute.MirroredStrategy(devices=["/gpu:0"])
config = tf.estimator.RunConfig(train_distribute=strategy)
Model(strategy).build(tf.placeholder(tf.float32, [2, 2]))
"""


def test_what_an_object_keeps_under_the_word_of_a_strategy() -> None:
    own = OBJECT.replace("self.name =", "self.scope =").replace("BASE", "object")
    assert codes(migrated(own)) == []
    assert 'strategy = TowerStrategy(["/gpu:0"])' in after(own)
    for left in (
        OBJECT.replace("BASE", "tf.distribute.MirroredStrategy"),
        OBJECT.replace("BASE", "object"),
        own.replace("self.scope)", "self.scope), self.strategy.scope()"),
    ):
        assert {"T2T620", "T2T622"} & set(codes(migrated(left)))


def test_arguments_that_are_not_served_are_left() -> None:
    text = f"{TF}s = tf.contrib.distribute.MirroredStrategy(auto_shard_dataset=True)\n"
    assert codes(migrated(f"{text}tf.estimator.RunConfig(train_distribute=s)\n")) != []


def test_a_function_may_bind_the_modules_name() -> None:
    text = after(
        TF
        + dedent(
            """\
            estimator = tf.estimator


            def f():
                estimator = tf.estimator.Estimator(tf.placeholder)
                return estimator
            """
        )
    )
    assert "    estimator = tf1_estimator.Estimator(tf.placeholder)\n" in text


@pytest.mark.parametrize("line", ["from tensorflow import estimator", "import tensorflow.compat.v1 as v1"])
def test_an_estimator_that_may_be_tf2s_is_left(line: str) -> None:
    text = f"{TF}{line}\nclassifier = tf.estimator.DNNClassifier([3], [])\n"
    result = migrated(text)
    assert codes(result) == ["T2T620"]
    assert all("tf.estimator.DNNClassifier" in change.after for change in result.changes)


def test_an_estimator_of_compat_v1_is_tf1s() -> None:
    text = "import tensorflow.compat.v1 as tf\nclassifier = tf.estimator.DNNClassifier([3], [])\n"
    assert "classifier = estimator.DNNClassifier([3], [])" in after(text)


def test_towers_of_a_model_fn_are_in_the_scripts_text() -> None:
    """A strategy, its scope, `run` and a reduction; an import of the function is the runtime's."""
    line = "fn = tf.contrib.estimator.replicate_model_fn(model_fn, devices=['/gpu:0'])\n"
    text = after(f"{TF}{line}replicate_model_fn = 3\ntf.placeholder(tf.float32)\n")
    assert "def replicate_model_fn_2(\n    model_fn, loss_reduction=" in text
    assert "fn = replicate_model_fn_2(model_fn, devices=['/gpu:0'])\n" in text
    for part in (
        "strategy = TowerStrategy(towers.devices)",
        "strategy.run(towers.build",
        "towers.reduce(specs)",
    ):
        assert part in text
    imported = after(
        f"from tensorflow.contrib.estimator import replicate_model_fn\n{TF}replicate_model_fn(print)\n"
    )
    assert "def replicate" not in imported and "replicate_model_fn = estimator.replicate_model_fn" in imported


IMPORTED = """
import tensorflow as tf
from tensorflow.contrib.distribute import MirroredStrategy
from tensorflow.python.distribute.cross_device_ops import AllReduceCrossDeviceOps

strategy = MirroredStrategy(num_gpus=2, cross_device_ops=AllReduceCrossDeviceOps("nccl", num_packs=2))
config = tf.estimator.RunConfig(train_distribute=strategy)
tf.placeholder(tf.float32)
"""


def test_a_strategy_by_its_import() -> None:
    assert codes(migrated(IMPORTED)) == []
    text = after(IMPORTED)
    assert "strategy = TowerStrategy(2)\n" in text and "AllReduce" not in text and "contrib" not in text


def test_what_adds_up_gradients_elsewhere_is_left() -> None:
    result = migrated(IMPORTED + "print(AllReduceCrossDeviceOps('nccl'))\n")
    assert "T2T620" in codes(result)
    assert "import AllReduceCrossDeviceOps" in result.changes[0].after


@pytest.mark.parametrize(
    ("call", "kinds"),
    [
        ("tf.contrib.tpu.TPUEstimator(print, config=config)", ["left"]),
        ("tf.contrib.tpu.TPUEstimator(print, '', config, {}, True)", ["left"]),
        ("tf.estimator.tpu.TPUEstimator(print, use_tpu=True)", ["left"]),
        ("tf.contrib.tpu.TPUEstimator(print, use_tpu=False)", []),
        ("tf.contrib.tpu.TPUEstimator(print, use_tpu=bool(input()))", ["note"]),
        ("tf.contrib.tpu.TPUEstimator(print, **config)", ["note"]),
        ("TPUEstimator(print)", []),  # the script's own class
    ],
)
def test_an_estimator_that_trains_on_tpus(call: str, kinds: list[str]) -> None:
    own = dedent("""\
        class TPUEstimator:
            def __init__(self, model_fn):
                pass
        """)
    result = migrated(f"{TF}{own}\n\nconfig = {{}}\ntf.Session()\n{call}\n")
    assert [(each.code, each.kind) for each in result.findings] == [("T2T620", kind) for kind in kinds]
