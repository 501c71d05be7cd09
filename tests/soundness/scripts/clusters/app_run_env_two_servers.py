# tf.app.run, flags, TF_CONFIG; the server made in a method of a class; ready operations of a SessionManager.
# tasks: 1 ps, 2 worker
import json
import os
import sys

import numpy as np
import tensorflow as tf

os.environ['TF_CONFIG'] = json.dumps({
    'cluster': {'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')},
    'task': {'type': sys.argv[2], 'index': int(sys.argv[3])}})
tf.app.flags.DEFINE_float('rate', 0.25, '')
FLAGS = tf.app.flags.FLAGS


class Node(object):
    def __init__(self):
        config = json.loads(os.environ['TF_CONFIG'])
        self.job, self.index = config['task']['type'], config['task']['index']
        self.spec = tf.train.ClusterSpec(config['cluster'])
        self.server = self._serve()

    def _serve(self):
        return {'ps': self._make, 'worker': self._make}[self.job](protocol='grpc')

    def _make(self, **more):
        return tf.train.Server(self.spec, self.job, self.index, **more)

    def device(self):
        return tf.device(tf.train.replica_device_setter(cluster=self.spec, worker_device='/job:worker/task:%d' % self.index))


def main(_):
    node = Node()
    if node.job == 'ps':
        return node.server.join()
    with tf.Graph().as_default(), node.device():
        w = tf.get_variable('w', [], initializer=tf.constant_initializer(4.0))
        turn = tf.get_variable('turn', [], tf.int64, initializer=tf.zeros_initializer(), trainable=False)
        goal = tf.placeholder_with_default(1.0, [])
        step = tf.train.GradientDescentOptimizer(FLAGS.rate).minimize(tf.square(w - goal), global_step=turn)
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=1)
        if node.index == 0:
            sess = manager.prepare_session(node.server.target, init_op=tf.global_variables_initializer())
        else:
            sess = manager.wait_for_session(node.server.target)
        for n in range(3):
            while sess.run(turn) % 2 != node.index:
                pass
            print(n, sess.run(w))
            sess.run(step, {goal: float(node.index + n)})
        while sess.run(turn) < 6:
            pass
        print(sess.run([w, turn]))
        sess.close()


if __name__ == '__main__':
    tf.app.run(argv=[sys.argv[0]])
