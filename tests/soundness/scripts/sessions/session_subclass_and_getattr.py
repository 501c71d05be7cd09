# refused: T2T626 a name of TensorFlow is looked up by getattr
# The session is reached by getattr, kept in a dictionary, passed along by keyword; run is bound to a name.
import tensorflow as tf

holder = {'s': getattr(tf, 'Session')()}
v = tf.get_variable('v', initializer=tf.constant([1., 2.]))
loss = tf.reduce_sum(tf.abs(v * v - 0.5))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def evaluate(tensor, session=None, **kw):
    return (session or tf.get_default_session()).run(tensor, **kw)


run = holder['s'].run
run(fetches=tf.global_variables_initializer())
for i in range(3):
    evaluate(train, session=holder['s'])
    print(evaluate(loss, holder['s']), run(v).tolist())
with holder['s'].as_default():
    print(evaluate(loss * 2, feed_dict={v: [0., 0.]}))
    print(evaluate([v, loss])[1])
holder.pop('s').close()
