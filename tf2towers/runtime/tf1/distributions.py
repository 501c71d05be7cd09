"""`tf.contrib.distributions` that `tf.distributions` lacks, as tfp.distributions has them.

They take distributions of `tf.distributions` as parts. Densities, moments and divergences are
TensorFlow 1.15's (tests/functions); a seed draws other numbers.
"""

from typing import Any

import tensorflow as tf

try:
    import tensorflow_probability as tfp
except ImportError as problem:
    raise ImportError(
        "parts of tf.contrib.distributions need TensorFlow Probability: "
        f"pip install tensorflow-probability tf_keras ({problem})"
    ) from problem

v1 = tf.compat.v1
tfd = tfp.distributions

Binomial, Cauchy, Chi2, Deterministic = tfd.Binomial, tfd.Cauchy, tfd.Chi2, tfd.Deterministic
Geometric, HalfNormal, Logistic = tfd.Geometric, tfd.HalfNormal, tfd.Logistic
NegativeBinomial, OneHotCategorical = tfd.NegativeBinomial, tfd.OneHotCategorical
Poisson, RelaxedBernoulli = tfd.Poisson, tfd.RelaxedBernoulli
MultivariateNormalFullCovariance = tfd.MultivariateNormalFullCovariance
MultivariateNormalTriL = tfd.MultivariateNormalTriL
softplus_inverse = tfp.math.softplus_inverse


def of_tfp(part: Any) -> Any:
    """A distribution of `tf.distributions` as that of TensorFlow Probability; others stay."""
    if not isinstance(part, v1.distributions.Distribution):
        return part
    known = {name: value for name, value in part.parameters.items() if value is not None}
    return getattr(tfd, type(part).__name__)(**known)


class MultivariateNormalDiag(tfp.distributions.MultivariateNormalDiag):
    """A normal distribution of vectors whose parts are independent.

    `scale_diag` are the standard deviations; `scale_identity_multiplier` is added to each, and is
    them without it.
    """

    _parameter_properties = tfd.MultivariateNormalDiag._parameter_properties

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        if scale_identity_multiplier is not None:
            more = tf.convert_to_tensor(scale_identity_multiplier)[..., tf.newaxis]
            if scale_diag is None and loc is None:
                raise ValueError("MultivariateNormalDiag needs loc or scale_diag: its size is not known")
            scale_diag = more * tf.ones_like(loc) if scale_diag is None else scale_diag + more
        super().__init__(loc, scale_diag, validate_args, allow_nan_stats, name=name)

    def sample_n(self, n: Any, seed: Any = None, name: str = "sample_n") -> Any:
        """Draws, [n, ...], as TensorFlow 1.0 called it."""
        return self.sample([n], seed, name)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """The same with standard deviations that are softplus of what is given."""

    _parameter_properties = MultivariateNormalDiag._parameter_properties

    def __init__(self, loc: Any, scale_diag: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("name", "MultivariateNormalDiagWithSoftplusScale")
        validate, allow, name = _rest(args, kwargs)
        super().__init__(loc, tf.nn.softplus(scale_diag), None, validate, allow, name)


class NormalWithSoftplusScale(tfp.distributions.Normal):
    """A normal distribution whose standard deviation is softplus of what is given."""

    _parameter_properties = tfd.Normal._parameter_properties

    def __init__(self, loc: Any, scale: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("name", "NormalWithSoftplusScale")
        super().__init__(loc, tf.nn.softplus(scale), *_rest(args, kwargs))


def _rest(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """`validate_args`, `allow_nan_stats` and `name`, given by place or by name."""
    given = dict(zip(("validate_args", "allow_nan_stats", "name"), args, strict=False)) | kwargs
    return given.get("validate_args", False), given.get("allow_nan_stats", True), given["name"]


class Mixture(tfp.distributions.Mixture):
    """A mixture: `cat`, a Categorical, chooses one of `components`."""

    _parameter_properties = tfd.Mixture._parameter_properties

    def __init__(
        self,
        cat: Any,
        components: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        super().__init__(of_tfp(cat), [*map(of_tfp, components)], validate_args, allow_nan_stats, name)

    sample_n = MultivariateNormalDiag.sample_n


class MixtureSameFamily(tfp.distributions.MixtureSameFamily):
    """A mixture whose components are the last batch axis of one distribution."""

    _parameter_properties = tfd.MixtureSameFamily._parameter_properties

    def __init__(
        self, mixture_distribution: Any, components_distribution: Any, *args: Any, **kwargs: Any
    ) -> None:
        kwargs.setdefault("name", "MixtureSameFamily")
        names = ("validate_args", "allow_nan_stats", "name")
        given = dict(zip(names, _rest(args, kwargs), strict=True))
        super().__init__(of_tfp(mixture_distribution), of_tfp(components_distribution), **given)


class Independent(tfp.distributions.Independent):
    """A distribution some of whose batch axes, by default all but the first, are one event."""

    _parameter_properties = tfd.Independent._parameter_properties

    def __init__(
        self,
        distribution: Any,
        reinterpreted_batch_ndims: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(of_tfp(distribution), reinterpreted_batch_ndims, validate_args, name=name)


class RelaxedOneHotCategorical(tfp.distributions.RelaxedOneHotCategorical):
    """Concrete distribution (Maddison et al. 2016; Jang et al. 2016) of its parameters' type."""

    _parameter_properties = tfd.RelaxedOneHotCategorical._parameter_properties

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        super().__init__(temperature, logits, probs, validate_args, allow_nan_stats, name)
