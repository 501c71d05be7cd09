# Checkpoints of int, bool, string and float variables; NewCheckpointReader; saved without the step.
import os
import sys

import numpy as np
import tensorflow as tf

path = os.path.join(sys.argv[1], 'all')
i = tf.Variable(np.arange(3), name='i')
b = tf.Variable([True, False], name='b')
s = tf.Variable(['x', 'yz'], name='s')
d = tf.Variable(np.float64(0.25), name='d')
u = tf.Variable(np.uint8([1, 255]), name='u')
change = tf.group(i.assign_add([1, 1, 1]), b.assign([False, False]), s.assign(['q', 'r']), d.assign_sub(1.0))
saver = tf.train.Saver(save_relative_paths=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(os.path.basename(saver.save(sess, path)))
    sess.run(change)
    print([np.asarray(v).tolist() for v in sess.run([i, b, s, d, u])])
    saver.restore(sess, path)
    print([np.asarray(v).tolist() for v in sess.run([i, b, s, d, u])])
reader = tf.train.NewCheckpointReader(path)
print(sorted((k, str(v)) for k, v in reader.get_variable_to_dtype_map().items()) != [])
print(reader.has_tensor('i'), reader.has_tensor('none'), reader.get_tensor('i').tolist(), reader.get_tensor('d'))
print(tf.train.latest_checkpoint(sys.argv[1]) == path, sorted(reader.get_variable_to_shape_map().items()))
