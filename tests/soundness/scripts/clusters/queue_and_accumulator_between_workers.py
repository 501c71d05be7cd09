# One worker fills a queue and an accumulator on the parameter server, the other empties them.
# tasks: 1 ps, 2 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

with tf.device('/job:ps/task:0'):
    queue = tf.FIFOQueue(4, [tf.float32, tf.int64], shapes=[[2], []], shared_name='items')
    words = tf.PaddingFIFOQueue(10, [tf.string], [[None]], shared_name='words')
    acc = tf.ConditionalAccumulator(tf.float32, [2], shared_name='acc')
    w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
    back = tf.FIFOQueue(1, tf.float32, shapes=[[2]], shared_name='back')
value, number = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
text = tf.placeholder(tf.string, [None])
put, say = queue.enqueue([value, number]), words.enqueue(text)
give = acc.apply_grad(value, local_step=number)
take, hear, mean = queue.dequeue(), words.dequeue_many(2), acc.take_grad(3)
update = tf.assign_sub(w, 0.1 * mean)
answer, hear_back = back.enqueue(w), back.dequeue()
with tf.Session(server.target) as sess:
    if task == 0:
        for n in range(6):
            sess.run(put, {value: [n, n * 0.5], number: n})
        for line in (['a', 'b', 'c'], ['d']):
            sess.run(say, {text: line})
        for n in range(3):
            sess.run(give, {value: [n + 1.0, -n], number: n})
        print(sess.run(hear_back).tolist())
        sess.run(queue.close())
    else:
        sess.run(tf.global_variables_initializer())
        for _ in range(6):
            print([value.tolist() for value in sess.run(take)])
        print(sess.run(hear).tolist())
        print(sess.run(update).tolist(), sess.run(acc.num_accumulated()))
        sess.run(answer)
        try:
            sess.run(take)
        except tf.errors.OutOfRangeError as e:
            print('OutOfRange', 'closed' in str(e))
