# A checkpoint that TensorFlow 1.15 wrote, with Adam's slots, restored onto two parameter servers; training goes on.
# tasks: 2 ps, 1 worker
import base64
import os
import sys
import zlib

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

# three steps of the model below, in one process of TensorFlow 1.15.5
INDEX = (
    'eNpjYGDjYJRi4mBkYBRO5GAU4hBi4mACYQ0B0zWS+2sYWUX1HVMSc5GlFASAkmYb+SrYmETjDVFkFIAyQafDmRkYBZOAEixgQQMNDtPk'
    '1f37GFkFYWZBJCxAEkY3q9iYBMHmQEQdgKIFK6uXMnLxppYkGsYX5JenFgFlGRQ8NFhM5/pGGLGw8xohCfsAhTf6yhxh4OZNz8lPSsyJ'
    'Ly5JLeDgBEoFAM3aMNOTjwEIGEHE1IQVrnDOgU8LNzAwMmcwvGeEi9nWK7B8YeRoZOJnIAjCfzd0q5S63wYAb7Q3Fg==')
DATA = (
    'eNq7GRJvd+POcZvD103tF5q9tmvact7WqVVyT9+DCLvJTvx2NUVsVovubjLrL+CxznIstqoLM7O3kTezD/vebOd677LtwUfB1kccOa20'
    'vqnbO/6qs2dmgAAA7kQjGw==')
path = os.path.join(folder, 'model')
for end, text in (('index', INDEX), ('data-00000-of-00001', DATA)):
    with open(path + '.' + end, 'wb') as file:
        file.write(zlib.decompress(base64.b64decode(text)))

with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    a = tf.get_variable('a', [2, 2], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [None, 2])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.matmul(x, a) * b))
    opt = tf.train.AdamOptimizer(0.1)
    train = opt.minimize(loss, global_step=step)
    saver = tf.train.Saver()
slots = [opt.get_slot(v, name) for v in (a, b) for name in ('m', 'v')]
print(sorted({v.device for v in tf.global_variables()}))
rng = np.random.RandomState(3)
for _ in range(3):
    rng.randn(4, 2)
with tf.Session(server.target) as sess:
    saver.restore(sess, path)
    print(sess.run(step), len(sess.run(tf.report_uninitialized_variables())))
    for value in sess.run([a, b] + slots):
        print(' '.join('%.9g' % number for number in value.ravel()))
    losses = [sess.run([loss, train], {x: rng.randn(4, 2)})[0] for _ in range(3)]
    print(['%.5g' % loss for loss in losses])
    # as TensorFlow 1.15 went on
    print(np.allclose(losses, [0.25960511, 0.216891587, 0.050374046], rtol=1e-5))
    print(np.allclose(sess.run(slots[1]), [[0.00065853080, 4.1837142e-05], [0.0026105850, 0.0010738332]], rtol=1e-5))
    saver.save(sess, path, global_step=step)
    print([name for name, _ in tf.train.list_variables(path + '-6')])
