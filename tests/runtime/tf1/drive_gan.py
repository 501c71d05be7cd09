"""Models of `tf.contrib.gan` that train four steps, and losses; prints what test_gan.py compares."""

import json

import numpy as np
import tensorflow.compat.v1 as tf

from tf2towers.runtime import Session, gan, graph_mode, layers

graph_mode()

DRAW = np.random.RandomState(0)
DATA = DRAW.uniform(size=(16, 4, 4, 1)).astype(np.float32)
NOISE = DRAW.normal(size=(16, 3)).astype(np.float32)


def weights(seed):
    def drawn(shape, dtype=None, partition_info=None):
        values = np.random.RandomState(seed).uniform(-0.5, 0.5, [int(size) for size in shape])
        return tf.constant(values.astype(np.float32))

    return drawn


def generator(noise):
    penalty = tf.keras.regularizers.l2(0.005)
    hidden = layers.dense(noise, 6, tf.nn.relu, kernel_initializer=weights(1), kernel_regularizer=penalty)
    hidden = layers.batch_normalization(hidden, training=True)
    return tf.reshape(layers.dense(hidden, 16, kernel_initializer=weights(2)), [-1, 4, 4, 1])


def discriminator(images, _):
    return layers.dense(tf.reshape(images, [-1, 16]), 1, kernel_initializer=weights(3))


def losses_after_four_steps(name, **penalty):
    with tf.Graph().as_default():
        model = gan.gan_model(generator, discriminator, tf.constant(DATA), tf.constant(NOISE))
        loss = gan.gan_loss(
            model,
            getattr(gan.losses, f"{name}_generator_loss"),
            getattr(gan.losses, f"{name}_discriminator_loss"),
            **penalty,
        )
        optimizers = tf.train.MomentumOptimizer(0.05, 0.5), tf.train.GradientDescentOptimizer(0.05)
        updates = gan.gan_train_ops(model, loss, *optimizers)
        seen = []

        class Look(tf.train.SessionRunHook):
            def before_run(self, context):
                return tf.train.SessionRunArgs(list(loss))

            def after_run(self, context, values):
                seen.append([float(each) for each in values.results])

        gan.gan_train(
            updates,
            None,
            gan.get_sequential_train_hooks(gan.GANTrainSteps(1, 2)),
            hooks=[tf.train.StopAtStepHook(num_steps=4), Look()],
            save_summaries_steps=None,
            save_checkpoint_secs=None,
        )
        return seen[-1]


def scores_of_images():
    """By a classifier of our own; patches of images are those in their middle."""
    evaluation, draw = gan.evaluation, np.random.RandomState(1)
    sizes = (12, 1, 1, 3), (12, 16, 16, 3)
    real, made = [
        (draw.uniform(0.1, 1, size=sizes[0]) * draw.uniform(-1, 1, size=sizes[1])).astype(np.float32)
        for _ in range(2)
    ]
    kernel = draw.normal(size=(3, 5)).astype(np.float32)
    with tf.Graph().as_default() as classifier:
        image = tf.placeholder(tf.float32, [None, 16, 16, 3], name="Mul")
        pooled = tf.reduce_mean(tf.square(image), [1, 2], keepdims=True, name="pool_3")
        tf.matmul(tf.reshape(pooled, [-1, 3]), tf.constant(10 * kernel), name="logits")
    given = {"graph_def": classifier.as_graph_def(), "image_size": 16}

    def logits(images):
        return evaluation.run_inception(images, **given)

    np.random.randint = lambda low, high, size: np.full(size, (low + high) // 2)
    with tf.Graph().as_default(), Session() as session:
        pools, of_made = [
            evaluation.run_inception(tf.constant(each), output_tensor=["pool_3:0", "logits:0"], **given)
            for each in (real, made)
        ]
        distances = evaluation.sliced_wasserstein_distance(
            tf.constant(real), tf.constant(1.5 * made), 8, 2, use_svd=True
        )
        return session.run(
            [
                evaluation.classifier_score(tf.constant(real), logits, 3),
                evaluation.classifier_score_from_logits(of_made[1]),
                evaluation.frechet_classifier_distance(tf.constant(real), tf.constant(made), logits, 2),
                evaluation.mean_only_frechet_classifier_distance_from_activations(pools[0], of_made[0]),
                evaluation.diagonal_only_frechet_classifier_distance_from_activations(pools[1], of_made[1]),
                tf.reduce_sum(evaluation.preprocess_image(tf.constant(100 * real[0]), 5, 7)),
                *[each for pair in distances for each in pair],
            ]
        )


found = {
    "wasserstein": losses_after_four_steps("wasserstein", gradient_penalty_weight=10.0),
    "minimax": losses_after_four_steps("minimax"),
    "least_squares": losses_after_four_steps("least_squares"),
}
with tf.Graph().as_default(), Session() as session:
    real, made = tf.constant(DATA[:, 0, 0]), tf.constant(NOISE[:, :1])
    of_outputs = gan.losses.wargs
    found["outputs"] = session.run(
        [
            of_outputs.wasserstein_discriminator_loss(real, made, real_weights=0.5),
            of_outputs.minimax_generator_loss(made, 0.1),
            of_outputs.least_squares_generator_loss(made, 2.0),
            of_outputs.modified_generator_loss(made, 0.2),
        ]
    )
    images = session.run(
        [
            gan.evaluation.image_grid(tf.constant(DATA[:4]), (2, 2), (4, 4), 1),
            gan.evaluation.image_reshaper(tf.constant(DATA[:5]), 2),
        ]
    )
    found["scores"] = scores_of_images()
    found["images"] = [float((each.ravel() * np.arange(each.size)).sum()) for each in images]
print("found", json.dumps({name: [float(each) for each in values] for name, values in found.items()}))
