"""Programs that compute eagerly stay as they are, however much of `tf.compat.v1` they say."""

from pathlib import Path
from textwrap import dedent

import pytest
from codemod_texts import after, codes

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


def test_functions_and_tapes(program) -> None:
    result = program({"train.py": TRAINER})
    assert (result.status, result.changed) == (0, False)


@pytest.mark.parametrize("line", SESSIONS)
def test_a_graph_is_run_somewhere(line: str, program) -> None:
    assert program({"train.py": TRAINER + line + "\n"}).changed


@pytest.mark.parametrize("path", sorted((ROOT / "modern").glob("*.py")), ids=lambda path: path.stem)
def test_modern_trainers(path: Path) -> None:
    result = migrate(Script.read(path))
    assert (result.status, result.changed) == (0, False)


@pytest.mark.parametrize(
    "names",
    [
        "import tensorflow as first\ntf = first\n",
        dedent(
            """\
            import tensorflow as tf
            t = tf
            tf = t
            """
        ),
    ],
)
def test_plain_tensorflow_by_another_name_is_tf1s(names: str) -> None:
    text = dedent(
        """\
        {names}import tensorflow.compat.v1 as unused

        x = tf.placeholder(tf.float32)
        tf.Session()
        """
    ).format(names=names)
    new = after(text)
    assert new.startswith("import tensorflow.compat.v1 as ") and "import tensorflow as" not in new


@pytest.mark.parametrize(
    "lines",
    [
        "import keras.utils\nkeras.utils.multi_gpu_model(model, 2)\n",
        "from keras.layers.core import Dense\n",
        dedent(
            """\
            from keras import backend as K
            import tensorflow as tf
            with tf.device('/gpu:0'): K.learning_phase()
            """
        ),
        "from keras.engine.topology import Layer\n",
    ],
)
def test_a_program_on_keras2_is_refused(program, lines: str) -> None:
    assert codes(program({"train.py": lines})) == ["T2T625"]


def test_a_program_on_keras3_is_left_as_it_is(program) -> None:
    text = dedent(
        """\
        import keras
        from keras.layers import Conv2D, Input
        from keras.utils import to_categorical

        model = keras.models.Sequential([Input([8, 8, 1]), Conv2D(2, 3)])
        model.compile(keras.optimizers.SGD(0.1))
        keras.backend.clear_session()
        keras.distribution.set_distribution(keras.distribution.DataParallel())
        """
    )
    result = program({"train.py": text})
    assert result.status == 0 and not result.findings
