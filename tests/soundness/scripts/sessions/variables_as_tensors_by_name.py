"""Variables through their tensors' names, and a global step found by its name."""

import tensorflow as tf

step = tf.Variable(0, trainable=False, name="global_step")
width = 3
w = tf.get_variable("w", [width, 2], initializer=tf.constant_initializer(0.5))
x = tf.placeholder(tf.float32, [None, width], name="x")
graph = tf.get_default_graph()
same = graph.get_tensor_by_name("w:0")
loss = tf.reduce_mean(tf.square(tf.matmul(x, same) - 1.0)) + 0.1 * tf.reduce_sum(graph.get_tensor_by_name("w:0"))
print(w.shape.as_list(), same.dtype.base_dtype.name, same.get_shape().as_list(), same.name)
print(tf.train.get_global_step().name, tf.train.get_global_step().dtype.base_dtype.name)
train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())

with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=4)]) as sess:
    while not sess.should_stop():
        print(sess.run([loss, train, same, "w:0"], {"x:0": [[1.0, 2.0, 3.0]]})[0::2])
        print(sess.run(graph.get_tensor_by_name("global_step:0")) if not sess.should_stop() else "stopped")

read = graph.get_tensor_by_name("w/read:0")
gradients = tf.gradients(tf.reduce_sum(tf.square(w)), read) + tf.gradients(tf.reduce_sum(read * same), w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(["w/read:0", graph.get_operation_by_name("w/read")])[0].tolist(), sess.run(gradients)[1].tolist())
    for fed in ("w:0", "w/read:0", w, read):
        print(sess.run([read + 1.0, w * 2.0], {fed: [[1.0, 2.0]] * 3}))
    for missing in ("x/read:0", "nothing/read", "w/read/read:0"):
        try:
            graph.as_graph_element(missing)
        except KeyError as error:
            print(error)
