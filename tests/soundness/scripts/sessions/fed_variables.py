# Variables that are fed: by themselves, by the tensor that all use, and by a read of their own.
import tensorflow as tf

w = tf.get_variable('w', initializer=[11.0, 12.0])
scaled = w * 2.0
value = w.value()
read = w.read_value()
more = w + tf.reduce_sum(w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for fed in (value, read, w, w.value()):
        print([found.tolist() for found in sess.run([scaled, value, read, more], {fed: [13.0, 14.0]})])
    print(sess.run(w).tolist())
