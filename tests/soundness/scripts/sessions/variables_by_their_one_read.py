# TF1 read a variable by one tensor, 'w/read:0', which value() and convert_to_tensor() give: fed, fetched, differentiated.
import tensorflow as tf

w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
losses = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_sum(w**3) * (i + 1))
loss = tf.add_n(losses)
graph = tf.get_default_graph()
value = tf.convert_to_tensor(w)
gradients = [
    tf.gradients(loss, source)[0]
    for source in (w, w.value(), value, graph.get_tensor_by_name('w:0'), graph.get_tensor_by_name('w/read:0'))
]
gradients.append(tf.gradients(tf.reduce_sum(value * w), value)[0])
print(tf.gradients(loss, tf.identity(w)), len(tf.gradients(loss, [w.value(), value])))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    print([sess.run(gradient).tolist() for gradient in gradients])
    print(sess.run([loss, w + 1.0], {'w:0': [2.0, 3.0]}))
    print(sess.run([loss, w + 1.0], {'w/read:0': [3.0, 3.0]}))
    print(sess.run(graph.get_tensor_by_name('w/read:0')), graph.get_tensor_by_name('w/read:0').shape)
    nodes = [node.name for node in graph.as_graph_def().node if node.op == 'VariableV2']
    print(nodes, [op.name for op in graph.get_operations() if op.type in ('Variable', 'VariableV2')])
