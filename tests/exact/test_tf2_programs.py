"""Programs that compute eagerly stay as they are, however much of `tf.compat.v1` they say."""

from pathlib import Path

import pytest

from tf2towers.exact.migrate import migrate
from tf2towers.exact.program import Program
from tf2towers.migrate import migrate as idiomatic
from tf2towers.source.script import Script

ROOT = Path(__file__).resolve().parents[2]
TRAINER = """\
import tensorflow.compat.v1 as v1
import tensorflow as tf

w = tf.Variable(1.0)
opt = v1.train.GradientDescentOptimizer(0.1)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = v1.losses.mean_squared_error(x, w * 2.0)
    opt.apply_gradients([(tape.gradient(loss, w), w)])
    return loss


print(step(3.0))
"""
SESSIONS = (
    "with v1.Session() as sess: sess.run(w)",
    "v1.train.MonitoredTrainingSession()",
    "v1.disable_eager_execution()",
    "x = v1.placeholder(tf.float32, [])",
    "v1.get_default_session().run(w)",
    "v1.keras.backend.get_session().run(w)",
)


def status_and_changes(text: str, folder: Path) -> tuple[int, bool]:
    path = folder / "train.py"
    path.write_text(text)
    result = migrate(Script.read(path))
    return result.status, result.changed


def test_functions_and_tapes(tmp_path: Path) -> None:
    assert status_and_changes(TRAINER, tmp_path) == (0, False)


@pytest.mark.parametrize("line", SESSIONS)
def test_a_graph_is_run_somewhere(line: str, tmp_path: Path) -> None:
    assert status_and_changes(TRAINER + line + "\n", tmp_path)[1]


@pytest.mark.parametrize("path", sorted((ROOT / "modern").glob("*.py")), ids=lambda path: path.stem)
def test_modern_trainers(path: Path) -> None:
    result = migrate(Script.read(path))
    assert (result.status, result.changed) == (0, False)


@pytest.mark.parametrize("name", ["cifar10_towers.py", "mnist_supervisor.py", "mnist_monitored.py"])
def test_idiomatic_migrations(name: str, tmp_path: Path) -> None:
    for change in idiomatic(Program(Script.read(ROOT / "legacy" / name))).changes:
        (tmp_path / change.path.name).write_text(change.after)
    for module in (ROOT / "legacy").glob("*.py"):
        if not (tmp_path / module.name).exists():
            (tmp_path / module.name).write_text(module.read_text())
    result = migrate(Script.read(tmp_path / name))
    assert (result.status, result.changed) == (0, False)


@pytest.mark.parametrize(
    "names", ["import tensorflow as first\ntf = first\n", "import tensorflow as tf\nt = tf\ntf = t\n"]
)
def test_plain_tensorflow_by_another_name_is_tf1s(names: str) -> None:
    text = f"{names}import tensorflow.compat.v1 as unused\n\nx = tf.placeholder(tf.float32)\ntf.Session()\n"
    after = migrate(Script.from_text(text)).changes[0].after
    assert after.startswith("import tensorflow.compat.v1 as ") and "import tensorflow as" not in after
