"""Train a network with one hidden layer on MNIST: parameter servers and workers, each a loop with hooks.

The same training as mnist_supervisor.py, with hooks in place of the hand-written loop's ends. The session
initializes or restores the variables, writes checkpoints and summaries, and StopAtStepHook ends the training.

    hosts="--ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224 --issync=0"
    python legacy/mnist_monitored.py $hosts --job_name=ps --task_index=0 &
    python legacy/mnist_monitored.py $hosts --job_name=worker --task_index=0 &
    python legacy/mnist_monitored.py $hosts --job_name=worker --task_index=1

The workers end by themselves, the parameter server is to be killed. Without --data_dir it trains on
scikit-learn's handwritten digits. A --log_dir with checkpoints in it: the training goes on from the last one.
"""
import math
import time

import tensorflow.compat.v1 as tf

import trainer_data

tf.disable_v2_behavior()

FLAGS = tf.app.flags.FLAGS

# Data and training.
tf.app.flags.DEFINE_string('data_dir', '', 'Directory of the MNIST files. Empty: the embedded digits.')
tf.app.flags.DEFINE_integer('hidden_units', 100, 'Number of units in the hidden layer.')
tf.app.flags.DEFINE_integer('train_steps', 1000, 'Number of training steps to perform, all workers together.')
tf.app.flags.DEFINE_integer('batch_size', 100, 'Images a worker takes in one step.')
tf.app.flags.DEFINE_float('learning_rate', 0.01, 'Learning rate.')
tf.app.flags.DEFINE_integer('log_every', 100, 'Steps of a worker between two of its log lines.')
tf.app.flags.DEFINE_integer('eval_steps', 200, 'Steps of the chief between two evaluations.')
tf.app.flags.DEFINE_integer('seed', 0, 'The initial weights follow from it, and with the task the batches.')
# absl has a flag log_dir of its own.
tf.app.flags.DEFINE_string('log_dir', '/tmp/mnist_monitored',
                           'Where the chief writes event logs and checkpoints.', allow_override=True)
tf.app.flags.DEFINE_integer('checkpoint_every', 500, 'Steps between two checkpoints.')
tf.app.flags.DEFINE_integer('summary_every', 100, 'Steps between two summaries.')

# The cluster.
tf.app.flags.DEFINE_string('ps_hosts', 'localhost:2222',
                           'Comma-separated host:port of the parameter servers.')
tf.app.flags.DEFINE_string('worker_hosts', 'localhost:2223,localhost:2224',
                           'Comma-separated host:port of the workers.')
tf.app.flags.DEFINE_string('job_name', None, 'What this process is: ps or worker.')
tf.app.flags.DEFINE_integer('task_index', None, 'Which of the tasks of its job this process is.')
tf.app.flags.DEFINE_integer('issync', 0, '1: synchronous training, 0: asynchronous.')

IMAGE_PIXELS = 28


def inference(images):
    """Probabilities [n, 10] of float32 images [n, 784]."""
    with tf.variable_scope('hid'):
        weights = tf.get_variable(
            'weights', [IMAGE_PIXELS * IMAGE_PIXELS, FLAGS.hidden_units],
            initializer=tf.truncated_normal_initializer(stddev=1.0 / IMAGE_PIXELS, seed=FLAGS.seed))
        biases = tf.get_variable('biases', [FLAGS.hidden_units], initializer=tf.zeros_initializer())
        hidden = tf.nn.relu(tf.matmul(images, weights) + biases)
    with tf.variable_scope('sm'):
        weights = tf.get_variable(
            'weights', [FLAGS.hidden_units, 10],
            initializer=tf.truncated_normal_initializer(
                stddev=1.0 / math.sqrt(FLAGS.hidden_units), seed=FLAGS.seed + 1))
        biases = tf.get_variable('biases', [10], initializer=tf.zeros_initializer())
        return tf.nn.softmax(tf.matmul(hidden, weights) + biases)


def main(argv=None):
    if FLAGS.job_name not in ('ps', 'worker'):
        raise ValueError('--job_name is %r, must be ps or worker' % FLAGS.job_name)
    if FLAGS.task_index is None:
        raise ValueError('Must specify an explicit task_index!')

    ps_hosts = FLAGS.ps_hosts.split(',')
    worker_hosts = FLAGS.worker_hosts.split(',')
    num_workers = len(worker_hosts)
    cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    is_chief = (FLAGS.task_index == 0)
    mnist = trainer_data.read_data_sets(FLAGS.data_dir, seed=FLAGS.seed + FLAGS.task_index)

    worker_device = '/job:worker/task:%d' % FLAGS.task_index
    with tf.device(tf.train.replica_device_setter(worker_device=worker_device, cluster=cluster)):
        global_step = tf.train.get_or_create_global_step()

        images = tf.placeholder(tf.float32, [None, IMAGE_PIXELS * IMAGE_PIXELS], name='images')
        labels = tf.placeholder(tf.float32, [None, 10], name='labels')
        probabilities = inference(images)
        cross_entropy = -tf.reduce_sum(labels * tf.log(tf.clip_by_value(probabilities, 1e-10, 1.0)))
        tf.summary.scalar('cross_entropy', cross_entropy)

        opt = tf.train.AdamOptimizer(FLAGS.learning_rate)
        if FLAGS.issync == 1:
            opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=num_workers,
                                                 total_num_replicas=num_workers)
        train_op = opt.minimize(cross_entropy, global_step=global_step)

        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
        if FLAGS.issync == 1:
            # No tokens at the start: a fast worker would get ahead, and stand in for one that is late.
            # Tokens at the end: without this worker no update makes any, and another may still need them.
            hooks.append(opt.make_session_run_hook(is_chief, num_tokens=0))
            hooks.append(tf.train.FinalOpsHook(opt.get_init_tokens_op(num_tokens=2 * num_workers)))
            # At the end the chief's thread waits for gradients that will not come. Closing the session cancels it,
            # which is no error.
            opt.get_chief_queue_runner()._queue_closed_exception_types += (tf.errors.CancelledError,)

        # A worker looks at the parameter servers only: other workers may come late and leave early.
        config = tf.ConfigProto(allow_soft_placement=True, device_filters=['/job:ps', worker_device])
        if not is_chief:
            # MonitoredTrainingSession waits for the chief as well, but looks only every 30 seconds.
            uninitialized = tf.report_uninitialized_variables(tf.global_variables())
            manager = tf.train.SessionManager(ready_op=uninitialized, recovery_wait_secs=1)
            manager.wait_for_session(server.target, config=config).close()

        val_feed = {images: mnist.validation.images, labels: mnist.validation.labels}
        next_eval = None
        local_step = 0
        # The thread that applies the mean gradients would wait for more of them: no grace for it.
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=is_chief, checkpoint_dir=FLAGS.log_dir, hooks=hooks,
                save_checkpoint_secs=None, save_checkpoint_steps=FLAGS.checkpoint_every,
                save_summaries_secs=None, save_summaries_steps=FLAGS.summary_every,
                config=config, stop_grace_period_secs=1) as mon_sess:
            print('Worker %d: Session initialization complete.' % FLAGS.task_index, flush=True)
            while not mon_sess.should_stop():
                batch_images, batch_labels = mnist.train.next_batch(FLAGS.batch_size)
                train_feed = {images: batch_images, labels: batch_labels}
                _, step, loss = mon_sess.run([train_op, global_step, cross_entropy], feed_dict=train_feed)
                local_step += 1
                if next_eval is None:  # a training that goes on has made some
                    next_eval = (max(step - 1, 0) // FLAGS.eval_steps + 1) * FLAGS.eval_steps

                if local_step % FLAGS.log_every == 0:
                    print('%f: Worker %d: training step %d done, loss: %f (global step: %d)' %
                          (time.time(), FLAGS.task_index, local_step, loss, step), flush=True)

                # After the last step the session takes no more runs.
                if is_chief and step >= next_eval and not mon_sess.should_stop():
                    val_xent = mon_sess.run(cross_entropy, feed_dict=val_feed)
                    print('After %d training step(s), validation cross entropy = %g' % (step, val_xent),
                          flush=True)
                    next_eval += FLAGS.eval_steps
            if FLAGS.issync == 1 and is_chief:
                # The queue of tokens is closed with this session, and another worker may be about to use it.
                time.sleep(3)
        print('Worker %d: Training ends.' % FLAGS.task_index, flush=True)


if __name__ == '__main__':
    tf.app.run()
