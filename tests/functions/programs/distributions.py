"""tf.distributions and tf.contrib.distributions."""

import tensorflow as tf
from cases import case, cases, normal, uniform

distributions = tf.distributions


@case
def of_contrib():
    contrib = tf.contrib.distributions
    return [
        contrib.Normal(0.0, 1.0).log_prob(normal(2)),
        contrib.Categorical(logits=normal(3)).log_prob(1),
        contrib.kl_divergence(contrib.Normal(normal(2), 1.0), contrib.Normal(0.0, 2.0)),
    ]


TABLE = {
    "densities": lambda: [
        distributions.Normal(0.0, 2.0).log_prob([0.5]),
        distributions.Normal(normal(3), uniform(3) + 0.1).prob(normal(3)),
        distributions.Normal(normal(3), uniform(3) + 0.1).cdf(normal(3)),
        distributions.Categorical(logits=normal(3, 4)).log_prob([0, 1, 2]),
        distributions.Bernoulli(logits=[0.3]).prob([1]),
        distributions.Bernoulli(probs=uniform(2)).log_prob([1, 0]),
        distributions.Beta(2.0, 3.0).log_prob(uniform(3)),
        distributions.Gamma(2.0, 3.0).log_prob(uniform(3)),
        distributions.Dirichlet([1.0, 2.0, 3.0]).log_prob([0.2, 0.3, 0.5]),
        distributions.DirichletMultinomial(3.0, [1.0, 2.0]).log_prob([1.0, 2.0]),
        distributions.Laplace(0.0, 1.0).cdf(normal(3)),
        distributions.StudentT(3.0, 0.0, 1.0).log_prob(normal(3)),
        distributions.Multinomial(4.0, probs=[0.2, 0.8]).log_prob([1.0, 3.0]),
        distributions.Uniform(0.0, 2.0).log_prob(uniform(3)),
        distributions.Exponential(2.0).log_prob(uniform(3)),
    ],
    "moments": lambda: [
        distributions.Normal(normal(2), uniform(2)).entropy(),
        distributions.Normal(normal(2), uniform(2)).stddev(),
        distributions.Categorical(logits=normal(3, 4)).entropy(),
        distributions.Categorical(logits=normal(3, 4)).mode(),
        distributions.Beta(2.0, 3.0).mean(),
        distributions.Gamma(2.0, 3.0).variance(),
        distributions.Dirichlet([1.0, 2.0, 3.0]).mean(),
        distributions.kl_divergence(
            distributions.Normal(normal(2), 1.0), distributions.Normal(normal(2), uniform(2) + 0.1)
        ),
        distributions.kl_divergence(
            distributions.Categorical(logits=normal(4)), distributions.Categorical(logits=normal(4))
        ),
        str(distributions.Normal(normal(2), 1.0).batch_shape),
        distributions.Normal([0.0], [1.0], name="named").name,
    ],
    "samples": lambda: [
        distributions.Normal(0.0, 2.0).sample(3, seed=1),
        distributions.Normal(normal(2), uniform(2)).sample([2, 3], seed=2),
        distributions.Uniform(0.0, 2.0).sample(3, seed=1),
        distributions.Bernoulli(probs=uniform(3)).sample(seed=4),
        distributions.Laplace(0.0, 1.0).sample(3, seed=1),
        distributions.Exponential(2.0).sample(3, seed=1),
    ],
    "samples_of_classes": lambda: distributions.Categorical(probs=[0.2, 0.8]).sample(5, seed=2),
}
cases(__name__, TABLE)
