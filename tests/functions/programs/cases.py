"""What the programs beside it share: cases, their inputs, and what is written down of a case.

A case is a function that builds operations in a graph of its own, and returns what is looked at:
tensors, variables, operations and plain values, in lists, tuples and dicts as they come. Written
down are names, shapes and types, the values of two runs, the gradients by the inputs and the
variables, and the collections and variables there are.
"""

import pickle
import sys
import zlib
from functools import partial

import numpy as np
import tensorflow as tf

CASES = {}
#: what the case that is being built has made: its gradients are by these inputs
_inputs = []
_feeds = {}


def case(build):
    """The function is a case, by its name and its module's."""
    CASES[build.__module__ + "." + build.__name__] = build
    return build


def cases(subject, builds):
    """Many short cases: name -> function; see `on_inputs`."""
    for name, build in builds.items():
        CASES[subject + "." + name] = partial(on_inputs, build)


def on_inputs(build):
    """What a function builds on its inputs; the default of each parameter says how: `values=(normal, 3, 4)`."""
    return build(*[make(*given) for make, *given in getattr(build, "__defaults__", None) or ()])


def numbers(*shape):
    """A generator of the numbers of one input: those of the next one of its shape are others."""
    seed = "{} {}".format(len(_inputs), shape)
    return np.random.RandomState(zlib.crc32(seed.encode()) % 2**31)


def given(array):
    """An input with these values; TensorFlow does not compute with them before it runs."""
    made = tf.placeholder_with_default(array, np.shape(array))
    _inputs.append(made)
    return made


def normal(*shape):
    return given(numbers(*shape).normal(size=shape).astype(np.float32))


def uniform(*shape):
    """Numbers from 0 to 1."""
    return given(numbers(*shape).uniform(size=shape).astype(np.float32))


def integers(limit, *shape):
    """From 0 to below the limit."""
    return given(numbers(*shape).randint(0, limit, shape).astype(np.int32))


def fed(value, shape=None):
    """A placeholder of which the graph knows this shape."""
    value = np.asarray(value)
    made = tf.placeholder(value.dtype, shape)
    _feeds[made] = value
    return made


def flat(result):
    """What a case returned, one after the other."""
    if isinstance(result, dict):
        return [part for key in sorted(result, key=str) for part in flat(result[key])]
    if isinstance(result, (list, tuple)) and not hasattr(result, "dense_shape"):
        return [part for element in result for part in flat(element)]
    return [result]


def run_all(path, subjects):
    """Every case of the subjects, and what became of it, into one file."""
    outcomes = {}
    for name, build in CASES.items():
        if not subjects or name.split(".")[0] in subjects:
            print(name, file=sys.stderr)
            try:
                outcomes[name] = outcome(build)
            except Exception as problem:
                outcomes[name] = {"error": type(problem).__name__, "message": str(problem)[:300]}
    with open(path, "wb") as file:
        pickle.dump(outcomes, file, protocol=4)


def outcome(build):
    """One case: what it built, and what comes of running it twice."""
    del _inputs[:]
    _feeds.clear()
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        parts = flat(build())
        found = {
            "tensors": [described(part) for part in parts],
            "variables": [described(variable) for variable in tf.global_variables()],
            "trainable": [variable.name for variable in tf.trainable_variables()],
            "local": [described(variable) for variable in tf.local_variables()],
            "collections": collections(graph),
        }
        tensors = [part for part in parts if is_value(part)]
        operations = [part for part in parts if isinstance(part, tf.Operation)]
        slopes, found["differentiable"] = gradients(tensors)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(tf.tables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            found["runs"] = []
            for _ in range(2):
                found["runs"].append([plain(value) for value in session.run(tensors, _feeds)])
                for operation in operations:
                    session.run(operation, _feeds)
            found["gradients"] = [plain(value) for value in session.run(slopes, _feeds)]
            variables = tf.global_variables() + tf.local_variables()
            found["after"] = [plain(value) for value in session.run(variables)]
            coordinator.request_stop()
            session.run([runner.cancel_op for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
            coordinator.join(threads, stop_grace_period_secs=2)
    return found


def is_value(part):
    return isinstance(part, (tf.Tensor, tf.Variable, tf.SparseTensor, tf.IndexedSlices))


def described(part):
    """Name, shape and type of what is in a graph; anything else as it prints."""
    if isinstance(part, tf.Operation):
        return [part.name, "operation", ""]
    if isinstance(part, (tf.SparseTensor, tf.IndexedSlices)):
        return [part.values.name, type(part).__name__, part.values.dtype.name]
    if is_value(part):
        return [part.name, str(part.get_shape()), part.dtype.base_dtype.name]
    return ["plain", "", part if isinstance(part, str) else repr(part)]


def collections(graph):
    """Key -> names of what is in it; not what TensorFlow keeps of its control flow."""
    found = {}
    for key in graph.get_all_collection_keys():
        members = graph.get_collection(key)
        if isinstance(key, str) and not key.startswith("_") and "_context" not in key and members:
            found[key] = [getattr(member, "name", type(member).__name__) for member in members]
    return found


def gradients(tensors):
    """Of each tensor by each input and variable: the gradients, and of which tensor and which source each is.

    Each element has a weight of its own, or the gradients of sums such as softmax's were all zero.
    """
    sources = [source for source in _inputs if source.dtype.is_floating]
    sources += [variable for variable in tf.trainable_variables() if variable.dtype.is_floating]
    made, places = [], []
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, tf.Tensor) or not tensor.dtype.is_floating or not sources:
            continue
        weights = tf.cos(tf.cast(tf.range(tf.size(tensor)), tf.float32) + 1.0)
        total = tf.reduce_sum(tf.reshape(tf.cast(tensor, tf.float32), [-1]) * weights)
        try:
            slopes = tf.gradients(total, sources)
        except (LookupError, TypeError, ValueError, NotImplementedError) as problem:
            places.append([place, type(problem).__name__])
            continue
        for number, slope in enumerate(slopes):
            if slope is not None:
                made.append(tf.convert_to_tensor(slope))
                places.append([place, number])
    return made, places


def plain(value):
    """A fetched value without TensorFlow's classes: arrays, or a list of those of a sparse one."""
    if hasattr(value, "dense_shape"):
        return [np.asarray(part) for part in value if part is not None]
    return np.asarray(value)
