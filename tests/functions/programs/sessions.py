"""Sessions, hooks, coordinators: what is called when, and what it sees."""

import tempfile
import threading

import numpy as np
import tensorflow as tf
from cases import case


class Watching(tf.train.SessionRunHook):
    """Writes down when it is called, and with what."""

    def __init__(self, said, name="hook"):
        self.said = said
        self.name = name

    def begin(self):
        self.said.append(self.name + " begin")
        self.step = tf.train.get_global_step()

    def after_create_session(self, session, coord):
        self.said.append("{} created, step {}".format(self.name, session.run(self.step)))

    def before_run(self, run_context):
        asked = run_context.original_args
        self.said.append("{} before {}".format(self.name, isinstance(asked.fetches, dict)))
        return tf.train.SessionRunArgs({"step": self.step})

    def after_run(self, run_context, run_values):
        said = sorted(run_values.results)
        self.said.append("{} after {} {}".format(self.name, said, run_context.stop_requested))

    def end(self, session):
        self.said.append("{} end, step {}".format(self.name, session.run(self.step)))


class Listening(tf.train.CheckpointSaverListener):
    def __init__(self, said):
        self.said = said

    def begin(self):
        self.said.append("listener begin")

    def before_save(self, session, global_step_value):
        self.said.append("before save {}".format(global_step_value))

    def after_save(self, session, global_step_value):
        self.said.append("after save {}".format(global_step_value))

    def end(self, session, global_step_value):
        self.said.append("listener end {}".format(global_step_value))


def counting():
    """A step, and what each step adds to a variable."""
    step = tf.train.get_or_create_global_step()
    total = tf.get_variable("total", initializer=1.0)
    with tf.control_dependencies([tf.assign_add(total, 2.0)]):
        return tf.assign_add(step, 1), total


@case
def monitored_training():
    said, path = [], tempfile.mkdtemp()
    train, total = counting()
    hooks = [
        Watching(said),
        tf.train.StopAtStepHook(last_step=3),
        tf.train.NanTensorHook(total),
        tf.train.LoggingTensorHook({"total": total}, every_n_iter=2),
        tf.train.CheckpointSaverHook(path, save_steps=2, listeners=[Listening(said)]),
        tf.train.FinalOpsHook(total),
    ]
    ran = 0
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=path,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        hooks=hooks,
        log_step_count_steps=None,
    ) as session:
        while not session.should_stop():
            session.run(train)
            ran += 1
    files = sorted(name for name in tf.gfile.ListDirectory(path) if name.endswith(".index"))
    return [said, ran, files, float(hooks[-1].final_ops_values)]


@case
def monitored_training_goes_on():
    said, path = [], tempfile.mkdtemp()
    for last in (2, 5):
        with tf.Graph().as_default():
            train, total = counting()
            tf.summary.scalar("total", total)
            hooks = [tf.train.StopAtStepHook(last_step=last)]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=path,
                save_checkpoint_steps=2,
                save_summaries_steps=1,
                hooks=hooks,
                log_step_count_steps=2,
            ) as session:
                while not session.should_stop():
                    said.append(int(session.run(train)))
    seen = []
    for name in sorted(tf.gfile.Glob(path + "/events*")):
        for event in tf.train.summary_iterator(name):
            seen += [[int(event.step), value.tag] for value in event.summary.value]
    steps = [step for step, tag in seen if tag == "total"]
    names = sorted(name for name in tf.gfile.ListDirectory(path) if name.endswith(".index"))
    return [said, steps, names]


@case
def hooks_of_one_session():
    said = []
    train, total = counting()
    with tf.train.SingularMonitoredSession(hooks=[Watching(said, "one"), Watching(said, "two")]) as session:
        session.run(train, options=tf.RunOptions())
        value = session.run({"total": total, "nested": [train]})
        session.run_step_fn(lambda step_context: step_context.session.run(train))
        raw = session.raw_session().run(total)
    return [said, float(value["total"]) >= 3.0, float(raw)]


@case
def scaffolds():
    said, path = [], tempfile.mkdtemp()
    train, total = counting()
    feed = tf.placeholder_with_default(3.0, [])
    local = tf.get_local_variable("local", initializer=4.0)
    scaffold = tf.train.Scaffold(
        init_op=tf.group(tf.global_variables_initializer(), tf.identity(feed)),
        init_feed_dict={feed: 5.0},
        init_fn=lambda scaffold, session: said.append("init {}".format(session.run(total))),
        local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()),
    )
    creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=path)
    with tf.train.MonitoredSession(creator, hooks=[tf.train.StepCounterHook(2, output_dir=path)]) as session:
        for _ in range(3):
            said.append(int(session.run(train)))
        said.append(float(session.run(local)))
    return [said, scaffold.init_op.name, scaffold.ready_op.name, scaffold.saver.saver_def.save_tensor_name]


@case
def supervised():
    said, path = [], tempfile.mkdtemp()
    with tf.Graph().as_default():  # it is finalized
        train, total = counting()
        supervisor = tf.train.Supervisor(
            logdir=path,
            init_fn=lambda session: said.append("init"),
            global_step=tf.train.get_global_step(),
            summary_op=None,
            save_model_secs=0,
            checkpoint_basename="named",
        )
        with supervisor.managed_session() as session:
            for _ in range(3):
                if supervisor.should_stop():
                    break
                said.append(int(session.run(train)))
            supervisor.stop()
    names = sorted(name for name in tf.gfile.ListDirectory(path) if "events" not in name)
    return [said, names, supervisor.is_chief, supervisor.coord.should_stop()]


@case
def sessions():
    total = tf.get_variable("total", initializer=[1.0, 2.0])
    fed = tf.placeholder(tf.float32, [2], name="fed")
    said = []
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)) as session:
        try:
            session.run(total)
        except tf.errors.FailedPreconditionError as problem:
            said.append(type(problem).__name__)
        session.run(tf.variables_initializer([total]))
        total.load([5.0, 6.0], session)
        said += [total.eval().tolist(), session.run([total, {"a": (fed,)}], {fed: [1, 2]})[0].tolist()]
        try:
            session.run(fed)
        except tf.errors.InvalidArgumentError as problem:
            said.append("fed" in str(problem))
        for bad in (
            lambda: session.run("nothing:0"),
            lambda: session.run(fed, {fed: [1.0]}),
            lambda: session.run(None),
            lambda: session.run(fed, {"none:0": 1}),
            lambda: session.run(5),
        ):
            try:
                bad()
                said.append("no error")
            except Exception as problem:
                said.append(type(problem).__name__)
        call = session.make_callable([total, fed * 2], feed_list=[fed])
        said += [[value.tolist() for value in call([3.0, 4.0])]]
        said += [session.run([]), session.run(()), session.run({}), session.run([[total.op, total]])[0][0]]
        said += [tf.get_default_session() is session, session.graph is tf.get_default_graph()]
        said += [len(session.list_devices()) > 0]
    try:
        session.run(total)
    except RuntimeError as problem:
        said.append(str(problem))
    with tf.Session(graph=tf.Graph()) as other:
        try:
            other.run(total)
        except Exception as problem:
            said.append(type(problem).__name__)
    interactive = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    said.append(total.eval().tolist())
    interactive.close()
    return said


@case
def coordinators():
    said = []
    coordinator = tf.train.Coordinator()

    def work(name, steps):
        with coordinator.stop_on_exception():
            for number in range(steps):
                said.append(name)
                if number == 2:
                    raise ValueError("work " + name)

    threads = [threading.Thread(target=work, args=("a", 2)), threading.Thread(target=work, args=("b", 5))]
    for thread in threads:
        thread.start()
    try:
        coordinator.join(threads)
    except ValueError as problem:
        said.append(str(problem))
    again = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    again.request_stop(KeyError("clean"))
    again.join()
    said = [*sorted(said), coordinator.should_stop(), again.should_stop(), again.wait_for_stop(0.1)]
    return said


@case
def queue_runners():
    queue = tf.FIFOQueue(4, tf.float32, [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
    tf.train.add_queue_runner(runner, collection="mine")
    taken = queue.dequeue()
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, daemon=True, start=True)
        values = [float(session.run(taken)) for _ in range(10)]
        coordinator.request_stop()
        session.run(queue.close(cancel_pending_enqueues=True))
        coordinator.join(threads)
        names = [runner.name, runner.close_op.name, runner.cancel_op.name, runner.queue.name]
        failing = tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(1.0) / 0.0)])
        said = [type(problem).__name__ for problem in runner.exceptions_raised]
    return [values, names, said, len(failing.enqueue_ops), len(tf.get_collection("mine"))]


@case
def feeds():
    one = tf.placeholder(tf.float32, [None, 2])
    whole = tf.placeholder(tf.int32)
    text = tf.placeholder(tf.string, [None])
    truth = tf.placeholder_with_default(True, [])
    sparse = tf.sparse_placeholder(tf.float32)
    middle = one * 2.0
    with tf.Session() as session:
        values = [
            session.run(one, {one: [[1, 2]]}),
            session.run(one, {one: np.array([[1, 2]], np.float64)}),
            session.run(whole, {whole: 3}),
            session.run(text, {text: ["a", b"b"]}),
            session.run(truth, {truth: False}),
            session.run(middle + 1.0, {middle: [[5.0, 5.0]]}),
            session.run(sparse, {sparse: tf.SparseTensorValue([[0, 1]], [2.0], [2, 2])}).values,
            session.run(sparse.values, {sparse: ([[0, 1]], [2.0], [2, 2])}),
            session.run(tf.size(one), {one: np.zeros([0, 2])}),
            session.run("Placeholder:0", {"Placeholder:0": [[7.0, 8.0]]}),
        ]
        types = [type(value).__name__ for value in values]
        wrong = []
        for value in ([[1.0]], [["x"]], [[1.0, 2.0], [3.0]], tf.constant([[1.0, 2.0]]), None):
            try:
                session.run(one, {one: value})
                wrong.append("taken")
            except Exception as problem:
                wrong.append(type(problem).__name__)
    return [[np.asarray(value).tolist() for value in values], types, wrong]
