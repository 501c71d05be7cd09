"""A synchronous cluster: SyncReplicasOptimizer under a MonitoredTrainingSession."""

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("ps_hosts", "localhost:2222", "")
tf.app.flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224", "")
tf.app.flags.DEFINE_string("job_name", "", "ps or worker")
tf.app.flags.DEFINE_integer("task_index", 0, "")
tf.app.flags.DEFINE_integer("steps", 6, "")
FLAGS = tf.app.flags.FLAGS


def main(_):
    workers = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    rng = np.random.RandomState(FLAGS.task_index)
    device = tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster
    )
    with tf.device(device):
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        opt = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1),
            replicas_to_aggregate=len(workers),
            total_num_replicas=len(workers),
        )
        train_op = opt.minimize(loss, global_step=step)
    is_chief = FLAGS.task_index == 0
    hooks = [opt.make_session_run_hook(is_chief), tf.train.StopAtStepHook(last_step=FLAGS.steps)]
    with tf.train.MonitoredTrainingSession(server.target, is_chief=is_chief, hooks=hooks) as sess:
        while not sess.should_stop():
            values = rng.rand(8, 4)
            feed = {x: values, y: values.sum(1, keepdims=True)}
            _, value = sess.run([train_op, loss], feed)
            print("worker %d loss %.6f" % (FLAGS.task_index, value))


if __name__ == "__main__":
    tf.app.run()
