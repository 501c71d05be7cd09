# One graph with a one-shot iterator: each session begins at the start.
import tensorflow as tf

dataset = tf.data.Dataset.range(6).map(lambda v: tf.cast(v, tf.float32) / 2.0).shard(2, 0).repeat()
value = tf.data.make_one_shot_iterator(dataset).get_next()
m = tf.Variable(0.0)
loss = (m - value) ** 2
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
init = tf.global_variables_initializer()
first = tf.Session()
first.run(init)
print([first.run([loss, train])[0] for _ in range(4)], first.run(m))
second = tf.Session()
second.run(init)
print([second.run([loss, train])[0] for _ in range(2)], second.run(m))
print(first.run([loss, train])[0], first.run(value), second.run(value))
first.close()
second.close()
