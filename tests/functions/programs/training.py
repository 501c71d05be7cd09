"""Optimizers, learning rates, averages, clipping, gradients, summaries."""

import numpy as np
import tensorflow as tf
from cases import case, cases, normal, uniform


def two_updates(make, **options):
    """Of a dense variable, and of one that is looked up, one row twice."""

    def build():
        weights = tf.get_variable("weights", initializer=tf.constant([[1.0, -2.0], [3.0, 0.5]]), **options)
        rows = tf.constant(np.linspace(-1, 1, 10).reshape(5, 2).astype(np.float32))
        table = tf.get_variable("table", initializer=rows, **options)
        step = tf.train.get_or_create_global_step()
        optimizer = make()
        loss = tf.reduce_sum(tf.square(tf.matmul(tf.nn.embedding_lookup(table, [0, 3, 3]), weights) - 1.0))
        update = optimizer.apply_gradients(optimizer.compute_gradients(loss), global_step=step)
        return [
            loss,
            update,
            [str(name) for name in optimizer.get_slot_names()],
            [variable.name for variable in optimizer.variables()],
            optimizer.get_name(),
        ]

    return build


def step():
    return tf.train.get_or_create_global_step()


train = tf.train
OPTIMIZERS = {
    "descent": lambda: train.GradientDescentOptimizer(0.1),
    "descent_with_locks": lambda: train.GradientDescentOptimizer(0.1, use_locking=True, name="Locked"),
    "momentum": lambda: train.MomentumOptimizer(0.01, 0.9),
    "momentum_of_tensors": lambda: train.MomentumOptimizer(tf.constant(0.01), tf.constant(0.9), True),
    "nesterov": lambda: train.MomentumOptimizer(0.01, 0.9, use_nesterov=True),
    "adam": lambda: train.AdamOptimizer(0.1),
    "adam_with_arguments": lambda: train.AdamOptimizer(
        learning_rate=tf.constant(0.1), beta1=0.5, beta2=0.9, epsilon=1e-3, use_locking=True
    ),
    "adagrad": lambda: train.AdagradOptimizer(0.1),
    "adagrad_with_a_start": lambda: train.AdagradOptimizer(0.1, initial_accumulator_value=0.5),
    "adagrad_dual": lambda: train.AdagradDAOptimizer(0.1, step()),
    "adagrad_dual_regularized": lambda: train.AdagradDAOptimizer(
        0.1, step(), 0.2, l1_regularization_strength=0.01, l2_regularization_strength=0.02
    ),
    "adadelta": lambda: train.AdadeltaOptimizer(0.1),
    "adadelta_with_arguments": lambda: train.AdadeltaOptimizer(1.0, rho=0.8, epsilon=1e-3),
    "rmsprop": lambda: train.RMSPropOptimizer(0.1),
    "rmsprop_centered": lambda: train.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-2, centered=True),
    "ftrl": lambda: train.FtrlOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02
    ),
    "ftrl_shrinking": lambda: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.02),
    "ftrl_with_powers": lambda: train.FtrlOptimizer(0.1, -0.3, 0.2, accum_name="one", linear_name="two"),
    "proximal_descent": lambda: train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal_adagrad": lambda: train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
    "lazy_adam": lambda: tf.contrib.opt.LazyAdamOptimizer(0.05),
    "lazy_gradients": lambda: tf.contrib.opt.LazyAdamOptimizer(0.05, 0.8),
}
cases(__name__, {"optimizer_" + name: two_updates(make) for name, make in OPTIMIZERS.items()})
cases(
    __name__,
    {
        "optimizer_" + name + "_of_resources": two_updates(OPTIMIZERS[name], use_resource=True)
        for name in ("descent", "adam", "rmsprop_centered", "adagrad", "ftrl", "adadelta")
    },
)


@case
def train_op_of_contrib():
    weights = tf.get_variable("weights", initializer=[3.0, -4.0])
    other = tf.get_variable("other", initializer=2.0)
    with tf.control_dependencies([tf.assign_add(tf.Variable(0.0, trainable=False, name="seen"), 1.0)]):
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="counted"))
    train_op = tf.contrib.training.create_train_op(
        tf.exp(tf.reduce_sum(weights * weights) * other * 0.01),  # its gradients need it: they come behind it
        tf.train.GradientDescentOptimizer(0.1),
        transform_grads_fn=tf.contrib.training.clip_gradient_norms_fn(1.0),
        summarize_gradients=True,
    )
    pairs = tf.contrib.training.multiply_gradients(
        [(tf.constant([1.0, 2.0], name="slopes"), weights), (tf.constant(2.0), other)], {"other": 3.0}
    )
    return [
        train_op,
        [slope for slope, _ in pairs],
        [t.name for t in tf.get_collection(tf.GraphKeys.TRAIN_OP)],
    ]


@case
def optimizer_in_parts():
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    other = tf.get_variable("other", initializer=[3.0])
    unused = tf.get_variable("unused", initializer=[4.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    loss = tf.reduce_sum(weights * weights) * other[0]
    pairs = optimizer.compute_gradients(
        loss, [weights, other, unused], optimizer.GATE_OP, grad_loss=tf.constant(2.0)
    )
    clipped = [(tf.clip_by_value(slope, -1.0, 1.0), variable) for slope, variable in pairs[:2]]
    return [
        pairs[0][0],
        pairs[1][0],
        pairs[2][0] is None,
        [variable.name for _, variable in pairs],
        optimizer.apply_gradients(clipped, step(), name="applied"),
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(
            loss, var_list=[other], gate_gradients=0, name="second"
        ),
        [variable.name for variable in tf.trainable_variables("o")],
    ]


def steps(number=7):
    return tf.constant(number, tf.int32)


@case
def learning_rate_of_a_variable():
    count = tf.Variable(0, trainable=False, name="global_step")
    rate = tf.train.exponential_decay(0.5, count, 2, 0.5, staircase=True)
    weights = tf.Variable([1.0, 2.0])
    update = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(weights * weights), count)
    return [update, rate, weights, tf.train.get_global_step().name]


@case
def averages():
    weights, count = tf.Variable([1.0, 2.0], name="weights"), tf.Variable(3, trainable=False, name="count")
    averages = tf.train.ExponentialMovingAverage(0.9, count)
    with tf.control_dependencies([tf.assign_add(weights, [1.0, 1.0])]):
        update = averages.apply([weights])
    return [
        update,
        averages.average(weights),
        averages.average_name(weights),
        sorted(averages.variables_to_restore()),
        tf.moving_average_variables(),
    ]


@case
def averages_of_tensors():
    weights = tf.Variable([1.0, 2.0], name="weights")
    loss = tf.reduce_sum(weights * uniform(2), name="loss")
    averages = tf.train.ExponentialMovingAverage(0.9, name="smooth", zero_debias=True)
    update = averages.apply([loss])
    return [update, averages.average(loss), averages.average_name(loss), averages.name]


@case
def averages_of_all_variables():
    weights = tf.Variable([1.0, 2.0], name="weights")
    tf.Variable(1.0, trainable=False, name="not_trained")
    averages = tf.train.ExponentialMovingAverage(decay=0.9)
    update = averages.apply()
    restored = averages.variables_to_restore([weights])
    return [update, averages.average(weights), {name: restored[name].name for name in restored}]


@case
def clipping_of_infinity():
    return tf.clip_by_global_norm([tf.constant([np.inf, 1.0]), normal(2, 2)], 1.0)


@case
def clipping_of_rows():
    table = tf.Variable(np.ones([4, 2], np.float32))
    slopes = tf.gradients(tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1, 2]) ** 2), [table])
    return [
        slopes,
        tf.clip_by_global_norm(slopes, 1.0),
        tf.clip_by_value(slopes[0], -1.0, 1.0),
        tf.clip_by_norm(slopes[0], 1.0),
        tf.global_norm(slopes),
        tf.convert_to_tensor(slopes[0]),
        tf.identity(slopes[0], name="dense") * 2.0,
        tf.stop_gradient(slopes[0]),
        tf.check_numerics(slopes[0], "message"),
        tf.cast(slopes[0], tf.float64),
        tf.scalar_mul(2.0, slopes[0]),
        tf.add_n([slopes[0], slopes[0]]),
        tf.tuple([slopes[0], table])[0],
        tf.zeros_like(slopes[0]),
        tf.expand_dims(slopes[0], 0),
        tf.reduce_mean(slopes[0]),
        tf.where(tf.is_nan(slopes[0]), tf.zeros_like(slopes[0]), slopes[0]),
        tf.negative(slopes[0]),
        tf.square(slopes[0]),
        tf.stack([slopes[0], slopes[0]]),
        tf.shape(slopes[0]),
    ]


@case
def gradients():
    first, second = normal(3), normal(3)
    product = first * second
    return [
        tf.gradients(product, [first, second], grad_ys=normal(3)),
        tf.gradients(product, first, stop_gradients=[second]),
        tf.gradients(tf.reduce_sum(first), second, unconnected_gradients=tf.UnconnectedGradients.ZERO),
        tf.gradients(tf.reduce_sum(first), second)[0] is None,
        tf.hessians(tf.reduce_sum(first * first * second), first),
        tf.gradients(
            [first * 2, product], [first], aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE
        ),
        tf.gradients(product, first, name="named", colocate_gradients_with_ops=True, gate_gradients=True),
    ]


EDGES = {
    "abs": tf.abs,
    "sqrt": tf.sqrt,
    "rsqrt": tf.rsqrt,
    "sign": tf.sign,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "selu": tf.nn.selu,
    "elu": tf.nn.elu,
    "leaky_relu": tf.nn.leaky_relu,
    "norm": tf.norm,
    "norm_of_order_1": lambda values: tf.norm(values, 1),
    "largest_and_zero": lambda values: tf.maximum(values, 0.0),
    "smallest_of_equals": lambda values: tf.minimum(values, values),
    "power_zero": lambda values: tf.pow(values, 0.0),
    "power_of_itself": lambda values: tf.pow(values, values),
    "square": lambda values: values**2,
    "largest": tf.reduce_max,
    "smallest": tf.reduce_min,
    "product": tf.reduce_prod,
    "sums": lambda values: tf.cumsum(values, exclusive=True, reverse=True),
    "normalized": lambda values: tf.nn.l2_normalize(values, 0),
    "segments": lambda values: tf.segment_max(values, [0, 0, 1]),
    "log": tf.log,
    "log_where_positive": lambda values: tf.where(values > 0, tf.log(values), values),
    "quotient_or_zero": lambda values: tf.div_no_nan(1.0, values),
    "log_of_a_sum": tf.reduce_logsumexp,
    "variance": lambda values: tf.nn.moments(values, [0])[1],
    "deviation": tf.math.reduce_std,
    "between": lambda values: tf.clip_by_value(values, 0.0, 1.0),
    "remainder": lambda values: tf.floormod(values, 1.0),
    "rounded": tf.round,
    "first_two": lambda values: tf.nn.top_k(values, 2)[0],
    "angle": lambda values: tf.atan2(values, values + 1.0),
    "difference": lambda values: tf.squared_difference(values, 1.0),
    "quotient": lambda values: values / values,
    "arc_sine": tf.asin,
    "arc_cosine": tf.acosh,
}


@case
def gradients_at_edges():
    """At 0, 1 and -1, by hand: what TensorFlow does there is no matter of rounding."""
    values = tf.constant([0.0, 1.0, -1.0])
    return [[name, tf.gradients(EDGES[name](values), values)] for name in sorted(EDGES)]


@case
def gradient_of_products_at_zero():
    values = tf.constant([0.0, 1.0, -1.0])
    return tf.gradients(tf.cumprod(values), values)


@case
def summaries_in_scopes():
    with tf.name_scope("tower_0"):
        made = [tf.summary.scalar("loss", 1.0), tf.summary.histogram("loss", [1.0])]
    with tf.variable_scope("scope"):
        made.append(tf.summary.scalar("loss", 1.0))
    with tf.variable_scope("scope"):
        made.append(tf.summary.scalar("loss", 1.0, collections=["mine"]))
    return [made, tf.summary.merge_all("mine"), tf.summary.merge_all("nothing") is None]


class Halving(tf.train.Optimizer):
    """An optimizer of a program's own, with a slot and two kinds of gradients."""

    def __init__(self, rate, use_locking=False, name="Halving"):
        super(Halving, self).__init__(use_locking, name)
        self.rate = rate

    def _prepare(self):
        self.rate_tensor = tf.convert_to_tensor(self.rate, name="rate")

    def _create_slots(self, var_list):
        for variable in var_list:
            self._zeros_slot(variable, "mean", self._name)

    def _apply_dense(self, grad, var):
        mean = self.get_slot(var, "mean")
        new_mean = mean.assign(0.5 * mean + 0.5 * grad)
        update = tf.assign_sub(var, self.rate_tensor * new_mean)
        return tf.group(update, new_mean)

    def _apply_sparse(self, grad, var):
        return self._apply_dense(tf.convert_to_tensor(grad), var)

    def _resource_apply_dense(self, grad, var):
        return self._apply_dense(grad, var)


cases(
    __name__,
    {
        "optimizer_of_ones_own": two_updates(lambda: Halving(0.1)),
        "optimizer_lars_like_momentum": two_updates(
            lambda: tf.train.MomentumOptimizer(tf.train.exponential_decay(0.1, step(), 1, 0.5), 0.9)
        ),
    },
)


@case
def gradients_added_up():
    """What programs do that accumulate gradients over several batches."""
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    optimizer = tf.train.AdamOptimizer(0.1)
    pairs = optimizer.compute_gradients(tf.reduce_sum(weights**2))
    totals = [
        tf.Variable(tf.zeros_like(variable.initialized_value()), trainable=False) for _, variable in pairs
    ]
    zero = [tf.assign(total, tf.zeros_like(total)) for total in totals]
    with tf.control_dependencies(zero):
        add = [tf.assign_add(total, slope) for total, (slope, _) in zip(totals, pairs)]
    with tf.control_dependencies(add):
        return optimizer.apply_gradients(
            [(tf.identity(total), pair[1]) for total, pair in zip(totals, pairs)]
        )


@case
def rates_that_are_fed_and_changed():
    rate = tf.Variable(0.5, trainable=False, name="rate")
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    update = tf.train.MomentumOptimizer(rate, 0.9).minimize(tf.reduce_sum(weights**2))
    with tf.control_dependencies([update]):
        return tf.group(tf.assign(rate, rate * 0.5))


@case
def variables_that_are_constrained():
    weights = tf.get_variable(
        "weights", initializer=[3.0, -4.0], constraint=lambda value: tf.clip_by_norm(value, 1.0)
    )
    first = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(weights**3))
    return [first, [operation.name for operation in tf.get_collection(tf.GraphKeys.TRAIN_OP)]]


TABLE = {
    "learning_rates": lambda: [
        tf.train.exponential_decay(0.1, steps(), 3, 0.9),
        tf.train.exponential_decay(0.1, steps(), 3, 0.9, staircase=True),
        tf.train.exponential_decay(
            learning_rate=0.1,
            global_step=tf.cast(steps(), tf.int64),
            decay_steps=3,
            decay_rate=0.9,
            staircase=True,
            name="rate",
        ),
        tf.train.polynomial_decay(0.1, steps(), 10, 0.01, 2.0),
        tf.train.polynomial_decay(0.1, steps(17), 10, cycle=True),
        tf.train.inverse_time_decay(0.1, steps(), 3, 0.9),
        tf.train.inverse_time_decay(0.1, steps(), 3, 0.9, True),
        tf.train.natural_exp_decay(0.1, steps(), 3, 0.9),
        tf.train.natural_exp_decay(0.1, steps(), 3, 0.9, staircase=True),
        tf.train.piecewise_constant(steps(), [5, 9], [1.0, 0.5, 0.1]),
        tf.train.piecewise_constant(steps(), boundaries=[7, 9], values=[1.0, 0.5, 0.1]),
        tf.train.piecewise_constant(tf.cast(steps(), tf.int64), [5, 9], [1.0, 0.5, 0.1]),
        tf.train.cosine_decay(0.1, steps(), 20, 0.1),
        tf.train.cosine_decay_restarts(0.1, steps(17), 5),
        tf.train.linear_cosine_decay(0.1, steps(), 20),
        tf.train.noisy_linear_cosine_decay(0.1, steps(), 20, initial_variance=0.0),
    ],
    "clipping": lambda: [
        tf.clip_by_global_norm([normal(3), None, normal(2, 2)], 1.0)[0][0],
        tf.clip_by_global_norm([normal(3), normal(2, 2)], 1.0),
        tf.clip_by_global_norm([normal(3)], 1.0, use_norm=tf.constant(4.0), name="by_norm"),
        tf.clip_by_norm(normal(3, 2), 1.0),
        tf.clip_by_norm(normal(3, 2), 1.0, axes=[0]),
        tf.clip_by_norm(tf.zeros([3]), 1.0),
        tf.clip_by_average_norm(normal(3, 2), 0.1),
        tf.clip_by_value(normal(3), -0.1, 0.1),
        tf.clip_by_value(normal(2, 3), uniform(3) - 1.0, 1.0),
        tf.global_norm([normal(3), normal(2, 2)]),
    ],
    "summaries": lambda: [
        tf.summary.scalar("loss", 1.0),
        tf.summary.scalar("a b/c", 1.0),
        tf.summary.histogram("weights", normal(3, 4)),
        tf.summary.text("said", tf.constant(["x"])),
        tf.summary.merge([tf.summary.scalar("other", 2.0)]),
        tf.summary.merge_all(),
        tf.summary.scalar("loss", 2.0),
        tf.summary.scalar("family", 2.0, family="of_its_own"),
        tf.summary.image("pictures", uniform(4, 5, 5, 3), 2),
        tf.summary.image("bytes", tf.cast(uniform(4, 5, 5, 3) * 255, tf.uint8), max_outputs=1),
        tf.summary.audio("sound", uniform(1, 20, 1) * 0.5, 100),
        tf.summary.tensor_summary("tensor", normal(2)),
    ],
}
cases(__name__, TABLE)
