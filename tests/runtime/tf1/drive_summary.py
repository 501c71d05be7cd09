"""Summaries that operations of the graph write; prints what is in their file, for test_summary.py.

TensorFlow 1.15 runs it as well, with `FOLDER 1.15`: the lines that the test expects are what it
printed.
"""

import json
import sys
from pathlib import Path

import numpy as np

if sys.argv[2:] == ["1.15"]:
    import tensorflow as tf
    from tensorflow.contrib import summary

    Session = tf.Session
else:
    import tensorflow.compat.v1 as tf

    from tf2towers.runtime import Session, graph_mode, summary

    graph_mode()

FOLDER = sys.argv[1]


def shown(value):
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return round(value.simple_value, 5)
    if kind == "histo":
        return [round(each, 5) for each in (value.histo.sum, value.histo.min, value.histo.max)]
    if kind == "image":
        return [value.image.height, value.image.width, value.image.colorspace]
    return tf.make_ndarray(value.tensor).tolist()


step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", initializer=[1.0, -2.0])
x = tf.placeholder(tf.float32, [2])
loss = tf.reduce_mean(tf.square(w * x - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)

before = summary.scalar("without_a_writer", loss)
with summary.create_file_writer(FOLDER, flush_millis=1000, filename_suffix=".mine").as_default():
    summary.scalar("before_always", loss)
    with summary.record_summaries_every_n_global_steps(2, step):
        summary.scalar("loss", loss)
        with tf.name_scope("inner"):
            summary.histogram("w", w)
        recorded = summary.should_record_summaries()
    with summary.always_record_summaries():
        summary.scalar("rate", tf.constant(0.5), family="rates", step=step + 10)
        summary.image("picture", tf.zeros([2, 3, 4, 3]), max_images=1)
        summary.generic("pair", tf.constant([1, 2]))
    with summary.never_record_summaries():
        summary.scalar("hidden", loss)
    flush = summary.flush()
    operations = summary.all_summary_ops()
    with Session() as session:
        session.run(tf.global_variables_initializer())
        summary.initialize(graph=tf.get_default_graph())
        found = [type(before).__name__, len(operations)]
        for at in range(3):
            feed = {x: np.array([at, 1.0 - at], np.float32)}
            found.append([bool(session.run(recorded, feed)), session.run(operations, feed)[-2:]])
            found[-1][1] = [bool(each) for each in found[-1][1]]
            session.run(train, feed)
        session.run(flush)

(path,) = Path(FOLDER).iterdir()
events = list(tf.train.summary_iterator(str(path)))
written = sorted([event.step, value.tag, shown(value)] for event in events for value in event.summary.value)
graphs = [event.step for event in events if event.graph_def]
print("found " + json.dumps([found, path.suffix, graphs, written, summary.eval_dir("a", "b")]))
