# LoggingTensorHook with a formatter, FinalOpsHook, NanTensorHook that raises, GlobalStepWaiterHook.
import tensorflow as tf

gs = tf.train.get_or_create_global_step()
v = tf.Variable(1.0)
loss = tf.exp(v)
train = tf.train.GradientDescentOptimizer(-0.5).minimize(loss, gs)
lines = []
final = tf.train.FinalOpsHook([gs, v])
log = tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=2, formatter=lambda d: lines.append('%.7g' % d['loss']) or 'ok')
with tf.train.MonitoredSession(hooks=[final, log, tf.train.StopAtStepHook(num_steps=4)]) as sess:
    while not sess.should_stop():
        sess.run(train)
print(lines, [float(value) for value in final.final_ops_values])
nan = tf.train.NanTensorHook(loss, fail_on_nan_loss=True)
try:
    with tf.train.MonitoredSession(hooks=[nan]) as sess:
        for _ in range(12):
            sess.run(train)
    print('no nan')
except tf.train.NanLossDuringTrainingError as e:
    print(type(e).__name__)
quiet = tf.train.NanTensorHook(loss, False)
with tf.train.MonitoredSession(hooks=[quiet]) as sess:
    count = 0
    while not sess.should_stop() and count < 20:
        sess.run(train)
        count += 1
print('stopped after', count)
