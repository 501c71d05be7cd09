"""Variables that SciPy moves; prints what test_scipy.py compares."""

import json

import numpy as np
import tensorflow.compat.v1 as tf

from tf2towers.runtime import Session, graph_mode, memory_stats, opt

graph_mode()

v = tf.get_variable("v", [2], initializer=tf.constant_initializer([7.0, 3.0]))
w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([1.0, -2.0]))
x = tf.placeholder(tf.float32, [])
loss = tf.reduce_sum(tf.square(v - x)) + tf.reduce_sum(tf.square(w * v[:, None] - 1.0))
session = Session()
found, seen = [], []


def moved(interface, **given):
    session.run(tf.global_variables_initializer())
    interface.minimize(session, feed_dict={x: 2.0}, **given)
    found.append([float(each) for each in np.concatenate([np.ravel(each) for each in session.run([v, w])])])


class Own(opt.ExternalOptimizerInterface):
    def _minimize(self, initial_val, loss_grad_func, **given):
        return initial_val - 0.1 * loss_grad_func(initial_val)[1]


moved(
    opt.ScipyOptimizerInterface(loss, options={"maxiter": 5}),
    fetches=[loss],
    loss_callback=lambda value: seen.append(float(value)),
)
moved(opt.ScipyOptimizerInterface(loss, var_list=[v], var_to_bounds={v: ([1.0, 2.5], np.inf)}))
moved(opt.ScipyOptimizerInterface(loss, equalities=[v[1] - 1.0], inequalities=[v[0] - 3.0], method="SLSQP"))
moved(Own(loss))
used = session.run([memory_stats.BytesInUse(), memory_stats.MaxBytesInUse(), memory_stats.BytesLimit()])
print("found", json.dumps({"moved": found, "first": seen[0], "bytes": [int(each) for each in used]}))
