# A list of floats for whole numbers, 1 for a flag, a configuration that is set, weight decay that is added to the loss.
import numpy as np
import tensorflow as tf

GPUS = 2
images = tf.placeholder(tf.float32, [None, 3])
labels = tf.placeholder(tf.int64, [None])
training = tf.placeholder(tf.bool, [])
opt = tf.train.GradientDescentOptimizer(0.1)
image_parts = tf.split(images, GPUS)
label_parts = tf.split(labels, GPUS)
tower_grads = []
tower_losses = []
for i in range(GPUS):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
        with tf.variable_scope('model', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [3, 2], initializer=tf.truncated_normal_initializer(stddev=0.5, seed=7))
            x = tf.cond(training, lambda: image_parts[i] * 0.5, lambda: image_parts[i])
            logits = tf.matmul(x, w)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label_parts[i], logits=logits))
        loss += 0.01 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
        tower_losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(grads)
mean_loss = tf.add_n(tower_losses) / GPUS

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
sess = tf.Session(config=config)
sess.run(tf.global_variables_initializer())
rng = np.random.RandomState(3)
for step in range(4):
    targets = [float(v) for v in rng.randint(0, 2, 8)]
    _, value = sess.run([train_op, mean_loss], {images: rng.randn(8, 3), labels: targets, training: 1})
    print(step, '%.9g' % value)
print('%.9g' % sess.run(loss, {images: np.ones((4, 3)), labels: np.array([0.0, 1.0, 1.0, 0.0]), training: 0}))
print(sess.run(w).ravel().tolist())
