"""Train a network with one hidden layer on MNIST: parameter servers and workers, each a supervised loop.

Every process of the cluster runs this script. A parameter server keeps variables and serves them for ever;
a worker has the whole model, with the variables on the parameter servers, and takes steps until there are
--train_steps in all. With --issync=0 each worker applies its gradients as soon as it has them; with
--issync=1 the parameters change when every worker's gradients are there, by their mean.

    hosts="--ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224 --issync=0"
    python legacy/mnist_supervisor.py $hosts --job_name=ps --task_index=0 &
    python legacy/mnist_supervisor.py $hosts --job_name=worker --task_index=0 &
    python legacy/mnist_supervisor.py $hosts --job_name=worker --task_index=1

The workers end by themselves, the parameter server is to be killed. Without --data_dir it trains on
scikit-learn's handwritten digits.
"""
import math
import tempfile
import time

import tensorflow.compat.v1 as tf

import trainer_data

tf.disable_v2_behavior()

flags = tf.app.flags
IMAGE_PIXELS = 28

# Data and training.
flags.DEFINE_string('data_dir', '', 'Directory of the MNIST files. Empty: the embedded digits.')
flags.DEFINE_integer('hidden_units', 100, 'Number of units in the hidden layer.')
flags.DEFINE_integer('train_steps', 10000, 'Number of training steps to perform, all workers together.')
flags.DEFINE_integer('batch_size', 100, 'Images a worker takes in one step.')
flags.DEFINE_float('learning_rate', 0.01, 'Learning rate.')
flags.DEFINE_integer('log_every', 1000, 'Steps of a worker between two of its log lines.')
flags.DEFINE_integer('seed', 0, 'The initial weights follow from it, and with the task index the batches.')
# absl has a flag log_dir of its own.
flags.DEFINE_string('log_dir', '', 'Where the chief writes checkpoints. Empty: a new temporary directory.',
                    allow_override=True)

# The cluster.
flags.DEFINE_string('ps_hosts', 'localhost:2222', 'Comma-separated host:port of the parameter servers.')
flags.DEFINE_string('worker_hosts', 'localhost:2223,localhost:2224',
                    'Comma-separated host:port of the workers.')
flags.DEFINE_string('job_name', None, 'What this process is: ps or worker.')
flags.DEFINE_integer('task_index', None, 'Which of the tasks of its job this process is.')
flags.DEFINE_integer('issync', 0, '1: synchronous training, 0: asynchronous.')

FLAGS = flags.FLAGS


def main(unused_argv):
    if FLAGS.job_name is None or FLAGS.job_name == '':
        raise ValueError('Must specify an explicit job_name!')
    else:
        print('job_name : %s' % FLAGS.job_name)
    if FLAGS.task_index is None or FLAGS.task_index == '':
        raise ValueError('Must specify an explicit task_index!')
    else:
        print('task_index : %d' % FLAGS.task_index, flush=True)

    ps_spec = FLAGS.ps_hosts.split(',')
    worker_spec = FLAGS.worker_hosts.split(',')

    # Every process knows the whole cluster and its own place in it.
    num_workers = len(worker_spec)
    cluster = tf.train.ClusterSpec({'ps': ps_spec, 'worker': worker_spec})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    mnist = trainer_data.read_data_sets(FLAGS.data_dir, seed=FLAGS.seed + FLAGS.task_index)

    is_chief = (FLAGS.task_index == 0)
    worker_device = '/job:worker/task:%d' % FLAGS.task_index
    # Variables go to the parameter servers in turn, all other ops to this worker.
    with tf.device(tf.train.replica_device_setter(worker_device=worker_device, cluster=cluster)):
        global_step = tf.Variable(0, name='global_step', trainable=False)

        hid_w = tf.Variable(tf.truncated_normal([IMAGE_PIXELS * IMAGE_PIXELS, FLAGS.hidden_units],
                                                stddev=1.0 / IMAGE_PIXELS, seed=FLAGS.seed), name='hid_w')
        hid_b = tf.Variable(tf.zeros([FLAGS.hidden_units]), name='hid_b')

        sm_w = tf.Variable(tf.truncated_normal([FLAGS.hidden_units, 10],
                                               stddev=1.0 / math.sqrt(FLAGS.hidden_units),
                                               seed=FLAGS.seed + 1), name='sm_w')
        sm_b = tf.Variable(tf.zeros([10]), name='sm_b')

        x = tf.placeholder(tf.float32, [None, IMAGE_PIXELS * IMAGE_PIXELS])
        y_ = tf.placeholder(tf.float32, [None, 10])

        hid_lin = tf.nn.xw_plus_b(x, hid_w, hid_b)
        hid = tf.nn.relu(hid_lin)

        y = tf.nn.softmax(tf.nn.xw_plus_b(hid, sm_w, sm_b))
        cross_entropy = -tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)))

        opt = tf.train.AdamOptimizer(FLAGS.learning_rate)
        if FLAGS.issync == 1:
            opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=num_workers,
                                                 total_num_replicas=num_workers)

        train_step = opt.minimize(cross_entropy, global_step=global_step)

        local_init_op = None
        ready_for_local_init_op = None
        if FLAGS.issync == 1:
            local_init_op = opt.chief_init_op if is_chief else opt.local_step_init_op
            ready_for_local_init_op = opt.ready_for_local_init_op
            # The chief applies the mean gradients, in a thread, and then gives each worker a token, which
            # ends its step. None at the start: a fast worker would get ahead, and stand in for a late one.
            chief_queue_runner = opt.get_chief_queue_runner()
            init_tokens_op = opt.get_init_tokens_op(num_tokens=0)
            last_tokens_op = opt.get_init_tokens_op(num_tokens=2 * num_workers)

        init_op = tf.global_variables_initializer()
        train_dir = FLAGS.log_dir or tempfile.mkdtemp()
        sv = tf.train.Supervisor(is_chief=is_chief, logdir=train_dir, init_op=init_op,
                                 local_init_op=local_init_op,
                                 ready_for_local_init_op=ready_for_local_init_op, recovery_wait_secs=1,
                                 global_step=global_step)

        if is_chief:
            print('Worker %d: Initializing session...' % FLAGS.task_index, flush=True)
        else:
            print('Worker %d: Waiting for session to be initialized...' % FLAGS.task_index, flush=True)
        # A worker looks at the parameter servers only: other workers may come late and leave early.
        config = tf.ConfigProto(allow_soft_placement=True, device_filters=['/job:ps', worker_device])
        sess = sv.prepare_or_wait_for_session(server.target, config=config)
        print('Worker %d: Session initialization complete.' % FLAGS.task_index)

        threads = []
        if FLAGS.issync == 1 and is_chief:
            threads = sv.start_queue_runners(sess, [chief_queue_runner])
            sess.run(init_tokens_op)

        time_begin = time.time()
        print('Training begins @ %f' % time_begin, flush=True)

        local_step = 0
        while True:
            batch_xs, batch_ys = mnist.train.next_batch(FLAGS.batch_size)
            train_feed = {x: batch_xs, y_: batch_ys}

            _, step, loss = sess.run([train_step, global_step, cross_entropy], feed_dict=train_feed)
            local_step += 1

            now = time.time()
            if local_step % FLAGS.log_every == 0:
                print('%f: Worker %d: training step %d done, loss: %f (global step: %d)' %
                      (now, FLAGS.task_index, local_step, loss, step), flush=True)

            if step >= FLAGS.train_steps:
                break

        time_end = time.time()
        print('Training ends @ %f' % time_end)
        train_time = time_end - time_begin
        print('Training elapsed time: %f s' % train_time)

        val_feed = {x: mnist.validation.images, y_: mnist.validation.labels}
        val_xent = sess.run(cross_entropy, feed_dict=val_feed)
        print('After %d training step(s), validation cross entropy = %g' % (FLAGS.train_steps, val_xent),
              flush=True)

        if is_chief:
            sv.saver.save(sess, sv.save_path, global_step=global_step)
        if FLAGS.issync == 1:
            # Without this worker there are no more updates, hence no more tokens. Another one may still need
            # two: its step under way read the global step before the last update, the next will after it.
            try:
                sess.run(last_tokens_op)
            except tf.errors.CancelledError:
                pass  # The chief has ended, and closed the queue.
        # The chief's thread waits for gradients that will not come: closing the session ends it, which is no error.
        sv.request_stop()
    sess.close()
    sv.coord.join(threads)


if __name__ == '__main__':
    tf.app.run()
