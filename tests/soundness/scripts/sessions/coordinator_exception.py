# An exception in a thread is reported by the coordinator and raised again by join; stop_on_exception.
import threading

import tensorflow as tf

v = tf.Variable(0)
up = v.assign_add(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.CancelledError,))

    def worker():
        with coord.stop_on_exception():
            for _ in range(5):
                sess.run(up)
            raise ValueError('seen by the coordinator')

    t = threading.Thread(target=worker)
    t.start()
    coord.wait_for_stop(10)
    try:
        coord.join([t])
        print('joined')
    except ValueError as e:
        print('ValueError', e)
    print(sess.run(v), coord.should_stop())
    coord.clear_stop()
    print(coord.should_stop())
    with coord.stop_on_exception():
        raise tf.errors.CancelledError(None, None, 'clean')
    print(coord.should_stop(), [int(sess.run(up)) for _ in range(5)])
