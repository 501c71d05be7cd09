# tf.split of a fed batch, reuse=(i > 0), Adam, losses of both towers fetched in a list.
import tensorflow as tf
import numpy as np

num_gpus = 2


def model(inputs, reuse):
    with tf.variable_scope('net', reuse=reuse):
        w1 = tf.get_variable('w1', [4, 5], initializer=tf.random_normal_initializer(seed=11))
        b1 = tf.get_variable('b1', [5], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(inputs, w1) + b1)
        w2 = tf.get_variable('w2', [5, 3], initializer=tf.random_normal_initializer(seed=12))
        return tf.matmul(h, w2)


def average(tower_grads):
    out = []
    for gv in zip(*tower_grads):
        grad = tf.reduce_mean(tf.stack([g for g, _ in gv]), 0)
        out.append((grad, gv[0][1]))
    return out


def main():
    images = tf.placeholder(tf.float32, [None, 4], name='images')
    labels = tf.placeholder(tf.int64, [None], name='labels')
    image_splits = tf.split(images, num_gpus, 0)
    label_splits = tf.split(labels, num_gpus, 0)
    optimizer = tf.train.AdamOptimizer(0.05)
    losses, tower_grads = [], []
    for i in range(num_gpus):
        with tf.device('/gpu:{}'.format(i)), tf.name_scope('gpu_{}'.format(i)):
            logits = model(image_splits[i], reuse=(i > 0))
            xent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_splits[i], logits=logits)
            loss = tf.reduce_mean(xent)
            losses.append(loss)
            tower_grads.append(optimizer.compute_gradients(loss))
    train_op = optimizer.apply_gradients(average(tower_grads))
    total = tf.add_n(losses) / num_gpus
    config = tf.ConfigProto()
    config.allow_soft_placement = True
    rng = np.random.RandomState(3)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(5):
            feed = {images: rng.rand(6, 4), labels: rng.randint(0, 3, 6)}
            both, mean, _ = sess.run([losses, total, train_op], feed_dict=feed)
            print(step, ' '.join('%.9g' % value for value in both), '%.9g' % mean)
        for v in tf.trainable_variables():
            print(v.name, v.get_shape().as_list(), '%.9g' % sess.run(tf.reduce_sum(tf.square(v))))
        b1p = [v for v in tf.global_variables() if 'beta1_power' in v.name]
        print(len(b1p), sess.run(b1p))


if __name__ == '__main__':
    main()
