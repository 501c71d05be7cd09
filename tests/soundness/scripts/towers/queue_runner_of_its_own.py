# A queue filled by QueueRunner from random numbers seeded in the graph, one thread; towers share a dequeue.
import tensorflow as tf

with tf.Graph().as_default():
    with tf.device('/cpu:0'):
        number = tf.Variable(0.0, trainable=False, name='number')
        sample = number.assign_add(0.25) * 1.0
        queue = tf.FIFOQueue(8, [tf.float32], [[]])
        enqueue = queue.enqueue([sample])
        runner = tf.train.QueueRunner(queue, [enqueue])
        tf.train.add_queue_runner(runner)
        batch = queue.dequeue_many(4)
    opt = tf.train.GradientDescentOptimizer(0.2)
    grads, losses = [], []
    for i, part in enumerate(tf.split(batch, 2)):
        with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=i > 0):
            m = tf.get_variable('m', [], initializer=tf.zeros_initializer())
            losses.append(tf.reduce_mean((tf.sin(part) - m) ** 2))
            grads.append(opt.compute_gradients(losses[i]))
    train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) / 2, p[0][1]) for p in zip(*grads)])
    init = tf.global_variables_initializer()
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = runner.create_threads(sess, coord=coord, daemon=True, start=True)
    for _ in range(5):
        print(sess.run(losses + [train])[:2], sess.run(m))
    coord.request_stop()
    sess.run(queue.close(cancel_pending_enqueues=True))
    coord.join(threads)
    print(len(threads), queue.name.split('/')[-1], coord.joined)
    sess.close()
