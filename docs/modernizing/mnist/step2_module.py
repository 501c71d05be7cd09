"""Step 2: the network is an object that keeps its variables; the session's calls are the same."""
import tempfile
import time

import tensorflow.compat.v1 as tf

import trainer_data
from network import Network
from tf2towers.runtime import ParameterServerStrategy, Server, Supervisor, graph_mode

graph_mode()

flags = tf.app.flags
IMAGE_PIXELS = 28

# Data and training.
flags.DEFINE_string('data_dir', '', 'Directory of the MNIST files. Empty: the embedded digits.')
flags.DEFINE_integer('hidden_units', 100, 'Number of units in the hidden layer.')
flags.DEFINE_integer('train_steps', 1000, 'Number of training steps to perform, all workers together.')
flags.DEFINE_integer('batch_size', 100, 'Images a worker takes in one step.')
flags.DEFINE_float('learning_rate', 0.01, 'Learning rate.')
flags.DEFINE_integer('log_every', 100, 'Steps of a worker between two of its log lines.')
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
    cluster = tf.train.ClusterSpec({'ps': ps_spec, 'worker': worker_spec})
    server = Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    mnist = trainer_data.read_data_sets(FLAGS.data_dir, seed=FLAGS.seed + FLAGS.task_index)

    is_chief = (FLAGS.task_index == 0)
    worker_device = '/job:worker/task:%d' % FLAGS.task_index
    # Variables go to the parameter servers in turn, all other ops to this worker.
    with ParameterServerStrategy(worker_device=worker_device, cluster=cluster).scope():
        global_step = tf.Variable(0, name='global_step', trainable=False)

        network = Network(FLAGS.hidden_units, FLAGS.seed)

        x = tf.placeholder(tf.float32, [None, IMAGE_PIXELS * IMAGE_PIXELS])
        y_ = tf.placeholder(tf.float32, [None, 10])
        cross_entropy = network.loss(x, y_)

        opt = tf.train.AdamOptimizer(FLAGS.learning_rate)
        train_step = opt.minimize(cross_entropy, global_step, network.trainable_variables)

        init_op = tf.global_variables_initializer()
        train_dir = FLAGS.log_dir or tempfile.mkdtemp()
        sv = Supervisor(is_chief=is_chief, logdir=train_dir, init_op=init_op,
                        local_init_op=None, ready_for_local_init_op=None,
                        recovery_wait_secs=1, global_step=global_step)

        if is_chief:
            print('Worker %d: Initializing session...' % FLAGS.task_index, flush=True)
        else:
            print('Worker %d: Waiting for session to be initialized...' % FLAGS.task_index, flush=True)
        # A worker looks at the parameter servers only: other workers may come late and leave early.
        config = tf.ConfigProto(allow_soft_placement=True, device_filters=['/job:ps', worker_device])
        sess = sv.prepare_or_wait_for_session(server.target, config=config)
        print('Worker %d: Session initialization complete.' % FLAGS.task_index)

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
    sess.close()


if __name__ == '__main__':
    tf.app.run()
