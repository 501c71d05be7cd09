# run_step_fn: several runs of the raw session within one step.
import tensorflow as tf

gs = tf.train.get_or_create_global_step()
w = tf.Variable(1.0)
x = tf.placeholder(tf.float32, [])
loss = (w * x - 2.0) ** 2
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, gs)


def step(step_context):
    out = []
    for k in range(2):
        out.append(float(step_context.session.run([loss, train], {x: k + 1.0})[0]))
    if step_context.session.run(gs) >= 8:
        step_context.request_stop()
    return out


with tf.train.MonitoredSession() as sess:
    while not sess.should_stop():
        print(sess.run_step_fn(step))
    print('stopped', sess.should_stop())
