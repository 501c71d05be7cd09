"""`tf.contrib.learn`'s `Experiment`, `learn_runner` and `RunConfig`, for Estimators of `tf.estimator`.

Written from their documentation, and from what TensorFlow 1.15 did.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tf2towers.runtime.graph_session.cluster.server import Server
from tf2towers.runtime.tf1 import estimator as _estimator

#: the schedule of a task that is in a cluster of several
_SCHEDULES = {"master": "train_and_evaluate", "ps": "run_std_server", "worker": "train"}


class RunConfig(_estimator.RunConfig):  # type: ignore[name-defined]
    """A RunConfig with the arguments that `tf.contrib.learn` had: the session's config comes from them.

    Args:
        master, num_cores, log_device_placement, gpu_memory_fraction, evaluation_master: of the
            session.
        options: as for `tf.estimator.RunConfig`.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        *,
        evaluation_master: str = "",
        **options: Any,
    ) -> None:
        if options.get("session_config") is None:
            options["session_config"] = tf.ConfigProto(
                log_device_placement=log_device_placement,
                inter_op_parallelism_threads=num_cores,
                intra_op_parallelism_threads=num_cores,
                gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
            )
        super().__init__(**options)


class ExportStrategy(NamedTuple):
    """How an Experiment exports a model: a name, and a function that writes the export and returns its folder.

    `export_fn` takes an Estimator and the folder to export into, and of `checkpoint_path`,
    `eval_result` and `strip_default_attrs` those that it names.
    """

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None = None

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: str | None = None, eval_result: Any = None
    ) -> Any:
        """What the function returns.

        Raises:
            ValueError: it takes the result of an evaluation, and not the checkpoint.
        """
        parameters = inspect.signature(self.export_fn).parameters
        if "eval_result" in parameters and "checkpoint_path" not in parameters:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        given = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        taken = {name: value for name, value in given.items() if name in parameters}
        return self.export_fn(estimator, export_path, **taken)


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: None = None,
    assets_extra: dict[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """The strategy `Servo`, which exports a SavedModel and keeps the newest `exports_to_keep` (None: all)."""

    def export_fn(
        estimator: Any,
        export_dir_base: str,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool | None = False,
    ) -> Any:
        if default_output_alternative_key is not None:
            raise ValueError("default_output_alternative_key is not supported in core Estimator.")
        made = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=bool(strip_default_attrs),
        )
        if exports_to_keep is not None:
            _remove_old_exports(export_dir_base, exports_to_keep)
        return made

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def _remove_old_exports(folder: str, kept: int) -> None:
    """Removes all but the newest exports: folders whose names are the seconds of their making."""
    names = (name.rstrip("/") for name in tf.io.gfile.listdir(folder))
    exports = sorted(name for name in names if name.isdigit() and len(name) == 10)
    for name in exports[: max(0, len(exports) - kept)]:
        tf.io.gfile.rmtree(tf.io.gfile.join(folder, name))


class Experiment:
    """An Estimator with its data, for a schedule: `train`, `evaluate`, `train_and_evaluate` and so on.

    Args:
        estimator: a `tf.estimator.Estimator`.
        train_input_fn, eval_input_fn: the data.
        eval_metrics: None, as TensorFlow 1.15 required it for these Estimators.
        train_steps: the global step to train to.
        eval_steps: the number of batches to evaluate.
        train_monitors, eval_hooks: hooks.
        eval_delay_secs: seconds before an evaluation.
        continuous_eval_throttle_secs: seconds from the start of an evaluation to that of the next.
        min_eval_frequency: the steps between two looks for a new checkpoint in
            `train_and_evaluate`; 1 by default, and with 0 nothing is evaluated before the end of
            the training.
        train_steps_per_iteration: steps between the evaluations of `continuous_train_and_eval`: by
            default a tenth of `train_steps`, or 1,000.
        saving_listeners: of the training.
        check_interval_secs: seconds between two looks for a new checkpoint in `train_and_evaluate`;
            None: no limit.
        export_strategies: an ExportStrategy, or several: each exports what was evaluated.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: None = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        *,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        train_steps_per_iteration: int | None = None,
        saving_listeners: Any = None,
        check_interval_secs: float | None = 5,
        export_strategies: Any = None,
    ) -> None:
        self.eval_metrics = eval_metrics
        self.estimator, self.train_steps, self.eval_steps = estimator, train_steps, eval_steps
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._train_hooks, self._eval_hooks = list(train_monitors or ()), list(eval_hooks or ())
        self._eval_delay = eval_delay_secs
        self._look_steps = 1 if min_eval_frequency is None else min_eval_frequency
        self._look_seconds = check_interval_secs
        self._listeners = list(saving_listeners or ())
        self._throttle = continuous_eval_throttle_secs
        tenth = 1000 if train_steps is None else train_steps // 10
        self._strategies: tuple[ExportStrategy, ...] = ()
        self.reset_export_strategies(export_strategies)
        self._steps_at_once = tenth if train_steps_per_iteration is None else train_steps_per_iteration

    def extend_train_hooks(self, additional_hooks: Any) -> None:
        """Adds hooks to the training."""
        self._train_hooks.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> tuple[ExportStrategy, ...]:
        """Takes other strategies; returns those before."""
        before = self._strategies
        given = new_export_strategies or ()
        self._strategies = (given,) if isinstance(given, ExportStrategy) else tuple(given)
        return before

    def _export(self, found: Any, checkpoint: str | None = None) -> list[Any]:
        """Exports by each strategy, into a folder of its name; what they return."""
        made = []
        for each in self._strategies:
            folder = tf.io.gfile.join(self.estimator.model_dir, "export", each.name)
            made.append(each.export(self.estimator, folder, checkpoint, found))
        return made

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains up to the last step; each worker after the first begins 5 seconds later than the one before it."""
        return self._train(self._train_hooks, delay_secs)

    def _train(self, hooks: list[Any], delay_secs: float | None) -> Any:
        config = self.estimator.config
        if config.cluster_spec and config.master:
            self._server()
        time.sleep(min(60, (config.task_id or 0) * 5) if delay_secs is None else delay_secs)
        return self.estimator.train(
            self._train_input_fn,
            hooks=hooks,
            max_steps=self.train_steps,
            saving_listeners=self._listeners,
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the last checkpoint once."""
        time.sleep(self._eval_delay if delay_secs is None else delay_secs)
        return self._evaluate(name or "one_pass")

    def _evaluate(self, name: str | None = None) -> Any:
        return self.estimator.evaluate(
            self._eval_input_fn, steps=self.eval_steps, hooks=self._eval_hooks, name=name
        )

    def train_and_evaluate(self) -> tuple[Any, list[Any]]:
        """Trains, evaluates new checkpoints, and the last one; the result of that, and what was exported."""
        often = [_Evaluating(self, self._look_steps, self._look_seconds)] if self._look_steps else []
        self._train([*self._train_hooks, *often], 0)
        found = self._evaluate()
        return found, self._export(found)

    local_run = train_and_evaluate

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[..., Any] | None = None
    ) -> tuple[Any, list[Any] | None]:
        """Trains and evaluates in turn up to the last step; the last result, and what was exported then.

        Args:
            continuous_eval_predicate_fn: takes the last result, or None, and says whether to go on.
                It takes the checkpoint as well if it has a parameter `checkpoint_path`.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        found = checkpoint = exported = None
        while goes_on(found, checkpoint) and not self._has_ended(found):
            self.estimator.train(
                self._train_input_fn,
                steps=self._steps_at_once,
                hooks=self._train_hooks,
                saving_listeners=self._listeners,
            )
            checkpoint = self.estimator.latest_checkpoint()
            found = self._evaluate("one_pass")
            exported = self._export(found)
        return found, exported

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates each new checkpoint that it finds, up to that of the last step.

        Args:
            delay_secs: seconds before the first evaluation; `eval_delay_secs` by default.
            throttle_delay_secs: seconds from the start of an evaluation to that of the next;
                `continuous_eval_throttle_secs` by default.
            evaluate_checkpoint_only_once: False evaluates the same checkpoint again until there is
                a new one.
            continuous_eval_predicate_fn: as for `continuous_train_and_eval`.
            name: a part of the folder of events.
        """
        delays = (delay_secs, throttle_delay_secs)
        goes_on = _predicate(continuous_eval_predicate_fn)
        again = not evaluate_checkpoint_only_once
        self._evaluate_checkpoints(self._eval_input_fn, name, delays, goes_on, again=again, exports=True)

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., Any] | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """As `continuous_eval`, by the data of the training."""
        delays = (delay_secs, throttle_delay_secs)
        goes_on = _predicate(continuous_eval_predicate_fn)
        self._evaluate_checkpoints(self._train_input_fn, name, delays, goes_on, again=False)

    def _evaluate_checkpoints(
        self,
        input_fn: Callable[..., Any],
        name: str,
        delays: tuple[float | None, float | None],
        goes_on: Callable[[Any, str | None], Any],
        again: bool,
        exports: bool = False,
    ) -> None:
        delay, throttle = delays
        time.sleep(self._eval_delay if delay is None else delay)
        seconds = self._throttle if throttle is None else throttle
        found = before = None
        while goes_on(found, before) and not self._has_ended(found):
            start = time.monotonic()
            checkpoint, found = self.estimator.latest_checkpoint(), {}
            if checkpoint and (again or checkpoint != before):
                found = self.estimator.evaluate(
                    input_fn, self.eval_steps, self._eval_hooks, checkpoint_path=checkpoint, name=name
                )
                before = checkpoint
                if exports:
                    self._export(found, checkpoint)
            time.sleep(max(0, seconds - (time.monotonic() - start)))

    def _has_ended(self, found: Any) -> bool:
        return bool(found and self.train_steps and found.get("global_step", 0) >= self.train_steps)

    def test(self) -> Any:
        """Trains and evaluates for one step."""
        self.estimator.train(
            self._train_input_fn, steps=1, hooks=self._train_hooks, saving_listeners=self._listeners
        )
        found = self.estimator.evaluate(self._eval_input_fn, steps=1, name="one_pass")
        self._export(found)
        return found

    def run_std_server(self) -> None:
        """Serves until the training has ended."""
        self._server().join()

    def _server(self) -> Server:
        config = self.estimator.config
        return Server(config.cluster_spec, job_name=config.task_type, task_index=config.task_id)


def _predicate(given: Callable[..., Any] | None) -> Callable[[Any, str | None], Any]:
    """What says by the last result, and its checkpoint, whether to go on evaluating."""
    if given is None:
        return lambda found, checkpoint: True
    if "checkpoint_path" in inspect.signature(given).parameters:
        return lambda found, checkpoint: given(found, checkpoint_path=checkpoint)
    return lambda found, checkpoint: given(found)


class _Evaluating(tf.train.SessionRunHook):
    """Looks for a new checkpoint while an experiment trains, and evaluates it.

    As TensorFlow 1.15's `ValidationMonitor` did; its session calls are the same.

    Args:
        experiment: evaluates.
        steps: between two looks.
        seconds: between two looks, at least; None: no limit.
    """

    def __init__(self, experiment: Experiment, steps: int, seconds: float | None) -> None:
        self._experiment, self._steps, self._seconds = experiment, steps, seconds
        self._step: int | None = None
        self._looked_at_step, self._looked_at = 0, float("-inf")
        self._evaluated: str | None = None

    def begin(self) -> None:
        """Finds the counter of steps."""
        self._step, self._counter = None, tf.train.get_global_step()

    def before_run(self, run_context: Any) -> Any:
        """Fetches the counter."""
        if self._step is None:
            self._step = int(run_context.session.run(self._counter)) + 1
        return tf.train.SessionRunArgs(self._counter)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Looks, where steps enough have passed."""
        step, self._step = self._step or 0, int(run_values.results) + 1
        if step >= self._looked_at_step + self._steps:
            self._looked_at_step = step
            self._look(step)

    def _look(self, step: int) -> None:
        now = time.time()
        if self._seconds is not None and now - self._looked_at <= self._seconds:
            return
        self._looked_at = now
        checkpoint = self._experiment.estimator.latest_checkpoint()
        if checkpoint is not None and checkpoint != self._evaluated:
            self._evaluated = checkpoint
            found = self._experiment._evaluate()
            said = ", ".join(f"{name} = {value}" for name, value in found.items())
            tf.logging.info(f"Validation (step {step}): {said}")


def run(
    experiment_fn: Callable[..., Any],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and runs its schedule, by default the one of this task; its result.

    Args:
        experiment_fn: takes a RunConfig and its parameters by their places, or `output_dir` by this
            name.
        output_dir: the folder of the model, where no `run_config` is given.
        schedule: the name of a method of the experiment.
        run_config: has the folder of the model.
        hparams: is passed on.

    Raises:
        ValueError: both or none of `output_dir` and `run_config` are given, or there is no such
            schedule.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError("give one of `output_dir` and `run_config`")
    if run_config is None:
        experiment = experiment_fn(output_dir=output_dir)
    else:
        experiment = experiment_fn(run_config, hparams)
    config = run_config or experiment.estimator.config
    if schedule is None:
        cluster = config.cluster_spec.as_dict() if config.cluster_spec else {}
        alone = sum(map(len, cluster.values())) < 2
        schedule = "train_and_evaluate" if alone else _SCHEDULES.get(config.task_type)
    run = getattr(experiment, schedule or "", None)
    if not callable(run):
        raise ValueError(f"an experiment has no schedule {schedule!r} for task {config.task_type!r}")
    return run()
