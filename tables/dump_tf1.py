"""Writes tf1_symbols.tsv: all public symbols of a real TensorFlow 1.15, and which of them name the same object.

Run it with a Python that has TensorFlow 1.15.5 (Python 3.7: `pip install "tensorflow==1.15.5"
"protobuf<3.21" "numpy<1.19"`), from the root of the repository:

    PYTHON37 tables/dump_tf1.py > tables/tf1_symbols.tsv

Columns: the name rooted at `tf`; its kind (module, class, function, value); the preferred name of
the same object, empty if it is this name. A core name is preferred to a name under tf.contrib, and
that to a private name under tf.python; then fewer dots, then the shorter name. Plain values
(numbers, strings) are never the same as others.

The script is written for Python 3.7 and does not import tf2towers.
"""

import importlib
import inspect
import logging
import os
import sys
import types
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.filterwarnings("ignore")

#: Names that make_symbols.py handles by prefix, without a line for each, or that training scripts
#: do not use.
SKIPPED = (
    "tf.raw_ops",
    "tf.compat.v1",
    "tf.compat.v2",
    "tf.keras",
    "tf.estimator",
    "tf.lite",
    "tf.flags",
    "tf.user_ops",
)

#: The parts of tf.contrib whose names get a line if they name the same object as a core name. TF 2
#: has removed all of tf.contrib.
CONTRIB = """
crf cudnn_rnn data deprecated distribute eager framework image layers legacy_seq2seq lookup losses
metrics nn opt rnn seq2seq signal slim staging stateless summary training util
"""

#: The names that `from __future__ import ...` binds in modules that do not hide them.
FUTURE = ("absolute_import", "division", "print_function")

#: Private modules that public training scripts import from. The full name is `tensorflow.python.` +
#: the name here.
PRIVATE = """
client.device_lib client.session client.timeline data.ops.dataset_ops data.ops.iterator_ops
framework.constant_op framework.device framework.dtypes framework.errors framework.errors_impl
framework.function framework.graph_util framework.importer framework.meta_graph framework.ops
framework.random_seed framework.sparse_tensor framework.tensor_shape framework.tensor_spec
framework.tensor_util framework.common_shapes framework.versions framework.load_library
framework.graph_io framework.graph_util_impl framework.device_spec layers.base layers.convolutional
layers.core layers.layers layers.normalization layers.pooling layers.utils lib.io.file_io
lib.io.tf_record ops.array_ops ops.bitwise_ops ops.check_ops ops.clip_ops ops.control_flow_ops
ops.confusion_matrix ops.ctc_ops ops.data_flow_ops ops.embedding_ops ops.functional_ops ops.gradients
ops.image_ops ops.init_ops ops.io_ops ops.linalg_ops ops.logging_ops ops.lookup_ops ops.losses.losses
ops.math_ops ops.metrics ops.nn ops.nn_impl ops.nn_ops ops.numerics ops.parsing_ops
ops.partitioned_variables ops.random_ops ops.resource_variable_ops ops.rnn ops.rnn_cell
ops.rnn_cell_impl ops.script_ops ops.session_ops ops.sparse_ops ops.special_math_ops ops.state_ops
ops.string_ops ops.summary_ops_v2 ops.template ops.tensor_array_ops ops.variable_scope ops.variables
ops.while_v2 ops.gradients_impl ops.map_fn ops.gradient_checker ops.custom_gradient ops.linalg.linalg
ops.histogram_ops ops.manip_ops ops.sets_impl ops.sort_ops ops.distributions.distributions
ops.distributions.normal ops.distributions.categorical ops.cond_v2 ops.inplace_ops
ops.candidate_sampling_ops ops.weights_broadcast_ops platform.app platform.flags platform.gfile
platform.tf_logging platform.resource_loader platform.test platform.googletest saved_model.builder
saved_model.loader saved_model.main_op saved_model.signature_constants saved_model.signature_def_utils
saved_model.tag_constants saved_model.utils summary.summary summary.summary_iterator
summary.writer.writer summary.writer.writer_cache summary.writer.event_file_writer tools.freeze_graph
tools.inspect_checkpoint tools.optimize_for_inference_lib tools.saved_model_utils tools.strip_unused_lib
training.adagrad training.adam training.basic_session_run_hooks training.checkpoint_management
training.checkpoint_utils training.coordinator training.device_setter training.ftrl
training.gradient_descent training.input training.learning_rate_decay training.momentum
training.monitored_session training.moving_averages training.optimizer training.queue_runner
training.queue_runner_impl training.rmsprop training.saver training.server_lib training.session_manager
training.session_run_hook training.slot_creator training.summary_io training.supervisor
training.sync_replicas_optimizer training.training training.training_ops training.training_util
training.proximal_adagrad training.adagrad_da training.adadelta training.proximal_gradient_descent
training.warm_starting_util util.compat util.deprecation util.nest util.tf_inspect
"""


def kind(value):
    """The kind of a value, for the second column."""
    if isinstance(value, types.ModuleType):
        return "module"
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "value"


def public_module(name, value):
    """True if a module found under a public name belongs to the API, and was not just imported there."""
    real = value.__name__
    if name.startswith("tf.contrib."):
        parts = name.split(".")
        return "contrib" in real and parts[2] in CONTRIB.split() and len(parts) <= 3
    return "_api.v1" in real or name in ("tf.app.flags", "tf.contrib")


def walk(name, module, found, seen):
    """Records every public symbol under a module in `found`, once per path."""
    for attribute in sorted(dir(module)):
        path = name + "." + attribute
        if attribute.startswith("_") or path in SKIPPED or attribute in FUTURE:
            continue
        try:
            value = getattr(module, attribute)
        except Exception as problem:  # a lazy module that does not load here
            print("left out {}: {}".format(path, problem), file=sys.stderr)
            continue
        if isinstance(value, types.ModuleType):
            if not public_module(path, value) or id(value) in seen:
                if id(value) in seen and public_module(path, value):
                    found[path] = value
                continue
            found[path] = value
            walk(path, value, found, seen | {id(value)})
        else:
            found[path] = value


def identity(value):
    """A key that two names share only if they name the same object."""
    if isinstance(value, (bool, int, float, str, bytes, tuple, type(None))):
        return None
    return id(getattr(value, "_tfmw_wrapped_module", value))


def defined_in(path, value):
    """True if a private module defines this function or class, rather than importing it."""
    real = getattr(value, "__module__", None)
    return isinstance(value, types.ModuleType) or real == "tensorflow" + path.rpartition(".")[0][len("tf") :]


def preference(path):
    """The sort key for the names of one object, the preferred name first."""
    rank = 2 if path.startswith("tf.python.") else 1 if path.startswith("tf.contrib.") else 0
    crowd = path.startswith(("tf.contrib.slim", "tf.contrib.eager", "tf.contrib.learn"))
    return rank, crowd, path.count("."), len(path), path


def main():
    """Writes the table to the standard output."""
    import tensorflow as tf

    logging.getLogger("tensorflow").setLevel(logging.FATAL)
    found = {}
    walk("tf", tf, found, set())
    for short in PRIVATE.split():
        try:
            module = importlib.import_module("tensorflow.python." + short)
        except ImportError as problem:
            print("left out {}: {}".format(short, problem), file=sys.stderr)
            continue
        found["tf.python." + short] = module
        for attribute in dir(module):
            value = getattr(module, attribute)
            if (
                not attribute.startswith("_")
                and attribute not in FUTURE
                and not isinstance(value, types.ModuleType)
            ):
                found["tf.python." + short + "." + attribute] = value
    names = {}
    for path in sorted(found, key=preference):
        names.setdefault(identity(found[path]), path)
    print("name\tkind\tsame_as")
    for path in sorted(found):
        key = identity(found[path])
        same = names[key] if key is not None and names[key] != path else ""
        if path.startswith("tf.contrib.") and not same:
            continue
        if path.startswith("tf.python.") and same.startswith(("tf.python.", "tf.contrib.")):
            same = ""
        if path.startswith("tf.python.") and not same and not defined_in(path, found[path]):
            continue
        print("{}\t{}\t{}".format(path, kind(found[path]), same))


if __name__ == "__main__":
    main()
