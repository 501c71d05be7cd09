# A list of device strings, a placeholder pair for each tower, feeds made by a function.
import numpy as np
import tensorflow as tf

DEVICES = ['/gpu:0', '/gpu:1']
tf.set_random_seed(7)
w = tf.Variable(tf.random_uniform([3, 2], -1, 1), name='weights')
b = tf.Variable(tf.zeros([2]), name='biases')
opt = tf.train.GradientDescentOptimizer(0.2)

inputs, targets, grads_of_towers, losses = [], [], [], []
for index, device in enumerate(DEVICES):
    with tf.device(device):
        with tf.name_scope('tower%d' % index):
            px = tf.placeholder(tf.float32, [None, 3])
            py = tf.placeholder(tf.float32, [None, 2])
            inputs.append(px)
            targets.append(py)
            out = tf.nn.softmax(tf.matmul(px, w) + b)
            loss = -tf.reduce_mean(tf.reduce_sum(py * tf.log(out), axis=1))
            losses.append(loss)
            grads_of_towers.append(opt.compute_gradients(loss, var_list=[w, b]))

merged = []
for pairs in zip(*grads_of_towers):
    total = pairs[0][0]
    for g, _ in pairs[1:]:
        total += g
    merged.append((total / len(DEVICES), pairs[0][1]))
train = opt.apply_gradients(merged)


def feed(rng):
    made = {}
    for px, py in zip(inputs, targets):
        made[px] = rng.randn(4, 3)
        made[py] = np.eye(2)[rng.randint(0, 2, 4)]
    return made


rng = np.random.RandomState(5)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        f = feed(rng)
        before = sess.run(losses, f)
        sess.run(train, f)
        after = sess.run(losses, f)
        print('%d: %s -> %s' % (step, ['%.9g' % v for v in before], ['%.9g' % v for v in after]))
    print(w.eval().tolist())
    print(b.eval(session=sess).tolist())
