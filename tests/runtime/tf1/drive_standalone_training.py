"""Models of standalone Keras that train themselves: FILE gets histories, weights and what NumPy draws after each.

    python drive_standalone_training.py FILE [CASE..]

Runs with Keras 2.2.4 on TensorFlow 1.15 (which made ../goldens/standalone_training.json), and with
the runtime's Keras.
"""

import json
import os
import random
import sys
import tempfile
import traceback

import numpy as np

try:
    import keras
    import tensorflow as tf
    from keras import applications, callbacks, losses, metrics, models, optimizers, regularizers, utils
    from keras import backend as K
    from keras.layers import *  # noqa: F403
    from keras.models import Model, Sequential
    from keras.preprocessing import image

    assert keras.__version__ == "2.2.4"
    # TensorFlow 1 leaves open whether an update of one layer precedes the gradient of another, and
    # whether the number of steps is read before its update. Here values are read first.
    tf.enable_resource_variables()
    for made in (
        optimizers.SGD,
        optimizers.RMSprop,
        optimizers.Adagrad,
        optimizers.Adadelta,
        optimizers.Adam,
        optimizers.Adamax,
        optimizers.Nadam,
    ):

        def get_updates(optimizer, loss, params, plain=made.get_updates):
            updates = plain(optimizer, loss, params)
            with tf.control_dependencies([each for each in updates[1:] if not isinstance(each, tuple)]):
                updates[0] = K.update_add(optimizer.iterations, 1)
            return updates

        made.get_updates = get_updates
except (ImportError, AssertionError):
    from tf2towers.runtime import graph_mode

    graph_mode()

    import tensorflow.compat.v1 as tf
    from tf2towers.runtime.tf1.standalone_keras.layers import *  # noqa: F403
    from tf2towers.runtime.tf1.standalone_keras.models import Model, Sequential
    from tf2towers.runtime.tf1.standalone_keras.preprocessing import image

    from tf2towers.runtime.tf1 import standalone_keras as keras
    from tf2towers.runtime.tf1.standalone_keras import (
        applications,
        callbacks,
        losses,
        metrics,
        models,
        optimizers,
        regularizers,
        utils,
    )
    from tf2towers.runtime.tf1.standalone_keras import backend as K

# ruff: noqa: F405, PTH118, PTH123, PTH208, PLW0108 - layers by their names; Python 3.7

RNG = np.random.RandomState(5)
ROWS = RNG.rand(40, 5).astype("float32")
CLASSES = RNG.randint(0, 3, 40)
ONE_HOT = np.eye(3, dtype="float32")[CLASSES]
TARGETS = RNG.rand(40, 3).astype("float32") + 0.1
SIGNS = np.sign(TARGETS - 0.6)
IMAGES = RNG.rand(24, 8, 8, 3).astype("float32")
IDS = RNG.randint(0, 6, (40, 7))


def begin(model):
    """Gives all weights first values that are NumPy's alone."""
    rng = np.random.RandomState(3)
    model.set_weights(
        [
            rng.uniform(0.01, 0.5, each.shape) * rng.choice([1, -1], each.shape)
            if each.ndim > 1
            else rng.uniform(0.1, 0.3, each.shape)
            for each in model.get_weights()
        ]
    )
    return model


def dense(last="softmax", **options):
    hidden = Dense(6, activation="tanh", input_shape=(5,), **options)
    return begin(Sequential([hidden, Dense(3, activation=last)]))


def short(array):
    """An array's sum, the sum of its sizes, and its first and last number."""
    flat = np.ravel(np.asarray(array, np.float64))
    return [float(each) for each in (flat.sum(), np.abs(flat).sum(), flat[0], flat[-1])]


def result(model, history=None):
    """What a training has made: the history by its names, and the weights."""
    known = (
        {}
        if history is None
        else {name: [float(each) for each in values] for name, values in history.history.items()}
    )
    return [known, [short(each) for each in model.get_weights()]]


def fitted(model, rows=ROWS, targets=ONE_HOT, epochs=3, **options):
    return result(model, model.fit(rows, targets, batch_size=8, epochs=epochs, verbose=0, **options))


def by(optimizer):
    def case():
        model = dense()
        model.compile(optimizer(), "categorical_crossentropy", metrics=["accuracy"])
        return fitted(model)

    return case


def of_loss(loss, targets, last="softmax"):
    def case():
        model = dense(last)
        model.compile(
            optimizers.SGD(0.05), loss, metrics=["accuracy"] + [loss] * (loss != "categorical_hinge")
        )
        return fitted(model, targets=targets)

    return case


def counted():
    model = dense()
    known = ["acc", "mae", metrics.categorical_accuracy, "top_k_categorical_accuracy" if False else "mse"]

    def largest(labels, given):
        return K.max(given, axis=-1)

    model.compile("sgd", "categorical_crossentropy", metrics=[*known, largest, "binary_accuracy"])
    names = model.metrics_names
    history = model.fit(ROWS, ONE_HOT, batch_size=7, epochs=2, verbose=0, validation_split=0.25)
    return [
        names,
        result(model, history),
        np.ravel(model.evaluate(ROWS, ONE_HOT, batch_size=9, verbose=0)).tolist(),
        short(model.predict(ROWS, batch_size=9)),
    ]


def weighted():
    model = dense()
    model.compile(
        optimizers.Adam(0.01), "categorical_crossentropy", metrics=["accuracy"], weighted_metrics=["mae"]
    )
    found = fitted(model, class_weight={0: 1.0, 1: 2.5, 2: 0.5})
    weights = np.where(np.arange(40) % 3 == 0, 0.0, 1.5)
    history = model.fit(ROWS, ONE_HOT, 8, 2, 0, sample_weight=weights)
    return [
        found,
        result(model, history),
        np.ravel(model.evaluate(ROWS, ONE_HOT, verbose=0, sample_weight=weights)).tolist(),
    ]


def class_weights_of_zero():
    model = dense()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["acc"])
    return fitted(model, targets=CLASSES[:, None], class_weight={0: 0.0, 1: 2.5, 2: 0.5})


def masked():
    inputs = Input((7,), dtype="int32")
    hidden = LSTM(4, return_sequences=True, recurrent_initializer="glorot_uniform")(
        Embedding(6, 3, mask_zero=True)(inputs)
    )
    model = begin(Model(inputs, TimeDistributed(Dense(6, activation="softmax"))(hidden)))
    model.compile("rmsprop", "categorical_crossentropy", metrics=["accuracy"])
    return fitted(model, IDS, np.eye(6)[(IDS * 2) % 6])


def temporal():
    model = begin(
        Sequential(
            [
                GRU(4, return_sequences=True, input_shape=(7, 1), recurrent_initializer="glorot_uniform"),
                TimeDistributed(Dense(1)),
            ]
        )
    )
    model.compile("adagrad", "mse", sample_weight_mode="temporal")
    rows = IDS[:, :, None] / 6.0
    return fitted(model, rows, rows**2, sample_weight=(IDS > 1).astype(float))


def several_outputs():
    inputs, other = Input((5,), name="rows"), Input((3,), name="more")
    hidden = Dense(6, activation="relu", kernel_regularizer=regularizers.l2(0.01))(inputs)
    joined = concatenate([hidden, other])
    model = begin(
        Model(
            [inputs, other],
            [Dense(3, activation="softmax", name="class")(joined), Dense(3, name="place")(joined)],
        )
    )
    model.compile(
        optimizers.Adam(0.01, amsgrad=True),
        {"class": "categorical_crossentropy", "place": "mae"},
        metrics={"class": "accuracy"},
        loss_weights={"class": 1.0, "place": 0.3},
    )
    history = model.fit(
        {"rows": ROWS, "more": TARGETS}, {"class": ONE_HOT, "place": TARGETS}, 8, 3, 0, validation_split=0.2
    )
    return [
        model.metrics_names,
        result(model, history),
        np.ravel(model.evaluate([ROWS, TARGETS], [ONE_HOT, TARGETS], verbose=0)).tolist(),
    ]


def watched():
    folder = tempfile.mkdtemp()
    seen = []

    class Seen(callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            seen.append(
                [epoch, float(K.get_value(self.model.optimizer.lr)), sorted(logs), self.params.get("epochs")]
            )

        def on_batch_end(self, batch, logs=None):
            seen.append([batch, sorted(logs), float(logs["loss"])])

    model = dense()
    model.compile(optimizers.SGD(0.5, momentum=0.9), "categorical_crossentropy", metrics=["acc"])
    path = os.path.join(folder, "w-{epoch:02d}-{val_acc:.2f}.hdf5")
    given = [
        Seen(),
        callbacks.ModelCheckpoint(
            path, monitor="val_acc", save_best_only=True, mode="max", save_weights_only=True
        ),
        callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.3, patience=0, min_lr=0.01, verbose=0),
        callbacks.EarlyStopping(monitor="val_loss", patience=4),
        callbacks.CSVLogger(os.path.join(folder, "log.csv")),
        callbacks.LambdaCallback(on_train_end=lambda logs: seen.append("end")),
        callbacks.TerminateOnNaN(),
    ]
    history = model.fit(
        ROWS, ONE_HOT, 8, 9, verbose=0, callbacks=given, validation_data=(ROWS[:15], ONE_HOT[:15])
    )
    with open(os.path.join(folder, "log.csv")) as file:
        logged = [
            [cell if not cell[:1].isdigit() else float(cell) for cell in line.strip().split(",")]
            for line in file
        ]
    return [seen, sorted(os.listdir(folder)), logged, result(model, history)]


def scheduled():
    model = dense()
    model.compile("sgd", "mse")
    schedule = callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.5 if epoch else lr)
    old = callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))
    history = model.fit(ROWS, TARGETS, 8, 4, verbose=0, callbacks=[schedule], initial_epoch=1, shuffle=False)
    return [result(model, history), fitted(model, targets=TARGETS, callbacks=[old])]


def generated():
    def batches():
        at = 0
        while True:
            yield ROWS[at : at + 8], ONE_HOT[at : at + 8]
            at = (at + 8) % 40

    class Batches(utils.Sequence):
        def __len__(self):
            return 5

        def __getitem__(self, at):
            return ROWS[8 * at : 8 * at + 8], ONE_HOT[8 * at : 8 * at + 8]

    model = dense()
    model.compile(optimizers.RMSprop(0.01), "categorical_crossentropy", metrics=["accuracy"])
    history = model.fit_generator(
        batches(), steps_per_epoch=4, epochs=3, verbose=0, validation_data=batches(), validation_steps=2
    )
    found = [result(model, history)]
    history = model.fit_generator(Batches(), epochs=2, verbose=0, validation_data=(ROWS, ONE_HOT))
    found.append(result(model, history))
    found.append(np.ravel(model.evaluate_generator(batches(), steps=5)).tolist())
    return [*found, short(model.predict_generator(Batches(), steps=5))]


def by_batches():
    model = dense()
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    found = [np.ravel(model.train_on_batch(ROWS[:8], ONE_HOT[:8])).tolist() for _ in range(3)]
    found.append(
        np.ravel(model.train_on_batch(ROWS, ONE_HOT, class_weight={0: 1.0, 1: 2.0, 2: 3.0})).tolist()
    )
    found.append(np.ravel(model.test_on_batch(ROWS, ONE_HOT)).tolist())
    found += [model.predict_classes(ROWS).tolist(), short(model.predict_proba(ROWS))]
    return [*found, short(model.predict_on_batch(ROWS)), result(model)]


def saved():
    folder = tempfile.mkdtemp()
    model = dense()
    model.compile(optimizers.Adam(0.01), "categorical_crossentropy", metrics=["accuracy"])
    found = [fitted(model, epochs=1)]
    model.save_weights(os.path.join(folder, "weights"))
    model.save(os.path.join(folder, "model.h5"))
    other = dense()
    other.load_weights(os.path.join(folder, "weights"))
    again = models.load_model(os.path.join(folder, "model.h5"))
    text = models.model_from_json(model.to_json())
    text.set_weights(model.get_weights())
    copied = Model.from_config(Model(model.inputs, model.outputs).get_config())
    found += [short(other.predict(ROWS)), short(text.predict(ROWS)), len(copied.get_weights())]
    return [*found, fitted(again), fitted(model)]


def convolutional():
    model = Sequential()
    model.add(Conv2D(4, (3, 3), padding="same", input_shape=(8, 8, 3), use_bias=False))
    model.add(BatchNormalization())
    model.add(Activation("relu"))
    model.add(MaxPooling2D(pool_size=(2, 2)))
    model.add(Flatten())
    model.add(
        Dense(
            8,
            use_bias=False,
            activation="relu",
            kernel_constraint="max_norm",
            kernel_regularizer=regularizers.l1_l2(0.01, 0.02),
        )
    )
    model.add(BatchNormalization(momentum=0.8))
    model.add(Dense(1, activation="sigmoid"))
    begin(model)
    model.compile(optimizers.Adam(0.01, decay=0.1), "binary_crossentropy", metrics=["accuracy"])
    return [
        fitted(model, IMAGES, (CLASSES[:24] > 0).astype("float32"), validation_split=0.25),
        short(model.predict(IMAGES)),
        model.count_params(),
    ]


def frozen():
    model = Sequential([Dense(4, input_shape=(5,), activation="relu"), BatchNormalization(), Dense(3)])
    begin(model)
    model.layers[0].trainable = model.layers[1].trainable = False
    model.compile("sgd", "mse")
    return [fitted(model, targets=TARGETS), len(model.trainable_weights)]


def adversarial():
    critic = begin(
        Sequential([Dense(4, input_shape=(5,), activation="relu"), Dense(1, activation="sigmoid")])
    )
    critic.compile(optimizers.Adam(0.01, 0.5), "binary_crossentropy", metrics=["accuracy"])
    maker = begin(Sequential([Dense(4, input_shape=(3,), activation="relu"), Dense(5)]))
    given = Input((3,))
    critic.trainable = False
    both = Model(given, critic(maker(given)))
    both.compile(optimizers.Adam(0.01, 0.5), "binary_crossentropy")
    found = []
    for at in range(0, 32, 8):
        made = maker.predict(TARGETS[at : at + 8])
        found += np.ravel(critic.train_on_batch(ROWS[at : at + 8], np.ones((8, 1)))).tolist()
        found += np.ravel(critic.train_on_batch(made, np.zeros((8, 1)))).tolist()
        found.append(float(both.train_on_batch(TARGETS[at : at + 8], np.ones((8, 1)))))
    return [found, result(critic), result(maker)]


def variational():
    inputs = Input((5,))
    hidden = Dense(4, activation="tanh")(inputs)
    mean, spread = Dense(2)(hidden), Dense(2)(hidden)
    drawn = Lambda(lambda each: each[0] + K.exp(each[1] / 2) * 0.1)([mean, spread])
    outputs = Dense(5, activation="sigmoid")(drawn)
    model = begin(Model(inputs, outputs))
    apart = losses.binary_crossentropy(inputs, outputs) * 5
    extra = -0.5 * K.sum(1 + spread - K.square(mean) - K.exp(spread), axis=-1)
    model.add_loss(K.mean(apart + extra))
    model.compile(optimizer="rmsprop")
    history = model.fit(ROWS, batch_size=8, epochs=3, verbose=0, validation_data=(ROWS[:8], None))
    return result(model, history)


def of_its_own_loss():
    def own(labels, given):
        return K.mean(K.square(labels - given) * K.abs(labels), axis=-1) + 0.1 * K.sum(K.abs(given), axis=-1)

    model = dense("linear", kernel_regularizer=lambda weights: 0.01 * K.sum(K.abs(weights)))
    model.compile(optimizers.SGD(0.01, nesterov=True, momentum=0.8), loss=own)
    found = fitted(model, targets=TARGETS)
    step = K.function([model.inputs[0], K.learning_phase()], [model.layers[0].output])
    return [found, step([ROWS, 0])[0].tolist()[0]]


def dropped():
    """Dropout's draws are TensorFlow's; the rows of an epoch, and the draws of seeds, are NumPy's."""
    model = Sequential([Dense(4, input_shape=(5,)), Dropout(0.5), Dense(3)])
    model.compile("sgd", "mse")
    model.fit(ROWS, TARGETS, batch_size=8, epochs=2, verbose=0)
    return np.random.rand(3).tolist()


def first_values():
    model = Sequential([Dense(4, input_shape=(5,)), Dense(3, kernel_initializer="he_normal")])
    return [short(each) for each in model.get_weights()]


def images():
    made = image.ImageDataGenerator(
        rotation_range=20, width_shift_range=0.2, horizontal_flip=True, rescale=0.5, zoom_range=0.1
    )
    model = begin(
        Sequential([Conv2D(2, 3, input_shape=(8, 8, 3)), Flatten(), Dense(3, activation="softmax")])
    )
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
    batches = made.flow(IMAGES, ONE_HOT[:24], batch_size=8, seed=4)
    # by batches: `fit_generator` takes a flow as a Sequence only where keras_preprocessing is as
    # old as Keras 2.2.4
    found = [np.ravel(model.train_on_batch(*next(batches))).tolist() for _ in range(4)]
    return [found, result(model)]


def network():
    """A network with batch norm: two steps, and two more with most of its layers as they are."""
    model = applications.MobileNet(weights=None, alpha=0.25, input_shape=(64, 64, 3), classes=3, dropout=1e-9)
    begin(model)
    rows = np.random.RandomState(9).rand(8, 64, 64, 3).astype("float32")
    model.compile(optimizers.SGD(0.001), "categorical_crossentropy", metrics=["accuracy"])
    found = [np.ravel(model.train_on_batch(rows, ONE_HOT[:8])).tolist() for _ in range(2)]
    for layer in model.layers:
        layer.trainable = layer.name in ("conv_pw_13_bn", "conv_preds")
    model.compile(optimizers.SGD(0.001), "categorical_crossentropy")
    found += [[float(model.train_on_batch(rows, ONE_HOT[:8]))] for _ in range(2)]
    return [found, result(model)[1][::9], short(model.predict(rows))]


def vgg():
    model = applications.VGG16(weights=None, include_top=False, input_shape=(32, 32, 3), pooling="max")
    given = 255 * IMAGES
    prepared = [
        applications.vgg16.preprocess_input(given.copy()),
        applications.xception.preprocess_input(given.copy()),
    ]
    return [[layer.name for layer in model.layers], model.count_params(), *map(short, prepared)]


def old_words():
    """Keras 1's words and rows, which Keras 2 took."""
    model = begin(Sequential([Convolution2D(2, 3, 3, input_shape=(8, 8, 3)), Flatten(), Dense(3)]))
    model.compile("sgd", "mse")
    found = result(
        model, model.fit(IMAGES, TARGETS[:24], batch_size=8, nb_epoch=2, verbose=0, shuffle="batch")
    )

    def batches():
        while True:
            yield IMAGES[:8], TARGETS[:8]

    model.fit_generator(batches(), samples_per_epoch=2, nb_epoch=2, verbose=0)
    return [found, result(model)]


def logged():
    """Scalars of TensorBoard's callback."""
    folder = tempfile.mkdtemp()
    model = dense()
    model.compile("sgd", "mse", metrics=["mae"])
    board = callbacks.TensorBoard(folder, write_graph=False)
    model.fit(ROWS, TARGETS, 8, 2, 0, callbacks=[board], validation_data=(ROWS, TARGETS))
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            for event in tf.train.summary_iterator(os.path.join(place, name)) if "tfevents" in name else ():
                found += [[event.step, value.tag, float(value.simple_value)] for value in event.summary.value]
    return sorted(found)


def in_session():
    session = tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) if hasattr(tf, "Session") else None
    if "tf2towers" in sys.modules:
        from tf2towers.runtime import Session

        session = Session(config=tf.ConfigProto(allow_soft_placement=True))
    K.set_session(session)
    model = dense()
    model.compile("adam", "categorical_crossentropy")
    found = fitted(model)
    kernel = session.run(model.layers[0].kernel)
    K.clear_session()
    return [found, short(kernel), Dense(3).name]


def clipped(**options):
    return lambda: optimizers.SGD(0.5, **options)


CASES = {
    "sgd": by(lambda: optimizers.SGD(lr=0.1, decay=1e-2, momentum=0.9, nesterov=True)),
    "clipnorm": by(clipped(clipnorm=0.1)),
    "clipvalue": by(clipped(clipvalue=0.02)),
    "clipnorm adam": by(lambda: optimizers.Adam(0.01, clipnorm=0.05)),
    "rmsprop": by(lambda: optimizers.RMSprop(lr=0.01, rho=0.8, decay=0.01)),
    "adagrad": by(lambda: optimizers.Adagrad(0.1)),
    "adadelta": by(lambda: optimizers.Adadelta()),
    "adam": by(lambda: optimizers.Adam(lr=0.01, beta_1=0.8, decay=0.02)),
    "amsgrad": by(lambda: optimizers.Adam(0.02, amsgrad=True, epsilon=1e-4)),
    "adamax": by(lambda: optimizers.Adamax()),
    "nadam": by(lambda: optimizers.Nadam()),
    "counted": counted,
    "weighted": weighted,
    "class weights of zero": class_weights_of_zero,
    "masked": masked,
    "temporal": temporal,
    "several outputs": several_outputs,
    "watched": watched,
    "scheduled": scheduled,
    "generated": generated,
    "by batches": by_batches,
    "saved": saved,
    "convolutional": convolutional,
    "frozen": frozen,
    "adversarial": adversarial,
    "variational": variational,
    "a loss of its own": of_its_own_loss,
    "dropped": dropped,
    "first values": first_values,
    "images": images,
    "in a session": in_session,
    "network": network,
    "vgg": vgg,
    "old words": old_words,
    "logged": logged,
}
for name in ("sgd", "rmsprop", "adagrad", "adadelta", "adam", "adamax", "nadam", "Adam", "SGD"):
    CASES["text " + name] = by(lambda name=name: name)
for name in ("mean_squared_error", "mae", "mape", "msle", "poisson", "logcosh", "mse"):
    CASES["loss " + name] = of_loss(name, TARGETS, "sigmoid")
for name in ("hinge", "squared_hinge", "cosine_proximity"):
    CASES["loss " + name] = of_loss(name, SIGNS, "tanh")
for name in (
    "categorical_hinge",
    "kullback_leibler_divergence",
    "categorical_crossentropy",
    "binary_crossentropy",
):
    CASES["loss " + name] = of_loss(name, ONE_HOT)
CASES["loss sparse_categorical_crossentropy"] = of_loss("sparse_categorical_crossentropy", CLASSES[:, None])


def main(path, names):
    found = {}
    for name in names or CASES:
        K.clear_session()
        np.random.seed(11)
        random.seed(11)
        try:
            found[name] = {"result": CASES[name](), "drawn": np.random.rand()}
        except Exception:
            found[name] = {"error": traceback.format_exc()[-1500:]}
    with open(path, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
