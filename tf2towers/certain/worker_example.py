"""`worker_with`: the rules' example of a worker of parameter servers, in the form of `Rule.doubtful`."""

from __future__ import annotations

#: the hosts of two workers
TWO = "['a:2', 'a:3']"
#: a session in which each worker initialises the variables
OWN_SESSION = "sess = tf.Session(server.target); sess.run(tf.global_variables_initializer())"
#: one that the chief initialises
SUPERVISED = "sv = tf.train.Supervisor(is_chief=True); sess = sv.prepare_or_wait_for_session(server.target)"


def worker_with(hosts: str, session: str) -> str:
    """A worker of the cluster whose workers are `hosts`, and its session."""
    return (
        f"inputs: cluster = tf.train.ClusterSpec({{'ps': ['a:1'], 'worker': {hosts}}}); "
        "server = tf.train.Server(cluster, job_name='worker', task_index=0); "
        "x = tf.placeholder(tf.float32, [4, 3]); opt = tf.train.GradientDescentOptimizer(0.1)\n"
        "loop: with tf.device(tf.train.replica_device_setter(cluster=cluster)):;     with tf.name_scope('scope'):;"
        "         with tf.variable_scope('model'):\n"
        "model: y = tf.matmul(x, w)\nlosses: train_op = opt.minimize(loss)\ngrads: \naverage: \n"
        f"session: {session}; rng = np.random.RandomState(0); for step in range(3):;     batch = rng.randn(4, 3)"
    )
