"""A small network with batch norm under a fed flag, in two towers."""

import sys

import numpy as np
import tensorflow as tf

NUM_GPUS = 2
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 6


def network(images, training):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        net = tf.layers.conv2d(
            images, 8, 3, padding="same", use_bias=False,
            kernel_initializer=tf.glorot_uniform_initializer(seed=1), name="conv",
        )
        net = tf.nn.relu(tf.layers.batch_normalization(net, training=training, name="bn"))
        net = tf.reduce_mean(net, [1, 2])
        return tf.layers.dense(
            net, 4, kernel_initializer=tf.glorot_uniform_initializer(seed=2), name="logits"
        )


def average_gradients(tower_grads):
    average = []
    for grads_and_vars in zip(*tower_grads):
        grads = tf.stack([grad for grad, _ in grads_and_vars])
        average.append((tf.reduce_mean(grads, 0), grads_and_vars[0][1]))
    return average


def main():
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        images = tf.placeholder(tf.float32, [None, 8, 8, 1])
        labels = tf.placeholder(tf.int64, [None])
        training = tf.placeholder(tf.bool, [])
        step = tf.train.get_or_create_global_step()
        opt = tf.train.MomentumOptimizer(0.1, 0.9)
        image_splits = tf.split(images, NUM_GPUS)
        label_splits = tf.split(labels, NUM_GPUS)
        tower_grads = []
        losses = []
        for i in range(NUM_GPUS):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                logits = network(image_splits[i], training)
                loss = tf.losses.sparse_softmax_cross_entropy(label_splits[i], logits)
                losses.append(loss)
                tower_grads.append(opt.compute_gradients(loss))
        grads = average_gradients(tower_grads)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = opt.apply_gradients(grads, global_step=step)
        total = tf.add_n(losses) / NUM_GPUS
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for number in range(STEPS):
                batch = rng.rand(16, 8, 8, 1), rng.randint(0, 4, 16)
                feed = {images: batch[0], labels: batch[1], training: True}
                _, value = sess.run([train_op, total], feed)
                print("step %d loss %.6f" % (number, value))
            feed[training] = False
            print("evaluation %.6f" % sess.run(total, feed))


if __name__ == "__main__":
    main()
