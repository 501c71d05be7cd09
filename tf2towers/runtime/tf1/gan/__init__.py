"""`tf.contrib.gan`: a generator, a discriminator, their losses, and training in turn.

Numbers are held to TensorFlow 1.12's: 1.15 no longer has the package.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf
from tf_slim.training import training

from tf2towers.runtime.tf1.gan import evaluation as evaluation
from tf2towers.runtime.tf1.gan import features as features
from tf2towers.runtime.tf1.gan import losses as losses
from tf2towers.runtime.tf1.gan import wargs as wargs

v1 = tf.compat.v1


class GANModel(NamedTuple):
    """What `gan_model` builds: inputs, data, variables, scopes and functions of both networks."""

    generator_inputs: Any
    generated_data: Any
    generator_variables: Any
    generator_scope: Any
    generator_fn: Any
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any


class GANLoss(NamedTuple):
    """The losses of both networks, scalars."""

    generator_loss: Any
    discriminator_loss: Any


class GANTrainOps(NamedTuple):
    """The updates of both networks, which give their losses, and that of the global step."""

    generator_train_op: Any
    discriminator_train_op: Any
    global_step_inc_op: Any


class GANTrainSteps(NamedTuple):
    """How often each network is updated in a step."""

    generator_train_steps: int
    discriminator_train_steps: int


def gan_model(
    generator_fn: Callable[[Any], Any],
    discriminator_fn: Callable[[Any, Any], Any],
    real_data: Any,
    generator_inputs: Any,
    generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> GANModel:
    """Both networks in scopes of their own; the discriminator looks at generated data first.

    Raises:
        ValueError: with `check_shapes`, generated data have another shape than real ones.
    """
    with v1.variable_scope(generator_scope) as generator:
        is_several = isinstance(generator_inputs, list | tuple | dict)
        if isinstance(generator_inputs, dict):
            generator_inputs = {key: tf.convert_to_tensor(each) for key, each in generator_inputs.items()}
        elif is_several:
            generator_inputs = [tf.convert_to_tensor(each) for each in generator_inputs]
        else:
            generator_inputs = tf.convert_to_tensor(generator_inputs)
        generated = generator_fn(generator_inputs)
    with v1.variable_scope(discriminator_scope) as discriminator:
        of_generated = discriminator_fn(generated, generator_inputs)
    with v1.variable_scope(discriminator, reuse=True):
        real_data = tf.convert_to_tensor(real_data)
        of_real = discriminator_fn(real_data, generator_inputs)
    if check_shapes and not generated.shape.is_compatible_with(real_data.shape):
        raise ValueError(f"the generator makes {generated.shape}, and real data are {real_data.shape}")
    return GANModel(
        generator_inputs,
        generated,
        _trained_in(generator),
        generator,
        generator_fn,
        real_data,
        of_real,
        of_generated,
        _trained_in(discriminator),
        discriminator,
        discriminator_fn,
    )


def _trained_in(scope: Any) -> list[Any]:
    return v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, scope.name)


def gan_loss(
    model: Any,
    generator_loss_fn: Callable[..., Any] = losses.wasserstein_generator_loss,
    discriminator_loss_fn: Callable[..., Any] = losses.wasserstein_discriminator_loss,
    gradient_penalty_weight: Any = None,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    *,
    add_summaries: bool = True,
) -> GANLoss:
    """Both losses, with each network's regularization; a weight of None or 0: no penalty."""
    of_generator = generator_loss_fn(model, add_summaries=add_summaries)
    of_discriminator = discriminator_loss_fn(model, add_summaries=add_summaries)
    if gradient_penalty_weight is not None and (
        tf.is_tensor(gradient_penalty_weight) or gradient_penalty_weight > 0
    ):
        of_discriminator += gradient_penalty_weight * losses.wasserstein_gradient_penalty(
            model,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            add_summaries=add_summaries,
        )
    return GANLoss(
        of_generator + _regularization(model.generator_scope),
        of_discriminator + _regularization(model.discriminator_scope),
    )


def _regularization(scope: Any) -> Any:
    return v1.losses.get_regularization_loss(scope.name) if scope else 0


def gan_train_ops(
    model: Any,
    loss: Any,
    generator_optimizer: Any,
    discriminator_optimizer: Any,
    check_for_unused_update_ops: bool = True,
    **kwargs: Any,
) -> GANTrainOps:
    """The updates of both networks, with their scopes' own; `create_train_op` takes the rest.

    Raises:
        ValueError: an update operation is of neither, with `check_for_unused_update_ops`.
    """
    step = v1.train.get_or_create_global_step()
    counted = step.assign_add(1)
    updates = kwargs.pop("update_ops", None)
    updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS) if updates is None else list(updates)
    scopes = (model.generator_scope.name, model.discriminator_scope.name)
    by_scope = [v1.get_collection(v1.GraphKeys.UPDATE_OPS, scope) for scope in scopes]
    unused = [each for each in updates if not any(_has(each, found) for found in by_scope)]
    if unused and check_for_unused_update_ops:
        raise ValueError(f"update operations of neither network: {unused}")

    def train(network: str, optimizer: Any, variables: Any, own: list[Any]) -> Any:
        own_step, own = None, [each for each in dict.fromkeys(own) if _has(each, updates)]
        if isinstance(optimizer, v1.train.SyncReplicasOptimizer):
            own_step = v1.get_variable(
                f"dummy_global_step_{network}",
                [],
                step.dtype.base_dtype,
                v1.zeros_initializer(),
                trainable=False,
                collections=[v1.GraphKeys.GLOBAL_VARIABLES],
            )
            own.append(own_step.assign(step))
        with v1.name_scope(f"{network}_train"):
            return training.create_train_op(
                total_loss=getattr(loss, f"{network}_loss"),
                optimizer=optimizer,
                variables_to_train=variables,
                global_step=own_step,
                update_ops=own,
                **kwargs,
            )

    return GANTrainOps(
        train("generator", generator_optimizer, model.generator_variables, by_scope[0]),
        train("discriminator", discriminator_optimizer, model.discriminator_variables, by_scope[1]),
        counted,
    )


def _has(operation: Any, operations: Sequence[Any]) -> bool:
    return any(each is operation for each in operations)


class RunTrainOpsHook(tf.compat.v1.train.SessionRunHook):
    """Runs operations `train_steps` times before each step of the session."""

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        self._train_ops = train_ops if isinstance(train_ops, list | tuple) else [train_ops]
        self._train_steps = train_steps

    def before_run(self, run_context: Any) -> None:
        """Runs them."""
        for _ in range(self._train_steps):
            run_context.session.run(self._train_ops)


_ONCE_EACH = GANTrainSteps(1, 1)


def get_sequential_train_hooks(train_steps: Any = _ONCE_EACH) -> Callable[[Any], list[Any]]:
    """A function from `GANTrainOps` to hooks: the generator's updates, then the other's."""
    generator, discriminator = train_steps

    def hooks(train_ops: Any) -> list[Any]:
        return [
            RunTrainOpsHook(train_ops.generator_train_op, generator),
            RunTrainOpsHook(train_ops.discriminator_train_op, discriminator),
        ]

    return hooks


def get_joint_train_hooks(train_steps: Any = _ONCE_EACH) -> Callable[[Any], list[Any]]:
    """A function from `GANTrainOps` to hooks: both updates in one run, then those left over."""
    generator, discriminator = train_steps
    both = min(generator, discriminator)

    def hooks(train_ops: Any) -> list[Any]:
        operations = [train_ops.generator_train_op, train_ops.discriminator_train_op]
        return [
            RunTrainOpsHook(operations, both),
            RunTrainOpsHook(operations[0], generator - both),
            RunTrainOpsHook(operations[1], discriminator - both),
        ]

    return hooks


def gan_train(
    train_ops: Any,
    logdir: str | None,
    get_hooks_fn: Callable[[Any], Sequence[Any]] = get_sequential_train_hooks(),  # noqa: B008 - it keeps nothing
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = 600,
    save_summaries_steps: Any = 100,
    config: Any = None,
) -> Any:
    """Trains until a hook ends it; the last global step."""
    return training.train(
        train_ops.global_step_inc_op,
        logdir,
        master=master,
        is_chief=is_chief,
        scaffold=scaffold,
        hooks=[*(hooks or []), *get_hooks_fn(train_ops)],
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
    )
