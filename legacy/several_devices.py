"""The smallest case of several GPUs: the CPU holds the variables, each GPU computes something of its own.

Training does the same: each GPU the gradients of its own batch, the CPU their mean and the update. See
cifar10_towers.py.

    python legacy/several_devices.py
"""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

NUM_RUNS = 3

with tf.device('/cpu:0'):
    w = tf.get_variable('w', (2, 2), tf.float32, initializer=tf.constant_initializer(2))
    b = tf.get_variable('b', (2, 2), tf.float32, initializer=tf.constant_initializer(5))

with tf.device('/gpu:0'):
    addwb = w + b
with tf.device('/gpu:1'):
    mutwb = w * b

ini = tf.initialize_all_variables()
# allow_soft_placement: without GPUs, on the CPU.
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(ini)
    for _ in range(NUM_RUNS):
        print(sess.run([addwb, mutwb]))
