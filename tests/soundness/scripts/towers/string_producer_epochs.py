# string_input_producer over names for two epochs, read by the towers; local variables; ends by OutOfRange.
import os
import sys
import tensorflow as tf

folder = sys.argv[1]
names = []
for n in range(3):
    names.append(os.path.join(folder, 'part%d.csv' % n))
    with open(names[-1], 'w') as f:
        for k in range(4):
            f.write('%d,%.2f\n' % (n * 4 + k, 0.5 * k - n))

queue = tf.train.string_input_producer(names, num_epochs=2, shuffle=False)
reader = tf.TextLineReader()
_, line = reader.read(queue)
number, value = tf.decode_csv(line, [[0], [0.0]])
numbers, values = tf.train.batch([number, value], batch_size=4)
a = tf.Variable(0.0, name='a')
opt = tf.train.AdamOptimizer(0.1)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        part = values[i * 2:i * 2 + 2]
        losses.append(tf.reduce_mean((part - a) ** 2))
        grads.append(opt.compute_gradients(losses[-1]))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), gv[0][1]) for gv in zip(*grads)])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            got, loss, _ = sess.run([numbers, losses, train])
            print(got.tolist(), ['%.9g' % l for l in loss])
    except tf.errors.OutOfRangeError:
        print('two epochs done')
    finally:
        coord.request_stop()
    coord.join(threads)
    print(sess.run(a))
    print([v.op.name.split('/')[-1] for v in tf.local_variables()])
