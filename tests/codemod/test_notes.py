"""Notes, with status 0: scripts that hang or stop in TF 1 as well, and orders that it leaves open; refusals' texts."""

from textwrap import dedent

import pytest
from codemod_texts import migrated

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
FLAGS = tf.app.flags.FLAGS
"""
TOWERS = """\
for i in range(n):
    with tf.device('/gpu:%d' % i):
        y = x
"""
UPDATES = "u = tf.get_collection(tf.GraphKeys.UPDATE_OPS{})\n"

NORM = "y = tf.layers.batch_normalization(tf.zeros([2, 3]), training=True)\n"
OWN_TOWERS = dedent(
    """\
    for i in range(n):
        with tf.device('/gpu:%d' % i), tf.variable_scope('tower_%d' % i):
            y = tf.layers.batch_normalization(tf.zeros([2, 3]), training=True)
    """
)
TWO_OPTIMIZERS = dedent(
    """\
    v = tf.get_variable('v', [])
    sess, opt = tf.Session(), tf.train.GradientDescentOptimizer(0.1)
    d = opt.minimize(v * v)
    g = opt.minimize(v - x)
    """
)

SYNC = "opt = tf.train.GradientDescentOptimizer(0.1)\nopt = tf.train.SyncReplicasOptimizer(opt, 2)\n"
WITH = "with {} as sess:\n    pass\n"
HOOK = "h = opt.make_session_run_hook(True)\n"

#: what each worker of a cluster does, after it has waited for the chief
JOINS = dedent(
    """\
    server = tf.train.Server({'ps': ['a:1'], 'worker': ['b:1', 'c:1']}, 'worker', 1)
    with tf.device(tf.train.replica_device_setter(ps_tasks=1)):
        w = tf.get_variable('w', [2])
    init = tf.global_variables_initializer()
    sv = tf.train.Supervisor(is_chief=False, init_op=init)
    """
)
#: lines of a script, and the codes of its notes
NOTES = [
    (WITH.format("tf.Session(FLAGS.master)"), ["T2T627"]),
    (WITH.format("tf.Session(target=FLAGS.master)"), ["T2T627"]),
    (WITH.format("tf.train.Supervisor().managed_session(FLAGS.master)"), ["T2T627"]),
    (WITH.format("tf.train.MonitoredTrainingSession(master=FLAGS.master)"), ["T2T627"]),
    ("tf.app.flags.DEFINE_string('m', '', 'grpc://..')\n" + WITH.format("tf.Session(FLAGS.m)"), ["T2T627"]),
    (WITH.format("tf.Session('')"), []),
    (SYNC, ["T2T618"]),
    (SYNC + HOOK, []),
    (SYNC + "q = opt.get_chief_queue_runner()\n", []),
    ("tf.set_random_seed(3)\n", ["T2T619"]),
    ("tf.set_random_seed(None)\n", []),
    (TOWERS + NORM + UPDATES.format(""), ["T2T619"]),
    (TOWERS + NORM + UPDATES.format(", 'tower_0'"), []),
    (NORM + UPDATES.format(""), []),
    # nothing is collected; one tower's; variables of each tower
    (TOWERS + UPDATES.format(""), []),
    (
        TOWERS
        + NORM
        + "u = [o for o in tf.get_collection(tf.GraphKeys.UPDATE_OPS) if 'tower_0' in o.name]\n",
        [],
    ),
    (OWN_TOWERS + UPDATES.format(""), []),
    (TWO_OPTIMIZERS + "sess.run([d, g, x])\n", ["T2T619"]),
    (TWO_OPTIMIZERS + "t = tf.group(d, opt.apply_gradients([(x, v)]))\n", ["T2T619"]),
    (TWO_OPTIMIZERS + "sess.run([d, x])\nsess.run(g)\n", []),
    (TWO_OPTIMIZERS.replace("g = ", "with tf.control_dependencies([d]): g = ") + "sess.run([d, g])\n", []),
    ("n = tf.contrib.distributions.MultivariateNormalDiag([x, x])\n", ["T2T619"]),
    (JOINS + "with sv.managed_session(server.target) as s:\n    s.run(init)\n", ["T2T619"]),
    (JOINS + "s = sv.prepare_or_wait_for_session(server.target)\ns.run(init)\n", ["T2T619"]),
    (
        JOINS
        + dedent(
            """\
            s = sv.prepare_or_wait_for_session(server.target)
            if w is None:
                s.run(init)
            """
        ),
        [],
    ),
    (JOINS + "with tf.Session(server.target) as s:\n    s.run(init)\n", []),
]


@pytest.mark.parametrize(("lines", "codes"), NOTES)
def test_a_note_leaves_the_status_0(lines: str, codes: list[str]) -> None:
    result = migrated(HEAD + lines)
    assert result.status == 0
    assert [each.code for each in result.findings if each.code in ("T2T618", "T2T619", "T2T627")] == codes
    assert {each.kind for each in result.findings} <= {"note", "changed"}


@pytest.mark.parametrize(
    ("lines", "words", "other"),
    [
        ("tf.set_random_seed(3)\n", "seeds of their own", "tower_0"),
        (TOWERS + "z = tf.layers.batch_normalization(x)\n" + UPDATES.format(""), "tower_0", "seeds"),
        ("c = tf.contrib.cudnn_rnn.CudnnLSTM(1, 4)\n", "checkpoint of TF 1", "tower_0"),
    ],
)
def test_an_advice_is_of_its_own_message(lines: str, words: str, other: str) -> None:
    (found,) = [each for each in migrated(HEAD + lines).findings if each.code == "T2T619"]
    assert words in found.todo and other not in found.todo


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (dedent(
            """\
            s = tf.distribute.MirroredStrategy()
            with s.scope():
                tf.Session()
            """
        ), "T2T622", "migrate sets"),
        ("s = tf.distribute.experimental.ParameterServerStrategy()\nt = tf.train.Server({'ps': ['a:1']}).target\n",
         "T2T622", "from one process"),
        ("import no_such_library\n", "T2T624", "beside the script"),
        ("import sonnet\n", "T2T625", "release for TF 2"),
        (dedent(
            """\
            tf.train.ClusterSpec({'ps': ['a:1']})
            with tf.Session('') as sess:
                pass
            """
        ), "T2T627", "no server of"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_do(lines: str, code: str, words: str) -> None:
    (left,) = migrated(HEAD + lines).left
    assert left.code == code and words in left.message + left.todo


@pytest.mark.parametrize(
    "lines",
    [
        "r = tf.distribute.cluster_resolver.TFConfigClusterResolver()\nt = tf.train.Server(r.cluster_spec()).target\n",
        "r = tf.contrib.cluster_resolver.SimpleClusterResolver(c)\nt = tf.train.Server(r.cluster_spec()).target\n",
        "n = tf.distribute.get_strategy().num_replicas_in_sync\n",
        "n = 1 if tf.distribute.has_strategy() else 2\n",
    ],
)
def test_no_strategy_of_the_scripts_own(lines: str) -> None:
    assert migrated(HEAD + lines).status == 0


def test_an_empty_file() -> None:
    assert migrated("").status == 0


def test_a_library_on_tf1_that_the_program_can_do_without_is_a_note() -> None:
    lines = dedent(
        """\
        try:
            import horovod.tensorflow as hvd
        except ImportError:
            hvd = None
        """
    )
    result = migrated(HEAD + lines)
    assert result.status == 0 and ["goes on" in each.message for each in result.findings] == [True]
    assert migrated(HEAD + lines.replace("hvd = None", "raise")).status == 1


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("if FLAGS.use_horovod:\n    import horovod.tensorflow as hvd\n", 0),
        ("if FLAGS.update == 'horovod':\n    import horovod.tensorflow as hvd\n", 0),
        ("if not FLAGS.single:\n    import horovod.tensorflow as hvd\n", 1),
        (
            dedent(
                """\
                tf.flags.DEFINE_bool('hvd', True, '')
                if FLAGS.hvd:
                    import horovod.tensorflow as hvd
                """
            ),
            1,
        ),
        ("import horovod.tensorflow as hvd\n", 1),
        ("import tf_slim as slim\ny = slim.fully_connected(tf.zeros([2, 3]), 4)\n", 0),
        ("import tensorflow_probability as tfp\nd = tfp.distributions.Normal(x, 1.)\n", 0),
        ("from tensorflow_probability import distributions as ds\nd = ds.Normal(x, 1., True)\n", 1),
        ("import tensorflow_probability as tfp\nd = tfp.mcmc.HamiltonianMonteCarlo(x, 1., 2)\n", 1),
        ("import tensorflow_probability as tfp\nd = getattr(tfp, 'mcmc')\n", 1),
        ("import tensorflow_hub as hub\nm = hub.Module('there')\n", 1),
    ],
)
def test_libraries_beside_tensorflow(lines: str, status: int) -> None:
    assert migrated(HEAD + lines).status == status


WRAPPER = dedent(
    """\
    class Wrapper(tf.contrib.seq2seq.AttentionWrapper):
        def __init__(self):
            self._mine = 1

        def call(self, inputs, state):
            return self.{}
    """
)


@pytest.mark.parametrize(
    ("member", "status"),
    [
        ("_is_multi", 0),
        ("_mine", 0),
        ("_cell", 0),
        ("_dtype", 0),
        ("output_size", 0),
        ("_cell_state_shape", 1),
    ],
)
def test_private_members_of_a_class_that_the_runtime_stands_in_for(member: str, status: int) -> None:
    assert migrated(f"{HEAD}{WRAPPER.format(member)}Wrapper()\n").status == status
