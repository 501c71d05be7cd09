# Every tower takes a batch of its own from one iterator, until there is none for some tower: two runs in a step's turn.
import numpy as np
import tensorflow as tf

NUM_TOWERS = 2


def input_pipeline(batch_size):
    rng = np.random.RandomState(8)
    rows = tf.data.Dataset.from_tensor_slices((
        rng.randn(43, 3).astype(np.float32), rng.randn(43).astype(np.float32)))
    return rows.map(lambda row, target: (row * 2.0, target)).batch(batch_size)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def train():
    dataset = input_pipeline(4)
    batch_queue = tf.data.make_one_shot_iterator(dataset)
    opt = tf.train.MomentumOptimizer(0.05, 0.9)
    tower_grads = []
    tower_losses = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(NUM_TOWERS):
            with tf.device('/gpu:%d' % i):
                with tf.name_scope('tower_%d' % i):
                    # Dequeues one batch for the tower.
                    rows, targets = batch_queue.get_next()
                    w = tf.get_variable('w', [3], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
                    loss = tf.reduce_mean(tf.square(tf.reduce_sum(rows * w, 1) - targets))
                    tf.get_variable_scope().reuse_variables()
                    tower_losses.append(loss)
                    tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)
    train_op = opt.apply_gradients(grads)
    mean_loss = tf.add_n(tower_losses) / NUM_TOWERS
    norm = tf.global_norm([g for g, _ in grads])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        steps = 0
        try:
            while True:
                _, value = sess.run([train_op, mean_loss])
                print('%d %.9g' % (steps, value))
                steps += 1
                if steps == 3:
                    # Nothing is trained here, but a batch of each tower is taken.
                    print('norm %.9g' % sess.run(norm))
        except tf.errors.OutOfRangeError:
            print('no more batches after', steps)


train()
