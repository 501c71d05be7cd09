"""One case, run in the graph that is the default one: what it computed, and what variables and updates it made."""

import zlib

import numpy as np


class Api:
    """The modules a case builds with: `tf` is `tensorflow.compat.v1`, the rest TF1's own or our replacements."""

    def __init__(self, tf, layers=None, slim=None, rnn=None, contrib=None):
        self.tf = tf
        self.layers = layers
        self.slim = slim
        self.rnn = rnn
        self.contrib = contrib


class Case:
    """`build(api, *inputs)` makes the model and returns its output tensor (or a list of them)."""

    def __init__(self, build, *shapes, **options):
        self.build = build
        self.shapes = shapes
        self.keep_initial = options.pop("keep_initial", False)  # use the initializers, not `fixed`
        self.gradients = options.pop("gradients", True)
        self.one_run = options.pop("one_run", False)  # updates within the forward pass: the others go with it
        self.names_only = options.pop(
            "names_only", False
        )  # a large network: its variables and outputs, not run
        if options:
            raise TypeError(f"unknown options: {sorted(options)}")


def fixed(name, shape):
    """Values that depend on nothing but the name and the shape; positive where a variance needs it."""
    generator = np.random.RandomState(zlib.crc32(name.encode()) % 2**31)
    values = generator.uniform(-1.0, 1.0, size=shape).astype(np.float32)
    return np.abs(values) + np.float32(0.5) if name.endswith("variance") else values


def build(case, api, inputs):
    """The tensors to fetch, by name: outputs, their gradients, regularization losses."""
    tf = api.tf
    outputs = case.build(api, *inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    fetches = {f"output{i}": output for i, output in enumerate(outputs)}
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    fetches.update({f"regularization{i}": loss for i, loss in enumerate(losses)})
    if case.gradients and not case.names_only:
        loss = tf.add_n(
            [
                tf.reduce_sum(
                    output * (output + fixed(f"weight{i}", [size or 1 for size in output.shape.as_list()]))
                )
                for i, output in enumerate(outputs)
            ]
        )
        variables = tf.trainable_variables()
        sources = list(inputs) + variables
        names = [f"input{i}" for i in range(len(inputs))] + [
            variable_name(variable) for variable in variables
        ]
        for i, gradient in enumerate(tf.gradients(loss, sources)):
            if gradient is not None:
                fetches["gradient " + names[i]] = tf.convert_to_tensor(gradient)
    return fetches


def outcome(case, api, session):
    """Everything that is written down of a case that is built in the default graph, which is the session's."""
    tf = api.tf
    inputs = [
        tf.placeholder_with_default(fixed(f"input{i}", shape), shape) for i, shape in enumerate(case.shapes)
    ]
    fetches = build(case, api, inputs)
    if case.names_only:
        return names_of(tf, facts(api, fetches))
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    if not case.keep_initial:
        for variable in tf.global_variables():
            variable.load(fixed(variable_name(variable), variable.shape.as_list()), session)
    result = facts(api, fetches)
    result["variables"] = [
        [variable_name(variable), variable.shape.as_list()] for variable in tf.global_variables()
    ]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("elsewhere")
    values, _ = session.run([fetches, updates if case.one_run else []])
    result["values"] = {name: digest(value) for name, value in sorted(values.items())}
    for update in [] if case.one_run else updates:  # one after the other: together they race
        session.run(update)
    trainable = set(result["trainable"])
    after = {
        variable_name(variable): variable
        for variable in tf.global_variables()
        if variable_name(variable) not in trainable
    }
    result["after"] = {name: digest(value) for name, value in sorted(session.run(after).items())}
    return result


def facts(api, fetches):
    """What can be said without running: names of variables, scopes of outputs and of update operations."""
    tf = api.tf
    return {
        "trainable": [variable_name(variable) for variable in tf.trainable_variables()],
        "model_variables": [
            variable_name(variable) for variable in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)
        ],
        "updates": [_plain(update.name) for update in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
        "operations": {
            name: _plain(tensor.op.name) for name, tensor in fetches.items() if name.startswith("output")
        },
        "shapes": {
            name: tensor.shape.as_list() for name, tensor in fetches.items() if name.startswith("output")
        },
    }


def _plain(operation):
    """An operation's name, without what the two releases call differently."""
    for ending, other in (
        ("/cond", None),
        ("/while", None),
        ("/AssignMovingAvg", None),
        ("/SelectV2", "/mul_1"),
        ("/AssignVariableOp", ""),
        ("/AssignNewValue/Assign", "/AssignNewValue"),
        ("/TensorArrayV2Stack/TensorListStack", "/TensorArrayStack/TensorArrayGatherV3"),
        ("/IdentityN", "/LSTMBlockCell"),
    ):
        operation = operation.split(ending)[0] if other is None else operation.replace(ending, other)
    return operation


def counted(names):
    """How many names there are, and a number for them all: a large network has thousands."""
    return [len(names), zlib.crc32(repr(names).encode())]


def names_of(tf, facts):
    """`facts` of a large network, counted, with its variables and their shapes."""
    variables = [[variable_name(variable), variable.shape.as_list()] for variable in tf.global_variables()]
    return {
        "variables": counted(variables),
        "trainable": counted(facts["trainable"]),
        "model_variables": counted(facts["model_variables"]),
        "shapes": facts["shapes"],
    }


def variable_name(variable):
    return variable.name.split(":")[0]


def digest(value):
    """An array in a few numbers: shape, norm and some of its elements."""
    flat = np.asarray(value, np.float64).ravel()
    picked = flat[np.linspace(0, flat.size - 1, min(flat.size, 4)).astype(int)] if flat.size else flat
    return {
        "shape": list(np.shape(value)),
        "norm": _rounded(np.sqrt((flat * flat).sum())),
        "some": [_rounded(value) for value in picked],
    }


def _rounded(number):
    return float(f"{number:.7g}")
