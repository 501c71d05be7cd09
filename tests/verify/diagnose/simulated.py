"""Tower training in NumPy: a hidden layer with batch-norm and a softmax, on N towers, with a switch a mistake."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from tf2towers.verify.recording import Arrays, Facts, Recording, Step

FEATURES, HIDDEN, CLASSES = 6, 7, 4
TRAINABLE = ["hidden/weights", "hidden/biases", "bn/beta", "bn/gamma", "logits/weights", "logits/biases"]
STATISTICS = ["bn/moving_mean", "bn/moving_variance"]
SLOTS = {
    "sgd": [],
    "momentum": ["Momentum"],
    "keras": [],  # a velocity that is not recorded
    "adam": ["Adam", "Adam_1"],
}


@dataclass(frozen=True)
class Trainer:
    """A trainer, right or with a mistake."""

    towers: int = 2
    steps: int = 6
    batch: int = 16  # of a tower
    optimizer: str = "momentum"
    rate: float = 0.1
    drop: tuple[int, float] | None = None  # from a step on, the rate times a factor
    momentum: float = 0.9
    l2: float = 0.0
    l1: float = 0.0
    clip: tuple[str, str, float] | None = None  # 'norm', 'global' or 'value'; 'before' or 'after'; threshold
    bn_decay: float = 0.9
    policy: str = "last"
    ema: float | None = None
    ema_when: str = "after"
    factor: float = 1.0  # of the applied gradients
    loss_factor: float = 1.0
    alone: int | None = None  # the tower whose gradient is applied
    skip: tuple[int, str] | None = None  # a tower left out of 'sum' or 'mean'
    counter: int = 1
    scale: float = 1.0  # of the logits' layer gradient magnitudes: tiny gradients
    noise: float = 0.0
    own_gradients: bool = True


def _forward(trainer: Trainer, v: Arrays, x: np.ndarray, labels: np.ndarray):
    """(loss, gradients, batch mean, batch variance) of a tower."""
    weights, logits_weights = v["hidden/weights"].astype(float), v["logits/weights"].astype(float)
    product = x @ weights
    added = product + v["hidden/biases"]
    mean, variance = added.mean(axis=0), added.var(axis=0)
    root = np.sqrt(variance + 1e-3)
    normal = (added - mean) / root
    scaled = v["bn/gamma"] * normal + v["bn/beta"]
    hidden = np.maximum(scaled, 0)
    logits = hidden @ logits_weights + v["logits/biases"]
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances = shifted / shifted.sum(axis=1, keepdims=True)
    rows = np.arange(len(x))
    regularised = [n for n in TRAINABLE if n.endswith("weights")]
    loss = -np.log(chances[rows, labels]).mean()
    loss += sum(trainer.l2 / 2 * np.sum(v[n] ** 2) + trainer.l1 * np.sum(np.abs(v[n])) for n in regularised)
    loss *= trainer.loss_factor * trainer.scale
    error = chances.copy()
    error[rows, labels] -= 1
    error *= trainer.loss_factor * trainer.scale / len(x)
    back = (error @ logits_weights.T) * (scaled > 0)
    to_normal = back * v["bn/gamma"]
    to_added = (to_normal - to_normal.mean(axis=0) - normal * (to_normal * normal).mean(axis=0)) / root
    gradients = {
        "hidden/weights": x.T @ to_added,
        "hidden/biases": to_added.sum(axis=0),
        "bn/beta": back.sum(axis=0),
        "bn/gamma": (back * normal).sum(axis=0),
        "logits/weights": hidden.T @ error,
        "logits/biases": error.sum(axis=0),
    }
    for name in regularised:
        both = trainer.l2 * v[name] + trainer.l1 * np.sign(v[name])
        gradients[name] = gradients[name] + trainer.loss_factor * trainer.scale * both
    return loss, gradients, mean, variance


def _clipped(clip: tuple[str, str, float], gradients: Arrays) -> Arrays:
    form, _, threshold = clip
    if form == "value":
        return {n: np.clip(g, -threshold, threshold) for n, g in gradients.items()}
    whole = np.sqrt(sum(np.sum(g**2) for g in gradients.values()))
    lengths = {n: whole if form == "global" else np.linalg.norm(g) for n, g in gradients.items()}
    return {n: g * threshold / max(lengths[n], threshold) for n, g in gradients.items()}


def _applied(trainer: Trainer, towers: list[Arrays]) -> Arrays:
    if trainer.clip and trainer.clip[1] == "before":
        towers = [_clipped(trainer.clip, tower) for tower in towers]
    if trainer.alone is not None:
        made = dict(towers[trainer.alone])
    elif trainer.skip is not None:
        left_out, of = trainer.skip
        rest = [tower for j, tower in enumerate(towers) if j != left_out]
        count = len(rest) if of == "mean" else len(towers)
        made = {n: sum(tower[n] for tower in rest) / count for n in towers[0]}
    else:
        made = {n: sum(tower[n] for tower in towers) / len(towers) for n in towers[0]}
    if trainer.clip and trainer.clip[1] == "after":
        made = _clipped(trainer.clip, made)
    return {n: trainer.factor * g for n, g in made.items()}


def _update(trainer: Trainer, v: Arrays, hidden: Arrays, name: str, g: np.ndarray, rate: float, t: int):
    slots = [f"{name}/{slot}" for slot in SLOTS[trainer.optimizer]]
    mu = trainer.momentum
    if trainer.optimizer == "sgd":
        v[name] = v[name] - rate * g
    elif trainer.optimizer == "momentum":
        v[slots[0]] = mu * v[slots[0]] + g
        v[name] = v[name] - rate * v[slots[0]]
    elif trainer.optimizer == "keras":
        hidden[name] = mu * hidden.get(name, 0.0) - rate * g
        v[name] = v[name] + hidden[name]
    else:
        v[slots[0]] = mu * v[slots[0]] + (1 - mu) * g
        v[slots[1]] = 0.999 * v[slots[1]] + 0.001 * g**2
        corrected = rate * np.sqrt(1 - 0.999**t) / (1 - mu**t)
        v[name] = v[name] - corrected * v[slots[0]] / (np.sqrt(v[slots[1]]) + 1e-8)
    for key in (name, *slots):
        v[key] = np.asarray(v[key], np.float32)


def _initial(trainer: Trainer) -> Arrays:
    random = np.random.default_rng(7)
    shapes = [(FEATURES, HIDDEN), (HIDDEN,), (HIDDEN,), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,)]
    v: Arrays = {}
    for name, shape in zip(TRAINABLE, shapes, strict=True):
        v[name] = random.normal(0.0, 0.4, shape).astype(np.float32)
    v["bn/gamma"] = np.ones(HIDDEN, np.float32)
    for name in TRAINABLE:
        if trainer.ema is not None:
            v[f"{name}/ExponentialMovingAverage"] = 0.9 * v[name]
        for slot in SLOTS[trainer.optimizer]:
            v[f"{name}/{slot}"] = np.zeros_like(v[name])
    v |= {"bn/moving_mean": np.zeros(HIDDEN, np.float32), "bn/moving_variance": np.ones(HIDDEN, np.float32)}
    return v | {"global_step": np.array(0, np.int64)}


def _statistics(trainer: Trainer, v: Arrays, moments: list[tuple[np.ndarray, np.ndarray]]) -> None:
    turns = {"last": moments[-1:], "first": moments[:1], "all": moments, "never": []}
    if trainer.policy == "mean":
        taken = [tuple(np.mean([of_tower[i] for of_tower in moments], axis=0) for i in range(2))]
    else:
        taken = turns[trainer.policy]
    for pair in taken:
        for name, value in zip(STATISTICS, pair, strict=True):
            v[name] = (trainer.bn_decay * v[name] + (1 - trainer.bn_decay) * value).astype(np.float32)


def run(trainer: Trainer, in_step: Recording | None = None) -> Recording:
    """The recording of a trainer; with the variables of another run set before every step, if there is one."""
    v, hidden = _initial(trainer), {}
    noise = np.random.default_rng(3)
    random = np.random.default_rng(11)
    facts = Facts(towers=trainer.towers, trainable=TRAINABLE)
    recording = Recording(facts=facts)
    for k in range(trainer.steps):
        rows = trainer.batch * trainer.towers
        x = random.normal(0.3, 1.0, (rows, FEATURES)).astype(np.float32)
        x += 0.5 * np.repeat(np.arange(trainer.towers), trainer.batch)[:, None]  # towers do not look alike
        labels = random.integers(0, CLASSES, rows)
        if in_step is not None:
            before = in_step.steps[k].variables
            v.update({name: value.copy() for name, value in before.items() if name in v})
        variables = {n: np.array(value) for n, value in v.items()}
        step = Step(variables, inputs={"x": x, "labels": labels})
        moments = []
        for j in range(trainer.towers):
            part = slice(j * trainer.batch, (j + 1) * trainer.batch)
            loss, gradients, mean, variance = _forward(trainer, v, x[part], labels[part])
            for name, g in gradients.items():
                factor = 1 + trainer.noise * noise.standard_normal(g.shape)
                gradients[name] = (g * factor).astype(np.float32)
            step.losses.append(np.float32(loss * (1 + trainer.noise)))
            step.tower_gradients.append(gradients)
            moments.append((mean, variance))
        in_float64 = [{n: g.astype(float) for n, g in tower.items()} for tower in step.tower_gradients]
        applied = _applied(trainer, in_float64)
        step.gradients = {n: g.astype(np.float32) for n, g in applied.items()}
        rate = trainer.rate * (trainer.drop[1] if trainer.drop and k >= trainer.drop[0] else 1.0)
        for name, g in step.gradients.items():
            _update(trainer, v, hidden, name, g, rate, k + 1)
        _statistics(trainer, v, moments)
        v["global_step"] = v["global_step"] + trainer.counter
        for name in TRAINABLE if trainer.ema is not None else []:
            shadow = f"{name}/ExponentialMovingAverage"
            taken = v[name] if trainer.ema_when == "after" else step.variables[name]
            v[shadow] = (trainer.ema * v[shadow] + (1 - trainer.ema) * taken).astype(np.float32)
        step.after = {n: np.array(value) for n, value in v.items()}
        if not trainer.own_gradients:
            step.tower_gradients = []
        recording.steps.append(step)
    return recording


_original = cache(run)


def both(original: Trainer, noise: float, **mistake: object) -> tuple[Recording, Recording]:
    """(original, migrated): the same trainer, but for a mistake and the noise."""
    recording = _original(original)
    migrated = replace(original, noise=noise, **mistake)  # type: ignore[arg-type]
    return recording, run(migrated, recording)
