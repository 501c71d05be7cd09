"""Batches out of TF1's queues: which functions that make them keep a graph of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # `trainer`, under --import-mode=importlib

from trainer import trainer  # noqa: E402

from tf2towers.exact.migrate import Options  # noqa: E402
from tf2towers.registers import idiomatic_or_exact  # noqa: E402
from tf2towers.source.script import Script  # noqa: E402

MAKER = """def get_batch(size):
    row = tf.train.input_producer(tf.ones([8, 3]), shuffle=False).dequeue()
    return tf.train.batch([row], size)
"""
PARTS = {
    "head": f"import numpy as np\nimport tensorflow as tf\nN = 2\n{MAKER}",
    "inputs": "x = get_batch(4)\nopt = tf.train.GradientDescentOptimizer(0.1)\nxs = tf.split(x, N)\ngrads = []\n"
    "tower_losses = []\nseen = {}",
    "session": "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
    "tf.train.start_queue_runners(sess)\nfor step in range(3):",
    "train": "print(sess.run([train_op, loss])[1])",
}
PREFETCHED = (
    (
        "x = get_batch(4)",
        "x = get_batch(2)\nqueue = tf.contrib.slim.prefetch_queue.prefetch_queue([x], capacity=4)",
    ),
    ("xs = tf.split(x, N)\n", ""),
    ("y = tf.matmul(xs[i], w)", "row = queue.dequeue()\n            y = tf.matmul(row, w)"),
)


def migrated(*changes: tuple[str, str]) -> str:
    """The trainer whose batches come out of queues, with pieces of it changed, after the migration."""
    text = trainer("\n".join(f"{name}: " + part.replace("\n", "; ") for name, part in PARTS.items()))
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    compile(text, "trainer", "exec")
    result = idiomatic_or_exact(Script.from_text(text), Options())
    assert result.status == 0
    return result.changes[0].after


@pytest.mark.parametrize(
    "changes",
    [
        (),
        PREFETCHED,
        (("start_queue_runners(sess)", "start_queue_runners(sess=sess, coord=tf.train.Coordinator())"),),
        (("x = get_batch(4)", "size = 2 * N\nx = get_batch(size)"),),
        (("x = get_batch(4)", "with tf.device('/cpu:0'):\n    x = get_batch(4)"),),
        # a summary that nothing collects
        (("    return tf.train.batch", "    tf.summary.histogram('row', row)\n    return tf.train.batch"),),
    ],
)
def test_queues_that_keep_a_graph_of_their_own(changes: tuple[tuple[str, str], ...]) -> None:
    after = migrated(*changes)
    assert "QueuedBatches(" in after
    assert "strategy.run(" in after


@pytest.mark.parametrize(
    "changes",
    [
        # two pipelines; the function's part elsewhere; one that some runs have only
        (("x = get_batch(4)", "x = get_batch(4)\nmore = get_batch(4)"),),
        (("x = get_batch(4)", "x = get_batch(4)\nmakers = [get_batch]"),),
        (("x = get_batch(4)", "if N > 1:\n    x = get_batch(4)"),),
        # it is given a tensor, makes or reads what is the trainer's, or keeps state of its own
        (("x = get_batch(4)", "size = tf.constant(4)\nx = get_batch(size)"),),
        (
            ("x = get_batch(4)", "scale = tf.Variable(2.0)\nx = get_batch(4)"),
            ("batch([row], size)", "batch([row * scale], size)"),
        ),
        (("    row =", "    v = tf.get_variable('v', [])\n    row ="),),
        (("    row =", "    v = tf.placeholder(tf.float32)\n    row ="),),
        (("    row =", "    global seen\n    row ="),),
        (("    row =", "    tf.add_to_collection('rows', size)\n    row ="),),
        (("tf.ones([8, 3])", "tf.get_collection('rows')[0]"),),
        (("    return tf.train.batch([row], size)", "    yield tf.train.batch([row], size)"),),
        (("def get_batch", "@staticmethod\ndef get_batch"),),
        # its summaries are collected
        (
            ("    return tf.train.batch", "    tf.summary.histogram('row', row)\n    return tf.train.batch"),
            ("for step in range(3):", "merged = tf.summary.merge_all()\nfor step in range(3):"),
        ),
        # nothing starts the queues, or starts them in another way
        (("tf.train.start_queue_runners(sess)\n", ""),),
        (("tf.train.start_queue_runners(sess)", "tf.train.start_queue_runners(sess, daemon=False)"),),
        (("tf.train.start_queue_runners(sess)", "print(tf.train.start_queue_runners(sess))"),),
        (("tf.train.start_queue_runners(sess)\n", "tf.train.start_queue_runners(sess)\n" * 2),),
        # a seed, which decides draws by the place in the graph
        (("import numpy as np\n", "import numpy as np\nimport tensorflow as tf\ntf.set_random_seed(1)\n"),),
        (("shuffle=False", "shuffle=True, seed=3"),),
        # prefetched batches: of something else, or read beside
        (*PREFETCHED, ("prefetch_queue([x]", "prefetch_queue([x * 2.0]")),
        (*PREFETCHED, ("grads = []", "more = tf.reduce_mean(x)\ngrads = []")),
        (*PREFETCHED, ("grads = []", "row = queue.dequeue()\ngrads = []")),
    ],
)  # fmt: skip
def test_queues_that_the_exact_form_keeps(changes: tuple[tuple[str, str], ...]) -> None:
    assert "QueuedBatches(" not in migrated(*changes)


SHARED = {
    "model.py": (
        "import tensorflow as tf\n\n\ndef model(x):\n"
        "    return tf.matmul(x, tf.get_variable('w', [3, 1], initializer=tf.ones_initializer()))\n\n\n"
        "def train(loss):\n    tf.summary.scalar('loss', loss)\n"
        "    return tf.train.AdamOptimizer(1e-3).minimize(loss, var_list=tf.get_collection('all'))\n"
    ),
}


def test_what_a_module_has_for_other_scripts_does_not_stand_in_the_way(tmp_path: Path) -> None:
    text = trainer(
        "head: import numpy as np; import tensorflow as tf; import model; N = 2\nmodel: y = model.model(xs[i])"
    )
    for name, module in {**SHARED, "trainer.py": text}.items():
        (tmp_path / name).write_text(module)
    result = idiomatic_or_exact(Script.read(tmp_path / "trainer.py"), Options())
    assert [change.path.name for change in result.changes] == ["trainer.py", "model.py"]
    assert "strategy.run(" in result.changes[0].after
    told = [site for site in result.findings if "called by nothing" in site.message]
    assert [(site.path.name, site.line, site.kind) for site in told] == [("model.py", 8, "note")]


@pytest.mark.parametrize(
    "use",
    [
        "train = model.train",
        "name = 'train'",
        "from model import train; kept = [train]",
        "f = getattr(model, sys.argv[1])",
    ],
)
def test_what_may_be_called_stands_in_the_way(tmp_path: Path, use: str) -> None:
    head = f"head: import sys; import numpy as np; import tensorflow as tf; import model; N = 2; {use}"
    for name, module in {**SHARED, "trainer.py": trainer(f"{head}\nmodel: y = model.model(xs[i])")}.items():
        (tmp_path / name).write_text(module)
    result = idiomatic_or_exact(Script.read(tmp_path / "trainer.py"), Options())
    assert "strategy.run(" not in result.changes[0].after


#: each tower has queues of its own, which its loss begins with
OF_EACH = (
    ("x = get_batch(4)\n", ""),
    ("xs = tf.split(x, N)\n", ""),
    (MAKER, MAKER + "def tower_loss(scope):\n    rows = get_batch(2)\n    w = tf.get_variable('w', [3, 1])\n"
     "    return tf.reduce_mean(tf.square(tf.matmul(rows, w)))\n"),
    ("w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())\n", "loss = tower_loss(scope)\n"),
    ("            y = tf.matmul(xs[i], w)\n", ""),
    ("            loss = tf.reduce_mean(tf.square(y))\n", ""),
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ((), "def tower_loss(scope, rows):\n    w ="),
        ((("    rows = get_batch(2)", "    '''The loss.'''\n    rows = get_batch(2)"),), "'''The loss.'''\n    w ="),
        ((("    rows = get_batch(2)", "    # A batch.\n    rows = get_batch(2)"),), "# A batch.\n"),
        (
            (("def tower_loss(scope)", "SIZE = 2\ndef tower_loss(scope)"), ("get_batch(2)", "get_batch(SIZE)")),
            "(scope, rows)",
        ),
    ],
)  # fmt: skip
def test_batches_that_a_towers_function_is_given(changes: tuple[tuple[str, str], ...], wanted: str) -> None:
    after = migrated(*OF_EACH, *changes)
    assert wanted in after
    assert ", towers=strategy.num_replicas_in_sync)" in after
    assert "train_step(batches.of_each_tower(strategy))" in after


@pytest.mark.parametrize(
    "changes",
    [
        # it is called twice, with keywords, by another name, or takes more than it is given
        (("loss = tower_loss(scope)\n", "loss = tower_loss(scope)\n            more = tower_loss(scope)\n"),),
        (("loss = tower_loss(scope)\n", "loss = tower_loss(scope=scope)\n"),),
        (("loss = tower_loss(scope)\n", "call = tower_loss\n            loss = call(scope)\n"),),
        (("def tower_loss(scope)", "def tower_loss(scope, more=1)"),),
        # the batch hangs on the tower, or on what the function has
        (("loss = tower_loss(scope)\n", "loss = tower_loss(i)\n"), ("get_batch(2)", "get_batch(2 + scope)")),
        (("    rows = get_batch(2)", "    size = 2\n    rows = get_batch(size)"),),
        # its name is another's where it is called, or its batch comes later
        (("seen = {}", "seen = {}\nrows = 3"),),
        (("    rows = get_batch(2)\n", ""), ("3, 1])\n    return", "3, 1])\n    rows = get_batch(2)\n    return")),
        # only one tower is asked for its loss: the others take no batch
        (("print(sess.run([train_op, loss])[1])", "print(sess.run([train_op, loss])[1], sess.run(loss))"),),
    ],
)  # fmt: skip
def test_batches_that_stay_in_a_towers_function(changes: tuple[tuple[str, str], ...]) -> None:
    assert "QueuedBatches(" not in migrated(*OF_EACH, *changes)


WORKER = (HERE.parent / "rewrites" / "cases" / "cluster_queue.txt").read_text().partition("--- script\n")[2]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        # it reads which worker it is, starts the queues by itself, is made where every process comes by
        ("RandomState(worker)", "RandomState(FLAGS.task_index)"),
        ("            while not", "            tf.train.start_queue_runners(sess)\n            while not"),
        ("            images, labels =", "            images, labels = inputs(0, 6)\n            images, labels ="),
        ("is_chief=is_chief, hooks=hooks) as sess", "is_chief=is_chief, hooks=hooks) as sess, tf.Session() as other"),
        ("inputs(FLAGS.task_index, batch_size=6)", "inputs(FLAGS.task_index, batch_size=tf.constant(6))"),
    ],
)  # fmt: skip
def test_workers_queues_that_the_exact_form_keeps(before: str, now: str) -> None:
    assert before in WORKER
    changed = WORKER.replace(before, now, 1)
    compile(changed, "worker", "exec")
    result = idiomatic_or_exact(Script.from_text(changed), Options())
    assert "QueuedBatches(" not in result.changes[0].after
