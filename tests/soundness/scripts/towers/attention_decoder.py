# contrib.seq2seq in each tower: a decoder in a while loop that attends to a memory.
import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq import AttentionWrapper, BahdanauAttention

series = tf.placeholder(tf.float32, [4, 3, 2])
opt = tf.train.AdamOptimizer(0.05)
grads, losses = [], []
start = tf.random_uniform_initializer(-.5, .5, seed=6)
for i, part in enumerate(tf.split(series, 2)):
    with tf.device(f'/gpu:{i}'), tf.name_scope(f'tower_{i}'):
        with tf.variable_scope('model', reuse=tf.AUTO_REUSE, initializer=start):
            lengths = tf.constant([3, 2])
            attention = BahdanauAttention(3, part, memory_sequence_length=lengths)
            cell = AttentionWrapper(tf.contrib.rnn.GRUCell(3), attention, attention_layer_size=2)
            helper = tf.contrib.seq2seq.TrainingHelper(part[:, ::-1], lengths)
            decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
            outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder)
            loss = tf.reduce_mean(tf.square(outputs.rnn_output))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
r = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        feeds = {series: r.rand(4, 3, 2)}
        print(*sess.run(losses + [train], feeds)[:2])
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.trainable_variables()])
