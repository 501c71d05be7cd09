"""Which scripts get TensorFlow 1."""

from pathlib import Path

import pytest

from tf2towers.launch.cluster import Shape
from tf2towers.launch.program import (
    chief_of,
    evaluates_apart,
    find_shape,
    has_cluster,
    is_of_cluster,
    is_tf1,
    knows_its_task,
    taken_flags,
)

TF1, TF2 = "import tensorflow as tf\n", "import tensorflow as tf\nf = tf.function(print)\n"
TASK = "\nflags.DEFINE_string('job_name', '', '')"
SERVER = "server = tf.train.Server(cluster, job_name='ps')"
SETTER = "with tf.device(tf.train.replica_device_setter(cluster=cluster)): pass"
RUNTIME = "from tf2towers.runtime import "


@pytest.mark.parametrize(
    ("text", "tf1"),
    [
        (TF1 + "x = tf.placeholder(tf.float32)", True),
        (TF1 + "opt = tf.train.AdamOptimizer(0.1)", True),
        ("import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)", True),
        ("from tensorflow.compat import v1 as tf1\ntf1.Session()", True),
        (TF1 + "tf.compat.v1.disable_v2_behavior()", True),
        (TF1 + "opt = tf.compat.v1.train.AdamOptimizer(0.1)", False),
        (TF1 + RUNTIME + "Saver\ntf.compat.v1.app.run()", False),
        (TF2 + "# was: tf.Session()", False),
        (TF1 + '"""TF1: tf.placeholder."""', False),
        ("import keras", False),
    ],
)
def test_whether_a_script_is_of_tf1(tmp_path: Path, text: str, tf1: bool) -> None:
    (script := tmp_path / "train.py").write_text(text)
    assert is_tf1(script) is tf1


@pytest.mark.parametrize(
    ("text", "is_task", "about_cluster"),
    [
        (SERVER + TASK, True, True),
        (SERVER, False, True),  # it starts all tasks by itself
        (SETTER, False, False),
        ("# once: tf.train.Server(cluster)\nsession = tf.Session()", False, False),
        (RUNTIME + "Server, Session\nserver = Server(cluster, job_name='ps')" + TASK, True, False),
        ("from tf2towers import runtime\nserver = runtime.Server(cluster)" + TASK, True, False),
        (RUNTIME + "ParameterServerStrategy\nParameterServerStrategy(ps_tasks=2)", False, True),
        ("from mine import Server\nServer(80)", False, False),
        ("import cluster\nflags.DEFINE_string('job_name', '', '')", True, True),
        ("import cluster\nsession = tf.Session()", False, True),  # nothing says which task it is
        ("strategy = tf.distribute.ParameterServerStrategy(resolver)", False, True),
        ("strategy = tf.distribute.MultiWorkerMirroredStrategy()", False, True),
        ("from tf2towers.runtime.cluster.task import ClusterTask", False, True),
        ("import helper", False, True),  # local modules count: what is about the cluster may be in one
        ("strategy = tf.distribute.MirroredStrategy()  # no ClusterCoordinator", False, False),
    ],
)
def test_whether_a_script_is_a_task_of_a_cluster(
    tmp_path: Path, text: str, is_task: bool, about_cluster: bool
) -> None:
    (tmp_path / "cluster.py").write_text("def start(spec): return tf.train.Server(spec)")
    (tmp_path / "helper.py").write_text("spec = tf.train.ClusterSpec({})")
    (script := tmp_path / "train.py").write_text(text)
    assert (is_of_cluster(script), has_cluster(script)) == (is_task, about_cluster)


@pytest.mark.parametrize(
    ("text", "ps", "workers", "shape"),
    [
        (SERVER + TASK, None, None, Shape(1, 2)),
        (SERVER, None, None, None),
        (SERVER, 2, 1, Shape(2, 1)),
        ("train()", 0, None, Shape(0, 2)),  # whoever gives it knows better
        ("train()", None, None, None),
    ],
)
def test_how_many_tasks_a_script_asks_for(
    tmp_path: Path, text: str, ps: int | None, workers: int | None, shape: Shape | None
) -> None:
    (script := tmp_path / "script.py").write_text(text)
    assert find_shape([script], ps, workers, None) == shape


READS = "config = json.loads(os.environ['TF_CONFIG'])\n"
TRAINS = "tf.estimator.train_and_evaluate(estimator, training, evaluation)"


@pytest.mark.parametrize(
    ("text", "chief", "apart"),
    [
        (SERVER, "worker", False),
        (TRAINS, "chief", True),
        ("estimator = tf1_estimator.DNNLinearCombinedClassifier()", "chief", False),
        ("learn_runner.run(experiment)", "master", False),
        (READS + "is_chief = task.type == 'master'", "master", False),
        (READS + "if 'chief' == job: pass\nif job == 'evaluator': pass", "chief", True),
        (READS + "is_chief = task['index'] == 0", "worker", False),
        ("is_chief = job == 'chief'", "worker", False),  # nothing says that it reads its task
        ("# " + TRAINS, "worker", False),
        # the script makes its TF_CONFIG from flags
        (READS + TRAINS + "\nuse(FLAGS.worker_hosts, FLAGS.job_name)", "worker", True),
        (TRAINS + "\nuse(FLAGS.worker_hosts, FLAGS.chief_hosts, FLAGS.job_name)", "worker", True),
        (TRAINS + "\nflags('chief_hosts')\nuse(FLAGS.worker_hosts, FLAGS.job_name)", "chief", True),
    ],
)
def test_what_an_estimators_cluster_calls_its_chief(
    tmp_path: Path, text: str, chief: str, apart: bool
) -> None:
    (script := tmp_path / "train.py").write_text(text)
    assert (chief_of(script), evaluates_apart(script)) == (chief, apart)


def test_an_estimator_reads_its_task_and_runs_alone_by_default(tmp_path: Path) -> None:
    (script := tmp_path / "train.py").write_text(TRAINS + "\nflags('chief_hosts')")
    assert knows_its_task(script)
    assert taken_flags(script) == "--chief_hosts={chief_hosts}"
    assert find_shape([script], None, None, None) is None
    assert find_shape([script], 1, None, None) == Shape(1, 2, None, "chief")
    assert find_shape([script], None, 1, None, "master") == Shape(1, 1, None, "master")
