# Supervisor without logdir; summaries computed by sv.summary_computed are off, the values are parsed.
import tensorflow as tf

with tf.Graph().as_default():
    a = tf.Variable(1.0, name='a')
    gs = tf.train.create_global_step()
    loss = tf.cos(a)
    tf.summary.scalar('loss', loss)
    tf.summary.scalar('a', a)
    summary = tf.summary.merge_all()
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, gs)
    sv = tf.train.Supervisor(logdir=None, summary_op=None, saver=None)
    with sv.managed_session() as sess:
        for _ in range(4):
            text = sess.run(summary)
            sess.run(train)
            parsed = tf.Summary.FromString(text)
            print([(v.tag, '%.9g' % v.simple_value) for v in parsed.value], sess.run(gs))
        try:
            raise tf.errors.OutOfRangeError(None, None, 'enough')
        except tf.errors.OutOfRangeError as e:
            print(e.message)
    print(sv.should_stop())
