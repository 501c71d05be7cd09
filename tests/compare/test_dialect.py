"""Which scripts get TensorFlow 1."""

from pathlib import Path

import pytest

from tf2towers.compare.compare import describe_shape, shape_of
from tf2towers.compare.dialect import has_cluster, is_of_cluster, is_tf1


@pytest.mark.parametrize(
    ("text", "tf1"),
    [
        ("import tensorflow as tf\nx = tf.placeholder(tf.float32)", True),
        ("import tensorflow as tf\nopt = tf.train.AdamOptimizer(0.1)", True),
        ("import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)", True),
        ("from tensorflow.compat import v1 as tf1\ntf1.Session()", True),
        ("import tensorflow as tf\ntf.compat.v1.disable_v2_behavior()", True),
        ("import tensorflow as tf\nopt = tf.compat.v1.train.AdamOptimizer(0.1)", False),
        ("import tensorflow as tf\nfrom tf2towers.runtime import Saver\ntf.compat.v1.app.run()", False),
        ("import tensorflow as tf\n# was: tf.Session()\nf = tf.function(print)", False),
        ('import tensorflow as tf\n"""TF1: tf.placeholder."""', False),
        ("import keras", False),
    ],
)
def test_dialect(tmp_path: Path, text: str, tf1: bool) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    assert is_tf1(script) is tf1


@pytest.mark.parametrize(
    ("text", "of_cluster"),
    [
        ("server = tf.train.Server(cluster, job_name='ps')", True),
        ("with tf.device(tf.train.replica_device_setter(cluster=cluster)): pass", False),
        ("# once: tf.train.Server(cluster)\nsession = tf.Session()", False),
        ("from tf2towers.runtime import Server, Session\nserver = Server(cluster, job_name='ps')", True),
        ("from tf2towers import runtime\nserver = runtime.Server(cluster)", True),
        ("from tf2towers.runtime import ParameterServerStrategy\nParameterServerStrategy(ps_tasks=2)", False),
        ("from mine import Server\nServer(80)", False),
    ],
)
def test_clusters(tmp_path: Path, text: str, of_cluster: bool) -> None:
    script = tmp_path / "train.py"
    script.write_text(text)
    assert is_of_cluster(script) is of_cluster


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("server = tf.train.Server(cluster, job_name='ps')", True),
        ("strategy = tf.distribute.ParameterServerStrategy(resolver)", True),
        ("strategy = tf.distribute.MultiWorkerMirroredStrategy()", True),
        ("from tf2towers.runtime.cluster.task import ClusterTask", True),
        ("import helper", True),
        ("strategy = tf.distribute.MirroredStrategy()  # no ClusterCoordinator", False),
    ],
)
def test_clusters_of_tf2(tmp_path: Path, text: str, found: bool) -> None:
    """Local modules count: what is about the cluster may be in one."""
    (tmp_path / "helper.py").write_text("spec = tf.train.ClusterSpec({})")
    script = tmp_path / "script.py"
    script.write_text(text)
    assert has_cluster(script) is found


@pytest.mark.parametrize(
    ("text", "ps", "workers", "shape"),
    [
        ("tf.train.Server()", None, None, "1 parameter server and 2 workers"),
        ("tf.train.Server()", 2, 1, "2 parameter servers and 1 worker"),
        ("train()", 0, None, "0 parameter servers and 2 workers"),  # whoever gives it knows better
        ("train()", None, None, None),
    ],
)
def test_shape(tmp_path: Path, text: str, ps: int | None, workers: int | None, shape: str | None) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    found = shape_of(script, script, ps, workers)
    assert (None if found is None else describe_shape(found)) == shape
