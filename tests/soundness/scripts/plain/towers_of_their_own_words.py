import numpy as np
import tensorflow as tf

N = 3
VARIABLES = ["Variable", "VariableV2", "VarHandleOp"]


def average(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        grads = []
        for g, _ in pairs:
            grads.append(tf.expand_dims(g, 0))
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        averaged.append((tf.clip_by_value(grad, -0.5, 0.5), pairs[0][1]))
    return averaged


def on(device, variables_on="/cpu:0"):
    def choose(op):
        node = op if isinstance(op, tf.NodeDef) else op.node_def
        if node.op in VARIABLES:
            return variables_on
        else:
            return device

    return choose


def net(x, reuse, training):
    with tf.variable_scope("net", reuse=reuse):
        h = tf.layers.dense(x, 6, tf.nn.tanh, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
        h = tf.layers.dropout(h, rate=0.0, training=training)
        return tf.layers.dense(h, 4, kernel_initializer=tf.glorot_uniform_initializer(seed=3))


x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.int64, [None])
tower_grads = []
again = False
for i in range(N):
    with tf.device(on("/gpu:{}".format(i))):
        part = x[i * 4 : (i + 1) * 4]
        labels = y[i * 4 : (i + 1) * 4]
        logits = net(part, again, True)
        test = net(part, True, False)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        optimizer = tf.train.MomentumOptimizer(0.3, 0.9)
        grads = optimizer.compute_gradients(loss)
        if i == 0:
            hits = tf.cast(tf.equal(tf.argmax(test, 1), labels), tf.float32)
            accuracy = tf.reduce_mean(hits)
        again = True
        tower_grads.append(grads)

tower_grads = average(tower_grads)
train_op = optimizer.apply_gradients(tower_grads)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    random = np.random.RandomState(1)
    for step in range(6):
        feed = {x: random.rand(4 * N, 5), y: random.randint(4, size=4 * N)}
        sess.run(train_op, feed_dict=feed)
        value, share = sess.run([loss, accuracy], feed_dict=feed)
        print(step, "%.5f" % value, "%.3f" % share)
    for start in range(3):
        print(sess.run(accuracy, feed_dict={x: random.rand(4, 5), y: random.randint(4, size=4)}))
