"""What the idiomatic register doubts: each rule's examples, and that nothing of them gets the idiomatic form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # `trainer`, under --import-mode=importlib

from trainer import trainer  # noqa: E402

from tf2towers.certain.doubts import doubts  # noqa: E402
from tf2towers.certain.registry import rules  # noqa: E402
from tf2towers.certain.worker_example import SUPERVISED, TWO, worker_with  # noqa: E402
from tf2towers.exact.migrate import Options  # noqa: E402
from tf2towers.exact.program import Program  # noqa: E402
from tf2towers.registers import idiomatic_or_exact  # noqa: E402
from tf2towers.source.script import Script  # noqa: E402

ROOT = HERE.parents[1]
DOUBTFUL = [(rule.code, replacement) for rule in rules() for replacement in rule.doubtful]
CERTAIN = [(rule.code, replacement) for rule in rules() for replacement in rule.certain]


def codes(text: str) -> list[str]:
    return [doubt.code for doubt in doubts(Program(Script.from_text(text)))]


def test_the_trainer_itself_is_certain() -> None:
    assert codes(trainer()) == []
    assert "strategy.run(" in idiomatic_or_exact(Script.from_text(trainer()), Options()).changes[0].after


def test_the_strategy_stands_behind_the_names_of_its_devices() -> None:
    text = trainer("before: kept = tf.get_variable('kept', []); gpus = [0, 1]").replace(
        "for i in range(N):", "for i, gpu in enumerate(gpus):"
    )
    (change,) = idiomatic_or_exact(
        Script.from_text(text.replace("'/gpu:%d' % i", "'/gpu:%d' % gpu")), Options()
    ).changes
    assert 0 < change.after.index("gpus = [0, 1]") < change.after.index("strategy = ")


@pytest.mark.parametrize("code", [rule.code for rule in rules()])
def test_a_rule_is_told_in_full(code: str) -> None:
    rule = next(candidate for candidate in rules() if candidate.code == code)
    assert len(rule.why.split()) > 15 and rule.todo and rule.doubtful and rule.certain
    assert len(rule.title) <= 90


@pytest.mark.parametrize(("code", "example"), DOUBTFUL)
def test_what_is_doubted(code: str, example: str) -> None:
    compile(trainer(example), code, "exec")
    assert code in codes(trainer(example))


def within(entered: str) -> str:
    """The trainer, all of it in a `with` block."""
    imports, rest = trainer().split("\n", 2)[:2], trainer().split("\n", 2)[2]
    block = "".join(f"    {line}\n" if line else "\n" for line in rest.splitlines())
    return "\n".join([*imports, f"with {entered}:", block])


@pytest.mark.parametrize(
    "entered",
    [
        "open('log.txt', 'w') as log",
        "tf.Graph().as_default(), open('log.txt', 'w') as log",
        "type('made', (), {'run': staticmethod(tf.Graph)}).run().as_default()",
        "tf.Graph().as_default(), tf.variable_scope('net')",
        "tf.variable_scope('net'), tf.Graph().as_default()",
        "tf.InteractiveSession(), tf.variable_scope('net')",
    ],
)
def test_what_is_entered_around_the_towers_is_doubted(entered: str) -> None:
    compile(within(entered), entered, "exec")
    assert "T2T633" in codes(within(entered))


@pytest.mark.parametrize(
    "entered", ["tf.Graph().as_default()", "tf.Graph().as_default(), tf.device('/cpu:0')"]
)
def test_a_graph_or_a_device_around_the_towers_is_certain(entered: str) -> None:
    assert codes(within(entered)) == []


def test_doubts_of_one_place_come_in_the_same_order_in_every_run() -> None:
    calls = [f".step{number}()" for number in range(6)]
    found = doubts(Program(Script.from_text(trainer(f"model: y = tf.matmul(xs[i], w){''.join(calls)}"))))
    lengths = [site.message.count(".step") for site in found if "may do anything" in site.message]
    assert lengths == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(("code", "example"), CERTAIN)
def test_what_is_certain(code: str, example: str) -> None:
    assert codes(trainer(example)) == []


@pytest.mark.parametrize(
    "name", [path.stem for path in sorted((ROOT / "legacy").glob("*.py")) if not path.stem.endswith("_model")]
)
def test_legacy_trainers_are_certain(name: str) -> None:
    assert doubts(Program(Script.read(ROOT / "legacy" / f"{name}.py"))) == []


@pytest.mark.parametrize(
    "last", ["train_op = 'done'", "sess = None\nopt = 0", "loss = 'text'  # done", "tf = None"]
)
def test_names_that_the_last_lines_bind_again(last: str) -> None:
    """Nothing reads them: the verdict is the trainer's own, and the lines stay."""
    before, after = (
        idiomatic_or_exact(Script.from_text(text), Options()).changes[0]
        for text in (trainer(), f"{trainer()}\n{last}\n")
    )
    assert after.after == f"{before.after.rstrip()}\n{last}\n"
    assert after.before == f"{trainer()}\n{last}\n"


@pytest.mark.parametrize(
    "last", ["train_op = 'done'; print(train_op)", "def loss():\n    pass", "loss = sess"]
)
def test_other_last_lines_are_no_such(last: str) -> None:
    after = idiomatic_or_exact(Script.from_text(f"{trainer()}\n{last}\n"), Options()).changes[0].after
    assert "strategy.run(" not in after


def test_what_is_in_the_way_is_said_in_the_users_terms() -> None:
    text = trainer("end: train_op = 'done'; print(train_op)")
    result = idiomatic_or_exact(Script.from_text(text), Options())
    assert result.status == 0 and "towers(strategy" in result.changes[0].after
    notes = [finding for finding in result.findings if finding.code == "T2T635"]
    assert [note.line for note in notes] == [26]
    assert notes[0].message.startswith("`train_op` is bound 2 times")


@pytest.mark.parametrize(
    ("line", "doubted"),
    [
        ("import tensorflow as tf; SIZE = 3", True),
        ("SIZE = 3; import tensorflow as tf", True),
        ("if True: import tensorflow as tf", True),
        ("import tensorflow as tf\nSIZE = 3; POWER = 2", False),
        ("import tensorflow as tf\nif True: SIZE = 3", False),
    ],
)
def test_an_import_that_shares_a_line_in_a_module(tmp_path: Path, line: str, doubted: bool) -> None:
    """A module's lines stay as they are, but for its imports."""
    (tmp_path / "model.py").write_text(f"{line}\n\n\ndef output(x, w):\n    return tf.matmul(x, w)\n")
    text = trainer(
        "head: import numpy as np; import tensorflow as tf; import model; N = 2\nmodel: y = model.output(xs[i], w)"
    )
    (tmp_path / "train.py").write_text(text)
    found = [finding.code for finding in doubts(Program(Script.read(tmp_path / "train.py")))]
    assert found == (["T2T640"] if doubted else [])


@pytest.mark.parametrize(
    ("losses", "code"),
    [
        ("train_op = opt.minimize(loss)", None),
        ("scale = tf.Variable(tf.ones([1])); train_op = opt.minimize(tf.reduce_mean(loss * scale))", None),
        # made in the middle of something: at every step
        ("train_op = opt.minimize(tf.reduce_mean(loss * bias()))", "T2T304"),
        (
            "with tf.name_scope('a'):;             v = tf.Variable(1.0);             "
            "train_op = tf.train.AdamOptimizer(0.1).minimize(loss * v)",
            "T2T304",
        ),
        # TF1's worker has what it was sent before the update
        ("train_op = opt.minimize(loss); loss = loss * 2; loss = tf.identity(loss)", None),
        ("train_op = opt.minimize(loss); loss = tf.reduce_mean(w)", "T2T208"),
        ("train_op = opt.minimize(loss); loss = tf.reduce_mean(of_weights())", "T2T208"),
        (
            "first = opt.minimize(loss); second = opt.minimize(tf.reduce_mean(w * w)); "
            "train_op = tf.group(first, second)",
            "T2T208",
        ),
        (
            "step = opt.minimize(loss); averages = tf.train.ExponentialMovingAverage(0.9); "
            "with tf.control_dependencies([step]):;             train_op = averages.apply([w])",
            "T2T505",
        ),
    ],
)
def test_what_a_workers_step_is_written_for(losses: str, code: str | None) -> None:
    functions = {
        "bias": "def bias():;     return tf.Variable(tf.ones([1]))",
        "of_weights": "def of_weights():;     return tf.get_variable('w', initializer=1.0)",
    }
    called = [text for name, text in functions.items() if f"{name}()" in losses]
    head = "; ".join(["head: import numpy as np; import tensorflow as tf; N = 2", *called])
    variable = "variable: w = tf.Variable(tf.ones([3, 1]))"
    text = trainer(f"{worker_with(TWO, SUPERVISED)}\n{head}\n{variable}\nlosses: {losses}")
    result = idiomatic_or_exact(Script.from_text(text), Options())
    in_the_way = {site.code for site in result.findings if site.message.endswith("the exact one is written")}
    assert in_the_way == ({code} if code else set())
    assert ("VariableStore(" in result.changes[0].after) == (code is None)


def test_what_another_module_feeds(tmp_path: Path) -> None:
    head = "head: import numpy as np; import tensorflow as tf; import feeds; N = 2"
    run = "train: print(sess.run([train_op, loss], feeds.fill({given}, batch))[1])"
    (tmp_path / "feeds.py").write_text(
        "import tensorflow as tf\n\n\ndef fill(place, batch):\n    return {place: batch}\n"
    )
    for given, doubted in (("x", False), ("loss", True)):
        (tmp_path / "train.py").write_text(trainer(f"{head}\n{run.format(given=given)}"))
        found = [doubt.code for doubt in doubts(Program(Script.read(tmp_path / "train.py")))]
        assert ("T2T632" in found) == doubted


_TWO_FEEDS = (
    "before: z = tf.placeholder(tf.float32, [4, 3])\nmodel: y = tf.matmul(xs[i] + tf.split(z, N)[i], w)\n"
)
_RATE = (
    "inputs: rate = tf.placeholder(tf.float32, []); x = tf.placeholder(tf.float32, [4, 3]); xs = tf.split(x, N); "
    "opt = tf.train.GradientDescentOptimizer(rate); grads = []; tower_losses = []\n"
)
_DRAWS = "print(sess.run([train_op, loss], {{{}: rng.rand(), x: rng.randn(4, 3)}})[1])"


@pytest.mark.parametrize(
    ("example", "code", "written"),
    [
        # the last tower's value, of which the first tower would make the summary
        (
            "after: own = tf.summary.scalar('loss', loss)\ntrain: sess.run([train_op, own], {x: batch})",
            "T2T202",
            "",
        ),
        (
            "after: own = tf.summary.scalar('loss', tf.add_n(tower_losses))\n"
            "train: sess.run([train_op, own], {x: batch})",
            None,
            "tf.compat.v1.summary.scalar(",
        ),
        # read before the update by the original, behind it in a function
        (
            "after: norm = tf.reduce_sum(w)\ntrain: print(sess.run([train_op, norm], {x: batch})[1])",
            "T2T208",
            "",
        ),
        (
            "after: norm = tf.reduce_sum(w)\ntrain: sess.run(train_op, {x: batch}); print(sess.run(norm))",
            None,
            "norm",
        ),
        (
            "after: with tf.control_dependencies([train_op]):;     norm = tf.reduce_sum(w * 1.0)\n"
            "train: print(sess.run(norm, {x: batch}))",
            None,
            "norm",
        ),
        # what is fed is worked out in the script's order
        (
            f"{_TWO_FEEDS}train: print(sess.run([train_op, loss], {{z: rng.randn(4, 3), x: rng.randn(4, 3)}})[1])",
            None,
            "train_step(z=rng.randn(4, 3), x=rng.randn(4, 3))",
        ),
        (
            f"{_TWO_FEEDS}train: print(sess.run([train_op, loss], {{x: rng.randn(4, 3), z: rng.randn(4, 3)}})[1])",
            None,
            "train_step(rng.randn(4, 3), rng.randn(4, 3))",
        ),
        (f"{_RATE}train: {_DRAWS.format('rate')}", "T2T402", ""),
        (
            "before: z = tf.placeholder(tf.float32, [])\nafter: other = z * 2.0\n"
            f"train: {_DRAWS.format('z')}; print(sess.run(other, {{z: 1.0}}))",
            "T2T402",
            "",
        ),
        # names of variables, which have no operation of their own
        (
            "after: shown = tf.summary.histogram(w.op.name, w)\ntrain: sess.run(train_op, {x: batch}); sess.run(shown)",
            None,
            "histogram(w.name.split(':')[0], w)",
        ),
        (
            "average: mean = [(tf.add_n([g for g, _ in pairs]) / N, pairs[0][1]) for pairs in zip(*grads)]; "
            "mean = [(g * 2.0 if 'w' in v.op.name else g, v) for g, v in mean]; train_op = opt.apply_gradients(mean)",
            None,
            "if 'w' in v.name.split(':')[0] else",
        ),
        (
            "model: y = tf.matmul(xs[i], w, name=w.op.name.replace('/', '_'))",
            None,
            "name=w.name.split(':')[0].replace",
        ),
    ],
)
def test_what_the_rewrites_are_sure_of(example: str, code: str | None, written: str) -> None:
    result = idiomatic_or_exact(Script.from_text(trainer(example)), Options())
    in_the_way = {site.code for site in result.findings if site.message.endswith("the exact one is written")}
    assert in_the_way == ({code} if code else set())
    assert result.status == 0 and written in result.changes[0].after
