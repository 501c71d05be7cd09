"""Estimators: training, evaluation, predictions, canned models, towers, export and warm start."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from cases import case
from tensorflow.contrib.learn.python.learn import learn_runner
from tensorflow.contrib.learn.python.learn.utils import saved_model_export_utils
from tensorflow.python.estimator.canned import head as heads
from tensorflow.python.estimator.canned import optimizers

SOFT = tf.ConfigProto(allow_soft_placement=True)
DRAWN = np.random.RandomState(0)
ROWS = DRAWN.rand(64, 3).astype(np.float32)
PLACES = (np.arange(64) % 5).astype(np.int64)
TARGETS = (ROWS.dot(np.array([[1.0], [2.0], [-1.0]], np.float32)) + 0.1).astype(np.float32)
WORDS = np.array(["a", "b", "c", "d"])[DRAWN.randint(0, 4, 64)]
LABELS = DRAWN.randint(0, 2, 64)


def in_order(batch=8):
    features = {"x": ROWS, "place": PLACES}
    return tf.data.Dataset.from_tensor_slices((features, TARGETS)).repeat(4).batch(batch)


def of_even_batches():
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS, "place": PLACES}, TARGETS)).apply(
        tf.contrib.data.batch_and_drop_remainder(8)
    )


def predicted(features):
    hidden = tf.layers.dense(
        features["x"], 4, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.3), name="hidden"
    )
    table = tf.get_variable("table", [5, 4], initializer=tf.constant_initializer(0.1))
    hidden += tf.nn.embedding_lookup(table, features["place"])
    return tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(0.2), name="last")


def make_spec(features, labels, mode, make_optimizer):
    result = predicted(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"result": tf.estimator.export.PredictOutput({"result": result})}
        return tf.estimator.EstimatorSpec(mode, predictions={"result": result}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, result)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"error": tf.metrics.mean_absolute_error(labels, result)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    train = make_optimizer().minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def model_fn(features, labels, mode, params):
    return make_spec(features, labels, mode, lambda: tf.train.MomentumOptimizer(params["rate"], 0.9))


def tower_fn(features, labels, mode):
    plain = tf.train.MomentumOptimizer(0.02, 0.9)
    return make_spec(features, labels, mode, lambda: tf.contrib.estimator.TowerOptimizer(plain))


class Losses(tf.train.SessionRunHook):
    """Keeps the loss of each step; sets the variables before the first, where it is told to."""

    def __init__(self, is_setting=False):
        self.losses, self.is_setting = [], is_setting

    def after_create_session(self, session, coord):
        for variable in tf.trainable_variables() if self.is_setting else ():
            shape = variable.get_shape().as_list()
            variable.load(np.linspace(-0.5, 0.5, int(np.prod(shape))).reshape(shape), session)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)


def config(**options):
    return tf.estimator.RunConfig(tf_random_seed=1, session_config=SOFT, **options)


def learned(estimator, hook):
    """The variables by their names, and the losses."""
    names = sorted(estimator.get_variable_names())
    return [
        names,
        [tf.constant(estimator.get_variable_value(name)) for name in names],
        tf.constant(hook.losses),
    ]


def evaluated(estimator, input_fn):
    found = estimator.evaluate(input_fn, steps=4)
    return [sorted(found), [tf.constant(found[name]) for name in sorted(found)]]


@case
def a_model_fn():
    hook = Losses()
    estimator = tf.estimator.Estimator(
        model_fn, tempfile.mkdtemp(), config(save_checkpoints_steps=5), params={"rate": 0.05}
    )
    training = tf.estimator.TrainSpec(in_order, max_steps=10, hooks=[hook])
    tf.estimator.train_and_evaluate(estimator, training, tf.estimator.EvalSpec(in_order, steps=2))
    arrays = tf.estimator.inputs.numpy_input_fn({"x": ROWS[:5], "place": PLACES[:5]}, shuffle=False)
    results = [row["result"] for row in estimator.predict(arrays)]
    return learned(estimator, hook) + evaluated(estimator, in_order) + [tf.constant(np.stack(results))]


def canned(make):
    hook = Losses(is_setting=True)
    city = tf.feature_column.categorical_column_with_hash_bucket("city", 10)
    age = tf.feature_column.numeric_column("age")
    job = tf.feature_column.categorical_column_with_vocabulary_list("job", ["a", "b", "c", "d"])
    wide = [city, job, tf.feature_column.bucketized_column(age, [0.3, 0.6])]
    wide.append(tf.feature_column.crossed_column(["city", "job"], 20))
    deep = [age, tf.feature_column.indicator_column(job), tf.feature_column.embedding_column(city, 4)]
    estimator = make(wide, deep, tempfile.mkdtemp(), config())
    features = {"age": ROWS[:, 0], "job": WORDS, "city": WORDS[::-1]}
    options = {"batch_size": 16, "shuffle": False}
    training = tf.estimator.inputs.numpy_input_fn(features, LABELS, num_epochs=None, **options)
    estimator.train(training, steps=10, hooks=[hook])
    return learned(estimator, hook) + evaluated(
        estimator, tf.estimator.inputs.numpy_input_fn(features, LABELS, **options)
    )


@case
def a_linear_classifier():
    return canned(lambda wide, deep, *given: tf.estimator.LinearClassifier(wide, given[0], config=given[1]))


@case
def a_deep_regressor():
    optimizer = tf.train.AdamOptimizer(0.01)
    return canned(
        lambda wide, deep, *given: tf.estimator.DNNRegressor(
            [8, 4], deep, given[0], optimizer=optimizer, config=given[1]
        )
    )


@case
def a_wide_and_deep_classifier():
    return canned(
        lambda wide, deep, *given: tf.estimator.DNNLinearCombinedClassifier(
            given[0], wide, dnn_feature_columns=deep, dnn_hidden_units=[8, 4], config=given[1]
        )
    )


@case
def a_baseline():
    return canned(lambda wide, deep, *given: tf.estimator.BaselineClassifier(given[0], config=given[1]))


def of_batches_of_any_size():
    return tf.data.Dataset.from_tensor_slices(({"x": ROWS, "place": PLACES}, TARGETS)).batch(8)


def of_towers(count, reduction, input_fn=of_even_batches):
    hook = Losses()
    devices = ["/device:GPU:%d" % tower for tower in range(count)]
    replicated = tf.contrib.estimator.replicate_model_fn(tower_fn, reduction, devices)
    estimator = tf.estimator.Estimator(replicated, tempfile.mkdtemp(), config())
    estimator.train(input_fn, steps=8, hooks=[hook])
    results = [row["result"] for row in estimator.predict(input_fn)]
    return learned(estimator, hook) + evaluated(estimator, input_fn) + [tf.constant(np.stack(results))]


@case
def one_tower():
    return of_towers(1, tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS)


@case
def towers_whose_losses_are_averaged():
    return of_towers(2, tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS)


@case
def towers_whose_losses_are_added():
    return of_towers(2, tf.losses.Reduction.SUM, of_batches_of_any_size)


def normalized_fn(features, labels, mode):
    hidden = tf.layers.batch_normalization(features["x"], training=True, name="norm")
    result = tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(0.2))
    loss = tf.losses.mean_squared_error(labels, result)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


# Two of five runs of TF 1.15 lost a replica's last update of the moving averages: it ended before it.
@case
def a_mirrored_strategy():
    hook = Losses()
    strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    estimator = tf.estimator.Estimator(normalized_fn, tempfile.mkdtemp(), config(train_distribute=strategy))
    estimator.train(lambda: in_order(6), hooks=[hook])
    return learned(estimator, hook)


@case
def mirrored_evaluations():
    strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    estimator = tf.estimator.Estimator(
        model_fn, tempfile.mkdtemp(), config(eval_distribute=strategy), params={"rate": 0.05}
    )
    estimator.train(in_order, steps=3)
    return evaluated(estimator, in_order)


@case
def an_experiment():
    folder, hook, evaluated_at = tempfile.mkdtemp(), Losses(), []

    class Steps(tf.train.SessionRunHook):
        def end(self, session):
            evaluated_at.append(int(session.run(tf.train.get_global_step())))

    def make(config, params):
        estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": params.rate})
        return tf.contrib.learn.Experiment(
            estimator,
            in_order,
            in_order,
            train_steps=6,
            eval_steps=2,
            train_monitors=[hook],
            eval_hooks=[Steps()],
            min_eval_frequency=2,
            check_interval_secs=None,
        )

    run_config = tf.contrib.learn.RunConfig(model_dir=folder, save_checkpoints_steps=3)
    hparams = tf.contrib.training.HParams(rate=0.05)
    found, _ = learn_runner.run(make, run_config=run_config, hparams=hparams)
    values = [tf.constant(found[name]) for name in sorted(found)]
    return [sorted(found), values, tf.constant(hook.losses), evaluated_at]


@case
def a_strategy_of_one_device():
    hook = Losses()
    strategy = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
    estimator = tf.estimator.Estimator(normalized_fn, tempfile.mkdtemp(), config(train_distribute=strategy))
    estimator.train(in_order, steps=5, hooks=[hook])
    return learned(estimator, hook)


def serving_fn():
    given = {"x": tf.placeholder(tf.float32, [None, 3]), "place": tf.placeholder(tf.int64, [None])}
    return tf.estimator.export.ServingInputReceiver(given, given)


@case
def an_export_and_a_warm_start():
    estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), config(), params={"rate": 0.05})
    estimator.train(in_order, steps=3)

    exported = estimator.export_savedmodel(tempfile.mkdtemp(), serving_fn)
    with tf.Session(graph=tf.Graph()) as session:
        loaded = tf.saved_model.loader.load(session, [tf.saved_model.tag_constants.SERVING], exported)
        signature = loaded.signature_def["result"]
        feeds = {signature.inputs["x"].name: ROWS[:4], signature.inputs["place"].name: PLACES[:4]}
        served = session.run(signature.outputs["result"].name, feeds)
    hook = Losses()
    other = tf.estimator.Estimator(
        model_fn,
        tempfile.mkdtemp(),
        config(),
        params={"rate": 0.01},
        warm_start_from=tf.estimator.WarmStartSettings(estimator.model_dir, "hidden.*"),
    )
    other.train(in_order, steps=2, hooks=[hook])
    return [tf.constant(served)] + learned(other, hook)


@case
def predictors():
    estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), config(), params={"rate": 0.05})
    estimator.train(in_order, steps=3)

    of_estimator = tf.contrib.predictor.from_estimator(estimator, serving_fn)
    folder = estimator.export_savedmodel(tempfile.mkdtemp(), serving_fn)
    of_file = tf.contrib.predictor.from_saved_model(folder)
    named = tf.contrib.predictor.from_saved_model(folder, signature_def_key="result")
    names = {"x": named.feed_tensors["x"].name, "place": named.feed_tensors["place"].name}
    by_names = tf.contrib.predictor.from_saved_model(
        folder, input_names=names, output_names={"out": named.fetch_tensors["result"].name}
    )
    rows = {"x": ROWS[:4], "place": PLACES[:4]}
    found = [made(rows) for made in (of_estimator, of_file, named, by_names)]
    with of_file.graph.as_default():
        steps = of_file.session.run(tf.train.get_global_step())
    failed = []
    for call in (
        lambda: of_file({"y": 1}),
        lambda: tf.contrib.predictor.from_saved_model(folder, "result", input_names=names),
        lambda: tf.contrib.predictor.from_estimator(estimator, serving_fn, "other"),
    ):
        try:
            call()
        except (ValueError, KeyError) as error:
            failed.append(type(error).__name__)
    shown = [[name, tf.constant(value)] for outputs in found for name, value in sorted(outputs.items())]
    return [shown, int(steps), failed, sorted(of_file.feed_tensors)]


def spec_without_tpus(features, labels, mode, params):
    result = predicted(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.contrib.tpu.TPUEstimatorSpec(mode, predictions={"result": result})
    loss = tf.losses.mean_squared_error(labels, result)
    optimizer = tf.train.MomentumOptimizer(params["rate"], 0.9)
    if params["use_tpu"]:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)

    def measured(labels, result):
        return {"error": tf.metrics.mean_absolute_error(labels, result)}

    def on_the_host(losses):
        return tf.reduce_mean(losses)

    return tf.contrib.tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, tf.train.get_global_step()),
        eval_metrics=(measured, [labels, result]),
        scaffold_fn=lambda: tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2)),
        host_call=(on_the_host, [tf.reshape(loss, [1])]),
    )


@case
def an_estimator_for_tpus_without_one():
    hook = Losses()
    shards = tf.contrib.tpu.TPUConfig(
        iterations_per_loop=5,
        num_shards=8,
        per_host_input_for_training=tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2,
    )
    run = tf.contrib.tpu.RunConfig(
        tpu_config=shards,
        model_dir=tempfile.mkdtemp(),
        tf_random_seed=1,
        session_config=SOFT,
        save_checkpoints_steps=2,
    )
    estimator = tf.contrib.tpu.TPUEstimator(
        spec_without_tpus,
        config=run,
        params={"rate": 0.05, "use_tpu": False},
        use_tpu=False,
        train_batch_size=16,
        eval_batch_size=8,
        predict_batch_size=4,
    )

    def input_fn(params):
        return in_order(params["batch_size"])

    estimator.train(input_fn, max_steps=6, hooks=[hook])
    results = [row["result"] for row in estimator.predict(input_fn)]
    return learned(estimator, hook) + evaluated(estimator, input_fn) + [tf.constant(np.stack(results[:9]))]


@case
def an_experiment_that_trains_and_evaluates_in_turn():
    folder, hook = tempfile.mkdtemp(), Losses()

    def make(run_config, hparams):
        estimator = tf.estimator.Estimator(model_fn, config=run_config, params={"rate": hparams.rate})
        return tf.contrib.learn.Experiment(
            estimator, in_order, in_order, train_steps=6, eval_steps=2, train_monitors=[hook],
            eval_delay_secs=0, continuous_eval_throttle_secs=0, train_steps_per_iteration=4,
        )  # fmt: skip

    given = {
        "run_config": tf.contrib.learn.RunConfig(model_dir=folder, save_checkpoints_steps=3),
        "hparams": tf.contrib.training.HParams(rate=0.05),
    }
    found, _ = learn_runner.run(make, schedule="continuous_train_and_eval", **given)
    learn_runner.run(make, schedule="continuous_eval", **given)
    return [
        sorted(found),
        [tf.constant(found[name]) for name in sorted(found)],
        tf.constant(hook.losses),
    ]


@case
def an_experiment_that_evaluates_while_a_function_says_so():
    estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), config(), params={"rate": 0.05})
    experiment = tf.contrib.learn.Experiment(
        estimator, in_order, in_order, train_steps=6, eval_steps=2, train_steps_per_iteration=2
    )
    seen = []

    def thrice(found, checkpoint_path):
        seen.append([sorted(found or ()), str(checkpoint_path).split("/")[-1]])
        return len(seen) < 4

    def once(found):
        seen.append(sorted(found or ()))
        return not found

    estimator.train(in_order, steps=2)
    experiment.continuous_eval(
        delay_secs=0,
        throttle_delay_secs=0,
        evaluate_checkpoint_only_once=False,
        continuous_eval_predicate_fn=thrice,
        name="again",
    )
    experiment.continuous_eval_on_train_data(0, 0, once)
    experiment.continuous_train_and_eval(continuous_eval_predicate_fn=once)
    folders = sorted(each for each in os.listdir(estimator.model_dir) if each.startswith("eval"))
    return [seen, folders, experiment.eval_metrics]


def of_a_head(make, labels):
    hook = Losses()

    def headed_fn(features, labels, mode):
        head = make()
        hidden = tf.layers.dense(
            features["x"], 4, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.3)
        )
        initializer = tf.constant_initializer(np.linspace(-1, 1, 4 * head.logits_dimension))
        logits = tf.layers.dense(hidden, head.logits_dimension, kernel_initializer=initializer)
        optimizer = optimizers.get_optimizer_instance("Adagrad", 0.1)
        return head.create_estimator_spec(
            features,
            mode,
            logits,
            labels,
            train_op_fn=lambda loss: optimizer.minimize(loss, tf.train.get_global_step()),
        )

    def input_fn():
        return tf.data.Dataset.from_tensor_slices(({"x": ROWS}, labels)).batch(16)

    estimator = tf.estimator.Estimator(headed_fn, tempfile.mkdtemp(), config())
    estimator.train(input_fn, hooks=[hook])
    return learned(estimator, hook) + evaluated(estimator, input_fn)


@case
def a_head_of_two_classes():
    head = tf.contrib.estimator.binary_classification_head
    return of_a_head(lambda: head(thresholds=[0.4], loss_reduction=tf.losses.Reduction.SUM), LABELS)


@case
def heads_of_classes():
    many = of_a_head(lambda: tf.contrib.estimator.multi_class_head(5), PLACES)
    private = heads._binary_logistic_or_multi_class_head
    return many + of_a_head(lambda: private(2, None, None, tf.losses.Reduction.SUM), LABELS)


@case
def heads_of_numbers():
    counts = of_a_head(tf.contrib.estimator.poisson_regression_head, PLACES.astype(np.float32))
    return counts + of_a_head(lambda: tf.contrib.estimator.regression_head(label_dimension=1), TARGETS)


@case
def an_experiment_that_exports():
    estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), config(), params={"rate": 0.05})

    def own(estimator, export_path, checkpoint_path, eval_result):
        name = os.path.basename(tf.compat.as_str(export_path))
        return [name, checkpoint_path, sorted(eval_result)]

    servo = saved_model_export_utils.make_export_strategy(serving_fn, exports_to_keep=1)
    experiment = tf.contrib.learn.Experiment(
        estimator, in_order, in_order, train_steps=4, eval_steps=1,
        export_strategies=[servo, tf.contrib.learn.ExportStrategy("own", own)],
    )  # fmt: skip
    _, exported = experiment.train_and_evaluate()
    before = [each.name for each in experiment.reset_export_strategies(None)]
    _, nothing = experiment.train_and_evaluate()
    folder = tf.compat.as_str(exported[0])
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], folder)
        result = session.run(
            loaded.signature_def["result"].outputs["result"].name,
            {
                loaded.signature_def["result"].inputs["x"].name: ROWS[:2],
                loaded.signature_def["result"].inputs["place"].name: PLACES[:2],
            },
        )
    return [exported[1:], before, nothing, folder.split("/")[-3:-1], tf.constant(result)]
