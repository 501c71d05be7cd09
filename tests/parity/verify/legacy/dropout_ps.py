"""A small trainer on parameter servers: layers, dropout, batch norm, the batches of a queue, averages."""
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('ps_hosts', '', 'host:port,...')
flags.DEFINE_string('worker_hosts', '', 'host:port,...')
flags.DEFINE_string('job_name', '', 'ps or worker')
flags.DEFINE_integer('task_index', 0, 'index in the job')
flags.DEFINE_boolean('sync', False, 'synchronous')
flags.DEFINE_string('log_dir', '', 'not used')
FLAGS = flags.FLAGS


def inputs():
    image = tf.random_uniform([4], seed=1)
    return tf.train.batch([image, tf.reduce_sum(image, keepdims=True)], batch_size=6)


def main(_):
    workers = FLAGS.worker_hosts.split(',')
    cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','), 'worker': workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device='/job:worker/task:%d' % FLAGS.task_index, cluster=cluster)):
        global_step = tf.train.get_or_create_global_step()
        images, targets = inputs()
        hidden = tf.layers.dense(images, 5, tf.nn.relu, name='hidden')
        hidden = tf.nn.dropout(hidden, keep_prob=0.5)
        hidden = tf.layers.batch_normalization(hidden, momentum=0.9, training=True, name='norm')
        loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1, name='out') - targets))
        opt = tf.train.AdamOptimizer(0.01)
        averages = tf.train.ExponentialMovingAverage(0.9, global_step)
        hooks = [tf.train.StopAtStepHook(last_step=1000)]
        if FLAGS.sync:
            opt = tf.train.SyncReplicasOptimizer(
                opt, replicas_to_aggregate=len(workers), total_num_replicas=len(workers))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = opt.minimize(loss, global_step=global_step)
        with tf.control_dependencies([train_op]):
            train_op = averages.apply(tf.trainable_variables())
        if FLAGS.sync:
            hooks = [opt.make_session_run_hook(is_chief)]
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief, hooks=hooks) as sess:
        while not sess.should_stop():
            sess.run(train_op)


if __name__ == '__main__':
    tf.app.run()
