# input_producer and tf.train.batch without shuffling, queue runners and a coordinator; the batch is split.
import numpy as np
import tensorflow as tf

with tf.Graph().as_default(), tf.device('/cpu:0'):
    xs = np.linspace(-1, 1, 24).reshape(12, 2).astype(np.float32)
    ys = (xs[:, 0] * 3 - xs[:, 1]).astype(np.float32)
    sx, sy = tf.train.slice_input_producer([xs, ys], shuffle=False)
    bx, by = tf.train.batch([sx, sy], batch_size=4, num_threads=1, capacity=8)
    px, py = tf.split(bx, 2), tf.split(by, 2)
    step = tf.train.create_global_step()
    opt = tf.train.GradientDescentOptimizer(tf.train.polynomial_decay(0.3, step, 4, 0.01))
    tower = []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('t%d' % i), tf.variable_scope('reg', reuse=i == 1):
            w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
            loss = tf.reduce_mean((tf.reduce_sum(px[i] * w, 1) - py[i]) ** 2)
            tower.append((loss, opt.compute_gradients(loss)))
    grads = [(tf.reduce_mean(tf.stack([pair[0] for pair in gv], 0), 0), gv[0][1]) for gv in zip(*[g for _, g in tower])]
    train = opt.apply_gradients(grads, step)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        print(len(threads), len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
        try:
            for _ in range(6):
                if coord.should_stop():
                    break
                values = sess.run([l for l, _ in tower] + [train])
                print(values[:2], sess.run(step))
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=5)
        print(sess.run(w).tolist())
