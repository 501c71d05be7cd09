# Closing a session ends the runs that wait for a parameter server's queue, and what they waited for goes to the next one.
# tasks: 1 ps, 1 worker
import sys
import threading
import time

import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

with tf.device('/job:ps/task:0'):
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], shared_name='queue')
    taken = queue.dequeue()
    value = tf.placeholder(tf.float32, [])
    put = queue.enqueue(value)
    size = queue.size()
said = []


def waiting(sess, op, feed):
    def run():
        try:
            said.append(sess.run(op, feed))
        except tf.errors.OpError as error:
            said.append(type(error).__name__)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    time.sleep(0.8)
    return thread


sess = tf.Session(server.target)
sess.run(put, {value: 0})
print(sess.run(size), sess.run(taken))
thread = waiting(sess, taken, {})
print(sess.run(size), said)
sess.close()
thread.join(10)
print(thread.is_alive(), said)
sess = tf.Session(server.target)
for number in (1, 2):
    sess.run(put, {value: number})
    print(sess.run(size))
thread = waiting(sess, put, {value: 3})
sess.close()
thread.join(10)
print(thread.is_alive(), said)
with tf.Session(server.target) as sess:
    print(sess.run(taken), sess.run(taken), sess.run(size))
