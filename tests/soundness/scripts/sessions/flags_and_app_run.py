# Flags of every kind, their defaults changed by the script, tf.app.run with a main that gets argv.
import sys

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('name', 'model', 'Name.')
flags.DEFINE_integer('steps', 4, 'Steps.')
flags.DEFINE_float('rate', 0.5, 'Rate.')
flags.DEFINE_bool('square', True, 'Square.')
flags.DEFINE_enum('how', 'sgd', ['sgd', 'adam'], 'How.')
flags.DEFINE_list('sizes', '2,3', 'Sizes.')
FLAGS = flags.FLAGS


def main(argv):
    print(len(argv), FLAGS.name, FLAGS.steps, FLAGS.rate, FLAGS.square, FLAGS.how, FLAGS.sizes)
    FLAGS.rate = 0.25
    v = tf.Variable([float(s) for s in FLAGS.sizes])
    loss = tf.reduce_sum(v ** 2 if FLAGS.square else v)
    opt = {'sgd': tf.train.GradientDescentOptimizer, 'adam': tf.train.AdamOptimizer}[FLAGS.how](FLAGS.rate)
    train = opt.minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(FLAGS.steps):
            print(sess.run(loss))
            sess.run(train)
        print(sess.run(v).tolist())


if __name__ == '__main__':
    sys.argv = sys.argv[:1] + ['--name=other', '--how', 'sgd', 'rest']
    tf.app.run(main)
