"""`make soundness`, its second part: tower trainers, each right and with seeded mistakes; `verify` catches all of them.

A trainer is chosen by a number: its optimizer, clipping, regulariser, batch norm, dropout, towers.
Each mistake changes one of its settings, as a migration by hand might. What `migrate` makes of the
changed text is verified against the trainer as it was; what it makes of the trainer itself has to
be equal.

With `--legacy-python` the original runs on a real TensorFlow 1: rounding may be different there, a
mistake not.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from suite import migrated
from verify_many import AT_ONCE, forked_recorders

from tf2towers.verify.calls.rounding import FAR_MOVES, MOVES, Rounding
from tf2towers.verify.calls.verdict import judge
from tf2towers.verify.process import RunFailed
from tf2towers.verify.result_notes import new_result
from tf2towers.verify.sides import Options, record_calls
from tf2towers.verify.verify import verify

Settings = dict[str, Any]
OPTIMIZERS = {
    "descent": "tf.train.GradientDescentOptimizer({rate})",
    "momentum": "tf.train.MomentumOptimizer({rate}, 0.9)",
    "Adam": "tf.train.AdamOptimizer({rate})",
}
AVERAGES = {
    "mean": "tf.reduce_mean(tf.stack(grads), 0)",
    "sum": "tf.reduce_sum(tf.stack(grads), 0)",
}
CLIPS = {
    "": "grads",
    "norm": "[(tf.clip_by_norm(g, 0.01), v) for g, v in grads]",
    "value": "[(tf.clip_by_value(g, -0.004, 0.004), v) for g, v in grads]",
    "global": "list(zip(tf.clip_by_global_norm([g for g, _ in grads], 0.02)[0], [v for _, v in grads]))",
}
PENALTIES = {
    "": "0.0",
    "L2": "0.05 * tf.nn.l2_loss(kernel)",
    "L1": "0.02 * tf.reduce_sum(tf.abs(kernel))",
    "weak L2": "1e-4 * tf.nn.l2_loss(kernel)",
}
PROGRAM = """\
    import numpy as np
    import tensorflow as tf

    TOWERS = {towers}
    x = tf.placeholder(tf.float32, [6 * TOWERS, 5])
    y = tf.placeholder(tf.float32, [6 * TOWERS, 1])
    optimizer = {optimizer}


    def model(x, y):
        h = tf.layers.dense(x, 7, name='hidden', kernel_initializer=tf.truncated_normal_initializer(seed={seed}))
        h = tf.nn.relu({norm})
        h = tf.nn.dropout(h, keep_prob={keep}, seed={seed})
        out = tf.layers.dense(h, 1, name='out')
        with tf.variable_scope('hidden', reuse=True):
            kernel = tf.get_variable('kernel')
        return tf.reduce_mean(tf.square(out - y)) + {penalty}


    def average(tower_grads):
        averaged = []
        for pairs in zip(*tower_grads):
            grads = [g for g, _ in pairs]
            averaged.append(({average}, pairs[0][1]))
        return averaged


    xs, ys = tf.split(x, TOWERS), tf.split(y, TOWERS)
    tower_grads = []
    for i in range(TOWERS):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            with tf.variable_scope('model', reuse=i > 0):
                loss = model(xs[i], ys[i])
            grads = optimizer.compute_gradients(loss)
            grads = {tower}
            tower_grads.append({clip_in_tower})
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS{scope})
    grads = average(tower_grads)
    grads = {clip}
    with tf.control_dependencies(updates):
        apply = optimizer.apply_gradients(grads)
    averages = tf.train.ExponentialMovingAverage({decay})
    with tf.control_dependencies([apply]):
        train = averages.apply(tf.trainable_variables())
    rng = np.random.RandomState(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            feed = {{x: rng.rand(6 * TOWERS, 5), y: rng.rand(6 * TOWERS, 1)}}
            print(sess.run([train, loss], feed)[1])
    """
#: each mistake: the settings that it changes, and a setting that has to be there for it. Where a
#: norm is cut to a threshold, the sum is the mean again.
MISTAKES: dict[str, tuple[Settings, str]] = {
    "the sum for the mean": ({"average": "sum"}, "unclipped"),
    "a tower left out": ({"left_out": True}, ""),
    "clipping moved into the towers": ({"clip_in_tower": True}, "clip"),
    "clipping lost": ({"clip": ""}, "clip"),
    "a lost regulariser": ({"penalty": ""}, "penalty"),
    "one tower's moving statistics for all": ({"scope": ", scope"}, "norm"),
    "a wrong seed": ({"seed": 8}, ""),
    "another rate": ({"rate": 0.02}, ""),
    "a rate one part in 1,000 off": ({"rate": 0.1001}, ""),
    "another epsilon of the norm": ({"epsilon": 1.1e-3}, "norm"),
    "another decay of the averages": ({"decay": 0.9}, ""),
}


def settings(number: int) -> Settings:
    """The settings of the trainer of a number, always the same."""
    rng = random.Random(number)
    return {
        "optimizer": rng.choice(sorted(OPTIMIZERS)), "rate": 0.1, "towers": rng.choice([2, 2, 3]), "average": "mean",
        "clip": rng.choice(sorted(CLIPS)), "clip_in_tower": False, "left_out": False, "decay": 0.99, "seed": 7,
        "penalty": rng.choice(["L1", "L2", "weak L2", ""]), "norm": rng.random() < 0.6,
        "keep": rng.choice(["0.8", "1.0"]), "scope": "", "epsilon": 1e-3,
    }  # fmt: skip


def text_of(given: Settings) -> str:
    """The script of a trainer."""
    clip = CLIPS[given["clip"]]
    norm = f"tf.layers.batch_normalization(h, training=True, momentum=0.8, epsilon={given['epsilon']}, name='norm')"
    left_out = "[((0.0 if i == 1 else 1.0) * g, v) for g, v in grads]"
    filled = {
        **given,
        "optimizer": OPTIMIZERS[given["optimizer"]].format(rate=given["rate"]),
        "average": AVERAGES[given["average"]],
        "penalty": PENALTIES[given["penalty"]],
        "norm": norm if given["norm"] else "h",
        "tower": left_out if given["left_out"] else "grads",
        "clip_in_tower": clip if given["clip_in_tower"] else "grads",
        "clip": "grads" if given["clip_in_tower"] else clip,
    }
    return dedent(PROGRAM).format(**filled)


def scripts_of(number: int) -> dict[str, str]:
    """The trainer of a number, under 'right', and with each mistake that it can have."""
    given = settings(number)
    has = given | {"": True, "unclipped": not given["clip"]}
    mistakes = {name: given | change for name, (change, needs) in MISTAKES.items() if has[needs]}
    return {"right": text_of(given), **{name: text_of(each) for name, each in mistakes.items()}}


def outcomes(number: int, folder: Path, legacy_python: str | None = None) -> dict[str, str]:
    """The outcomes of verifying the trainer of a number: by mistake, and under 'right'; 'refused' by `migrate`."""
    home = folder / str(number)
    original = home / "original" / "train.py"
    original.parent.mkdir(parents=True)
    texts = scripts_of(number)
    original.write_text(texts["right"])
    options = Options(steps=4, scratch=home / "scratch", legacy_python=legacy_python)
    in_step = replace(options, in_step=home / "run")
    recorded = record_calls(original, [], home / "run", options, migrated=False)
    moved = [
        record_calls(original, [], home / f"moved-{move}", replace(in_step, rounding=move), migrated=False)
        for move in (*MOVES, *FAR_MOVES)
        if legacy_python
    ]
    found = {}
    for place, (name, text) in enumerate(texts.items()):
        script = home / str(place) / "train.py"
        script.parent.mkdir()
        script.write_text(text)
        made = migrated(script)
        if made.left or made.status:
            found[name] = "refused"
            continue
        for change in made.changes:
            change.path.write_bytes(change.encoded())
        if name == "right":
            found[name] = verify(original, script, [], options).outcome
            continue
        try:
            result, run = new_result(original, script, []), script.parent / "run"
            judge(result, recorded, record_calls(script, [], run, options, migrated=True), options)
            if result.outcome == "differs" and legacy_python:
                steps = record_calls(script, [], script.parent / "in-step", in_step, migrated=True)
                judge(result, recorded, steps, options, Rounding(recorded, steps, moved), moved)
            found[name] = result.outcome
        except RunFailed as problem:
            found[name] = f"failed: {problem}"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trainers", type=int, default=32, help="how many; each has five to nine mistakes")
    parser.add_argument("--legacy-python", help="an interpreter with a TensorFlow 1, for the originals")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.trainers)
    counts: collections.Counter[str] = collections.Counter()
    status = 0
    with tempfile.TemporaryDirectory() as folder, forked_recorders(), ThreadPoolExecutor(AT_ONCE) as pool:
        made = pool.map(lambda each: outcomes(each, Path(folder), options.legacy_python), numbers)
        for number, found in zip(numbers, made, strict=True):
            for name, outcome in found.items():
                right = ("bitwise", "within") if name == "right" else ("differs",)
                counts["right" if name == "right" else "mistakes"] += 1
                if outcome not in right:
                    status = 1
                    print(f"trainer {number}, {name}: {outcome}", flush=True)
    print(
        f"{counts['right']} trainers and {counts['mistakes']} mistakes: {'WRONG' if status else 'all as they should'}"
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
