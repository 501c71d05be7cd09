# tf.metrics: mean, accuracy, precision, recall, auc, mean_iou; local variables set back.
import numpy as np
import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
guess = tf.cast(scores > 0.5, tf.int64)
ops = {
    'mean': tf.metrics.mean(scores), 'accuracy': tf.metrics.accuracy(labels, guess),
    'precision': tf.metrics.precision(labels, guess), 'recall': tf.metrics.recall(labels, guess),
    'auc': tf.metrics.auc(labels, scores, num_thresholds=20), 'mse': tf.metrics.mean_squared_error(tf.cast(labels, tf.float32), scores),
    'iou': tf.metrics.mean_iou(labels, guess, 2), 'tp': tf.metrics.true_positives(labels, guess),
}
values = {k: v for k, (v, _) in ops.items()}
updates = [u for _, (_, u) in sorted(ops.items())]
init = tf.local_variables_initializer()
rng = np.random.RandomState(0)
print(len(tf.local_variables()), len(tf.global_variables()))
with tf.Session() as sess:
    for _ in range(2):
        sess.run(init)
        for _ in range(3):
            sess.run(updates, {labels: rng.randint(0, 2, 8), scores: rng.rand(8)})
        print({k: '%.6g' % v for k, v in sorted(sess.run(values).items())})
