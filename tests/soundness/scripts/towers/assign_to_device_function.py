# A device function that keeps variables on the CPU.
import numpy as np
import tensorflow as tf

PS_OPS = ['Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp']


def assign_to_device(device, ps_device='/cpu:0'):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in PS_OPS:
            return ps_device
        return device
    return _assign


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def net(x, n_classes, reuse):
    with tf.variable_scope('Net', reuse=reuse):
        w = tf.get_variable('w', [6, n_classes], initializer=tf.glorot_normal_initializer(seed=1))
        b = tf.get_variable('b', [n_classes], initializer=tf.zeros_initializer())
        return tf.nn.xw_plus_b(x, w, b)


with tf.device('/cpu:0'):
    tower_grads = []
    X = tf.placeholder(tf.float32, [None, 6])
    Y = tf.placeholder(tf.float32, [None, 4])
    reuse_vars = False
    for i in range(2):
        with tf.device(assign_to_device('/gpu:{}'.format(i), ps_device='/cpu:0')):
            _x = X[i * 3: (i + 1) * 3]
            _y = Y[i * 3: (i + 1) * 3]
            logits = net(_x, 4, reuse_vars)
            loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=_y))
            optimizer = tf.train.AdamOptimizer(learning_rate=0.1)
            tower_grads.append(optimizer.compute_gradients(loss_op))
            if i == 0:
                right = tf.equal(tf.argmax(logits, 1), tf.argmax(_y, 1))
                accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
            reuse_vars = True
    train_op = optimizer.apply_gradients(average_gradients(tower_grads))

rng = np.random.RandomState(42)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, 6):
        bx, by = rng.rand(6, 6), np.eye(4)[rng.randint(0, 4, 6)]
        sess.run(train_op, feed_dict={X: bx, Y: by})
        loss, acc = sess.run([loss_op, accuracy], feed_dict={X: bx, Y: by})
        print('Step %d: loss %.9g accuracy %.4f' % (step, loss, acc))
    for v in tf.trainable_variables():
        print(v.name, v.eval().sum(axis=0).tolist())
