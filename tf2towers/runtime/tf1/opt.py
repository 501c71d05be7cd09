"""Optimizers of `tf.contrib.opt`, with SciPy's, and operations for optimizers of a script's own.

The latter are TensorFlow 1.15's `training_ops`, `apply_adam` and its kin. They took reference
variables; TensorFlow's `resource_apply_adam` and its kin do the same to the handles of resource
variables.
"""

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.private import private

v1 = tf.compat.v1

#: the operands that an operation writes
_WRITTEN = frozenset(
    "var ms mom mg accum accum_update linear m v vhat gradient_accumulator gradient_squared_accumulator".split()  # noqa: SIM905
)


def _scatter(kind: str, variable: Any, indices: tf.Tensor, updates: tf.Tensor) -> tf.Operation:
    """Changes rows of a variable, which in an original that `verify` records may be a reference."""
    if hasattr(variable, "handle"):
        operation = getattr(tf.raw_ops, f"ResourceScatter{kind}")
        return operation(resource=variable.handle, indices=indices, updates=updates)
    return getattr(v1, f"scatter_{kind.lower()}")(variable, indices, updates).op


def _numbers(adam: Any, dtype: Any) -> list[tf.Tensor]:
    """The powers of both decays, the rate, both decays and epsilon."""
    numbers = (*adam._get_beta_accumulators(), adam._lr_t, adam._beta1_t, adam._beta2_t, adam._epsilon_t)
    return [tf.cast(number, dtype) for number in numbers]


class LazyAdamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam (Kingma and Ba, 2014) whose averages change for those rows alone that a sparse gradient has."""

    def _apply_sparse(self, grad: Any, var: Any) -> tf.Operation:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        power1, power2, rate, beta1, beta2, epsilon = _numbers(self, grad.dtype)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        v_rows = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        step = rate * tf.sqrt(1 - power2) / (1 - power1) * m_rows / (tf.sqrt(v_rows) + epsilon)
        return tf.group(
            _scatter("Sub", var, indices, step),
            _scatter("Update", m, indices, m_rows),
            _scatter("Update", v, indices, v_rows),
        )


class NadamOptimizer(tf.compat.v1.train.AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2015)."""

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> tf.Operation:
        names = ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon")
        numbers = dict(zip(names, _numbers(self, grad.dtype), strict=True))
        written = {"var": var, **{name: self.get_slot(var, name) for name in "mv"}}
        given = {**numbers, "grad": grad, "use_locking": self._use_locking, "use_nesterov": True}
        if not hasattr(var, "handle"):  # a reference, in an original that `verify` records
            return tf.raw_ops.ApplyAdam(**written, **given).op
        return tf.raw_ops.ResourceApplyAdam(**{name: each.handle for name, each in written.items()}, **given)

    _apply_dense = _resource_apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> tf.Operation:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        power1, power2, rate, beta1, beta2, epsilon = _numbers(self, grad.dtype)

        def decayed(name: str, decay: tf.Tensor, rows: tf.Tensor) -> tf.Tensor:
            """The slot's rows after all of it has decayed, and these have grown."""
            slot = self.get_slot(var, name)
            with tf.control_dependencies([slot.assign(slot * decay).op]):
                added = _scatter("Add", slot, indices, rows)
            with tf.control_dependencies([added]):
                return tf.gather(slot.read_value(), indices)

        m_new = (1 - beta1) * grad
        m_rows, v_rows = (
            decayed("m", beta1, m_new),
            decayed("v", beta2, (1 - beta2) * tf.square(grad)),
        )
        rate *= tf.sqrt(1 - power2) / (1 - power1)
        step = rate * (m_new + beta1 * m_rows) / (tf.sqrt(v_rows) + epsilon)
        return _scatter("Sub", var, indices, step)


class AdaMaxOptimizer(tf.compat.v1.train.AdamOptimizer):
    """AdaMax (Kingma and Ba, 2014): Adam by the largest gradient, which decays, in the place of the mean square."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self) -> Any:
        return self._get_non_slot_variable("beta1_power", graph=tf.compat.v1.get_default_graph())

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        for variable in var_list:
            for slot in "mv":
                self._zeros_slot(variable, slot, self._name)

    def _numbers(self, dtype: Any) -> dict[str, tf.Tensor]:
        names = ("beta1_power", "lr", "beta1", "beta2", "epsilon")
        numbers = (self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        return {name: tf.cast(number, dtype) for name, number in zip(names, numbers, strict=True)}

    def _resource_apply_dense(self, grad: tf.Tensor, var: Any) -> tf.Operation:
        written = {"var": var, **{name: self.get_slot(var, name) for name in "mv"}}
        given = {**self._numbers(grad.dtype), "grad": grad, "use_locking": self._use_locking}
        if not hasattr(var, "handle"):  # a reference, in an original that `verify` records
            return tf.raw_ops.ApplyAdaMax(**written, **given).op
        return tf.raw_ops.ResourceApplyAdaMax(
            **{name: each.handle for name, each in written.items()}, **given
        )

    _apply_dense = _resource_apply_dense

    def _apply_sparse(self, grad: Any, var: Any) -> tf.Operation:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: tf.Tensor, var: Any, indices: tf.Tensor) -> tf.Operation:
        power, rate, beta1, beta2, epsilon = self._numbers(grad.dtype).values()
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        v_rows = tf.maximum(beta2 * tf.gather(v, indices), tf.abs(grad))
        step = rate / (1 - power) * (m_rows / (v_rows + epsilon))
        with tf.control_dependencies([step]):
            return tf.group(
                _scatter("Sub", var, indices, step),
                _scatter("Update", m, indices, m_rows),
                _scatter("Update", v, indices, v_rows),
            )

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> tf.Operation:
        power = self._get_beta_accumulators()
        with tf.control_dependencies(update_ops), v1.colocate_with(power):
            update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*update_ops, update, name=name_scope)


class MovingAverageOptimizer(tf.compat.v1.train.Optimizer):
    """An optimizer that keeps moving averages of what it trains, and whose `swapping_saver` saves them in its place.

    `sequential_update`: whether the averages are updated after the variables.
    """

    def __init__(
        self,
        opt: Any,
        average_decay: float = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        self._optimizer, self._sequential = opt, sequential_update
        self._ema = v1.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: dict[str, str] | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """The optimizer's update, with that of the averages."""
        pairs = list(grads_and_vars)
        update = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        trained = [variable for gradient, variable in pairs if gradient is not None]
        with tf.control_dependencies([update] if self._sequential else []):
            averages = self._ema.apply(trained)
        names = [(each.op.name, self._ema.average(each).op.name) for each in trained]
        self._swapped = dict(names) | {average: variable for variable, average in names}
        return tf.group(update, averages, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """A Saver that saves each average under its variable's name, and the variable under the average's.

        Raises:
            RuntimeError: nothing was minimized before.
            ValueError: `var_list` has a variable without its average.
        """
        if self._swapped is None:
            raise RuntimeError("minimize or apply_gradients comes before swapping_saver")
        given = v1.global_variables() if var_list is None else var_list
        saved = given if isinstance(given, dict) else {each.op.name: each for each in given}
        by_name = {each.op.name: each for each in saved.values()}
        swapped = {}
        for key, variable in saved.items():
            other = self._swapped.get(variable.op.name, variable.op.name)
            if other not in by_name:
                raise ValueError(f"{other} has to be saved, too: it is swapped with {variable.op.name}")
            swapped[key] = by_name[other]
        return v1.train.Saver(swapped, name=name, **kwargs)


class ExternalOptimizerInterface:
    """What a subclass's `_minimize` moves: variables side by side in one vector.

    Args:
        loss: the scalar to make small.
        var_list: the variables; by default all that are trained.
        equalities, inequalities: scalars to hold at 0, or not below it.
        var_to_bounds: variable -> (low, high), numbers or arrays that fit it.
        optimizer_kwargs: for `_minimize`.
    """

    def __init__(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: Any = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._vars = v1.trainable_variables() if var_list is None else list(var_list)
        self.optimizer_kwargs = optimizer_kwargs
        self._bounds = None if var_to_bounds is None else self._packed_bounds(var_to_bounds)
        self._loss = (loss, self._gradient(loss))
        self._equalities = [(each, self._gradient(each)) for each in equalities or []]
        self._inequalities = [(each, self._gradient(each)) for each in inequalities or []]
        self._packed_var = _packed(self._vars)
        self._new = [v1.placeholder(each.dtype.base_dtype, each.shape) for each in self._vars]
        self._updates = [each.assign(new).op for each, new in zip(self._vars, self._new, strict=True)]

    def _packed_bounds(self, bounds: Any) -> list[tuple[float, float]]:
        by_name = {variable.ref(): given for variable, given in bounds.items()}
        packed: list[tuple[float, float]] = []
        for variable in self._vars:
            low, high = by_name.get(variable.ref(), (-np.inf, np.inf))
            sides = (np.broadcast_to(side, variable.shape.as_list()).flat for side in (low, high))
            packed += zip(*sides, strict=True)
        return packed

    def _gradient(self, value: Any) -> tf.Tensor:
        """The gradient by the vector; 0 where a variable is no part of the value."""
        gradients = v1.gradients(value, self._vars)
        pairs = zip(gradients, self._vars, strict=True)
        return _packed([tf.zeros_like(each) if found is None else found for found, each in pairs])

    def _values(self, vector: Any) -> list[np.ndarray[Any, Any]]:
        """The variables' values in a vector."""
        ends = np.cumsum([math.prod(each.shape.as_list()) for each in self._vars])[:-1]
        pairs = zip(np.split(np.asarray(vector), ends), self._vars, strict=True)
        return [part.reshape(each.shape.as_list()) for part, each in pairs]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Any = None,
        fetches: Any = None,
        step_callback: Callable[[Any], Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Moves the variables until the loss is small; they have their old values meanwhile.

        Args:
            session, feed_dict: for the loss; by default the session that is entered, and nothing.
            fetches, loss_callback: with each loss, these are given to that function.
            step_callback: gets the vector after each step.
            run_kwargs: for the run that assigns the variables.
        """
        session, wanted = session or v1.get_default_session(), list(fetches or [])

        def function_of(tensors: Sequence[Any], report: Callable[..., Any] | None = None) -> Any:
            def evaluate(vector: Any) -> list[Any]:
                feeds = {**dict(zip(self._vars, self._values(vector), strict=True)), **(feed_dict or {})}
                found = session.run([*tensors, *wanted], feeds)
                if report is not None:
                    report(*found[len(tensors) :])
                return found[: len(tensors)]

            return evaluate

        functions = [
            [function_of([pair[place]]) for pair in pairs]
            for pairs in (self._equalities, self._inequalities)
            for place in (0, 1)
        ]
        vector = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=function_of(self._loss, loss_callback),
            equality_funcs=functions[0],
            equality_grad_funcs=functions[1],
            inequality_funcs=functions[2],
            inequality_grad_funcs=functions[3],
            packed_bounds=self._bounds,
            step_callback=step_callback or (lambda vector: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        session.run(self._updates, dict(zip(self._new, self._values(vector), strict=True)), **run_kwargs)

    def _minimize(self, **given: Any) -> Any:
        raise NotImplementedError("a subclass of ExternalOptimizerInterface has a _minimize of its own")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Moves the variables by `scipy.optimize.minimize`, whose `method` is "L-BFGS-B" unless another is given."""

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(  # type: ignore[override]
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        import scipy.optimize

        def loss_and_gradient(vector: Any) -> tuple[Any, Any]:
            loss, gradient = loss_grad_func(vector)
            return np.float64(loss), gradient.astype("float64")

        def constraint(kind: str, function: Any, gradient: Any) -> dict[str, Any]:
            return {
                "type": kind,
                "fun": lambda x: np.float64(function(x)[0]),
                "jac": lambda x: gradient(x)[0].astype("float64"),
            }

        own = {
            "jac": True,
            "callback": step_callback,
            "method": self._DEFAULT_METHOD,
            "constraints": [
                *(constraint("eq", *each) for each in zip(equality_funcs, equality_grad_funcs, strict=True)),
                *(
                    constraint("ineq", *each)
                    for each in zip(inequality_funcs, inequality_grad_funcs, strict=True)
                ),
            ],
            "bounds": packed_bounds,
        }
        if taken := own.keys() & optimizer_kwargs.keys() - {"method"}:
            raise ValueError(f"ScipyOptimizerInterface sets {', '.join(sorted(taken))} itself")
        start = np.asarray(initial_val, "float64")
        result = scipy.optimize.minimize(loss_and_gradient, start, **{**own, **optimizer_kwargs})
        outcome = f"ended: {result.message}, loss {result.fun}"
        counts = [f"{key} {result[key]}" for key in ("nit", "nfev") if key in result]
        v1.logging.info("%s", ", ".join([outcome, *counts]))
        return result["x"]


def _packed(tensors: Sequence[Any]) -> tf.Tensor:
    """Tensors side by side in one vector."""
    return tf.concat([tf.reshape(each, [-1]) for each in tensors], 0)


def __getattr__(name: str) -> Callable[..., Any]:
    operations = private("ops.gen_training_ops", "an optimizer of the script's own")
    operation = getattr(operations, f"resource_{name.removeprefix('resource_')}")

    def apply(*args: Any, **kwargs: Any) -> Any:
        """Runs the operation on the variables' handles; the variable's new value, as TF1 gave its reference."""
        given = inspect.signature(operation).bind(*args, **kwargs).arguments
        handles = {part: getattr(given[part], "handle", given[part]) for part in _WRITTEN & set(given)}
        done = operation(**{**given, **handles})
        if not hasattr(given["var"], "read_value"):
            return done
        with tf.control_dependencies([done]):
            return given["var"].read_value()

    return apply
