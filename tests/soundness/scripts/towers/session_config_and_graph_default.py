# A graph variable entered twice: built in a function, the session made elsewhere; config by flags of ConfigProto.
import numpy as np
import tensorflow as tf

graph = tf.Graph()


def build(count):
    with graph.as_default(), graph.device('/cpu:0'):
        x = tf.placeholder(tf.float32, [None, 2], name='input')
        opt = tf.train.AdagradOptimizer(0.4)
        grads = []
        for index in range(count):
            with graph.device('/gpu:%i' % index), graph.name_scope('tower_%i' % index):
                with tf.variable_scope('vars', reuse=index > 0):
                    w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.3, .9]))
                cost = tf.reduce_mean(tf.log(1 + tf.square(tf.reduce_sum(x[index::count] * w, 1))), name='cost')
                grads.append(opt.compute_gradients(cost))
        merged = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
        opt.apply_gradients(merged, name='train')


build(2)
with graph.as_default():
    init = tf.global_variables_initializer()
config = tf.ConfigProto(allow_soft_placement=True, gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.3))
session = tf.Session(graph=graph, config=config)
session.run(init)
rng = np.random.RandomState(0)
for _ in range(5):
    fetched = session.run({'a': 'tower_0/cost:0', 'b': 'tower_1/cost:0', 't': 'train'}, {'input:0': rng.randn(4, 2)})
    print('%.9g %.9g' % (fetched['a'], fetched['b']), fetched['t'])
print([session.run(v).tolist() for v in graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)])
session.close()
