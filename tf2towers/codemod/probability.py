"""TensorFlow Probability beside a TF1 graph: what of it runs there, and is what it was beside TensorFlow 1.15."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.libraries import library_name, names_taken
from tf2towers.codemod.nodes import is_name, keywords, only_target, positional
from tf2towers.codemod.program import Program

_ROOT = "tensorflow_probability"
#: classes and functions with the same first arguments in 0.8 and 0.25, measured in a graph of TF 2.21
_SERVED = frozenset({
    f"{_ROOT}.{name}"
    for module, names in {
        "distributions": "Bernoulli Beta Binomial Categorical Cauchy Chi2 Deterministic Dirichlet Exponential Gamma "
        "Geometric HalfNormal Independent Laplace Logistic Mixture MixtureSameFamily MultivariateNormalDiag "
        "MultivariateNormalFullCovariance MultivariateNormalTriL NegativeBinomial Normal OneHotCategorical Poisson "
        "RelaxedBernoulli RelaxedOneHotCategorical StudentT Uniform kl_divergence",
        "bijectors": "Exp Identity Invert Sigmoid Softplus Softsign Square",
        "math": "softplus_inverse",
    }.items()
    for name in (module, *(f"{module}.{each}" for each in names.split()))
}) | {_ROOT, f"{_ROOT}.__version__"}  # fmt: skip
_MODULES = frozenset({_ROOT, f"{_ROOT}.distributions", f"{_ROOT}.bijectors", f"{_ROOT}.math"})
#: arguments that are gone
_LOST = frozenset({"dtype", "scale_identity_multiplier", "use_static_graph"})
#: so many arguments by place are the same; what follows was moved
_BY_PLACE = 2


def find_unserved(program: Program) -> str | None:
    """The first name, or argument, that keeps a program's use of the library from being served; None for none."""
    for file in program.all_files:
        if _ROOT not in file.script.text:
            continue
        for name in names_taken(file, _ROOT):
            if name not in _SERVED:
                return name
        for node in (*file.all(cst.Name), *file.all(cst.Attribute)):
            around = file.parent(node)
            if not file.is_read(node) or library_name(file, node) not in _MODULES:
                continue
            is_alias = is_name(only_target(around))
            if not is_alias and not (isinstance(around, cst.Attribute) and around.value is node):
                return f"{library_name(file, node)} as a value"
        for call in file.all(cst.Call):
            name = library_name(file, call.func) or ""
            given = {each.keyword.value for each in keywords(call) if each.keyword is not None}
            if name in _SERVED and (lost := _LOST & given):
                return f"{min(lost)} of {name}"
            if name in _SERVED and len(positional(call)) > _BY_PLACE:
                return f"the third argument of {name}"
    return None
