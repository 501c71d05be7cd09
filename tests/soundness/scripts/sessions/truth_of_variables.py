"""Variables asked for their truth, as `if global_step:` does, and as TensorFlow's own input functions do."""

import os

import tensorflow as tf


def train_op(loss, global_step=None):
    """Counts steps where it is given something to count with."""
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    if global_step:
        return optimizer.minimize(loss, global_step=global_step)
    return optimizer.minimize(loss)


os.makedirs("parts", exist_ok=True)
for part in range(3):
    with open("parts/part-%d.txt" % part, "w") as lines:
        lines.write("".join("%d.%d\n" % (part, line) for line in range(2)))

step = tf.Variable(0, trainable=False, name="global_step")
w = tf.get_variable("w", initializer=[3.0, 4.0])
loss = tf.reduce_sum(tf.square(w))
train = train_op(loss, step)
found = tf.train.match_filenames_once("parts/part-*.txt")
names = tf.train.string_input_producer(found, num_epochs=1, shuffle=False)
_, line = tf.TextLineReader().read(names)
print(bool(step), bool(w), not w, [v.op.name for v in (w, step, None) if v], (w or step) is w)

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coordinator)
    try:
        while not coordinator.should_stop():
            print(sess.run([line, loss]), sess.run([train, step])[1])
    except tf.errors.OutOfRangeError:
        print("the end")
    coordinator.request_stop()
    coordinator.join(threads)
    print(sess.run([w, step]))
