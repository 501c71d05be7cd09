# Batches out of TF1's queues, until the epochs end.
import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
w = tf.get_variable('w', [2], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
opt = tf.train.RMSPropOptimizer(0.05)
losses, grads = [], []


def write_records():
    rng = np.random.RandomState(4)
    names = [os.path.join(folder, 'part%d.bin' % part) for part in range(2)]
    for name in names:
        with open(name, 'wb') as records:
            for _ in range(7):
                records.write(rng.randint(0, 255, 3).astype(np.uint8).tobytes())
    return names


class Record(object):
    pass


def read_record(filename_queue):
    result = Record()
    reader = tf.FixedLengthRecordReader(record_bytes=3)
    result.key, value = reader.read(filename_queue)
    parts = tf.decode_raw(value, tf.uint8)
    result.label = tf.reshape(tf.cast(tf.strided_slice(parts, [0], [1]), tf.float32), []) / 100.0
    result.row = tf.cast(tf.strided_slice(parts, [1], [3]), tf.float32) / 255.0
    result.row.set_shape([2])
    return result


def inputs(names, batch_size, num_epochs=None):
    with tf.name_scope('input'):
        filename_queue = tf.train.string_input_producer(names, num_epochs=num_epochs, shuffle=False)
        record = read_record(filename_queue)
        return tf.train.batch([record.row, record.label], batch_size=batch_size, num_threads=1, capacity=32)


def train_on(batch_of):
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
            rows, labels = batch_of(i)
            losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(rows * w, 1) - labels)))
            grads.append(opt.compute_gradients(losses[i]))
    return opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])


def until_the_end(train, *more):
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        print(len(threads), len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
        step = 0
        try:
            while not coord.should_stop():
                print(step, sess.run([sum(losses), train] + list(more))[::2])
                step += 1
                if step % 2 == 0:
                    print('evaluated', sess.run(sum(losses)))
        except tf.errors.OutOfRangeError:
            print('done after', step)
        finally:
            coord.request_stop()
        coord.join(threads, stop_grace_period_secs=5)
        print(sess.run(w).tolist(), [v.op.name.split('/')[-1] for v in tf.local_variables()])

#: fifo_queue_fed: a FIFOQueue filled by feeding; each tower dequeues in a fixed order
example = tf.placeholder(tf.float32, [2])
queue = tf.FIFOQueue(capacity=20, dtypes=[tf.float32], shapes=[[2]])
enqueue, size, close = queue.enqueue([example]), queue.size(), queue.close()
first = queue.dequeue_many(2)
with tf.control_dependencies([first]):
    second = queue.dequeue_many(2)
train = train_on(lambda i: ((first, second)[i], 1.0))
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(14):
        sess.run(enqueue, {example: rng.randn(2)})
    print('size', sess.run(size))
    for _ in range(3):
        print(sess.run(losses + [train])[:2], sess.run(size))
    sess.run(close)
    try:
        sess.run(train)
    except tf.errors.OutOfRangeError as e:
        print(type(e).__name__)
    print(sess.run(w).tolist())

#: queues_in_functions: records read from files by functions, prefetched, split in two; its epochs end
with tf.device('/cpu:0'):
    rows, labels = inputs(write_records(), 4, num_epochs=3)
    batch_queue = tf.contrib.slim.prefetch_queue.prefetch_queue([rows, labels], capacity=4)
    rows, labels = batch_queue.dequeue()
until_the_end(train_on(lambda i: (tf.split(rows, 2)[i], tf.split(labels, 2)[i])))

#: queues_of_each_tower: every tower has queues of its own, made where its loss begins
names = write_records()
until_the_end(train_on(lambda i: inputs(names, 4, num_epochs=3)))

#: string_producer_epochs: names for two epochs, lines of text, decode_csv
names = []
for n in range(3):
    names.append(os.path.join(folder, 'part%d.csv' % n))
    with open(names[-1], 'w') as f:
        for k in range(4):
            f.write('%d,%.2f\n' % (n * 4 + k, 0.5 * k - n))
_, line = tf.TextLineReader().read(tf.train.string_input_producer(names, num_epochs=2, shuffle=False))
number, value = tf.decode_csv(line, [[0], [0.0]])
numbers, values = tf.train.batch([number, value], batch_size=4)
until_the_end(train_on(lambda i: (values[i * 2:i * 2 + 2, None], 1.0)), numbers)
