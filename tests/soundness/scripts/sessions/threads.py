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
