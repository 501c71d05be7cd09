"""tf.contrib.distributions that TensorFlow 2 has in TensorFlow Probability."""

import numpy as np
import tensorflow as tf
from cases import case, fed, given, normal, uniform

ds = tf.contrib.distributions


def positive(*shape):
    return uniform(*shape) + 0.5


@case
def normals_of_vectors():
    loc, scale, x = normal(3, 2), positive(3, 2), normal(3, 2)
    tril = tf.constant([[1.0, 0.0], [0.5, 2.0]])
    made = [
        ds.MultivariateNormalDiag(loc, scale),
        ds.MultivariateNormalDiag(loc),
        ds.MultivariateNormalDiag(scale_diag=scale),
        ds.MultivariateNormalDiag(loc, scale, 0.5),
        ds.MultivariateNormalDiag(loc, scale_identity_multiplier=[0.5, 1.0, 2.0]),
        ds.MultivariateNormalDiagWithSoftplusScale(loc, scale),
        ds.MultivariateNormalTriL(loc, tril),
        ds.MultivariateNormalFullCovariance(loc, tf.matmul(tril, tril, transpose_b=True)),
        ds.Independent(tf.distributions.Normal(loc, scale), reinterpreted_batch_ndims=1),
    ]
    return [
        [each.log_prob(x), each.prob(x), each.mean(), each.stddev(), each.entropy(), each.mode()]
        for each in made
    ]


@case
def mixtures():
    loc, scale, x = normal(2, 3), positive(2, 3), normal(2)
    chances = tf.constant([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
    cat = ds.Categorical(probs=chances)
    parts = [ds.Normal(loc[:, index], scale[:, index]) for index in range(3)]
    vectors = [ds.MultivariateNormalDiag(loc, scale), ds.MultivariateNormalDiag(loc + 1.0, scale)]
    of_vectors = ds.Mixture(ds.Categorical(probs=[[0.3, 0.7], [0.5, 0.5]]), vectors)
    mixed = [ds.Mixture(cat, parts), ds.MixtureSameFamily(cat, ds.Normal(loc, scale))]
    return [
        [[each.log_prob(x), each.mean(), each.stddev(), each.cdf(x)] for each in mixed],
        of_vectors.log_prob(normal(2, 3)),
        of_vectors.mean(),
        tf.shape(of_vectors.sample(4, seed=1)),
    ]


@case
def divergences():
    loc, scale = normal(3, 2), positive(3, 2)
    one, other = ds.MultivariateNormalDiag(loc, scale), ds.MultivariateNormalDiag(loc * 0.5)
    return [
        ds.kl_divergence(one, other),
        ds.kl_divergence(ds.MultivariateNormalTriL(loc, tf.eye(2) * 2.0), other),
        ds.kl_divergence(ds.Normal(loc, scale), ds.Normal(0.0, 1.0)),
        ds.kl_divergence(ds.OneHotCategorical(normal(2, 3)), ds.OneHotCategorical(normal(2, 3))),
        ds.kl_divergence(ds.Bernoulli(normal(4)), ds.Bernoulli(normal(4))),
    ]


@case
def of_numbers():
    loc, scale, x = normal(4), positive(4), normal(4)
    return [
        [each.log_prob(x), each.mean(), each.mode(), each.entropy(), each.cdf(x)]
        for each in [
            ds.Logistic(loc, scale),
            ds.NormalWithSoftplusScale(loc, scale),
        ]
    ] + [
        [ds.Cauchy(loc, scale).log_prob(x), ds.Cauchy(loc, scale).mode(), ds.Cauchy(loc, scale).cdf(x)],
        [ds.HalfNormal(scale).log_prob(scale), ds.HalfNormal(scale).mean(), ds.HalfNormal(scale).entropy()],
        [ds.Chi2(scale + 2.0).log_prob(scale), ds.Chi2(scale + 2.0).mean()],
        [ds.Deterministic(loc).prob(loc), ds.Deterministic(loc).mean()],
        ds.softplus_inverse(scale),
    ]


@case
def of_counts():
    logits, counts = normal(4), given(np.float32([0, 1, 3, 2]))
    rate = positive(4)
    return [
        [ds.Poisson(rate).log_prob(counts), ds.Poisson(log_rate=logits).mean(), ds.Poisson(rate).cdf(counts)],
        [ds.Binomial(5.0, logits).log_prob(counts), ds.Binomial(5.0, probs=rate / 2.0).mean()],
        [ds.Geometric(logits).log_prob(counts), ds.Geometric(logits).mean(), ds.Geometric(logits).entropy()],
        [ds.NegativeBinomial(3.0, logits).log_prob(counts), ds.NegativeBinomial(3.0, logits).mean()],
    ]


@case
def of_choices():
    logits, one_hot = normal(3, 4), tf.one_hot([1, 0, 3], 4)
    near = tf.nn.softmax(normal(3, 4))
    hard = ds.OneHotCategorical(logits)
    return [
        [hard.log_prob(one_hot), hard.entropy(), hard.mode(), tf.shape(hard.sample(5, seed=2))],
        ds.RelaxedOneHotCategorical(0.7, logits).log_prob(near),
        ds.RelaxedBernoulli(0.7, logits).log_prob(near),
        tf.shape(ds.RelaxedOneHotCategorical(fed(np.float32(0.7), []), probs=near).sample(seed=3)),
    ]
