"""Tower loops, their devices, and averages: what is written and what is not."""

import pytest
from exact_texts import after, migrated

BODY = """import tensorflow as tf
from absl import flags

FLAGS = flags.FLAGS


def build(n, unknown, self):
    devices = ['/gpu:0', '/gpu:1']
    gpu_ids = [int(number) for number in FLAGS.gpus.split(',')]
    splits = tf.split(tf.placeholder(tf.float32, [4]), 2)
"""

#: the loop, what it goes over, the device -> what `tower_devices` is given
WRITTEN = [
    ("i", "range(n)", "'/gpu:%d' % i", "n"),
    ("i", "range(FLAGS.num_gpus)", "'/gpu:{}'.format(i)", "FLAGS.num_gpus"),
    ("i", "range(0, n)", "'/gpu:' + str(i)", "n"),
    ("i", "range(len(splits))", "f'/gpu:{i}'", "len(splits)"),
    ("i", "range(self.n * 2)", "'/device:GPU:%d' % i", "self.n * 2"),
    ("i", "range(1, n)", "'/gpu:%d' % i", "range(1, n)"),
    ("i", "gpu_ids", "'/gpu:%s' % i", "['/gpu:%s' % i for i in gpu_ids]"),
    ("i", "range(n)", "'/gpu:%d' % (i + 1)", "['/gpu:%d' % (i + 1) for i in range(n)]"),
    ("i", "range(n)", "devices[i]", "[devices[i] for i in range(n)]"),
    ("d", "devices", "d", "devices"),
    ("i, d", "enumerate(devices)", "d", "devices"),
    ("i, gpu", "enumerate(gpu_ids)", "'/gpu:%d' % gpu", "gpu_ids"),
    ("d", "['/gpu:0', '/gpu:1']", "d", "['/gpu:0', '/gpu:1']"),
    ("d, x", "zip(devices, splits)", "d", "[d for d, x in zip(devices, splits)]"),
    ("i", "range(n)", "tf.DeviceSpec(device_type='GPU', device_index=i)", "n"),
    ("i", "range(n)", "setter('/gpu:%d' % i, ps_device='/cpu:0')", "n"),
    ("i", "range(n)", "tf.train.replica_device_setter(1, worker_device='/gpu:%d' % i)", "n"),
]


def looped(target: str, iterable: str, device: str) -> str:
    return f"{BODY}    for {target} in {iterable}:\n        with tf.device({device}):\n            print(1)\n"


@pytest.mark.parametrize(("target", "iterable", "device", "given"), WRITTEN)
def test_a_loop_over_a_strategy(target, iterable, device, given):
    text = after(looped(target, iterable, device))
    flat = " ".join(text.split())
    assert f"strategy = tf2.distribute.MirroredStrategy( tower_devices({given})) for" in flat.replace(
        "MirroredStrategy(tower", "MirroredStrategy( tower"
    )
    assert f"    for {target} in towers(strategy, {iterable}):\n" in text
    assert after(text) == text


#: an iterable that is gone through twice, a device that is no GPU of the loop: nothing is written
NOT_WRITTEN = [
    ("i", "range(count())", "'/gpu:%d' % i"),
    ("d", "unknown", "d"),
    ("d", "iter(devices)", "d"),
    ("d, x", "zip(devices, unknown)", "d"),
    ("i", "range(n)", "'/cpu:%d' % i"),
    ("i", "range(n)", "'/job:worker/task:%d' % i"),
    ("i", "range(n)", "'/gpu:0'"),
    ("v", "tf.trainable_variables()", "v.device"),
    ("i", "range(n)", "unknown"),
]


@pytest.mark.parametrize(("target", "iterable", "device"), NOT_WRITTEN)
def test_a_loop_that_stays(target, iterable, device):
    result = migrated(looped(target, iterable, device))
    assert "MirroredStrategy" not in result.changes[0].after
    assert result.status == 0


def test_the_user_says_how_many():
    text = after(looped("d", "unknown", "'/gpu:%d' % d"), towers="2")
    assert "strategy = tf2.distribute.MirroredStrategy(tower_devices(2))\n" in text
    assert "    for d in towers(strategy, unknown):" in text
    assert after(text, towers="2") == text


def test_a_helper_that_makes_the_name():
    helper = "def assign(gpu, ps='/cpu:0'):\n    def place(op):\n        return '/gpu:%d' % gpu\n    return place\n\n\n"
    text = looped("i", "range(n)", "assign(i)").replace("def build", helper + "def build")
    assert "tower_devices(n)" in after(text)
    changed = text.replace("    def place", "    gpu = 0\n    def place")
    assert "MirroredStrategy" not in after(changed)


def test_a_name_given_in_the_loop():
    text = f"{BODY}    for i in range(n):\n        d = '/gpu:%d' % i\n        with tf.device(d):\n            pass\n"
    assert "tower_devices(n)" in after(text)


def test_a_comprehension():
    text = f"{BODY}    losses = [loss(i) for i in range(n)]\n    with tf.device('/gpu:0'):\n        pass\n"
    assert "MirroredStrategy" not in after(text)


def test_two_loops_of_one_block_share_a_strategy():
    loop = "    for i in range(n):\n        with tf.device('/gpu:%d' % i):\n            print(1)\n"
    assert after(BODY + loop + loop).count("MirroredStrategy") == 1
    apart = after(BODY + loop + f"    if n:\n{loop.replace('    ', '        ')}")
    assert apart.count("MirroredStrategy") == 2


def test_layers_that_go_over_the_towers_make_no_strategies():
    layer = "\n\ndef f{}(xs):\n    for i in range(len(xs)):\n        with tf.device('/gpu:%d' % i):\n            pass\n"
    four = BODY + "".join(layer.format(count) for count in range(4))
    assert after(four).count("MirroredStrategy") == 4
    result = migrated(four + layer.format(4))
    assert "tower_devices" not in result.changes[0].after and result.status == 0
    assert [finding.code for finding in result.findings] == ["T2T605"]
    trainers = (four + layer.format(4)).replace("pass", "opt.compute_gradients(1)")
    assert after(trainers).count("MirroredStrategy") == 5


def test_a_strategy_of_the_scripts_own_name():
    text = after(looped("i", "range(n)", "'/gpu:%d' % i").replace("unknown, self", "strategy, self"))
    assert "strategy_2 = tf2.distribute" in text and "towers(strategy_2, range(n))" in text


def test_bare_tuples_are_put_in_brackets():
    text = after(looped("d", "'/gpu:0', '/gpu:1'", "d"))
    assert "tower_devices(('/gpu:0', '/gpu:1'))" in text
    assert "for d in towers(strategy, ('/gpu:0', '/gpu:1')):" in text


MEAN = """def average(tower_grads):
    '''The mean.'''
    result = []
    for pairs in zip(*tower_grads):
        grads = []
        for g, v in pairs:
            grads.append(tf.expand_dims(g, 0))
        mean = tf.reduce_mean(tf.concat(grads, 0), 0)
        result.append((mean, pairs[0][1]))
    return result
"""

#: changes of the classic function that leave it the plain mean
SAME = [
    [],
    [("tf.concat(grads, 0)", "tf.concat(0, grads)")],
    [("tf.concat(grads, 0)", "tf.concat(axis=0, values=grads)")],
    [("tf.concat(grads, 0)", "tf.concat_v2(grads, 0)")],
    [("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.reduce_mean(tf.concat(grads, 0), axis=0)")],
    [("tf.expand_dims(g, 0)", "tf.expand_dims(g, axis=0)")],
    [("tf.expand_dims(g, 0)", "g"), ("tf.concat(grads, 0)", "tf.stack(grads)")],
    [("tf.expand_dims(g, 0)", "g"), ("tf.concat(grads, 0)", "tf.stack(grads, axis=0)")],
    [
        (
            "        grads = []\n        for g, v in pairs:\n            grads.append(tf.expand_dims(g, 0))\n",
            "",
        ),
        ("tf.concat(grads, 0)", "tf.stack([g for g, _ in pairs])"),
    ],
    [("result.append((mean, pairs[0][1]))", "v = pairs[0][1]\n        result.append((mean, v))")],
    [("result.append((mean, pairs[0][1]))", "pair = (mean, pairs[0][1])\n        result.append(pair)")],
    [("            grads.append(tf", "            e = tf"), ("g, 0))", "g, 0)\n            grads.append(e)")],
]
#: changes that make it something else
OTHER = [
    [("tf.reduce_mean(tf.concat", "tf.reduce_sum(tf.concat")],
    [("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.reduce_mean(tf.concat(grads, 0))")],
    [("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.reduce_mean(tf.concat(grads, 0), 0) / 2")],
    [("tf.concat(grads, 0)", "tf.concat(grads, 1)")],
    [("tf.expand_dims(g, 0)", "g")],
    [("tf.expand_dims(g, 0)", "tf.expand_dims(v, 0)")],
    [("tf.expand_dims(g, 0)", "tf.expand_dims(g * 2, 0)")],
    [("            grads.append", "            if g is not None:\n                grads.append")],
    [("pairs[0][1]", "pairs[1][1]")],
    [("(mean, pairs[0][1])", "(pairs[0][1], mean)")],
    [("        result.append", "        print(mean)\n        result.append")],
    [("zip(*tower_grads)", "zip(*tower_grads[1:])")],
    [("return result", "return result[1:]")],
    [("    return result", "    result.reverse()\n    return result")],
    [("(tower_grads)", "(tower_grads, clip=None)")],
    [("        mean =", "        with tf.device('/cpu:0'):\n            pass\n        mean =")],
    [("tf.concat(grads, 0)", "tf.concat(grads, 0, name='all')")],
    [("tf.reduce_mean(", "np.mean(")],
]


def calling(changes: list[tuple[str, str]]) -> str:
    mean = MEAN
    for old, new in changes:
        assert old in mean
        mean = mean.replace(old, new)
    return f"import numpy as np\nimport tensorflow as tf\n\n\n{mean}\n\nsess = tf.Session()\ngrads = average([])\n"


@pytest.mark.parametrize("changes", SAME)
def test_a_plain_mean(changes):
    text = after(calling(changes))
    assert "grads = all_reduce_mean([])\n" in text and "def average" not in text
    assert "graph_mode()\n\n\nsess" in text
    assert after(text) == text


@pytest.mark.parametrize("changes", OTHER)
def test_no_plain_mean(changes):
    text = after(calling(changes))
    assert "grads = average([])\n" in text and "def average" in text


def test_a_mean_that_something_else_uses_stays():
    text = after(calling([]) + "f = average\n")
    assert "all_reduce_mean([])" in text and "def average" in text


def test_a_mean_of_a_local_module(tree):
    from tf2towers.exact.migrate import migrate
    from tf2towers.source.script import Script

    folder = tree({"util.py": "import tensorflow as tf\n\n\n" + MEAN + "\n\ndef other():\n    pass\n"})
    for text in (
        "import tensorflow as tf\nimport util\n\nsess = tf.Session()\ngrads = util.average([])\n",
        "import tensorflow as tf\nfrom util import average, other\n\nsess = tf.Session()\ngrads = average([])\n",
        "import tensorflow as tf\nfrom util import other, average as mean\n\nsess = tf.Session()\ngrads = mean([])\n",
    ):
        (folder / "main.py").write_text(text)
        result = migrate(Script.read(folder / "main.py"))
        assert "grads = all_reduce_mean([])" in result.changes[0].after
        assert "average" not in result.changes[0].after.replace("util.average", "")


NOTED = [
    "    i = 0\n    while i < n:\n        with tf.device('/gpu:%d' % i):\n            i += 1\n",
    "    with tf.device('/gpu:0'):\n        a = 1\n    with tf.device('/gpu:1'):\n        b = 2\n",
    "    def tower(i):\n        with tf.device('/gpu:%d' % i):\n            return i\n    x = [tower(0), tower(1)]\n",
    "    for d in unknown:\n        with tf.device('/gpu:%d' % d):\n            pass\n",
]


@pytest.mark.parametrize("lines", NOTED)
def test_towers_in_another_form_are_told(lines):
    result = migrated(BODY + lines)
    assert result.status == 0 and "MirroredStrategy" not in result.changes[0].after
    assert [(finding.code, finding.kind) for finding in result.findings] == [("T2T605", "note")]
