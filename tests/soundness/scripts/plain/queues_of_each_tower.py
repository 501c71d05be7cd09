# Every tower has queues of its own, made where its loss begins; two batches more are evaluated between the steps.
import os
import sys

import numpy as np
import tensorflow as tf

NUM_TOWERS = 2
BATCH_SIZE = 4
FEATURES = 3


class Record(object):
    pass


def write_records(folder):
    rng = np.random.RandomState(4)
    names = [os.path.join(folder, 'part%d.bin' % part) for part in range(2)]
    for name in names:
        with open(name, 'wb') as records:
            for _ in range(11):
                records.write(rng.randint(0, 255, FEATURES + 1).astype(np.uint8).tobytes())
    return names


def read_record(filename_queue):
    result = Record()
    reader = tf.FixedLengthRecordReader(record_bytes=FEATURES + 1)
    result.key, value = reader.read(filename_queue)
    parts = tf.decode_raw(value, tf.uint8)
    result.label = tf.reshape(tf.cast(tf.strided_slice(parts, [0], [1]), tf.int32), [])
    result.row = tf.strided_slice(parts, [1], [FEATURES + 1])
    return result


def batches_of(row, label, batch_size):
    rows, labels = tf.train.batch([row, label], batch_size=batch_size, num_threads=1, capacity=32)
    return rows, tf.reshape(labels, [batch_size])


def inputs(names, batch_size, num_epochs=None):
    with tf.name_scope('input'):
        filename_queue = tf.train.string_input_producer(names, num_epochs=num_epochs, shuffle=False)
        record = read_record(filename_queue)
        row = tf.cast(record.row, tf.float32) / 255.0
        row.set_shape([FEATURES])
        return batches_of(row, record.label, batch_size)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


def tower_loss(scope):
    """The loss of one tower.

    Args:
      scope: the tower's name, of no other use here.
    """
    # The tower's own batch.
    rows, labels = inputs(NAMES, BATCH_SIZE, num_epochs=3)
    w = tf.get_variable('w', [FEATURES], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
    return tf.reduce_mean(tf.square(tf.reduce_sum(rows * w, 1) - tf.cast(labels, tf.float32) / 100.0))


NAMES = write_records(sys.argv[1])


def train():
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        opt = tf.train.GradientDescentOptimizer(0.05)
        tower_grads = []
        tower_losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(NUM_TOWERS):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('tower_%d' % i) as scope:
                        # All of the model.
                        loss = tower_loss(scope)
                        tf.get_variable_scope().reuse_variables()
                        tower_losses.append(loss)
                        tower_grads.append(opt.compute_gradients(loss))
        grads = average_gradients(tower_grads)
        train_op = opt.apply_gradients(grads)
        total_loss = tf.add_n(tower_losses)
        init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = 0
        try:
            while not coord.should_stop():
                _, value, last = sess.run([train_op, total_loss, loss])
                print('%d %.9g %.9g' % (step, value, last))
                step += 1
                if step % 5 == 2:
                    print('evaluated: %.9g' % sess.run(total_loss))
        except tf.errors.OutOfRangeError:
            print('done after', step)
        finally:
            coord.request_stop()
        coord.join(threads)
        sess.close()


train()
