# The mean's global norm is clipped and summarised; the slots' sums are printed by name.
import numpy as np
import tensorflow as tf

with tf.Graph().as_default():
    x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.float32, [4])
    lr = tf.train.natural_exp_decay(0.3, tf.train.get_or_create_global_step(), 2, 0.3)
    opt = tf.train.MomentumOptimizer(lr, 0.9)
    tower_grads, tower_losses = [], []
    for i, (px, py) in enumerate(zip(tf.split(x, 2, axis=0), tf.split(y, 2, axis=0))):
        with tf.device('/device:GPU:%d' % i), tf.variable_scope('rank', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [3], initializer=tf.random_normal_initializer(seed=8))
            loss = tf.losses.absolute_difference(py, tf.reduce_sum(px * w, 1), loss_collection=None)
            tower_losses.append(loss)
            tower_grads.append(opt.compute_gradients(loss, tf.trainable_variables()))
    grads = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*tower_grads)]
    clipped, norm = tf.clip_by_global_norm([g for g, _ in grads], 0.5)
    tf.summary.scalar('norm', norm)
    tf.summary.scalar('lr', lr)
    summary = tf.summary.merge_all()
    train = opt.apply_gradients(zip(clipped, [v for _, v in grads]), tf.train.get_global_step())
    print(len(tf.losses.get_losses()))
    rng = np.random.RandomState(5)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            feed = {x: rng.randn(4, 3), y: rng.randn(4)}
            parsed = tf.Summary.FromString(sess.run(summary, feed))
            print(['%s %.7g' % (v.tag, v.simple_value) for v in parsed.value], sess.run(tower_losses, feed))
            sess.run(train, feed)
        print(sess.run(opt.get_slot(w, 'momentum')).tolist(), sess.run(w).tolist())
