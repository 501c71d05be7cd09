import threading
import time

import numpy as np
import tensorflow as tf

#: close_ends_waiting_runs: closing a session ends the runs that wait in other threads, with CancelledError: a dequeue, an enqueue, a queue runner's
queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
taken = queue.dequeue()
put = queue.enqueue(1.0)
w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
up = tf.assign_add(w, 1.0)
full = tf.FIFOQueue(1, [tf.float32], shapes=[[]])
runner = tf.train.QueueRunner(full, [full.enqueue(2.0)])


def waiting(sess, op, said):
    def run():
        try:
            said.append(sess.run(op))
        except tf.errors.OpError as error:
            said.append((type(error).__name__, error.error_code))

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.5)
    return thread


for op, before in ((taken, 0), (put, 2)):
    sess = tf.Session()
    sess.run(w.initializer)
    sess.run(put)
    sess.run(taken)
    for _ in range(before):
        sess.run(put)
    said = []
    thread = waiting(sess, op, said)
    print(sess.run(up), sess.run(queue.size()), said)
    sess.close()
    thread.join(10)
    print(thread.is_alive(), said)
    try:
        sess.run(up)
    except RuntimeError as error:
        print(error)
coord = tf.train.Coordinator()
sess = tf.Session()
threads = runner.create_threads(sess, coord, start=True)
while sess.run(full.size()) == 0:
    time.sleep(0.1)
time.sleep(0.3)
print(sess.run(full.size()), coord.should_stop())
sess.close()
for thread in threads[:1]:
    thread.join(10)
print([thread.is_alive() for thread in threads[:1]])
coord.request_stop()
try:
    coord.join(threads)
    print('joined')
except tf.errors.OpError as error:
    print(type(error).__name__)

#: coordinator_exception: an exception in a thread is reported by the coordinator and raised again by join; stop_on_exception
v = tf.Variable(0)
up = v.assign_add(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.CancelledError,))

    def worker():
        with coord.stop_on_exception():
            for _ in range(5):
                sess.run(up)
            raise ValueError('seen by the coordinator')

    t = threading.Thread(target=worker)
    t.start()
    coord.wait_for_stop(10)
    try:
        coord.join([t])
        print('joined')
    except ValueError as e:
        print('ValueError', e)
    print(sess.run(v), coord.should_stop())
    coord.clear_stop()
    print(coord.should_stop())
    with coord.stop_on_exception():
        raise tf.errors.CancelledError(None, None, 'clean')
    print(coord.should_stop(), [int(sess.run(up)) for _ in range(5)])

#: coordinator_threads: threads of the script's own that fill a queue through the session; joined by the coordinator
queue = tf.FIFOQueue(4, [tf.int32, tf.float32], shapes=[[], [2]])
number, vector = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])
put = queue.enqueue([number, vector])
n, v = queue.dequeue()
w = tf.Variable([0.0, 0.0])
loss = tf.reduce_sum((v - w) ** 2)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.control_dependencies([train]):
    out = tf.identity(n)


def produce(sess, coord):
    rng = np.random.RandomState(3)
    for i in range(6):
        if coord.should_stop():
            return
        sess.run(put, {number: i, vector: rng.rand(2)})
    sess.run(queue.close())


close = queue.close()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = [threading.Thread(target=produce, args=(sess, coord))]
    for t in threads:
        t.start()
    try:
        while not coord.should_stop():
            got, value = sess.run([out, loss])
            print(got, '%.9g' % value, sess.run(w).tolist())
    except tf.errors.OutOfRangeError:
        print('queue closed')
        coord.request_stop()
    coord.join(threads)
    print(sess.run(w).tolist(), coord.joined)

#: threads_share_a_session: four threads run steps of one session at once; what they add commutes, so the sums are known
total = tf.get_variable('total', [], tf.int32, tf.zeros_initializer(), trainable=False, use_resource=True)
amount = tf.placeholder(tf.int32, [])
add = total.assign_add(amount)
w = tf.Variable(1.0)
square = w * 3.0
seen = []


def work(sess, k):
    for n in range(5):
        sess.run(add.op if hasattr(add, 'op') else add, {amount: k * n})
        seen.append(float(sess.run(square)))


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    threads = [threading.Thread(target=work, args=(sess, k)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sess.run(total), len(seen), set(seen))
    sess.run(w.assign(2.0))
    work(sess, 1)
    print(sess.run(total), seen[-1], sess.run([w, square]))
