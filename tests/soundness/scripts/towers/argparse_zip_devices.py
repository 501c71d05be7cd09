# argparse; zip of devices with the parts of the batch; EMA decay from the step.
import argparse
import sys

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('folder')
parser.add_argument('--gpus', default='0,1')
parser.add_argument('--lr', type=float, default=0.25)


def main(args):
    gpus = ['/gpu:' + g for g in args.gpus.split(',')]
    x = tf.placeholder(tf.float32, [None, 2])
    loss_of, grads = [], []
    opt = tf.train.GradientDescentOptimizer(args.lr)
    for device, part in zip(gpus, tf.split(x, len(gpus), axis=0)):
        with tf.device(device), tf.variable_scope('k', reuse=bool(loss_of)):
            w = tf.get_variable('w', (2,), initializer=tf.constant_initializer([.6, -.4]))
            loss_of.append(tf.reduce_mean(tf.square(tf.reduce_prod(part - w, 1))))
            grads.append(opt.compute_gradients(loss_of[-1]))
    ema = tf.train.ExponentialMovingAverage(0.7)
    mean_loss = tf.add_n(loss_of) / len(gpus)
    average = ema.apply([mean_loss])
    with tf.control_dependencies([average]):
        train = opt.apply_gradients([(tf.reduce_mean(tf.stack(list(g)), 0), w) for g in
                                     zip(*[[g for g, _ in t] for t in grads])])
    rng = np.random.RandomState(1)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            m, _ = sess.run([mean_loss, train], {x: rng.randn(4, 2)})
            print('%.9g %.9g' % (m, sess.run(ema.average(mean_loss))))
        print(sess.run(w).tolist(), ema.average_name(mean_loss))


if __name__ == '__main__':
    main(parser.parse_args(sys.argv[1:]))
