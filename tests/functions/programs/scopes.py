"""Variables, scopes, names: how a program sees its graph."""

import numpy as np
import tensorflow as tf
from cases import case, fed, normal


def suffixed(getter, name, *arguments, **options):
    return getter(name + "_suffixed", *arguments, **options)


@case
def variable_scopes():
    made = []
    with tf.variable_scope("a", initializer=tf.ones_initializer(), dtype=tf.float64) as scope:
        made.append(tf.get_variable("x", [2]))
        with tf.variable_scope("b"):
            made.append(tf.Variable(1.0, name="y"))
            made.append(tf.get_variable("z", initializer=2.0))
        with tf.variable_scope(scope, reuse=True):
            made.append(tf.get_variable("x", [2]))
        with tf.variable_scope(scope):
            made.append(tf.add(1, 2, name="sum"))
        with tf.variable_scope(scope, auxiliary_name_scope=False):
            made.append(tf.add(1, 2, name="sum"))
    with tf.variable_scope("a"):
        made.append(tf.add(1, 2, name="sum"))
        made.append(tf.Variable(1.0, name="v"))
        made.append(tf.Variable(1.0, name="v"))
    for _ in range(2):
        with tf.variable_scope(None, default_name="default"):
            made.append(tf.get_variable("w", [1], initializer=tf.zeros_initializer()))
    with tf.name_scope("names"):
        made.append(tf.get_variable("w", initializer=[1.0]))
        made.append(tf.Variable(2.0, name="v"))
    with tf.variable_op_scope([], "of_operations"):
        made.append(tf.get_variable("w", initializer=[1.0]))
    with tf.op_scope([], "operations"):
        made.append(tf.constant(1))
    with tf.variable_scope("getter", custom_getter=suffixed):
        made.append(tf.get_variable("w", initializer=[1.0]))
    with tf.variable_scope("constrained", constraint=lambda value: value * 0.5):
        made.append(tf.get_variable("w", initializer=[1.0]))
        made.append(tf.get_variable("w2", initializer=[1.0]).constraint is not None)
    with tf.variable_scope("values", values=[made[0]]):
        made.append(tf.constant(2))
    made.append(tf.get_local_variable("local", initializer=[1.0, 2.0]))
    made.append(tf.make_template("template", lambda: tf.get_variable("w", initializer=[1.0]))())
    return made


@case
def what_scopes_say():
    with tf.variable_scope("outer", reuse=tf.AUTO_REUSE) as scope:
        with tf.variable_scope("inner") as inner, tf.name_scope("names") as names:
            said = [
                scope.name,
                inner.name,
                inner.original_name_scope,
                names,
                tf.get_variable_scope().name,
                str(inner.reuse),
                inner.dtype.name,
                str(tf.get_variable_scope().use_resource),
                tf.get_default_graph().get_name_scope(),
                tf.get_default_graph().unique_name("new"),
            ]
            inner.set_initializer(tf.ones_initializer())
            inner.reuse_variables()
    with tf.variable_scope(scope) as again:
        said += [again.name, again.original_name_scope, tf.get_default_graph().get_name_scope()]
    with tf.name_scope(names):
        said.append(tf.constant(1).name)
    with tf.name_scope(None):
        said.append(tf.constant(1).name)
    with tf.name_scope("", "default", [said]) as empty, tf.name_scope(name=None, default_name="default"):
        said += [empty, tf.constant(1).name]
    return said


@case
def kinds_of_variables():
    resource = tf.get_variable("resource", initializer=[1.0, 2.0], use_resource=True)
    reference = tf.get_variable("reference", initializer=[1.0, 2.0])
    return [
        resource,
        reference,
        tf.Variable(np.ones([2]), dtype=tf.float32, name="numpy"),
        tf.Variable(lambda: tf.ones([2]), name="function"),
        tf.Variable(initial_value=3, collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES], name="mine"),
        tf.Variable(tf.zeros([2]), validate_shape=False, name="shapeless"),
        tf.Variable(5, expected_shape=[], name="expected"),
        tf.get_variable("of_a_tensor", initializer=tf.constant([1.0])),
        tf.get_variable("cached", initializer=[1.0], caching_device="/cpu:0"),
        tf.get_variable("summed", initializer=[1.0], aggregation=tf.VariableAggregation.SUM),
        tf.get_variable("on_read", initializer=[1.0], synchronization=tf.VariableSynchronization.ON_READ),
        tf.get_variable("in_collection", initializer=[1.0], collections=[tf.GraphKeys.LOCAL_VARIABLES]),
        tf.get_variable("regularized", initializer=[1.0], regularizer=tf.contrib.layers.l2_regularizer(0.1)),
        tf.contrib.framework.model_variable("model", [2], initializer=tf.ones_initializer()),
        tf.contrib.framework.local_variable(0, name="local"),
        tf.contrib.framework.get_or_create_global_step(),
        [variable.name for variable in tf.get_collection("mine")],
        [variable.op.name for variable in tf.contrib.framework.get_variables("re")],
        tf.contrib.framework.get_unique_variable("model").name,
        tf.contrib.framework.get_variables_to_restore(exclude=["re", "cached"]),
        [resource.trainable, reference.trainable],
        tf.is_variable_initialized(resource),
        tf.model_variables(),
        tf.report_uninitialized_variables(),
    ]


@case
def assigned():
    values = tf.Variable([1.0, 2.0, 3.0], name="values")
    count = tf.Variable(0, name="count", trainable=False)
    writes = [
        lambda: tf.assign(values, [4.0, 5.0, 6.0]),
        lambda: tf.assign_add(values, [1.0, 1.0, 1.0]),
        lambda: tf.scatter_update(values, [0], [9.0]),
        lambda: tf.scatter_add(values, [1, 1], [1.0, 1.0]),
        lambda: tf.scatter_sub(values, [2], [0.5]),
        lambda: tf.scatter_mul(values, [2], [0.5]),
        lambda: tf.scatter_div(values, [1], [2.0]),
        lambda: tf.scatter_max(values, [1], [2.5]),
        lambda: tf.scatter_min(values, [0], [2.5]),
        lambda: tf.assign_sub(values, [1.0, 1.0, 1.0]),
        lambda: tf.scatter_nd_update(values, [[2]], [7.0]),
        lambda: tf.scatter_nd_add(values, [[2]], [1.0]),
        lambda: tf.scatter_nd_sub(values, [[2]], [2.0]),
        lambda: values.assign([1.0, 1.5, 2.0], use_locking=True),
        lambda: values.assign_add([1.0, 1.0, 1.0]),
        lambda: values.assign_sub([0.5, 0.5, 0.5]),
        lambda: values.scatter_sub(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))),
        lambda: values.scatter_nd_add([[0]], [1.0]),
        lambda: values[1].assign(10.0),
        lambda: values[:2].assign([7.0, 8.0]),
        lambda: tf.count_up_to(count, 100),
        lambda: count.count_up_to(100),
    ]
    seen, last = [], []
    for write in writes:
        with tf.control_dependencies(last):
            last = [write()]
        with tf.control_dependencies(last):
            seen.append(values + 0.0)
            last = [seen[-1]]
    return [seen, tf.identity(tf.is_variable_initialized(values))]


@case
def variables_as_they_print():
    variable = tf.Variable([1.0, 2.0], name="named")
    return [
        variable.name,
        variable.op.name,
        variable.dtype.base_dtype.name,
        str(variable.get_shape()),
        str(variable.shape.as_list()),
        str(variable.device),
        variable.initializer.name,
        variable.initial_value.name,
        variable.graph is tf.get_default_graph(),
        variable == variable,
        variable in [variable],
        len({variable, variable}),
        isinstance(variable, tf.Variable),
        isinstance(variable, tf.Tensor),
        tf.contrib.framework.is_tensor(variable),
        variable.read_value(),
        variable.initialized_value(),
        variable.value(),
        tf.identity(variable),
        variable + 1,
        variable * variable,
        variable[0],
        2.0 / variable,
        variable**2,
        tf.equal(variable, variable),
        tf.not_equal(variable, 1.0),
        -variable,
        abs(variable),
        variable > 1.5,
    ]


@case
def tensors_as_they_print():
    known, unknown = normal(3, 4), fed(np.ones([2, 5], np.float32), [None, 5])
    shape, partly = known.get_shape(), unknown.get_shape()
    return [
        str(known),
        repr(unknown),
        known.name,
        known.op.name,
        known.op.type,
        str(known.op.node_def.op),
        known.value_index,
        [tensor.name for tensor in (known + 1).op.inputs],
        [operation.name for operation in known.consumers()],
        str(known.dtype),
        repr(known.dtype),
        [int(shape[0]), shape[1].value, shape.ndims, int(shape.num_elements()), len(shape)],
        [str(shape), str(partly), repr(partly), str(partly[0]), repr(partly[1])],
        [
            partly.is_fully_defined(),
            partly[0].value is None,
            shape == [3, 4],
            shape[0] == 3,
            partly[0] == None,
        ],
        [str(shape[0] * 2), str(shape[1] // 2), str(shape[0] + 1), str(shape[0] > 2), str(shape[0] % 2)],
        [str(partly.merge_with([2, 5])), str(partly.as_list()), str(shape[0:1]), str(tf.TensorShape(None))],
        [str(partly.with_rank(2)), [size.value for size in shape], str(list(shape)), str(shape.dims)],
        [str(tf.Dimension(3) == 3), str(tuple(shape.as_list()) + (1,)), str(shape[0].value * 3)],
        [str(shape.concatenate([5])), str(partly.is_compatible_with([7, 5])), str(partly[-1] * 2)],
        [hash(known) == hash(known), known in [known], known == known, known != unknown],
        unknown.set_shape([2, 5]),
        str(unknown.shape),
        known.eval is not None,
        known.device,
        known.graph is tf.get_default_graph(),
    ]


@case
def graphs():
    graph = tf.get_default_graph()
    with tf.name_scope("scope"):
        total = tf.multiply(normal(2), 1.5, name="total")
    tf.add_to_collection("kept", total)
    tf.add_to_collections(["kept", "others"], total)
    with graph.device("/cpu:0"), graph.colocate_with(total.op):
        placed = tf.identity(total)
    copied = tf.import_graph_def(graph.as_graph_def(), return_elements=["scope/total:0"], name="copied")
    return [
        [operation.name for operation in graph.get_operations()],
        graph.get_tensor_by_name("scope/total:0") is total,
        graph.get_operation_by_name("scope/total").type,
        graph.as_graph_element("scope/total:0") is total,
        [node.name for node in graph.as_graph_def().node],
        tf.get_collection("kept", scope="scope"),
        graph.get_collection_ref("others"),
        str(placed.op.colocation_groups()),
        copied,
        graph.version > 3,
        graph.finalized,
        graph.is_fetchable(total),
        graph.seed,
        len(tf.get_default_graph().get_all_collection_keys()),
        tf.get_default_session() is None,
    ]
