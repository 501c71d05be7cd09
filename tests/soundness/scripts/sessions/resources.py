import tensorflow as tf


def beside(v, amount=1.0):
    """What a run returns of a variable that it updates after its first read: by fetches, and by a difference."""
    read, kept = v.read_value(), tf.identity(v)
    with tf.control_dependencies([read, kept]):
        update = tf.assign_add(v, amount * tf.ones_like(v))
    with tf.control_dependencies([update]):
        return [read, kept, v - kept, tf.identity(v) - read, v.read_value() * 2.0]


def show(**made):
    with tf.Session() as sess:
        for name, fetches in sorted(made.items()):
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            for _ in range(2):
                print(name, [value.tolist() for value in sess.run(fetches)])


first = [1.0, 2.5]
#: asked_one_by_one: variables that ask to be resources keep what was read of them, beside one that is memory
show(
    got=beside(tf.get_variable("got", initializer=first, use_resource=True)),
    local=beside(tf.get_local_variable("local", initializer=first, use_resource=True)),
    made=beside(tf.Variable(first, use_resource=True)),
    memory=beside(tf.get_variable("memory", initializer=first)),
    not_asked=beside(tf.Variable(first, use_resource=False)),
)

#: asked_by_scopes: a scope asks for all its variables, also a layer's; an inner scope asks for none
with tf.variable_scope("outer", use_resource=True):
    got = beside(tf.get_variable("v", initializer=first))
    made = beside(tf.Variable(first))
    layer = tf.layers.Dense(2, bias_initializer=tf.ones_initializer())
    layer.build([None, 3])
    with tf.variable_scope("inner", use_resource=False):
        inner = beside(tf.get_variable("v", initializer=first))
with tf.variable_scope("later"):
    tf.get_variable_scope().set_use_resource(True)
    later = beside(tf.get_variable("v", initializer=first))
print(tf.resource_variables_enabled(), tf.get_variable_scope().use_resource)
show(got=got, made=made, inner=inner, later=later, layer=beside(layer.bias))

#: of_averages_and_optimizers: averages, slots and counters are resources where their variables are
memory = tf.get_variable("memory", initializer=first)
resource = tf.get_variable("resource", initializer=first, use_resource=True)
averages = tf.train.ExponentialMovingAverage(0.5)
apply_averages = averages.apply([memory, resource])
momentum = tf.train.MomentumOptimizer(0.1, 0.5)
momentum.minimize(tf.reduce_sum(memory * resource))
adams = [tf.train.AdamOptimizer(0.25), tf.train.AdamOptimizer(0.25)]
for adam, variable in zip(adams, (memory, resource)):
    adam.minimize(tf.reduce_sum(variable ** 2), var_list=[variable])
show(
    average_of_memory=beside(averages.average(memory)),
    average_of_resource=beside(averages.average(resource)),
    slot_of_memory=beside(momentum.get_slot(memory, "momentum")),
    slot_of_resource=beside(momentum.get_slot(resource, "momentum")),
    power_of_memory=beside(adams[0]._get_beta_accumulators()[0]),
    power_of_resource=beside(adams[1]._get_beta_accumulators()[0]),
)

#: of_keras: a layer's weights and a variable of `tf.keras` are resources, those of `tf.layers` are not
layers = [kind.Dense(2, bias_initializer=tf.ones_initializer()) for kind in (tf.layers, tf.keras.layers)]
for layer in layers:
    layer.build([None, 3])
show(
    layers=beside(layers[0].bias),
    keras=beside(layers[1].bias),
    variable=beside(tf.keras.backend.variable([1.0, 2.5])),
)

#: in_loops_and_branches: what a loop and a branch keep of a resource is its value
v = tf.get_variable("v", initializer=first, use_resource=True)
_, looped = tf.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x), [0, v])
_, handed = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), [0, tf.identity(v)])
chosen = tf.cond(tf.reduce_sum(v) > 0.0, lambda: tf.identity(v), lambda: v * 2.0)
said = tf.Print(v, [0])
with tf.control_dependencies([looped, handed, chosen, said]):
    update = tf.assign_add(v, [1.0, 1.0])
with tf.control_dependencies([update]):
    fetches = [looped, handed, chosen, said, v - looped, v - chosen, handed * 1.0]
show(resource=fetches)
