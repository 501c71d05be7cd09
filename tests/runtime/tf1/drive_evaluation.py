"""slim's `evaluation_loop` and `evaluate_once`: FOLDER gets checkpoints, and their results are printed.

python drive_evaluation.py FOLDER

Runs in TensorFlow 1.15, whose numbers are in test_evaluation.py, and, on our session, in TensorFlow
2.
"""

import sys

try:
    import tensorflow as tf
    from tensorflow.contrib import slim

    Session = tf.Session
except ImportError:
    from tf2towers.runtime import Session, graph_mode

    graph_mode()

    import tensorflow.compat.v1 as tf

    from tf2towers.runtime.tf1 import slim


def metrics():
    """Values and updates of metrics of a variable that is restored, and of a counter of the session's."""
    weights = tf.get_variable("weights", initializer=[1.0, -2.0, 4.0])
    with tf.variable_scope("seen"):
        seen = tf.get_local_variable("seen", initializer=0.0)
    batch = weights * tf.assign_add(seen, 1.0)
    return slim.metrics.aggregate_metric_map(
        {
            "mean": slim.metrics.streaming_mean(batch),
            "accuracy": slim.metrics.streaming_accuracy(tf.cast(batch > 3.0, tf.int64), [0, 0, 1]),
        }
    )


def main(folder):
    """Two checkpoints, a loop that waits for a third until its time is over, and one evaluation of the first."""
    with tf.Graph().as_default(), Session() as session:
        weights = tf.get_variable("weights", initializer=[1.0, -2.0, 4.0])
        step = tf.train.get_or_create_global_step()
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        for number in (1, 2):
            session.run([weights.assign_add([number, 0.0, 0.5]), step.assign_add(5)])
            saver.save(session, folder + "/model", global_step=number)
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        values, updates = metrics()
        options = {"num_evals": 3, "eval_op": list(updates.values())}
        options["final_op"] = [values["mean"], values["accuracy"], slim.get_global_step()]
        for name in ("mean", "accuracy"):
            tf.summary.scalar(name, values[name])
        looped = slim.evaluation.evaluation_loop(
            "", folder, folder + "/loop", eval_interval_secs=0, timeout=0.5, **options
        )
        once = slim.evaluation.evaluate_once("", folder + "/model-1", folder + "/once", **options)
    print([[float(value) for value in found] for found in (looped, once)])
    for path in sorted(tf.gfile.Glob(folder + "/*/events*")):
        for event in tf.train.summary_iterator(path):
            print(event.step, [(value.tag, float(value.simple_value)) for value in event.summary.value])


if __name__ == "__main__":
    main(sys.argv[1])
