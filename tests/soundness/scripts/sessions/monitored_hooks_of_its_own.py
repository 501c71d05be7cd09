# A hook with every method: extra fetches and feeds, stop requested, begin, end.
import numpy as np
import tensorflow as tf


class Watch(tf.train.SessionRunHook):
    def begin(self):
        self.steps = tf.train.get_global_step()
        self.calls = 0
        print('begin', self.steps.op.name)

    def after_create_session(self, session, coord):
        print('created', session.run(self.steps), coord.should_stop())

    def before_run(self, run_context):
        self.calls += 1
        print('before', len(run_context.original_args.fetches or []), sorted(run_context.original_args.feed_dict or {}, key=str) == [])
        return tf.train.SessionRunArgs({'loss': loss, 'w': w}, feed_dict={scale: 1.0 / self.calls})

    def after_run(self, run_context, run_values):
        print('after', '%.9g' % run_values.results['loss'])
        if self.calls == 5:
            run_context.request_stop()

    def end(self, session):
        print('end', session.run(self.steps), self.calls)


scale = tf.placeholder(tf.float32, [], name='scale')
w = tf.Variable([1.0, 2.0])
gs = tf.train.get_or_create_global_step()
loss = tf.reduce_sum((w - 3.0) ** 2) * scale
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss, gs)
with tf.train.SingularMonitoredSession(hooks=[Watch()]) as sess:
    while not sess.should_stop():
        sess.run([train])
        if not sess.should_stop():
            print(sess.raw_session().run(w).tolist())
