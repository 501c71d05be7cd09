"""contrib by the files that its names are in, as many scripts of 2016 and 2017 import it."""
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope, variables
from tensorflow.contrib.layers.python.layers import initializers, layers, regularizers


@add_arg_scope
def scaled(x, factor=1.0):
    scale = variables.model_variable("scale", [], initializer=tf.constant_initializer(factor))
    return x * scale


def tower(x, reuse):
    with tf.variable_scope("net", reuse=reuse):
        with arg_scope([scaled], factor=0.5), arg_scope(
            [layers.fully_connected],
            weights_initializer=initializers.xavier_initializer(seed=3),
            weights_regularizer=regularizers.l2_regularizer(0.01),
        ):
            hidden = scaled(layers.fully_connected(x, 4, scope="one"))
            return tf.reduce_mean(tf.square(layers.fully_connected(hidden, 1, activation_fn=None, scope="two")))


tf.set_random_seed(1)
data = tf.placeholder(tf.float32, [None, 3])
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
gradients, losses = [], []
for i, part in enumerate(tf.split(data, 2)):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        losses.append(tower(part, i > 0))
        gradients.append(optimizer.compute_gradients(losses[-1] + tf.losses.get_regularization_loss()))
average = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*gradients)]
train = optimizer.apply_gradients(average)
for variable in tf.model_variables():
    print(variable.op.name, variable.shape)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    session.run(tf.global_variables_initializer())
    for step in range(4):
        rows = [[step + 1.0, 0.5 * row, -0.25] for row in range(4)]
        print(step, session.run(losses, {data: rows}))
        session.run(train, {data: rows})
    for variable in tf.trainable_variables():
        print(variable.op.name, session.run(variable).ravel().tolist())
