"""Trains the network of `net.model` on several GPUs."""

import argparse

import data
import tensorflow as tf
from net import model
from towers import average_gradients

slim = tf.contrib.slim

parser = argparse.ArgumentParser()
parser.add_argument("--num_gpus", type=int, default=2)
parser.add_argument("--steps", type=int, default=5)
parser.add_argument("--weight_decay", type=float, default=1e-3)


def main(args):
    features, labels = data.batches(args.steps)
    step = slim.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, data.SIZE])
    y = tf.placeholder(tf.int64, [None])
    rate = tf.train.exponential_decay(0.1, step, 2, 0.9, staircase=True)
    opt = tf.train.AdamOptimizer(rate)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i, (x_i, y_i) in enumerate(zip(tf.split(x, args.num_gpus), tf.split(y, args.num_gpus))):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
                with slim.arg_scope(model.arg_scope(args.weight_decay)):
                    logits = model.network(x_i)
                slim.losses.sparse_softmax_cross_entropy(logits, y_i)
                losses = tf.get_collection(tf.GraphKeys.LOSSES, scope)
                penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
                loss = tf.add_n(losses + penalties)
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(opt.compute_gradients(loss))
    train_op = opt.apply_gradients(average_gradients(tower_grads), global_step=step)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(args.steps):
            feed = {x: features[number], y: labels[number]}
            _, value = sess.run([train_op, loss], feed)
            print("step %d loss of the last tower %.6f" % (number, value))


if __name__ == "__main__":
    main(parser.parse_args())
