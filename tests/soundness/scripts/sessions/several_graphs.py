# Two graphs with variables of the same name, trained in turn; the default graph stays empty.
import numpy as np
import tensorflow as tf


def model(power):
    g = tf.Graph()
    with g.as_default():
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.get_variable('w', initializer=0.5)
        loss = tf.pow(w * x - 1.0, power, name='loss')
        tf.train.GradientDescentOptimizer(0.05).minimize(loss, name='train')
        tf.global_variables_initializer()
    return g


first, second = model(2.0), model(4.0)
s1, s2 = tf.Session(graph=first), tf.Session(graph=second)
s1.run('init')
s2.run('init')
for x in np.linspace(0.5, 1.5, 4):
    for s in (s1, s2):
        _, value = s.run(['train', 'loss:0'], {'x:0': x})
        print('%.9g' % value, end=' ')
    print(s1.run('w:0'), s2.run('w:0'))
print(len(tf.get_default_graph().get_operations()))
try:
    s1.run(second.get_tensor_by_name('loss:0'), {'x:0': 1.0})
except ValueError as e:
    print('ValueError', 'not an element of this graph' in str(e))
print([v.name for v in first.get_collection('trainable_variables')])
s1.close()
s2.close()
