"""Graphs of standalone Keras: FILE gets names, values and gradients of each, and what NumPy draws after it.

    python drive_standalone_keras.py FILE

Runs with Keras 2.2.4 on TensorFlow 1.15 (which made ../goldens/standalone_keras.json), and with the
runtime's Keras.
"""

import json
import sys

import numpy as np

try:
    import keras
    import tensorflow as tf
    from keras import backend as K
    from keras import initializers, losses, metrics, regularizers
    from keras.layers import *  # noqa: F403
    from keras.models import Model, Sequential

    assert keras.__version__ == "2.2.4"
    Session = tf.Session
except (ImportError, AssertionError):
    from tf2towers.runtime import Session, graph_mode

    graph_mode()

    import tensorflow.compat.v1 as tf
    from tf2towers.runtime.tf1.standalone_keras.layers import *  # noqa: F403
    from tf2towers.runtime.tf1.standalone_keras.models import Model, Sequential

    from tf2towers.runtime.tf1.standalone_keras import backend as K
    from tf2towers.runtime.tf1.standalone_keras import initializers, losses, metrics, regularizers

# ruff: noqa: B905, F405, UP031, PTH123 - layers by their names; Python 3.7

IMAGES, ROWS, SEQUENCES = (4, 8, 8, 3), (4, 5), (4, 6, 3)


def sequential(images):
    """A convolutional network with dropout, called on a tensor."""
    model = Sequential()
    model.add(Conv2D(4, 3, padding="same", input_shape=(8, 8, 3), kernel_regularizer=regularizers.l2(0.01)))
    model.add(Activation("relu"))
    model.add(MaxPooling2D())
    model.add(Dropout(0.5))
    model.add(Flatten())
    model.add(Dense(5, activation="softmax", bias_regularizer=regularizers.l1_l2(0.1, 0.2)))
    return [model(images), tf.add_n(model.losses)]


def functional(rows):
    """A model of layers on inputs, called in two towers; its branches are joined in every way."""
    inputs = Input(shape=(5,))
    left, right = Dense(6, activation="tanh")(inputs), Dense(6, kernel_initializer="he_normal")(inputs)
    joined = [add([left, right]), multiply([left, right]), Concatenate()([left, right])]
    joined += [maximum([left, right]), average([left, right]), Add()([left, left])]
    joined.append(concatenate([right, left], axis=-1))
    hidden = Dropout(0.3)(concatenate(joined))
    model = Model(inputs, [Dense(3)(hidden), LeakyReLU(0.2)(hidden)])
    found = []
    for tower in range(2):
        with tf.name_scope("tower_%d" % tower):
            found += model(rows[2 * tower : 2 * tower + 2])
    return [*found, tf.constant(float(len(model.trainable_weights)))]


def in_scopes(rows):
    """Layers made in name scopes and variable scopes, with names and without."""
    with tf.name_scope("tower"):
        hidden = Dense(4, name="first")(rows)
        hidden = Dense(4)(hidden)
    with tf.variable_scope("scope"):
        shared = Dense(4, use_bias=False)
        return shared(shared(hidden))


def frozen(rows):
    """Layers that are not trainable: TensorFlow's collection has their variables."""
    later = Dense(4)
    hidden = later(Dense(4, trainable=False)(rows))
    later.trainable = False
    model = Sequential([Dense(2, trainable=False, input_shape=(4,)), Dense(3)])
    model.trainable = False
    model.trainable = True  # its layers are as they were
    counted = 1.0 + len(model.trainable_weights) + 10 * len(later.trainable_weights)
    return [model(hidden), tf.constant(counted)]


#: the layers and models of a case that have updates: each update runs by itself, for towers would
#: race
OWNERS = []


def normalized(rows):
    """Batch norm in a model of a tensor, in two towers, and in models that a first call builds."""
    inputs, shared = Input(tensor=rows), BatchNormalization(momentum=0.9, scale=False, name="shared")
    hidden = BatchNormalization(epsilon=1e-4)(Dense(3)(inputs))
    OWNERS[:] = [Model(inputs, hidden), Sequential([shared, Dense(2)]), shared]
    later = Sequential([Dense(4), Dropout(0.5), BatchNormalization(center=False)])
    found = [hidden, OWNERS[0](2.0 * rows), later(rows), later(rows), later(rows - 1.0)]
    for tower in range(2):
        with tf.name_scope("tower_%d" % tower):
            found.append(shared(rows * (tower + 2.0)))
    found += [BatchNormalization()(rows, training=False), BatchNormalization(trainable=False)(rows)]
    return [tf.cumsum(each) for each in found]


def normalized_images(images):
    """Batch norm of every axis, with the fused kernel and without, and of sequences."""
    OWNERS[:] = [BatchNormalization(axis=axis, beta_initializer="he_normal") for axis in (1, 2, 3, -1, 2)]
    return [tf.cumsum(layer(given)) for layer, given in zip(OWNERS, [images] * 4 + [images[:, 0]])]


def initial_values(rows):
    """Every initializer, without a seed and with one."""
    names = ["glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal"]
    names += ["random_normal", "random_uniform", "truncated_normal", "zeros", "ones"]
    made = [
        initializers.RandomNormal(0.1, 0.3),
        initializers.VarianceScaling(0.5, "fan_out", "uniform", seed=4),
    ]
    made += [initializers.Constant(0.3), initializers.TruncatedNormal(stddev=0.2, seed=9)]
    return [Dense(3, kernel_initializer=each, bias_initializer=each)(rows) for each in names + made if each]


def of_images(images):
    """Layers of images."""
    layers = [Conv2D(3, 3, strides=2, activation="relu"), Conv2D(3, (2, 3), dilation_rate=2, use_bias=False)]
    layers += [Conv2DTranspose(3, 3, strides=2, padding="same"), AveragePooling2D(3, 2, "same")]
    layers += [GlobalAveragePooling2D(), GlobalMaxPooling2D(), ZeroPadding2D((1, 2)), UpSampling2D((2, 2))]
    layers += [Permute((3, 1, 2)), Reshape((16, 12)), Lambda(lambda values: values * 2.0)]
    layers += [DepthwiseConv2D(3, depth_multiplier=2), SeparableConv2D(4, 3, strides=2), ELU(0.5), Softmax(1)]
    layers += [LocallyConnected2D(2, 3), Cropping2D(2), PReLU(shared_axes=[1, 2]), ReLU(0.5, 0.1, 0.2)]
    layers += [SpatialDropout2D(0.3), GaussianNoise(0.2), GaussianDropout(0.3), AlphaDropout(0.3)]
    layers += [MaxPool2D(3), Conv2D(2, 3, kernel_constraint="max_norm", bias_constraint="non_neg")]
    volumes, solid = K.expand_dims(images), [Conv3D(2, (3, 3, 2)), Conv3DTranspose(2, 2), UpSampling3D()]
    return [layer(images) for layer in layers] + [layer(volumes) for layer in solid]


def of_sequences(sequences):
    """Layers of sequences, and an embedding."""
    ids = tf.constant([[1, 2], [0, 3], [3, 3], [2, 0]])
    return [
        Conv1D(4, 3, activation="elu", padding="same")(sequences),
        MaxPooling1D(2)(sequences),
        GlobalMaxPooling1D()(sequences),
        Embedding(4, 3)(ids),
        RepeatVector(2)(Flatten()(sequences)),
        Dense(2)(sequences),
        Activation("sigmoid")(sequences),
    ]


#: the default is orthogonal: the signs of NumPy's singular vectors are its library's
START = {"recurrent_initializer": "glorot_uniform"}


def recurrent(sequences):
    """Recurrent layers of sequences, forwards, backwards and both ways."""
    return [
        LSTM(3, dropout=0.3, **START)(sequences),
        GRU(3, return_sequences=True, activation="relu", recurrent_activation="sigmoid", **START)(sequences),
        SimpleRNN(2, go_backwards=True, use_bias=False, **START)(sequences),
        Bidirectional(GRU(2, **START), merge_mode="sum")(sequences),
        TimeDistributed(Dense(2))(sequences),
        GRU(2, dropout=0.2, recurrent_dropout=0.3, **START)(Masking()(sequences)),
        LSTM(2, implementation=2, dropout=0.2, kernel_constraint="max_norm", **START)(sequences),
        RNN([LSTMCell(3, **START), GRUCell(2, **START), SimpleRNNCell(2, **START)])(sequences),
        *ConvLSTM2D(2, 3, dropout=0.2, return_state=True, **START)(K.reshape(sequences, (2, 2, 3, 3, 2))),
    ]


def masked(sequences):
    """A model of recurrent layers whose rows end where an id is 0."""
    inputs = Input((6,), dtype="int32")
    hidden = GRU(3, return_sequences=True, **START)(Embedding(3, 4, mask_zero=True)(inputs))
    model = Model(inputs, LSTM(2, **START)(hidden))
    return model(tf.cast(tf.abs(sequences[:, :, 0]) * 3.0, tf.int32))


def of_losses(rows):
    """Losses, metrics and functions of the backend."""
    chances, labels = K.softmax(rows), tf.constant(np.eye(5, dtype=np.float32)[[1, 0, 4, 2]])
    found = [losses.categorical_crossentropy(labels, chances), losses.mean_squared_error(labels, rows)]
    found += [losses.mean_absolute_error(labels, rows), metrics.categorical_accuracy(labels, chances)]
    found += [K.mean(K.square(rows)), K.sum(K.abs(rows), axis=1, keepdims=True)]
    found += [K.max(K.clip(rows, -0.5, 0.5), axis=-1), losses.logcosh(labels, rows)]
    sure, apart = K.softmax(100.0 * rows), K.sigmoid(100.0 * rows)  # chances are clipped
    found += [losses.categorical_crossentropy(labels, sure), losses.binary_crossentropy(labels, apart)]
    found += [losses.cosine_proximity(labels, rows), K.switch(rows[:, 0] > 0, rows, 2.0 * rows)]
    found += [K.variable(np.ones((2,))) * K.zeros((1,)), K.random_normal_variable((2,), 0.0, 1.0) * 1.0]
    found += [K.concatenate([K.relu(rows), K.sigmoid(rows), K.exp(rows)]), K.cast(K.argmax(rows), "float32")]
    return [*found, K.dropout(rows, 0.4), K.random_normal((3, 2)) + K.random_uniform((3, 2))]


CASES = {
    "sequential": (sequential, IMAGES), "functional": (functional, ROWS), "in scopes": (in_scopes, ROWS),
    "frozen": (frozen, ROWS),
    "initial values": (initial_values, ROWS), "images": (of_images, IMAGES), "sequences": (of_sequences, SEQUENCES),
    "losses": (of_losses, ROWS), "recurrent": (recurrent, SEQUENCES), "masked": (masked, SEQUENCES),
    "normalized": (normalized, ROWS), "normalized images": (normalized_images, IMAGES),
}  # fmt: skip


def outcome(build, shape):
    """The variables of a graph, what it gives in both phases of learning, and gradients."""
    np.random.seed(7)
    with tf.Graph().as_default(), Session() as session:
        tf.set_random_seed(3)
        K.set_session(session)
        given = tf.constant(np.random.RandomState(1).uniform(-1, 1, shape).astype(np.float32))
        OWNERS.clear()
        made = build(given)
        outputs = list(made) if isinstance(made, (list, tuple)) else [made]
        loss = tf.add_n([tf.reduce_sum(tf.square(output)) for output in outputs])
        variables = tf.global_variables()
        gradients = [slope for slope in tf.gradients(loss, [given, *variables]) if slope is not None]
        gradients = [tf.convert_to_tensor(slope) for slope in gradients]
        session.run(tf.global_variables_initializer())
        start = [digest(value) for value in session.run(variables)]
        for update in [update for owner in 3 * OWNERS for update in owner.updates]:
            session.run(update, {K.learning_phase(): 1})
        phases = [session.run([outputs, gradients], {K.learning_phase(): phase}) for phase in (0, 1)]
        return {
            "variables": [[variable.name, variable.shape.as_list()] for variable in variables],
            "trainable": [variable.name for variable in tf.trainable_variables()],
            "regularization": len(tf.losses.get_regularization_losses()),
            "shapes": [output.shape.as_list() for output in outputs],
            "start": start,
            "updated": 2 * [[digest(value) for value in session.run(variables)]],
            "outputs": [[digest(value) for value in phase[0]] for phase in phases],
            "gradients": [[digest(value) for value in phase[1]] for phase in phases],
            "drawn next": int(np.random.randint(10**6)),
        }


def digest(value):
    """The norm of an array, and its product with a vector of cosines."""
    flat = np.asarray(value, np.float64).ravel()
    return [float("%.6g" % number) for number in (np.sqrt(flat @ flat), flat @ np.cos(np.arange(flat.size)))]


if __name__ == "__main__":
    made = {title: outcome(*case) for title, case in CASES.items()}
    rows = ",\n".join(json.dumps(title) + ": " + json.dumps(made[title]) for title in sorted(made))
    with open(sys.argv[1], "w") as target:
        target.write("{\n" + rows + "\n}\n")
