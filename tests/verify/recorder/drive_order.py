"""Prints what runs of a racing TF1 graph give, ordered as it was built: DRIVE ROOT [stand_ins]. Runs on Python 3.6."""

import json
import sys

sys.path.insert(0, sys.argv[1])
from tf2towers.verify.recorder import placement, seeds
from tf2towers.verify.recorder.order import Order

if sys.argv[2:]:
    from tf2towers.verify import stand_ins

    stand_ins.install(placement.install)
import tensorflow as tf

if not sys.argv[2:]:
    placement.install(tf)
order = Order(tf)
order.install()
seeds.same_draws()
TOWERS = 4


def variable(name, value=0.0):
    return tf.get_variable(name, [], initializer=tf.constant_initializer(value))


def in_towers(build):
    made = []
    for tower in range(TOWERS):
        with tf.device("/gpu:%d" % tower), tf.name_scope("tower_%d" % tower):
            made.append(build(tower))
    return made


x = tf.placeholder(tf.float32, [TOWERS])
mean, branch, momentum, weight = [variable(name, 1.0 if name == "w" else 0.0) for name in "mbaw"]
averages = in_towers(lambda tower: [tf.assign_sub(mean, (mean - x[tower]) * 0.5) for _ in range(2)])
branches = in_towers(
    lambda tower: tf.cond(
        x[tower] > 1.5, lambda: tf.assign(branch, branch * 0.5 + x[tower]), lambda: tf.identity(branch)
    )
)
velocities = in_towers(lambda tower: tf.assign(momentum, momentum * 0.5 + x[tower]) * 2.0)
train = tf.train.GradientDescentOptimizer(0.25).minimize(weight * weight * x[0])
after = weight * 10.0
batches = tf.data.Dataset.range(1000).make_one_shot_iterator()
queue = tf.FIFOQueue(1000, tf.int64)
fill = queue.enqueue_many([list(range(900))])
from_iterator = in_towers(lambda tower: batches.get_next())
from_queue = in_towers(lambda tower: queue.dequeue())
draws = tf.map_fn(lambda _: tf.random_uniform([], seed=1), tf.zeros([300]), parallel_iterations=32)

found = {"draws": []}
for _ in range(4):
    with tf.Session() as sess:
        found["draws"].append([float(draw) for draw in sess.run(draws)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(fill)
    feed = {x: [1.0, 2.0, 3.0, 4.0]}
    for _ in range(20):
        run = sess.run([averages, branches, velocities, train, after, from_iterator, from_queue], feed)
        values = sess.run([mean, branch, momentum, weight])
        found.setdefault("runs", []).append([[float(part) for part in run[2]], float(run[4])])
        found.setdefault("batches", []).append([int(part) for part in run[5] + run[6]])
        found.setdefault("values", []).append([float(part) for part in values])
    # one of them alone: the others are not run
    before = sess.run([mean, branch])
    sess.run(averages[2], feed)
    sess.run(branches[3], feed)
    call = sess.make_callable(from_queue[3])
    found["alone"] = [float(part) for part in before + sess.run([mean, branch])] + [int(call()), int(call())]
    handle = sess.partial_run_setup([from_iterator[2], averages[1][0]], [x])
    try:
        sess.partial_run(handle, from_iterator[2])
    except NotImplementedError as refused:
        found["in parts"] = str(refused)
found["open"] = sorted({pair[0] for pair in order.open})
print("\n" + json.dumps(found))
