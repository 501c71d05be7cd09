"""Files: records, readers, datasets of them, checkpoints, events, exported graphs."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from cases import case

Dataset = tf.data.Dataset


def folder():
    return tempfile.mkdtemp()


def names_in(path):
    """Without what differs by time and machine."""
    found = []
    for place, _, names in tf.gfile.Walk(path):
        found += [os.path.relpath(os.path.join(place, name), path) for name in names]
    return sorted("events" if "tfevents" in name else name for name in found)


def written(path, text):
    with tf.gfile.GFile(path, "w") as file:
        file.write(text)
    return path


def records(path, options=None):
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for number in range(4):
            features = {
                "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * number])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())
    return path


@case
def file_system():
    path = folder()
    inner = os.path.join(path, "inner", "deep")
    tf.gfile.MakeDirs(inner)
    text = written(os.path.join(inner, "text"), "first\nsecond\n")
    with tf.gfile.FastGFile(text, "rb") as file:
        content = file.read()
    with tf.gfile.Open(text) as file:
        lines = file.readlines()
    with tf.gfile.GFile(text, "r") as file:
        head = [file.readline(), file.tell(), file.size(), list(file)]
    with tf.gfile.GFile(text, "a") as file:
        file.write("third")
    tf.gfile.Copy(text, text + ".copy", overwrite=True)
    tf.gfile.Rename(text + ".copy", text + ".other")
    found = [
        content,
        lines,
        head,
        sorted(tf.gfile.ListDirectory(inner)),
        [os.path.basename(name) for name in tf.gfile.Glob(os.path.join(inner, "*.other"))],
        tf.gfile.Exists(text),
        tf.gfile.IsDirectory(inner),
        tf.gfile.Stat(text).length,
        [name for _, _, names in tf.gfile.Walk(path) for name in sorted(names)],
    ]
    tf.gfile.Remove(text)
    tf.gfile.DeleteRecursively(inner)
    return [found, tf.gfile.Exists(inner)]


@case
def records_by_hand():
    path = folder()
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    plain = records(os.path.join(path, "plain"))
    packed = records(os.path.join(path, "packed"), options)
    numbers = []
    for record in tf.python_io.tf_record_iterator(plain):
        example = tf.train.Example()
        example.ParseFromString(record)
        numbers += example.features.feature["number"].int64_list.value
    return [
        [int(number) for number in numbers],
        len(list(tf.python_io.tf_record_iterator(packed, options))),
        tf.python_io.TFRecordOptions.get_compression_type_string(options),
    ]


def read(make, names, times):
    """Keys and values that a reader gives of files in a queue."""
    with tf.Graph().as_default():
        return read_in_this_graph(make(), names, times)


def read_in_this_graph(reader, names, times):
    queue = tf.train.string_input_producer(names, shuffle=False, num_epochs=1)
    key, value = reader.read(queue)
    keys, values = [], []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for _ in range(times):
            read_key, read_value = session.run([key, value])
            keys.append(os.path.basename(read_key.decode()))
            values.append(read_value)
        try:
            session.run(value)
            ended = False
        except tf.errors.OutOfRangeError:
            ended = True
        produced = session.run(reader.num_records_produced())
        coordinator.request_stop()
        coordinator.join(threads)
    return [keys, values, ended, int(produced)]


@case
def readers():
    path = folder()
    lines = [written(os.path.join(path, name), name + "\n1\n2\n") for name in ("a", "b")]
    found = [
        read(tf.TextLineReader, lines, 6),
        read(lambda: tf.TextLineReader(skip_header_lines=1), lines, 4),
        read(tf.WholeFileReader, lines, 2),
        read(lambda: tf.FixedLengthRecordReader(2), lines, 6),
        read(lambda: tf.FixedLengthRecordReader(record_bytes=2, header_bytes=2, footer_bytes=2), lines, 2),
        read(tf.IdentityReader, ["x", "y"], 2),
        read(tf.TFRecordReader, [records(os.path.join(path, "records"))], 4)[2:],
    ]
    return found


@case
def datasets_of_files():
    path = folder()
    lines = [written(os.path.join(path, name), name + ",1.5\n1,2.5\n") for name in ("7", "8")]
    plain = records(os.path.join(path, "plain"))
    packed = records(os.path.join(path, "packed"), tf.io.TFRecordOptions(tf.io.TFRecordCompressionType.ZLIB))
    pipelines = [
        tf.data.TextLineDataset(lines).skip(1).batch(3),
        tf.data.TextLineDataset(lines[0], buffer_size=10),
        Dataset.from_tensor_slices(lines)
        .flat_map(lambda name: tf.data.TextLineDataset(name).skip(1))
        .batch(2),
        tf.data.TFRecordDataset(plain).map(
            lambda record: tf.parse_single_example(record, {"number": tf.FixedLenFeature([], tf.int64)})
        ),
        tf.data.TFRecordDataset([packed], "ZLIB").map(tf.strings.length).batch(4),
        tf.data.FixedLengthRecordDataset(lines, 3).batch(2),
        tf.data.experimental.CsvDataset(lines, [tf.int32, 0.0]).batch(4),
        tf.data.experimental.CsvDataset(lines[:1], [tf.float32], select_cols=[1]),
        tf.data.experimental.make_csv_dataset(
            lines, 2, column_names=["a", "b"], header=False, shuffle=False, num_epochs=1
        ),
        tf.data.experimental.make_batched_features_dataset(
            plain, 2, {"number": tf.FixedLenFeature([], tf.int64)}, shuffle=False, num_epochs=1
        ),
        Dataset.list_files(lines, shuffle=False).map(lambda name: tf.substr(name, -1, 1)),
        Dataset.list_files(os.path.join(path, "[78]"), seed=3)
        .map(lambda name: tf.substr(name, -1, 1))
        .batch(2),
    ]
    return [pipeline.repeat().make_one_shot_iterator().get_next() for pipeline in pipelines]


@case
def files_in_the_graph():
    path = folder()
    written(os.path.join(path, "one.txt"), "content")
    target = os.path.join(path, "target")
    with tf.control_dependencies([tf.write_file(target, "said")]):
        said = tf.read_file(target)
    return [
        said,
        tf.shape(tf.matching_files(os.path.join(path, "one*"))),
        tf.read_file(filename=os.path.join(path, "one.txt"), name="read"),
    ]


def model():
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    with tf.variable_scope("inner"):
        bias = tf.get_variable("bias", initializer=[0.5, 0.5])
    step = tf.train.get_or_create_global_step()
    inputs = tf.placeholder(tf.float32, [None, 2], name="inputs")
    outputs = tf.identity(inputs * weights + bias, name="outputs")
    update = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(outputs**2), step, name="train")
    return inputs, outputs, update


ROWS = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@case
def checkpoints():
    path = folder()
    inputs, _, update = model()
    saver = tf.train.Saver(max_to_keep=2, name="named", save_relative_paths=True)
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number in range(4):
            session.run(update, {inputs: ROWS})
            saved = saver.save(
                session, os.path.join(path, "model.ckpt"), global_step=tf.train.get_global_step()
            )
            found.append(os.path.basename(saved))
        part = tf.train.Saver({"renamed": tf.trainable_variables()[0]})
        found.append(os.path.basename(part.save(session, os.path.join(path, "part"), write_meta_graph=False)))
        part_path = os.path.join(path, "part")
        trained = session.run("weights:0")
    with tf.gfile.GFile(os.path.join(path, "checkpoint")) as file:
        state_text = file.read()
    state = tf.train.get_checkpoint_state(path)
    latest = tf.train.latest_checkpoint(path)
    reader = tf.train.NewCheckpointReader(os.path.join(path, "model.ckpt-4"))
    shapes = reader.get_variable_to_shape_map()
    with tf.Session() as session:
        saver.restore(session, os.path.join(path, "model.ckpt-4"))
        restored = session.run("weights:0")
        part.restore(session, part_path)
        step = tf.train.global_step(session, tf.train.get_global_step())
        saver.recover_last_checkpoints([os.path.join(path, "model.ckpt-4")])
        recovered = [os.path.basename(name) for name in saver.last_checkpoints]
    return [
        found,
        names_in(path),
        state_text.replace(path, "PATH"),
        os.path.basename(state.model_checkpoint_path),
        len(state.all_model_checkpoint_paths),
        os.path.basename(latest),
        {name: str(shapes[name]) for name in shapes},
        reader.get_tensor("weights/Momentum").tolist() == session_free(trained).tolist(),
        [name for name, _ in tf.train.list_variables(os.path.join(path, "model.ckpt-4"))],
        np.abs(restored - trained).max() == 0.0,
        recovered,
        int(step),
        tf.train.checkpoint_exists(os.path.join(path, "model.ckpt-3")),
        tf.train.checkpoint_exists(os.path.join(path, "model.ckpt-1")),
        [round(float(number), 5) for number in reader.get_tensor("weights/Momentum")],
        [round(float(number), 5) for number in tf.train.load_variable(part_path, "renamed")],
        saver.saver_def.filename_tensor_name,
    ]


def session_free(value):
    return np.asarray(value)


@case
def values_of_other_checkpoints():
    path = folder()
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, _, update = model()
        session.run(tf.global_variables_initializer())
        session.run(update, {inputs: ROWS})
        tf.train.Saver().save(session, os.path.join(path, "model"))
    with tf.variable_scope("new"):
        first = tf.get_variable("weights", [2], initializer=tf.zeros_initializer())
    second = tf.get_variable("other", [2], initializer=tf.zeros_initializer())
    tf.train.init_from_checkpoint(path, {"weights": first, "inner/bias": second})
    with tf.variable_scope("inner"):
        third = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
    tf.train.init_from_checkpoint(os.path.join(path, "model"), {"inner/": "inner/"})
    assign = tf.contrib.framework.assign_from_checkpoint_fn(os.path.join(path, "model"), {"weights": second})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run([first, second, third])
        assign(session)
        after = session.run(second)
    return [
        [[round(float(number), 5) for number in row] for row in [*before, after]],
        tf.contrib.framework.load_variable(path, "weights").shape,
        sorted(tf.contrib.framework.list_variables(path))[0],
        tf.contrib.framework.load_checkpoint(path).has_tensor("inner/bias"),
    ]


def events_in(path):
    """Name of the file of events, and what, step and values of each."""
    (name,) = tf.gfile.Glob(os.path.join(path, "*"))
    said = []
    for event in tf.train.summary_iterator(name):
        values = [
            [value.tag, round(value.simple_value, 5), value.WhichOneof("value")]
            for value in event.summary.value
        ]
        said.append([event.WhichOneof("what"), int(event.step), values])
    return name, said


@case
def events():
    path = folder()
    tf.summary.scalar("loss", 2.0)
    tf.summary.histogram("weights", tf.constant([1.0, 2.0, 3.0]))
    merged = tf.summary.merge_all()
    with tf.Session() as session:
        writer = tf.summary.FileWriter(path, session.graph, filename_suffix=".mine")
        for step in range(3):
            writer.add_summary(session.run(merged), step)
        by_hand = tf.Summary(value=[tf.Summary.Value(tag="hand", simple_value=0.5)])
        by_hand.value.add(tag="other", simple_value=1.5)
        writer.add_summary(by_hand, 7)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 8)
        writer.add_run_metadata(tf.RunMetadata(), "run", 9)
        writer.flush()
        writer.close()
    name, said = events_in(path)
    return [
        [part for event in said for part in map(str, event)],
        name.endswith(".mine"),
        writer.get_logdir() == path,
    ]


@case
def events_of_operations():
    path = folder()
    step = tf.train.get_or_create_global_step()
    weights = tf.get_variable("weights", initializer=[1.0, 2.0, 3.0])
    loss = tf.reduce_sum(tf.square(weights - 1.0))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    writer = tf.contrib.summary.create_file_writer(path, max_queue=2)
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", loss, step=step)
        with tf.name_scope("inner"):
            tf.contrib.summary.histogram("weights", weights, family="all")
    with writer.as_default(), tf.contrib.summary.record_summaries_every_n_global_steps(2):
        tf.contrib.summary.scalar("seldom", loss)
        tf.contrib.summary.image("picture", tf.reshape(weights / 3.0, [1, 1, 3, 1]))
    with tf.contrib.summary.never_record_summaries():
        tf.contrib.summary.scalar("never", loss)
    summaries = tf.contrib.summary.all_summary_ops()
    with tf.Session() as session, writer.as_default():
        session.run(tf.global_variables_initializer())
        tf.contrib.summary.initialize(graph=session.graph, session=session)
        for _ in range(3):
            session.run(summaries)
            session.run(train)
        session.run(tf.contrib.summary.flush(writer))
    _, said = events_in(path)
    return [len(summaries), sorted(str(event) for event in said)]


@case
def frozen_graphs():
    path = folder()
    inputs, outputs, update = model()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update, {inputs: ROWS})
        expected = session.run(outputs, {inputs: ROWS})
        frozen = tf.graph_util.convert_variables_to_constants(
            session, session.graph_def, ["outputs"], variable_names_blacklist=["nothing"]
        )
        part = tf.graph_util.extract_sub_graph(session.graph.as_graph_def(), ["outputs"])
        tf.train.write_graph(frozen, path, "frozen.pb", as_text=False)
        tf.train.write_graph(session.graph, path, "graph.pbtxt")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        definition = tf.GraphDef()
        with tf.gfile.GFile(os.path.join(path, "frozen.pb"), "rb") as file:
            definition.ParseFromString(file.read())
        smaller = tf.graph_util.remove_training_nodes(definition, protected_nodes=["outputs"])
        tf.import_graph_def(smaller, name="")
        other = tf.import_graph_def(definition, {"inputs": tf.constant(ROWS)}, ["outputs:0"], name="again")[0]
        found = session.run([graph.get_tensor_by_name("outputs:0"), other], {"inputs:0": ROWS})
    return [
        [np.abs(value - expected).max() < 1e-6 for value in found],
        [node.name for node in frozen.node if node.op == "Placeholder"],
        len([node for node in frozen.node if node.op == "Const"]),
        "outputs" in [node.name for node in part.node],
        names_in(path),
    ]


@case
def meta_graphs():
    path = folder()
    inputs, outputs, update = model()
    tf.add_to_collection("kept", outputs)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update, {inputs: ROWS})
        expected = session.run(outputs, {inputs: ROWS})
        saver.save(session, os.path.join(path, "model"))
        tf.train.export_meta_graph(os.path.join(path, "alone.meta"), clear_devices=True)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        again = tf.train.import_meta_graph(os.path.join(path, "model.meta"))
        again.restore(session, tf.train.latest_checkpoint(path))
        found = session.run(tf.get_collection("kept")[0], {"inputs:0": ROWS})
        names = [variable.name for variable in tf.global_variables()]
        session.run(graph.get_operation_by_name("train"), {"inputs:0": ROWS})
        step = session.run(tf.train.get_global_step())
    with tf.Graph().as_default():
        tf.train.import_meta_graph(os.path.join(path, "alone.meta"), import_scope="scope")
        scoped = [variable.name for variable in tf.trainable_variables()]
    return [np.abs(found - expected).max() == 0.0, names, int(step), scoped, names_in(path)]


@case
def saved_models():
    path = folder()
    inputs, outputs, _ = model()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        expected = session.run(outputs, {inputs: ROWS})
        tf.saved_model.simple_save(session, os.path.join(path, "simple"), {"rows": inputs}, {"sums": outputs})
        builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(path, "built"))
        signature = tf.saved_model.signature_def_utils.predict_signature_def({"a": inputs}, {"b": outputs})
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.tag_constants.SERVING],
            {tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            main_op=tf.tables_initializer(),
            strip_default_attrs=True,
        )
        builder.save()
    found = [names_in(path)]
    for name in ("simple", "built"):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            loaded = tf.saved_model.loader.load(session, ["serve"], os.path.join(path, name))
            (key,) = loaded.signature_def
            signature = loaded.signature_def[key]
            found += [key, signature.method_name]
            taken, given = next(iter(signature.inputs.values())), next(iter(signature.outputs.values()))
            found += [taken.name, given.name, sorted(signature.inputs), sorted(signature.outputs)]
            value = session.run(given.name, {taken.name: ROWS})
            found.append(np.abs(value - expected).max() < 1e-6)
        found.append(tf.saved_model.loader.maybe_saved_model_directory(os.path.join(path, name)))
    return found


def restored(shape, path, **options):
    """What becomes of a variable of another shape than the checkpoint's: its value, or the error."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("weights", shape, use_resource=False)
        saver = tf.train.Saver(**options)
        try:
            saver.restore(session, path)
        except tf.errors.InvalidArgumentError as error:
            return "mismatch" in str(error)
        return session.run(weights).tolist()


@case
def checkpoints_of_other_shapes():
    path = os.path.join(folder(), "model.ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("weights", initializer=np.arange(6.0, dtype=np.float32).reshape(2, 3))
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    return [
        restored([2, 3], path),
        restored([3, 2], path),
        restored([6], path),
        restored([3, 2], path, reshape=True),
    ]


@case
def a_pipeline_imported_where_it_was_built():
    path = os.path.join(folder(), "model.ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.data.Dataset.range(8).map(lambda number: number * 2).filter(lambda number: number < 11)
        iterator = numbers.batch(2).make_initializable_iterator()
        tf.identity(iterator.get_next(), name="batch")
        tf.add_to_collection("begin", iterator.initializer)
        weights = tf.get_variable("weights", initializer=3.0)
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        found = [session.run("batch:0").tolist()]
        tf.train.Saver([weights]).save(session, path)
    for clear in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            saver = tf.train.import_meta_graph(path + ".meta", clear_devices=clear)
            saver.restore(session, path)
            session.run(tf.get_collection("begin")[0])
            found += [session.run("batch:0").tolist(), float(session.run("weights:0"))]
    return found
