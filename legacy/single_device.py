"""The smallest case: variables on one device, what is computed from them on another.

Both can be on the GPU. Variables too large for its memory stay on the CPU, as here.

    python legacy/single_device.py
"""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

with tf.device('/cpu:0'):
    w = tf.get_variable('w', (2, 2), tf.float32, initializer=tf.constant_initializer(2))
    b = tf.get_variable('b', (2, 2), tf.float32, initializer=tf.constant_initializer(5))

with tf.device('/gpu:0'):
    addwb = w + b
    mutwb = w * b

ini = tf.initialize_all_variables()
# allow_soft_placement: without a GPU, on the CPU.
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(ini)
    np1, np2 = sess.run([addwb, mutwb])
    print(np1)
    print(np2)
