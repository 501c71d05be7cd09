"""tf.keras in graphs: layers and models on tensors, what they list, losses, the backend, a model that trains itself."""

import numpy as np
import tensorflow as tf
import tensorflow.keras.backend as K
from cases import case, fed, normal, uniform
from tensorflow.keras import layers, regularizers
from tensorflow.python.keras.layers import Dense as PrivateDense

SMALL = tf.keras.initializers.Constant(0.1)
DRAWN = tf.random_uniform_initializer(-0.5, 0.5, 4)


def listed(model):
    return [
        [variable.name for variable in model.trainable_weights],
        [variable.name for variable in model.non_trainable_weights],
        len(model.updates),
        len(model.losses),
        model.count_params(),
    ]


@case
def layers_of_images():
    images = normal(2, 6, 6, 3)
    made = [
        layers.Conv2D(4, 3, padding="same", activation="relu", kernel_initializer=DRAWN),
        layers.SeparableConv2D(4, 3, depthwise_initializer=DRAWN, pointwise_initializer=DRAWN),
        layers.DepthwiseConv2D(3, depthwise_initializer=DRAWN),
        layers.Conv2DTranspose(2, 3, strides=2, kernel_initializer=DRAWN),
        layers.MaxPooling2D(),
        layers.AveragePooling2D(3, 1, "same"),
        layers.GlobalAveragePooling2D(),
        layers.GlobalMaxPooling2D(),
        layers.UpSampling2D(),
        layers.ZeroPadding2D(1),
        layers.Cropping2D(1),
        layers.Flatten(),
        layers.BatchNormalization(),
        layers.LayerNormalization(),
        layers.PReLU(),
    ]
    return [layer(images) for layer in made] + [[layer.name for layer in made]]


@case
def layers_of_rows():
    rows = normal(4, 6)
    dense = layers.Dense(3, kernel_initializer=DRAWN, kernel_regularizer=regularizers.l2(0.1))
    made = [dense(rows), dense(rows)]
    made += [
        PrivateDense(2, "tanh", False, DRAWN)(rows),
        layers.Activation("softmax")(rows),
        layers.LeakyReLU(0.2)(rows),
        layers.ELU()(rows),
        layers.Softmax()(rows),
        layers.Lambda(lambda value: value * 2.0)(rows),
        layers.Reshape((2, 3))(rows),
        layers.Permute((2, 1))(layers.Reshape((2, 3))(rows)),
        layers.RepeatVector(2)(rows),
        layers.Add()([rows, rows]),
        layers.Multiply()([rows, rows]),
        layers.Concatenate()([rows, rows]),
        layers.Dot(1)([rows, rows]),
        layers.Dropout(0.5, seed=3)(rows, training=True),
        layers.GaussianNoise(0.1)(rows, training=False),
        layers.Embedding(7, 3, embeddings_initializer=DRAWN)(tf.cast(tf.abs(rows), tf.int32)),
        layers.Conv1D(2, 2, kernel_initializer=DRAWN)(tf.expand_dims(rows, 2)),
    ]
    return [made, dense.losses, [variable.name for variable in tf.trainable_variables()]]


@case
def a_model_in_two_towers():
    model = tf.keras.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu", kernel_initializer=DRAWN),
            layers.BatchNormalization(momentum=0.9),
            layers.Flatten(),
            layers.Dropout(0.5, seed=3),
            layers.Dense(3, kernel_initializer=DRAWN, kernel_regularizer=regularizers.l1_l2(0.1, 0.2)),
        ]
    )
    outputs = []
    for tower in range(2):
        with tf.name_scope("tower_%d" % tower):
            outputs.append(model(normal(2, 5, 5, 2), training=True))
    return [outputs, model.losses, model.updates[0].type, listed(model)]


@case
def a_functional_model():
    first = layers.Input((4,), name="first")
    hidden = layers.Dense(5, "relu", kernel_initializer=DRAWN, name="hidden")(first)
    second = layers.Dense(2, kernel_initializer=DRAWN)(layers.Concatenate()([hidden, first]))
    model = tf.keras.Model(first, [hidden, second])
    return [model(normal(3, 4)), listed(model), [layer.name for layer in model.layers]]


@case
def a_model_of_ones_own():
    class Model(tf.keras.Model):
        def __init__(self):
            super(Model, self).__init__(name="own")
            self.dense = layers.Dense(3, kernel_initializer=DRAWN)
            self.norm = layers.BatchNormalization()

        def call(self, inputs, training=None):
            return self.norm(self.dense(inputs), training=training)

    class Scaled(layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight("scale", [int(shape[-1])], initializer=SMALL)
            super(Scaled, self).build(shape)

        def call(self, inputs):
            return inputs * self.scale

    model, scaled = Model(), Scaled()
    return [model(normal(4, 3), training=True), scaled(normal(2, 3)), listed(model)]


@case
def losses_and_metrics():
    labels, logits = fed([1, 0, 2], [3]), normal(3, 3)
    rows, others = uniform(3, 4), uniform(3, 4)
    losses = tf.keras.losses
    return [
        losses.sparse_categorical_crossentropy(labels, logits, from_logits=True),
        losses.categorical_crossentropy(tf.one_hot(labels, 3), tf.nn.softmax(logits)),
        losses.binary_crossentropy(tf.round(rows), others),
        losses.mean_squared_error(rows, others),
        losses.MeanAbsoluteError()(rows, others),
        losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits),
        losses.Huber()(rows, others),
        losses.kullback_leibler_divergence(rows, others),
        tf.keras.metrics.sparse_categorical_accuracy(labels, logits),
        tf.keras.metrics.categorical_accuracy(tf.one_hot(labels, 3), logits),
    ]


@case
def the_backend():
    rows = uniform(3, 4)
    return [
        K.mean(rows, axis=1),
        K.var(rows),
        K.l2_normalize(rows, 1),
        K.clip(rows, 0.2, 0.8),
        K.softmax(rows),
        K.relu(rows - 0.5, 0.1),
        K.hard_sigmoid(rows),
        K.dot(rows, K.transpose(rows)),
        K.batch_flatten(K.reshape(rows, (3, 2, 2))),
        K.concatenate([rows, rows]),
        K.one_hot(K.constant([0, 2], dtype="int32"), 3),
        K.binary_crossentropy(K.round(rows), rows),
        K.switch(rows > 0.5, rows, 0.0 * rows),
        [K.int_shape(rows), K.ndim(rows), K.floatx(), K.epsilon(), K.image_data_format()],
    ]


@case
def a_model_that_trains_itself():
    images, labels = np.sin(np.arange(96.0)).reshape(8, 2, 2, 3), np.arange(8) % 3
    first = layers.Input((2, 2, 3))
    hidden = layers.BatchNormalization()(layers.Conv2D(4, 2, use_bias=False, kernel_initializer=DRAWN)(first))
    output = layers.Dense(3, "softmax", kernel_initializer=DRAWN)(layers.Flatten()(hidden))
    model = tf.keras.Model(first, output)
    found = []
    for optimizer in ("sgd", tf.keras.optimizers.Adam(0.01), tf.train.MomentumOptimizer(0.1, 0.9)):
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        history = model.fit(images, labels, 4, 2, verbose=0, shuffle=False)
        found += [history.history["loss"], model.train_on_batch(images, labels)]
        found += [model.evaluate(images, labels, verbose=0), model.predict(images)[0].tolist()]
    function = K.function([model.input, K.learning_phase()], [hidden])
    found += [function([images, 0])[0].ravel().tolist(), function([images, 1])[0].ravel().tolist()]
    numbers = [number for part in found for number in np.ravel(part)]
    return tf.constant(np.float32(numbers))


@case
def images_turned_and_shifted():
    images, found = np.sin(np.arange(360.0)).reshape(2, 10, 6, 3), []
    changes = (
        {"rotation_range": 20},
        {"width_shift_range": 0.3},
        {"height_shift_range": 2},
        {"shear_range": 10.0},
    )
    for change in (*changes, {"zoom_range": 0.3, "fill_mode": "reflect", "horizontal_flip": True}):
        made = tf.keras.preprocessing.image.ImageDataGenerator(**change).flow(images, batch_size=2, seed=3)
        found.append(made.next())
    return tf.constant(np.float32(found))


@case
def a_model_of_masked_sequences():
    rows, found = np.arange(24).reshape(6, 4) * 5 % 7, []
    model = tf.keras.Sequential([
        layers.Embedding(7, 3, mask_zero=True, embeddings_initializer=DRAWN),
        layers.LSTM(4, return_sequences=True, kernel_initializer=DRAWN, recurrent_initializer=DRAWN),
        layers.Dense(2, "softmax", kernel_initializer=DRAWN),
    ])  # fmt: skip
    for mode, weights in ((None, None), ("temporal", np.cos(rows) + 1)):
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["acc"], sample_weight_mode=mode)
        found += [model.train_on_batch(rows, rows[..., None] % 2, weights) for _ in range(2)]
    return tf.constant(np.float32(found))
