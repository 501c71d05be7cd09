# Device functions that ask for the type of a variable's operation, or for its shape: on which parameter server it is.
# tasks: 2 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)
worker = '/job:worker/task:0'
TYPES = ['Variable', 'VariableV2']


class InTurn(object):
    def __init__(self):
        self.made = 0

    def __call__(self, op):
        if op.type not in TYPES:
            return worker + '/cpu:0'
        self.made += 1
        return '/job:ps/task:%d' % (self.made % 2)


class Smallest(object):
    def __init__(self):
        self.loads = [0, 0]

    def __call__(self, op):
        index = int(np.argmin(self.loads))
        self.loads[index] += int(np.prod(op.outputs[0].get_shape().as_list())) * op.outputs[0].dtype.size
        return index


def by_node(op):
    node = op if isinstance(op, tf.NodeDef) else op.node_def
    return '/job:ps/task:1' if node.op == 'VariableV2' else worker


setters = [
    tf.train.replica_device_setter(cluster=cluster, worker_device=worker, ps_ops=TYPES),
    tf.train.replica_device_setter(cluster=cluster, worker_device=worker, ps_strategy=Smallest()),
    InTurn(),
    by_node,
    lambda op: '/job:ps/task:0' if isinstance(op, tf.Operation) and op.type.startswith('Variable') else worker,
]
x = tf.constant([[1., 2., 3.]])
losses = []
for number, setter in enumerate(setters):
    with tf.device(setter):
        w = tf.get_variable('w%d' % number, [3, 4], initializer=tf.constant_initializer(.1 * (number + 1)))
        v = tf.get_variable('v%d' % number, [4, 1], initializer=tf.constant_initializer(.5))
        b = tf.get_variable('b%d' % number, [], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_sum(tf.square(tf.matmul(tf.matmul(x, w), v) + b - 1.)))
    with tf.device(worker):
        train = tf.train.AdamOptimizer(.05).minimize(losses[-1])
    losses[-1] = (losses[-1], train)
for variable in tf.global_variables():
    print(variable.name, variable.device)
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        for loss, train in losses:
            sess.run(train)
            print('%.9g' % sess.run(loss))
with tf.Session(server.target) as sess:  # on the parameter servers they outlive a session
    print(['%.9g' % sess.run(loss) for loss, _ in losses])
