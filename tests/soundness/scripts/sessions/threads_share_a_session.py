# Four threads run steps of one session at once; what they add commutes, so the sums are known.
import threading

import tensorflow as tf

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
