"""Programs that compute eagerly stay as they are, however much of `tf.compat.v1` they say."""

import inspect
import operator
from pathlib import Path

import pytest

from tf2towers.codemod.migrate import migrate
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


@pytest.mark.parametrize(
    "names", ["import tensorflow as first\ntf = first\n", "import tensorflow as tf\nt = tf\ntf = t\n"]
)
def test_plain_tensorflow_by_another_name_is_tf1s(names: str) -> None:
    text = f"{names}import tensorflow.compat.v1 as unused\n\nx = tf.placeholder(tf.float32)\ntf.Session()\n"
    after = migrate(Script.from_text(text)).changes[0].after
    assert after.startswith("import tensorflow.compat.v1 as ") and "import tensorflow as" not in after


@pytest.mark.parametrize(
    "lines",
    [
        "import keras.utils\nkeras.utils.multi_gpu_model(model, 2)\n",
        "from keras.layers.core import Dense\n",
        "from keras import backend as K\nimport tensorflow as tf\nwith tf.device('/gpu:0'): K.learning_phase()\n",
        "from keras.engine.topology import Layer\n",
    ],
)
def test_a_program_on_keras2_is_refused(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "towers.py"
    path.write_text(lines)
    assert [finding.code for finding in migrate(Script.read(path)).left] == ["T2T625"]


def test_a_program_on_keras3_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        "import keras\nfrom keras.layers import Conv2D, Input\nfrom keras.utils import to_categorical\n\n"
        "model = keras.models.Sequential([Input([8, 8, 1]), Conv2D(2, 3)])\nmodel.compile(keras.optimizers.SGD(0.1))\n"
        "keras.backend.clear_session()\nkeras.distribution.set_distribution(keras.distribution.DataParallel())\n"
    )
    result = migrate(Script.read(path))
    assert result.status == 0 and not result.findings


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("tf.device(chooses)", "tf.compat.v1.device(chooses)"),
        ("tf.device(tf.compat.v1.train.replica_device_setter(1) or None)",
         "tf.compat.v1.device(tf.compat.v1.train.replica_device_setter(1) or None)"),
        ("tf.device('/gpu:%d' % 1)", None),
        ("tf.device(f'/gpu:{1}')", None),
        ("tf.device('/gpu:{}'.format(1))", None),
        ("tf.device(None)", None),
        ("tf.reduce_sum(x, 1, keep_dims=True)", "tf.compat.v1.reduce_sum(x, 1, keep_dims=True)"),
        ("tf.math.reduce_mean(x, reduction_indices=[0])", "tf.compat.v1.math.reduce_mean(x, reduction_indices=[0])"),
        ("tf.reduce_sum(x, 1, keepdims=True)", None),
        ("tf.reduce_sum(x, 1, True, None, None)", "tf.compat.v1.reduce_sum(x, 1, True, None, None)"),
        ("tf.nn.dropout(x, keep_prob=0.5)", "tf.compat.v1.nn.dropout(x, keep_prob=0.5)"),
        ("tf.nn.dropout(x, rate=0.5)", None),
        ("tf.gradients(y, x, colocate_gradients_with_ops=True)",
         "tf.compat.v1.gradients(y, x, colocate_gradients_with_ops=True)"),
        ("tf.squeeze(x, squeeze_dims=[1])", "tf.compat.v1.squeeze(x, squeeze_dims=[1])"),
    ],
)  # fmt: skip
def test_a_call_that_only_tf1s_function_takes_is_of_compat_v1(call: str, after: str | None) -> None:
    text = (
        "import tensorflow as tf\n\nx = y = tf.compat.v1.placeholder(tf.float32)\n"
        f"chooses = print\nz = {call}\ntf.compat.v1.Session()\n"
    )
    result = migrate(Script.from_text(text))
    assert f"z = {after or call}\n" in result.changes[0].after
    assert not result.left


def test_the_table_of_such_arguments_is_that_of_the_installed_tensorflow() -> None:
    tf = pytest.importorskip("tensorflow")
    for line in (ROOT / "tf2towers/codemod/data/only_v1_arguments.tsv").read_text().splitlines()[1:]:
        name, arguments, places = line.split("\t")
        in_tf1, in_tf2 = (
            list(inspect.signature(operator.attrgetter(name.removeprefix("tf."))(module)).parameters)
            for module in (tf.compat.v1, tf)
        )
        assert [argument for argument in in_tf1 if argument not in in_tf2] == arguments.split(), name
        assert len(in_tf2) == int(places), name
