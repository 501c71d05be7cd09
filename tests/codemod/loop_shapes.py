"""Tower loops of many shapes: the loop of a function or a module, and whether it becomes a replica function.

Each is the text of a script after HEAD: it builds small graphs, without a session, and prints what its names hold.
"""

import ast

HEAD = """\
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
gpus = ['/gpu:0', '/gpu:1', '/gpu:2']
x = tf.placeholder(tf.float32, [6], name='x')


def average(towers):
    result = []
    for pairs in zip(*towers):
        grads = []
        for g, _ in pairs:
            grads.append(tf.expand_dims(g, 0))
        mean = tf.reduce_mean(tf.concat(grads, 0), 0)
        result.append((mean, pairs[0][1]))
    return result


def net(value, name='net'):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        return value * tf.get_variable('w', [])


"""


def shapes(text: str) -> dict[str, tuple[str, str]]:
    """The shapes of a text: `=== name -> what the migrated text has in it as well`, and the lines below."""
    found = {}
    for shape in text.split("\n=== ")[1:]:
        title, _, lines = shape.partition("\n")
        name, _, wanted = title.partition(" -> ")
        found[name] = (f"\n{lines}\n", ast.literal_eval(wanted or "''"))
    return found


#: shapes that become functions
FUNCTIONS = shapes(r"""
=== range -> 'strategy.run(tower, args=(strategy.replica_ids,))'
losses = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(net(x) * i)
print(losses)
=== a_global_of_a_function_in_it -> 'global h'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        h = x * i
        def deeper():
            global h
            for _ in range(3):
                h = net(h)
        deeper()
        last = h + 1
print(h, last)
=== a_collection_of_the_device -> 'strategy = TowerStrategy()'
for i in range(2):
    with tf.device(next(iter(['/gpu:%d' % i]))):
        y = net(x) * i
print(y)
=== in_a_function -> "strategy = TowerStrategy(count, parameter_device='/cpu:0')\n    with strategy.scope():"
def build(count):
    losses = []
    with tf.device('/cpu:0'):
        step = tf.Variable(0)
        for i in range(count):
            with tf.device('/gpu:%d' % i):
                losses.append(net(x) * i)
    return losses, step
print(build(2), build(0))
=== enumerate -> 'args=(strategy.replica_ids, strategy.per_replica(gpus))'
for i, gpu in enumerate(gpus):
    with tf.device(gpu), tf.name_scope('tower_%d' % i) as scope:
        y = net(x) + i
        print(scope, y)
=== zip -> 'args=(strategy.per_replica(gpus), strategy.per_replica(parts))'
parts = tf.split(x, 2)
for gpu, part in zip(gpus, parts):
    with tf.device(gpu):
        print(net(part))
=== enumerate_of_zip -> 'args=(strategy.replica_ids, strategy.per_replica(tf.split(x, 2)), strategy.per_replica(gpus))'
for i, (part, gpu) in enumerate(zip(tf.split(x, 2), gpus)):
    with tf.device(gpu):
        print(net(part), i)
=== range_of_a_list -> 'strategy.per_replica(range(*[2]))'
for i in range(*[2]):
    with tf.device('/gpu:%d' % i):
        print(net(x), i)
=== range_from_one -> 'strategy.per_replica(range(1, 3))'
for i in range(1, 3):
    with tf.device('/gpu:%d' % i):
        print(net(x), i)
=== read_after -> 'loss, both = strategy.experimental_local_results((loss, both))[-1]'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        loss = net(x) + i
        both = [loss, i]
print(loss, both)
=== none_read_after -> 'result = strategy.experimental_local_results(result)[-1]'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        result = print(net(x))
print(result)
=== read_after_in_a_function -> 'return loss\n'
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            loss = net(x) + i
    return loss
print(build())
=== maybe_no_round -> 'nonlocal loss\n'
def build(count):
    loss = 'none'
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            loss = net(x) + i
    return loss
print(build(2), build(0))
=== read_under_a_condition -> 'loss = None\n\n    def tower(i):\n        nonlocal loss\n'
def build(count):
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            loss = net(x) + i
    if count:
        return loss
print(build(2), build(0))
=== bound_in_one_round -> 'nonlocal kept'
def build():
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            if i == 1:
                kept = net(x) + i
    return kept
print(build())
=== carried -> 'nonlocal total, reuse'
def build():
    total, reuse = 0.0, None
    for i in range(3):
        with tf.device('/gpu:%d' % i), tf.variable_scope('v', reuse=reuse):
            total = total + tf.get_variable('w', []) * i
            reuse = True
    return total
print(build())
=== a_flag_that_the_number_gives -> '        # the next tower takes them\n        reuse = True if i > 0 else None\n'
def build():
    reuse = None
    for i in range(3):
        with tf.device('/gpu:%d' % i), tf.variable_scope('v', reuse=reuse):
            y = tf.get_variable('w', []) * i
            # the next tower takes them
            reuse = True
            print(y)
    return y
print(build())
=== a_flag_of_the_module -> 'def tower(i, gpu):\n    shared = i > 0\n'
shared = False
for i, gpu in enumerate(gpus):
    with tf.device(gpu):
        for part in range(2):
            if not shared:
                print(part)
        print(net(x, 'shared' if shared else 'own'))
        shared = True
=== a_flag_that_goes_on -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(3):
        with tf.device('/gpu:%d' % i), tf.variable_scope('v', reuse=reuse):
            print(tf.get_variable('w', []) * i)
            reuse = True
    return reuse
print(build())
=== a_flag_that_is_read_again -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            print(reuse, net(x))
            reuse = True
            print(reuse)
build()
=== a_flag_of_some_rounds -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            print(reuse, net(x))
            if i == 1:
                continue
            reuse = True
build()
=== a_flag_under_a_condition -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            print(reuse, net(x))
            if i == 1:
                reuse = True
build()
=== a_flag_that_changes_twice -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            print(reuse, net(x))
            reuse = True
            print(x)
            reuse = False
build()
=== a_flag_that_a_function_reads -> 'nonlocal reuse'
def build():
    reuse, found = None, []
    reuse = False
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            found.append(lambda: reuse)
            print(net(x))
            reuse = True
    print([each() for each in found])
build()
=== a_flag_of_several_runs -> 'nonlocal reuse'
def build():
    reuse = None
    for part in range(2):
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                print(reuse, net(x))
                reuse = True
build()
=== a_flag_of_gpus -> 'nonlocal reuse'
def build():
    reuse = None
    for gpu in gpus:
        with tf.device(gpu):
            print(reuse, net(x))
            reuse = True
build()
=== a_flag_of_other_numbers -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(1, 3):
        with tf.device('/gpu:%d' % i):
            print(reuse, net(x))
            reuse = True
build()
=== a_flag_that_the_loop_goes_by -> 'nonlocal reuse'
def build():
    reuse = None
    for i in range(2 if reuse is None else 3):
        with tf.device('/gpu:%d' % i):
            print(reuse, net(x))
            reuse = True
build()
=== carried_at_the_top -> 'global total\n'
total = 0.0
for i in range(3):
    with tf.device('/gpu:%d' % i):
        total += net(x) * i
print(total)
=== carried_unbound_before -> 'before = None\n\n    def tower(i):\n        nonlocal before\n'
def build():
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            if i:
                print(before)
            before = net(x) + i
    print('done')
build()
=== continue -> '    if i == 1:\n        return\n'
for i in range(3):
    if i == 1:
        continue
    with tf.device('/gpu:%d' % i):
        for j in range(2):
            if j:
                continue
            print(net(x), i, j)
=== continue_and_returned -> '        return y\n'
for i in range(3):
    y = net(x) * i
    if i == 1:
        continue
    with tf.device('/gpu:%d' % i):
        print(net(y), i)
print(y)
=== inner_break -> 'def tower(i):'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        for j in range(5):
            if j > i:
                break
            print(net(x), j)
        while True:
            break
=== the_variable_again -> 'def tower(i):'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x) + i)
for i in range(3):
    print(i)
print([i for i in range(2)], i)
=== the_variable_after -> 'i = strategy.experimental_local_results(i)[-1]'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x) + i)
print(i)
=== the_variable_bound -> '    return i\n'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        i += 5
        print(net(x) + i)
print(i)
=== a_generator_elsewhere_that_is_gone_through -> 'strategy.run(tower, args=(strategy.replica_ids,))'
sizes = []
for i in range(2):
    sizes.append(sum(i * k for k in range(3)))
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x) * sizes[i])
i = 5
print(sizes, list(i for k in range(2)))
=== lambdas_called_at_once -> 'def tower(i):'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: net(x) + i, lambda: net(x) - i)
        print(y, sum(k * i for k in range(3)), [k + i for k in range(2)])
=== names_of_imports -> 'return math, y'
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            import math
            y = net(x) + math.pi * i
    return y, math.e
print(build())
=== a_closure_that_is_kept -> 'y = None\n\n    def tower(i):\n        nonlocal y\n'
def build():
    later = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
            later.append(lambda: y)
    print(later[0]() is later[1]())
build()
=== read_by_a_function -> 'global loss\n'
def shown():
    return loss
for i in range(2):
    with tf.device('/gpu:%d' % i):
        loss = net(x) + i
        print(shown() is loss)
print(shown())
=== global_of_a_function -> '        global last\n'
last = None
def build():
    global last
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            last = net(x) + i
build()
print(last)
=== an_annotation -> 'y = strategy.run('
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y: object = net(x) + i
    return y
print(build())
=== in_a_method -> 'strategy.run(tower, args=(strategy.'
class Model(object):
    def __init__(self, count):
        self.count, self.losses = count, []
        with tf.device('/cpu:0'):
            for i in range(self.count):
                with tf.device('/gpu:%d' % i):
                    self.losses.append(net(x) + i)
print(Model(2).losses)
=== two_loops -> 'strategy.run(tower_2, args=(strategy.replica_ids,))'
with tf.Graph().as_default(), tf.device('/cpu:0'):
    x = tf.placeholder(tf.float32, [6])
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            print(net(x) + i)
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            print(net(x) - i)
=== nested_tower_loops -> '        for j in range(2):\n'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        for j in range(2):
            with tf.device('/gpu:%d' % j):
                print(net(x) + i - j)
=== in_a_loop -> '    with tf.Graph().as_default(), strategy.scope():\n'
for fold in range(2):
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        x = tf.placeholder(tf.float32, [6])
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                y = net(x) + i
        print(y)
=== in_try_and_if -> 'y = strategy.run('
def build(many):
    try:
        if many:
            for i in range(2):
                with tf.device('/gpu:%d' % i):
                    y = net(x) + i
            print(y)
    except ValueError:
        print('no')
build(True)
build(False)
=== comments -> '# above\ndef tower(i):  # the towers\n    # first\n'
# above
for i in range(2):  # the towers
    # first
    with tf.device('/gpu:%d' % i):
        print(net(x) + i)
    # last
# behind
print('end')
=== other_words -> 'strategy.per_replica(range(len(available_gpus)))'
def available(count):
    return ['/device:GPU:%d' % k for k in range(count)]
available_gpus = available(2)
for i in range(len(available_gpus)):
    with tf.device(available_gpus[i]):
        print(net(x) + i)
=== the_graphs_own_device -> 'strategy = TowerStrategy(2)'
graph = tf.get_default_graph()
for i in range(2):
    with graph.device('/gpu:%d' % i):
        print(net(x) + i)
=== a_device_of_its_own -> 'strategy = TowerStrategy(2)'
import functools
def on(place, size=1):
    return tf.device(place)
for i in range(2):
    with on('/gpu:%d' % i, size=2):
        print(net(x) + i)
for i in range(2):
    with functools.partial(tf.device, '/gpu:%d' % i)():
        print(net(x) - i)
=== locals_before -> '# i: int\ndef tower(i):\n'
print('x' in locals())
for i in range(2):  # type: int
    with tf.device('/gpu:%d' % i):
        print(net(x) + i)
=== the_device_is_a_function -> 'strategy = TowerStrategy()'
for i in range(2):
    def place(op, i=i):
        return '/gpu:%d' % i
    with tf.device(place):
        print(net(x))
=== the_device_by_a_keyword_or_an_object -> 'strategy = TowerStrategy()'
class Place:
    def __init__(self, k):
        self.k = k
    def __call__(self, op):
        return '/gpu:%d' % self.k
for i in range(2):
    named = '/gpu:{gpu}'.format(gpu=i)
    with tf.device(named), tf.device(Place(i)):
        print(net(x))
=== the_name_is_taken -> 'def build_tower(i):'
tower = 'mine'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x) + i, tower)
=== gradients_at_the_end -> "        return grads\n\n\nwith strategy.scope():\n    tower_"
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        grads = [(net(x) + i, 'w')]
        tower_grads.append(grads)
print(average(tower_grads))
=== gradients_before_the_end -> "        grads = [(y, 'w')]\n        print(y)\n    return grads, y\n"
losses, tower_grads = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        y = net(x) + i
        losses.append(y)
        tower_grads.append([(y, 'w')])
        print(y)
print(average(tower_grads), y, losses)
=== gradients_with_a_name_and_a_comment -> "losses.append(pairs)\n        # the towers' gradients\n        return pairs"
def build():
    tower_grads = []
    losses = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            pairs = tuple([(net(x) + i, 'w')])
            # the towers' gradients
            tower_grads.append(pairs)
            losses.append(pairs)
    return average(tower_grads), losses
print(build())
=== gradients_of_two_lists -> "        return [(net(x), 'a')], [(net(x) - i, 'b')]\n"
one = []
other = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        one.append([(net(x), 'a')])
        other.append([(net(x) - i, 'b')])
print(average(one), average(other))
=== gradients_of_two_lists_maybe_no_round -> "other.append([(net(x) - i, 'b')])"
def build(count):
    one = []
    other = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            one.append([(net(x), 'a')])
            other.append([(net(x) - i, 'b')])
    return average(one), average(other)
print(build(2), build(0))
=== gradients_whose_mean_gets_their_name -> "return [(net(x), 'a')]"
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        grads.append([(net(x), 'a')])
grads = average(grads)
print(grads, len(grads))
=== gradients_whose_mean_may_get_their_name -> "grads.append([(net(x), 'a')])"
def build(count):
    grads = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            grads.append([(net(x), 'a')])
    if count > 1:
        grads = average(grads)
    return grads
print(build(2), build(1))
=== gradients_maybe_no_round -> "return [(net(x), 'a')]"
def build(count):
    one = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            one.append([(net(x), 'a')])
    return average(one)
print(build(2), build(0))
=== gradients_of_some_towers -> "tower_grads.append([(net(x), 'a')])"
tower_grads = []
for i in range(3):
    with tf.device('/gpu:%d' % i):
        if i != 1:
            tower_grads.append([(net(x), 'a')])
print(average(tower_grads))
=== gradients_of_several_rounds -> "tower_grads.append([(net(x), 'a')])"
tower_grads = []
for part in range(2):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            tower_grads.append([(net(x), 'a')])
    print(average(tower_grads))
=== gradients_that_are_counted -> "tower_grads = strategy.experimental_local_results(tower_grads)\nprint(len("
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        tower_grads.append([(net(x), 'a')])
print(len(tower_grads), average(tower_grads))
=== gradients_of_one_tower_or_their_sum -> "            return [(net(x) * i, 'a')]\n"
def total(towers):
    return [(tf.add_n([g for g, _ in pairs]), pairs[0][1]) for pairs in zip(*towers)]
def build(count):
    tower_grads = []
    for i in range(2 * count):
        with tf.device('/gpu:%d' % i):
            tower_grads.append([(net(x) * i, 'a')])
    if len(tower_grads) > 1:
        grads = total(tower_grads)
    else:
        grads = tower_grads[0]
    return grads
print(build(2))
=== gradients_of_a_tuple_maybe_no_round -> "return (net(x), (i, 'a'))"
def build(count):
    grads = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            grads.append((net(x), (i, 'a')))
    return [(one, name) for one, name in zip(*grads)] if count == 2 else len(grads), [name for _, name in grads]
print(build(2), build(0), build(1))
=== gradients_of_a_method_that_counts -> "self.tower_grads = []"
class Model(object):
    def several(self, towers):
        return [len(towers), towers[-1]]
    def build(self):
        grads = []
        self.tower_grads = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                grads.append([net(x) * i])
                self.tower_grads.append(net(x))
        return self.several(grads), [each for pair in grads for each in pair]
print(Model().build())
=== gradients_in_several_rows -> "return ([(net(x), 'a')]\n"
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        tower_grads.append([(net(x), 'a')]
                           + [(net(x) * i, 'b')])
print(average(tower_grads))
=== gradients_by_turns -> "        return (net(x) * j for j in range(i + 1))\n"
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        tower_grads.append(net(x) * j for j in range(i + 1))
print([list(grads) for grads in tower_grads])
=== gradients_that_a_method_of_the_class_changes -> "grads.append([net(x) * i])"
class Model(object):
    def several(self, towers, other):
        towers.append(len(other))
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        grads.append([net(x) * i])
Model.several(Model(), grads, [])
print(grads[2])
=== gradients_that_another_list_takes -> "grads.append([net(x) * i])"
def several(towers):
    return towers + [len(towers)]
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        grads.append([net(x) * i])
print(several(grads))
=== gradients_in_part -> "grads.append([net(x) * i])"
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        grads.append([net(x) * i])
print(grads[1:], grads[0])
=== gradients_that_a_function_keeps -> "grads.append([net(x) * i])"
def several(towers):
    kept.extend(towers)
    towers = [towers]
    return towers
kept, grads = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        grads.append([net(x) * i])
print(several(grads), kept)
=== methods_that_build_one_model -> '\n\nstrategy = TowerStrategy()\n\n\nclass Model(object):'
class Model(object):
    def forward(self, gpus):
        self.losses = []
        for i in range(len(gpus)):
            with tf.device(gpus[i]):
                self.losses.append(net(x) * i)
    def backward(self, gpus):
        tower_grads = []
        for i in range(len(gpus)):
            with tf.device(gpus[i]):
                grads = [(self.losses[i], 'w')]
                tower_grads.append(grads)
        print(average(tower_grads), self.losses)
model = Model()
model.forward(gpus)
model.backward(gpus)
=== functions_that_are_given_their_parts -> '\n\nstrategy = TowerStrategy()\n\n\ndef all_of(function, *args):'
def all_of(function, *args):
    outputs = []
    for i, part in enumerate(zip(*[tf.split(arg, 2) for arg in args])):
        with tf.device('/gpu:%d' % i):
            outputs.append(function(*part))
    return outputs
def mean_of(function, *args):
    outputs = []
    for i, part in enumerate(zip(*[tf.split(arg, 3) for arg in args])):
        with tf.device('/gpu:%d' % i):
            outputs.append(function(*part))
    return tf.reduce_mean(outputs, 0)
print(all_of(net, x), mean_of(net, x))
=== functions_that_train_and_evaluate -> '    strategy = TowerStrategy(len(parts))\n\n    def'
def train(count):
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            print(net(x) * i)
def evaluate(parts):
    for i in range(len(parts)):
        with tf.device('/gpu:%d' % i):
            print(net(parts[i]))
train(2)
evaluate([x, x + 1])
=== a_local_strategy_beside_the_modules -> 'strategy_2.run(tower, args=(strategy_2.replica_ids,))'
def all_of(parts):
    for i, part in enumerate(tf.split(parts, 2)):
        with tf.device('/gpu:%d' % i):
            print(net(part))
def others(parts):
    for i in range(len(parts)):
        with tf.device('/gpu:%d' % i):
            print(net(parts[i]))
    for i, part in enumerate(tf.split(x, 3)):
        with tf.device('/gpu:%d' % i):
            print(net(part))
all_of(x)
others([x])
=== towers_of_an_unknown_number_after_others -> 'for i, y in strategy.towers(enumerate(several()))'
def several():
    return (net(x) for _ in range(3))
def build(count):
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            net(x)
    with tf.name_scope('apply'):
        for i, y in enumerate(several()):
            with tf.device('/gpu:%d' % i):
                print(y * i)
build(2)
=== towers_of_a_part_of_the_list -> 'args=(strategy.per_replica(range(len(part))), strategy.per_replica(part))'
def build(some, count):
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            net(x)
    part = some(gpus)
    for i, gpu in enumerate(part):
        with tf.device(gpu):
            print(net(x) * i / len(part))
build(lambda gpus: gpus[1:], 1)
=== towers_of_one_branch -> '            strategy.run(tower_2, args=(strategy.per_replica(range(count)),))'
def build(count, more):
    if count < 1:
        print(count)
    else:
        for i in range(count):
            with tf.device('/gpu:%d' % i):
                net(x)
        more(count)
        for i in range(count):
            with tf.device('/gpu:%d' % i):
                print(net(x) * i)
build(2, print)
=== towers_after_those_of_the_cpu -> 'strategy_2.run(tower_2, args=(strategy_2.replica_ids,))'
class Model(object):
    def __init__(self, more):
        self.count, self.more = 2, more
    def build(self):
        with tf.device('/cpu:0'):
            for i in range(self.count):
                with tf.device('/gpu:%d' % i):
                    print(net(x))
        self.more(self)
        for i in range(self.count):
            y = tf.identity(x)
            with tf.device('/gpu:%d' % i):
                print(net(y))
Model(print).build()
=== towers_whose_number_may_change -> "strategy.run(tower_2, args=(strategy.per_replica(range(self.count)),))"
class Model(object):
    def __init__(self, more):
        self.count, self.more = 1, more
    def build(self):
        losses = []
        for i in range(self.count):
            with tf.device('/gpu:%d' % i):
                losses.append(net(x))
        self.more(self)
        for i in range(self.count):
            with tf.device('/gpu:%d' % i):
                losses.append(net(x) * i)
        return losses
print(Model(lambda model: setattr(model, 'count', 3)).build())
=== gradients_that_a_with_may_leave_out -> "tower_grads.append([(net(x) / (i - 1), 'a')])"
import contextlib
tower_grads = []
for i in range(3):
    with tf.device('/gpu:%d' % i), contextlib.suppress(ZeroDivisionError):
        1 / (i - 1)
        tower_grads.append([(net(x) / (i - 1), 'a')])
print(average(tower_grads))
=== gradients_averaged_in_another_branch -> "tower_grads.append([(net(x), 'a')])"
def build(count):
    tower_grads = []
    if count:
        for i in range(count):
            with tf.device('/gpu:%d' % i):
                tower_grads.append([(net(x), 'a')])
    return average(tower_grads)
print(build(2), build(0))
=== closures_called_at_once
for i in range(2):
    with tf.device('/gpu:%d' % i):
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: net(x) + i, lambda: net(x) - i)
        def model(z):
            return net(z) * i
        print(y, model(x), sum(k * i for k in range(3)), [k + i for k in range(2)])
=== names_of_imports_and_definitions -> 'return math, Named, y\n'
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            import math
            class Named(object):
                value = i
            def f(z):
                return z * i
            y = net(f(x)) + math.pi
    return y, Named.value, math.e
print(build())
=== an_iterator
devices = iter(gpus)
for d in devices:
    with tf.device(d):
        print(net(x), next(devices, None))
=== a_call -> 'strategy.per_replica(devices())'
def devices():
    return list(gpus)
for d in devices():
    with tf.device(d):
        print(net(x))
=== a_list_that_grows
devices = ['/gpu:0']
for d in devices:
    with tf.device(d):
        print(net(x), d)
    if len(devices) < 3:
        devices.append('/gpu:%d' % len(devices))
=== a_list_that_a_function_shortens
devices = ['/gpu:0', '/gpu:1', '/gpu:2']
def drop():
    devices.pop()
for d in devices:
    with tf.device(d):
        print(net(x), d)
    if len(devices) > 2:
        drop()
=== a_list_of_two_names
devices = ['/gpu:0']
others = devices
for d in devices:
    with tf.device(d):
        print(net(x), d)
    if len(others) < 3:
        others.append('/gpu:%d' % len(others))
=== a_list_that_is_handed_on
devices = ['/gpu:0', '/gpu:1', '/gpu:2']
def shorten(these):
    del these[2:]
for d in devices:
    with tf.device(d):
        print(net(x), d)
    shorten(devices)
=== a_generator_of_values -> 'strategy.per_replica(devices())'
def devices():
    for gpu in gpus:
        print('made', gpu)
        yield gpu
for d in devices():
    with tf.device(d):
        print(net(x))
=== a_list_and_an_iterator -> 'args=(strategy.replica_ids, strategy.per_replica(counted), strategy.per_replica(gpus))'
counted = iter(range(2))
for i, (k, gpu) in enumerate(zip(counted, gpus)):
    with tf.device(gpu):
        print(net(x) * i, k)
print(list(counted))
=== values_of_a_zip -> 'args=(strategy.replica_ids, strategy.per_replica(zip(*parts)))'
def build(*parts):
    parts = (tf.split(part, 2) for part in parts)
    for i, parts in enumerate(zip(*parts)):
        with tf.device('/gpu:%d' % i):
            print(net(parts[0]) * parts[1])
build(x, x)
=== a_list_of_an_object -> 'strategy.per_replica(self.gpus)'
class Model(object):
    def __init__(self, gpus):
        self.gpus = gpus
    def build(self):
        for gpu in self.gpus:
            with tf.device(gpu):
                self.loss = net(x)
        return self.loss
print(Model(iter(gpus)).build())
=== a_lambda_called_at_once_after -> 'y = strategy.experimental_local_results(y)[-1]'
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
    return tf.cond(tf.reduce_sum(x) > 0, lambda: y, lambda: y + 1)
print(build())
=== a_lambda_before_it_is_bound -> 'nonlocal y'
def build():
    y = x
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            print(tf.cond(tf.reduce_sum(x) > 0, lambda: net(x) + y, lambda: net(x) - i))
            y = net(x) + i
    return y
print(build())
=== a_function_that_reads_the_round_before -> 'nonlocal y'
def build():
    y = x
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            def model(z):
                return net(z) * y + i
            print(model(x))
            y = net(x) + i
    return y
print(build())
=== functions_that_call_each_other -> 'def tower(i):'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        def one(z):
            return net(z) * i
        def both(z):
            return one(z) + i
        print(both(x), tf.cond(tf.reduce_sum(x) > 0, lambda: both(x), lambda: one(x)))
=== certainly_a_round -> 'return pairs, y'
def build(count):
    opt = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
            pairs = opt.compute_gradients(y)
            tower_grads.append(pairs)
    grads = average(tower_grads)
    step = opt.apply_gradients(grads)
    if count:
        print(y)
    return step, pairs
print(build(2))
=== a_round_by_a_name_of_the_loop -> 'return pairs, y'
def build(count):
    opt = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
            pairs = opt.compute_gradients(y)
            tower_grads.append(pairs)
    pairs = average(tower_grads)
    step = opt.apply_gradients(pairs)
    if count:
        print(y)
    return step, pairs
print(build(2))
=== no_round_where_the_mean_may_be_another -> 'nonlocal y'
def build(count):
    opt = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
            pairs = opt.compute_gradients(y)
            tower_grads.append(pairs)
    pairs = average(tower_grads)
    if not count:
        pairs = opt.compute_gradients(net(x))
    step = opt.apply_gradients(pairs)
    if count:
        print(y)
    return step, pairs
print(build(2), build(0))
=== a_round_by_an_item -> 'return y'
def build(count):
    losses = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
            losses.append(y)
    total = tf.add_n(losses)
    return total, (y if count else None)
print(build(2))
=== a_constant_number -> 'return y'
COUNT = 2
def build(shown):
    y = None
    for i in range(COUNT):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
    return y if shown else None
print(build(True))
=== no_constant_number -> 'nonlocal y'
COUNT = 2
def without():
    global COUNT
    COUNT = 0
def build(shown):
    y = None
    for i in range(COUNT):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
    return y if shown else None
print(build(True))
without()
print(build(True))
=== a_function_after_reads_their_names -> '        return y\n'
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y = net(x) * i

    def later():
        return y + 1

    return later
print(build()())
=== as_many_parts_as_rounds -> '        return y\n'
def build(count):
    with tf.device('/cpu:0'):
        parts = tf.split(x, count)
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(parts[i])
    if count > 1:
        print(y)
    return parts
print(build(2), build(1))
build(0)
=== as_many_parts_as_rounds_or_an_error -> 'nonlocal y\n'
import contextlib
def build(count):
    with contextlib.suppress(ValueError, ZeroDivisionError):
        parts = tf.split(x, count)
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(parts[i])
    if count > 1:
        print(y)
print(build(2), build(0))
=== as_many_parts_as_other_rounds -> 'nonlocal y\n'
def build(count):
    parts = tf.split(x, count)
    count -= 1
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(parts[i])
    if count > 1:
        print(y)
    return parts
print(build(3), build(1))
=== much_is_read_after -> 'a, b, c = strategy.experimental_local_results(results)[-1]'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        a, b, c = net(x), x * i, i
print(a, b, c)
=== much_is_returned_with_gradients -> 'grads, (a, b, c)\n'
opt = tf.train.GradientDescentOptimizer(0.1)
towers = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        a, b, c = net(x), x * i, i
        grads = opt.compute_gradients(a)
        towers.append(grads)
print(a, b, c, average(towers))
=== much_is_returned -> '    return long_name_of_the_first, long_name_of_the_second, long_name_of_the_third\n'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        long_name_of_the_first, long_name_of_the_second, long_name_of_the_third = net(x), x * i, i
print(long_name_of_the_first, long_name_of_the_second, long_name_of_the_third)
=== very_much_is_read_after -> '    return (a_name_with_many_letters, another_name_with_many_letters,\n'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        a_name_with_many_letters = net(x)
        another_name_with_many_letters, a_third_name_with_as_many_letters = x * i, i
print(a_name_with_many_letters, another_name_with_many_letters, a_third_name_with_as_many_letters)
=== names_on_two_lines -> '    results = strategy.experimental_local_results(results)[-1]\n    prediction_of_'
for i in range(2):
    with tf.device('/gpu:%d' % i):
        prediction_of_the_tower, accuracy_of_the_tower, loss_of_the_tower = net(x), x * i, i
print(prediction_of_the_tower, accuracy_of_the_tower, loss_of_the_tower)
=== a_with_of_a_generator_that_takes_no_errors -> '        return y\n'
import contextlib
@contextlib.contextmanager
def entered():
    print('in')
    yield
    print('out')
def build():
    with entered():
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                y = net(x) * i
    return y
print(build())
=== a_with_of_a_generator_that_takes_errors_in_another -> 'nonlocal y\n'
import contextlib
def kept():
    try:
        yield
    except ZeroDivisionError:
        print('no tower')
@contextlib.contextmanager
def entered():
    yield from kept()
def build():
    y = None
    for i in range(2):
        with entered():
            with tf.device('/gpu:%d' % i):
                y = net(x) * i + 1 / i
    return y
print(build())
=== a_with_that_takes_errors -> 'global y\n'
import contextlib
for i in range(3):
    with contextlib.suppress(ZeroDivisionError):
        with tf.device('/gpu:%d' % i):
            y = net(x) + 1 / (i - 1)
print(y)""")

#: shapes that stay loops
LOOPS = shapes(r"""
=== break -> 'strategy = TowerStrategy()'
for i in range(3):
    if i == 2:
        break
    with tf.device('/gpu:%d' % i):
        print(net(x) + i)
=== return
def build():
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
        if i:
            return y
print(build())
=== yield
def build():
    for i in range(3):
        with tf.device('/gpu:%d' % i):
            yield net(x) + i
print(list(build()))
=== else
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x) + i)
else:
    print('all')
=== class_body
class Model(object):
    losses = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y = net(x)
            losses.append(y)
print(Model.losses, Model.i)
=== globals
for i in range(2):
    with tf.device('/gpu:%d' % i):
        y = net(x) + i
print(globals()['y'])
=== a_closure_keeps_the_variable
later = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x))
        later.append(lambda: i)
print([f() for f in later])
=== a_function_reads_the_variable
def shown():
    return i
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x), shown())
=== a_generator_keeps_the_variable
later = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(net(x))
        later.append(k * i for k in range(3))
print([list(each) for each in later])
=== the_variable_after_maybe_no_round
def build(count):
    i = -1
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            print(net(x))
    print(i)
build(2)
build(0)
=== a_function_after_in_the_same_round
def build():
    for epoch in range(2):
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                y = net(x) * i
                if epoch:
                    print(later())

        def later():
            return y + 1
    return y
y = None
print(build())
=== a_function_that_is_kept
later = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        def model(z):
            return net(z) * i
        later.append(model)
        print(model(x))
print([f(x) for f in later])
=== a_function_by_two_names
for i in range(2):
    with tf.device('/gpu:%d' % i):
        def model(z):
            return net(z) * i
        print(model(x))
print(model(x))
=== a_list_that_grows_while_it_is_counted
devices = ['/gpu:0']
for i, d in enumerate(devices):
    with tf.device(d):
        print(net(x), d)
    if len(devices) < 3:
        devices.append('/gpu:%d' % len(devices))
=== a_generator
def parts():
    for k, gpu in enumerate(gpus):
        print('made', k)
        yield gpu, tf.identity(x)
for gpu, part in parts():
    with tf.device(gpu):
        print(net(part))
=== targets_of_pairs
pairs = [('/gpu:0', 1), ('/gpu:1', 2)]
for d, k in pairs:
    with tf.device(d):
        print(net(x) * k)
=== a_target_twice
for _, _ in zip(gpus, gpus):
    with tf.device(_):
        print(net(x))
=== a_starred_target
pairs = [('/gpu:0', 1, 2), ('/gpu:1', 2, 3)]
for d, *k in pairs:
    with tf.device(d):
        print(net(x), k)
=== an_attribute_as_target
class Place(object):
    pass
for Place.device in ['/gpu:0', '/gpu:1']:
    with tf.device(Place.device + ''):
        print(net(x))
for i, Place.i in enumerate(gpus):
    with tf.device('/gpu:%d' % i):
        print(net(x), Place.i)
=== a_global_statement
def build():
    for i in range(2):
        global y
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
build()
print(y)
=== super
class Base(object):
    def one(self, i):
        return net(x) + i
class Model(Base):
    def all(self):
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                print(super().one(i))
Model().all()
=== name_error_caught
def build(count):
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
    try:
        return y
    except NameError:
        return 'no tower'
print(build(2), build(0))
=== an_annotation_that_is_carried
def build():
    y: object = 0.0
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y: object = y + net(x)
    return y
print(build())
=== deleted
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
            if i == 0:
                del y
    return y
print(build())
=== unbound_in_an_outer_loop
def build():
    for fold in range(2):
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                if fold == 0 and i == 1:
                    kept = net(x)
        print(kept)
build()
=== one_line
for i in range(2): print(net(x), tf.device('/gpu:%d' % i) is None)""")

#: lines that read names by other means than the names, after a loop or in its body
READING = {
    "locals": "    print(sorted(set('iy') & set(locals())))",
    "locals_in_the_body": "            print(sorted(set('iy') & set(locals())))",
    "eval": "    print(eval('i'))",
    "vars": "    print(sorted(set('iy') & set(vars())))",
}
LOOP = """
def build():
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            y = net(x) + i
"""
LOOPS |= {name: (f"{LOOP}{line}\nbuild()\n", "") for name, line in READING.items()}
SHAPES = {name: text for name, (text, _) in {**FUNCTIONS, **LOOPS}.items()}
