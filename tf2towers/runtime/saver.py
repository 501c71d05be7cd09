"""`tf.train.Saver` for a `VariableStore`: checkpoints under the TF1 names, optimizer slots included."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import tensorflow as tf

from tf2towers.runtime.optimizer_state import other_variables
from tf2towers.runtime.variable_store import VariableStore

_v1 = tf.compat.v1


class Saver:
    """Saves and restores variables by their TF1 names.

    Args:
        variables: the store (its global variables, and what the optimizers remember), or a list of variables of the
            store.
        max_to_keep: how many checkpoints stay on disk; 0 or None keeps all.
        only: 'trainable' for `tf.train.Saver(tf.trainable_variables())`.
        keep_checkpoint_every_n_hours: of those that `max_to_keep` would remove, one every so often stays.
        store: the store, where `variables` is a list or a dict from checkpoint name to variable.

    Raises:
        ValueError: the list or the dict is empty.

    A checkpoint of the TF1 program can be restored: it is the same format, and names are looked up as they are. A
    variable that does not exist yet (the model is built at the first step) gets its value when it is made.
    """

    def __init__(
        self,
        variables: VariableStore | Sequence[Any] | Mapping[str, Any],
        max_to_keep: int | None = 5,
        only: Literal["trainable"] | None = None,
        store: VariableStore | None = None,
        keep_checkpoint_every_n_hours: float = 10000.0,
        **_options: Any,
    ) -> None:
        self._store = variables if isinstance(variables, VariableStore) else store
        self._chosen = None if isinstance(variables, VariableStore) else variables
        if self._chosen is not None and not self._chosen:
            raise ValueError("no variables to save: the model has not been made yet")
        self._max_to_keep = max_to_keep or 0
        self._only = only
        self._saved: dict[str, float] = {}  # when each was written, oldest first
        self._keep_every = keep_checkpoint_every_n_hours * 3600
        self._next_to_keep = time.time() + self._keep_every

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints kept, oldest first."""
        return list(self._saved)

    def _named(self) -> dict[str, Any]:
        if isinstance(self._chosen, Mapping):
            return dict(self._chosen)
        if self._chosen is not None:
            return {self._name(variable): variable for variable in self._chosen}
        assert self._store is not None
        if self._only == "trainable":
            return {self._store.name_of(variable): variable for variable in self._store.trainable_variables()}
        named = {self._store.name_of(variable): variable for variable in self._store.global_variables()}
        return {**named, **other_variables(self._store)}

    def _name(self, variable: Any) -> str:
        return self._store.name_of(variable) if self._store is not None else variable.name.split(":")[0]

    def save(self, path: str, global_step: Any = None, **_options: Any) -> str:
        """Writes a checkpoint.

        Args:
            path: the prefix, e.g. 'train/model.ckpt'.
            global_step: an int or a variable; '-<step>' is added to the prefix.

        Returns:
            The prefix of the checkpoint written.

        Raises:
            RuntimeError: the towers have not trained yet, so that the variables have not been made.
        """
        if global_step is not None:
            path = f"{path}-{int(global_step.numpy() if hasattr(global_step, 'numpy') else global_step)}"
        named = {
            **self._restored(path),
            **{name: value.read_value() for name, value in self._named().items()},
        }
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        names = sorted(named)
        tf.raw_ops.SaveV2(
            prefix=tf.constant(str(path)),
            tensor_names=names,
            shape_and_slices=[""] * len(names),
            tensors=[named[name] for name in names],
        )
        self._saved.pop(str(path), None)
        self._saved[str(path)] = time.time()
        self._remove_old()
        _write_state(Path(path).parent, str(path), self.last_checkpoints)
        return str(path)

    def _restored(self, path: str) -> dict[str, Any]:
        """What TF1's graph had from the start, and towers that have not trained have from a checkpoint alone."""
        store = self._store
        if self._chosen is not None or store is None or not _is_of_towers(store):
            return {}
        alone = self._only == "trainable"
        if store.optimizers or (alone and store.trainable_variables()):
            return {}
        if not (waiting := store.waiting(alone)):
            raise RuntimeError(f"{path!r} would have no model: the first training step makes its variables")
        return waiting

    def _remove_old(self) -> None:
        while self._max_to_keep and len(self._saved) > self._max_to_keep:
            oldest = next(iter(self._saved))
            if self._saved.pop(oldest) > self._next_to_keep:
                self._next_to_keep += self._keep_every
            else:
                _v1.train.remove_checkpoint(oldest)

    def restore(self, path: str) -> None:
        """Sets the variables to the values in the checkpoint `path`.

        Raises:
            tf.errors.NotFoundError: there is no such checkpoint.
            ValueError: a chosen variable is not in it, or has another shape.
        """
        reader = tf.train.load_checkpoint(path)
        in_checkpoint = reader.get_variable_to_shape_map()
        for name, variable in self._named().items():
            if name not in in_checkpoint:
                raise ValueError(f"{name!r} is not in checkpoint {path!r}")
            if list(variable.shape) != in_checkpoint[name]:
                raise ValueError(f"{name!r}: shape {variable.shape} here, {in_checkpoint[name]} in {path!r}")
            variable.assign(reader.get_tensor(name))
        if self._chosen is None and self._store is not None:
            for name in set(in_checkpoint) - set(self._store.names()) - set(other_variables(self._store)):
                self._store.give_later(name, tf.constant(reader.get_tensor(name)), self._only == "trainable")
            if _is_of_towers(self._store):
                self._store.restored_from(path, in_checkpoint, self._only == "trainable")


def _is_of_towers(store: VariableStore) -> bool:
    """Whether a store's variables are made by the steps of towers, not before them as those of a cluster."""
    return isinstance(store.strategy, tf.distribute.MirroredStrategy)


def _write_state(folder: Path, latest: str, saved: Sequence[str]) -> None:
    """The 'checkpoint' file that `tf.train.latest_checkpoint` reads (text of a CheckpointState proto), as TF1 wrote it.

    Relative paths are relative to the folder, those of checkpoints in others as well; absolute ones stay.
    """
    state = _v1.train.generate_checkpoint_state_proto(str(folder), latest, list(saved))
    unfinished = folder / "checkpoint.unfinished"  # another worker may read at any time
    unfinished.write_text(str(state), encoding="utf-8")
    unfinished.replace(folder / "checkpoint")
