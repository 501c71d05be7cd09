"""Tower loops, their devices, and averages: which are rewritten, and how."""

from textwrap import dedent, indent

import pytest
from codemod_texts import TF, after, migrated, texts

BODY = """import tensorflow as tf
from absl import flags

FLAGS = flags.FLAGS


def build(n, unknown, self):
    devices = ['/gpu:0', '/gpu:1']
    gpu_ids = [int(number) for number in FLAGS.gpus.split(',')]
    splits = tf.split(tf.placeholder(tf.float32, [4]), 2)
"""


def in_build(lines: str) -> str:
    """Lines of the function `build`, dedented in a test."""
    return indent(dedent(lines), "    ")


#: the loop, what it goes over, the device -> the strategy's arguments, and the towers
WRITTEN = [
    ("i", "range(n)", "'/gpu:%d' % i", "n", "replica_ids"),
    ("i", "range(FLAGS.num_gpus)", "'/gpu:{}'.format(i)", "FLAGS.num_gpus", "replica_ids"),
    ("i", "range(0, n)", "'/gpu:' + str(i)", "n", "replica_ids"),
    ("i", "range(len(splits))", "f'/gpu:{i}'", "len(splits)", "replica_ids"),
    ("i", "range(self.n * 2)", "'/device:GPU:%d' % i", "self.n * 2", "replica_ids"),
    ("i", "range(1, n)", "'/gpu:%d' % i", "range(1, n)", "per_replica(range(1, n))"),
    ("i", "gpu_ids", "'/gpu:%s' % i", "gpu_ids", "per_replica(gpu_ids)"),
    ("i", "range(n)", "'/gpu:%d' % (i + 1)", "['/gpu:%d' % (i + 1) for i in range(n)]", "replica_ids"),
    ("i", "range(n)", "devices[i]", "[devices[i] for i in range(n)]", "replica_ids"),
    ("i", "range(len(gpu_ids))", "'/gpu:%d' % gpu_ids[i]", "['/gpu:%d' % gpu for gpu in gpu_ids]", "replica_ids"),
    ("i", "range(len(gpu_ids))", "'/gpu:{}'.format(gpu_ids[i])", "['/gpu:{}'.format(gpu) for gpu in gpu_ids]",
     "replica_ids"),
    ("d", "devices", "d", "devices", "per_replica(devices)"),
    ("i, d", "enumerate(devices)", "d", "devices", "replica_ids, strategy.per_replica(devices)"),
    ("i, gpu", "enumerate(gpu_ids)", "'/gpu:%d' % gpu", "gpu_ids", "replica_ids, strategy.per_replica(gpu_ids)"),
    ("d", "['/gpu:0', '/gpu:1']", "d", "['/gpu:0', '/gpu:1']", "per_replica(['/gpu:0', '/gpu:1'])"),
    ("d", "'/gpu:0', '/gpu:1'", "d", "('/gpu:0', '/gpu:1')", "per_replica(('/gpu:0', '/gpu:1'))"),
    ("d, x", "zip(devices, splits)", "d", "devices", "per_replica(devices), strategy.per_replica(splits)"),
    ("i", "range(n)", "tf.DeviceSpec(device_type='GPU', device_index=i)", "n", "replica_ids"),
    ("i", "range(n)", "setter('/gpu:%d' % i, ps_device='/cpu:0')", "n", "replica_ids"),
    ("i", "range(n)", "tf.train.replica_device_setter(1, worker_device='/gpu:%d' % i)", "n", "replica_ids"),
    # the number of towers is unknown: the strategy takes those that the graph names
    ("i", "range(count())", "'/gpu:%d' % i", "", "per_replica(range(count()))"),
    ("i, x", "enumerate(tf.split(splits[0], 2))", "'/gpu:%d' % i", "", "replica_ids, strategy.per_replica(tf.split("),
]  # fmt: skip


def looped(target: str, iterable: str, device: str) -> str:
    return f"{BODY}    for {target} in {iterable}:\n        with tf.device({device}):\n            print(1)\n"


@pytest.mark.parametrize(("target", "iterable", "device", "given", "towers"), WRITTEN)
def test_a_loop_over_a_strategy(target, iterable, device, given, towers):
    text = after(looped(target, iterable, device))
    made = f"    strategy = TowerStrategy({given})\n"
    assert f"{made}\n    def tower({target}):\n        with tf.device({device}):\n" in text
    assert "\n\n    with strategy.scope():\n" in text
    joined = text.replace("run(\n            ", "run(")
    assert f"        strategy.run(tower, args=(strategy.{towers}" in joined
    assert after(text) == text


#: iterables that may be iterated only once, and what the towers are given
ROUNDS = [
    ("d", "unknown", "'/gpu:%d' % d", "strategy.per_replica(unknown),"),
    ("d", "iter(devices)", "d", "strategy.per_replica(iter(devices)),"),
    ("d, x", "zip(devices, unknown)", "d", "strategy.per_replica(devices), strategy.per_replica(unknown)"),
]


def test_what_a_tower_is_given_has_several_rows_where_it_is_long():
    splits = [f"tf.split(tf.constant([{number}, {number}]), 2)" for number in (1, 2, 3)]
    text = after(looped("i, a, b, c", f"zip(range(2), {', '.join(splits)})", "'/gpu:%d' % i"))
    assert max(map(len, text.partition("strategy.run(")[2].splitlines())) < 80
    rows = [f"strategy.per_replica({each})" for each in splits]
    assert f",\n{' ' * 18}".join(rows) in text


def test_what_a_loop_goes_over_is_migrated_where_it_is_moved_to():
    head = dedent(
        """\
        import tensorflow as tf

        x = tf.placeholder(tf.float32, [4])
        """
    )
    for gone_through, wanted in (
        ("i, part in enumerate(SPLIT)", "strategy.per_replica(SPLIT)"),
        ("i in xrange(len(SPLIT))", "strategy.per_replica(range(len(SPLIT)))"),
        ("i, part in list(enumerate(SPLIT))", "in strategy.towers(list(enumerate(SPLIT))):"),
    ):
        loop = TOWERS.replace("i in range(n)", gone_through.replace("SPLIT", "tf.split(0, 2, x)"))
        text = after(head + loop)
        assert wanted.replace("SPLIT", "tf.split(axis=0, num_or_size_splits=2, value=x)") in text


#: methods and attributes that give a tower's device, and what is written
GIVEN = [
    (in_build("""\
        def where(self, i):
            return '/gpu:%d' % i

        def build(self, opt):
            for i in range(2):
                with tf.device(self.where(i)):
                    opt.minimize(x)
        """),
     "strategy.run(tower, args=(strategy.per_replica(range(2)),))"),
    (in_build("""\
        def worker(self, i):
            return '/gpu:%d' % i

        def build(self, opt):
            for i in range(2):
                device = self.worker(i)
                with tf.device(device):
                    opt.minimize(x)
        """),
     "strategy.run(tower, args=(strategy.per_replica(range(2)),))"),
    (dedent(
        """\
            def __init__(self, device):
                self.place = device

            def build(self, opt):
                with tf.device(self.place):
                    opt.minimize(x)


        for runner in [Model('/gpu:%d' % i) for i in range(2)]:
            runner.build(opt)
        """
    ),
     "        with strategy.scope(), tf.device(self.place):\n"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "wanted"), GIVEN)
def test_a_device_that_a_method_or_an_attribute_gives(lines, wanted):
    head = dedent(
        """\
        import tensorflow as tf

        x = tf.placeholder(tf.float32, [])


        class Model(object):
        """
    )
    result = migrated(head + lines)
    assert wanted in result.changes[0].after and result.status == 0
    on_tasks = head + lines.replace("'/gpu", "'/job:worker/gpu")
    assert "TowerStrategy" not in after(on_tasks)


@pytest.mark.parametrize(("target", "iterable", "device", "given"), ROUNDS)
def test_a_loop_over_what_is_iterated_once(target, iterable, device, given):
    text = after(looped(target, iterable, device))
    assert "    strategy = TowerStrategy()\n" in text
    assert f"    def tower({target}):\n        with tf.device({device}):" in text
    assert f"strategy.run(tower, args=({given}))" in text.replace("run(\n            ", "run(")
    assert after(text) == text


def test_a_loop_that_stays():
    text = after(looped("d, x", "unknown", "'/gpu:%d' % d"))
    assert "    strategy = TowerStrategy()\n" in text
    assert "    for d, x in strategy.towers(unknown):\n" in text
    assert "with strategy.scope(), tf.device('/gpu:%d' % d):" in text
    assert after(text) == text


#: a device that is no GPU of the loop: nothing is written
NOT_WRITTEN = [
    ("d", "unknown", "d"),
    ("i", "range(n)", "'/cpu:%d' % i"),
    ("i", "range(n)", "'/job:worker/task:%d' % i"),
    ("i", "range(n)", "'/gpu:0'"),
    ("v", "tf.trainable_variables()", "v.device"),
    ("v", "tf.trainable_variables()", "device or v.device"),
    ("i", "range(n)", "unknown"),
]


@pytest.mark.parametrize(("target", "iterable", "device"), NOT_WRITTEN)
def test_a_loop_that_builds_no_towers(target, iterable, device):
    result = migrated(looped(target, iterable, device))
    assert "TowerStrategy" not in result.changes[0].after
    assert result.status == 0


def test_the_user_says_how_many():
    text = after(looped("d", "unknown", "'/gpu:%d' % d"), towers="2")
    assert "strategy = TowerStrategy(2)\n" in text
    assert "strategy.run(tower, args=(strategy.per_replica(unknown),))" in text
    assert after(text, towers="2") == text
    text = after(looped("i, d", "enumerate(unknown)", "'/gpu:%d' % d"), towers="2")
    assert "    for i, d in strategy.towers(enumerate(unknown)):" in text


def test_a_helper_that_makes_the_name():
    helper = dedent(
        """\
        def assign(gpu, ps='/cpu:0'):
            def place(op):
                return '/gpu:%d' % gpu
            return place


        """
    )
    text = looped("i", "range(n)", "assign(i)").replace("def build", helper + "def build")
    assert "TowerStrategy(n)" in after(text)


def test_a_name_given_in_the_loop():
    for given, made in (
        ("d = '/gpu:%d' % i", "TowerStrategy(n)"),
        ("d = '/gpu:%d' % i if n else '/cpu:0'", "TowerStrategy("),
        (
            dedent(
                """\
                if n:
                            d = '/gpu:%d' % i
                        else:
                            d = '/cpu:0'"""
            ),
            "TowerStrategy()",
        ),
        (
            dedent(
                """\
                w = '/gpu:%d' % i
                        if n:
                            d = w
                        else:
                            d = setter(w)"""
            ),
            "TowerStrategy(n)",
        ),
        (
            dedent(
                """\
                if i:
                            e = self._devices[i]
                        else:
                            e = self._devices[i]
                        d = e"""
            ),
            "TowerStrategy()",
        ),
        ("g = free(i)\n        d = '/gpu:%d' % g", "TowerStrategy()"),
        ("w = '/{}:{}'.format(kind, i)\n        d = setter('gpu', worker=w)", "TowerStrategy()"),
    ):
        text = (
            f"{BODY}    for i in range(n):\n        {given}\n        with tf.device(d):\n            pass\n"
        )
        assert made in after(text) and "strategy.run(tower, " in after(text)
    assert "Strategy" not in after(text.replace("'gpu'", "'/job:ps', 'gpu'"))


def test_a_comprehension():
    text = f"{BODY}    losses = [loss(i) for i in range(n)]\n    with tf.device('/gpu:0'):\n        pass\n"
    assert "TowerStrategy" not in after(text)
    text = f"{BODY}    losses = [loss(tf.device('/gpu:%d' % i)) for i in range(n)]\n"
    assert (
        in_build("""\
            strategy = TowerStrategy(n)
            with strategy.scope():
                losses = [loss(tf.device('/gpu:%d' % i)) for i in strategy.towers(range(n))]
            """)
    ) in after(text)


TOWERS = """\
for i in range(n):
    with tf.device('/gpu:%d' % i):
        print(1)
"""


#: what stands around the loop -> the strategy and its scope
SCOPES = {
    "the CPU": ("    with tf.device('/cpu:0'):\n",
     "    strategy = TowerStrategy(n, parameter_device='/cpu:0')\n    with strategy.scope():\n"),
    "a graph on the CPU": ("    with tf.Graph().as_default(), tf.device('/device:CPU:0'):\n",
     "    strategy = TowerStrategy(n, parameter_device='/device:CPU:0')\n"
     "    with tf.Graph().as_default(), strategy.scope():\n"),
    "a graph": ("    with tf.Graph().as_default() as g:\n",
     "    strategy = TowerStrategy(n)\n    with tf.Graph().as_default() as g, strategy.scope():\n"),
    "a variable scope": ("    with (tf.variable_scope('net')):\n",
     "    strategy = TowerStrategy(n)\n    with (tf.variable_scope('net'), strategy.scope()):\n"),
    "a session": ("    with tf.Session():\n",
     "        strategy = TowerStrategy(n)\n\n        def tower(i):\n"),
    "a variable scope with a comment": ("    # the net\n    with tf.variable_scope('net'):\n",
     in_build("""\
         strategy = TowerStrategy(n)
         # the net
         with tf.variable_scope('net'), strategy.scope():
         """)),
    "the CPU with a comment": ("    # on the CPU\n    with tf.device('/cpu:0'):\n",
     in_build("""\
         # on the CPU
         strategy = TowerStrategy(n, parameter_device='/cpu:0')
         with strategy.scope():
         """)),
    "another device": ("    with tf.device('/gpu:0'):\n",
     "    strategy = TowerStrategy(n)\n    with tf.device('/gpu:0'), strategy.scope():\n"),
    "the CPU, where the number is not known": ("    with tf.device('/cpu:0'):\n        n = 2\n",
     "        strategy = TowerStrategy(n)\n\n        def tower(i):\n"),
    "the CPU, where the number may change": ("    with tf.device('/cpu:0'):\n        splits.n = 2\n",
     "    strategy = TowerStrategy(n, parameter_device='/cpu:0')\n    with strategy.scope():\n"),
    "the CPU, where GPUs are hidden in it": (
     "    with tf.device('/cpu:0'):\n        os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n",
     "        strategy = TowerStrategy(n)\n\n        def tower(i):\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCOPES)
def test_where_the_scope_stands(name):
    around, wanted = SCOPES[name]
    text = after(BODY + around + indent(TOWERS, "        "))
    assert wanted.replace("tf.Session", "Session") in text
    assert "strategy.run(tower, args=(strategy.replica_ids,))\n" in text and "strategy.scope()" in text
    assert after(text) == text


#: statements in the `with` that may change `self.n`, or `gpus`
CHANGED = [
    ("range(self.n)", "        self.n = 3\n"),
    ("range(len(splits))", "        splits.append(1)\n"),
    ("range(len(splits))", "        splits[0] = 1\n"),
    ("range(n)", "        def f():\n            nonlocal n\n            n = 3\n        f()\n"),
    ("range(self.n)", "        setattr(self, 'n', 3)\n"),
    ("range(self.n)", "        object.__setattr__(self, 'n', 3)\n"),
    ("range(self.n)", "        vars(self).update(n=3)\n"),
    ("range(self.n)", "        def n(self):\n            return 3\n"),
    ("range(self.n)", "        parser.parse_args([], self)\n"),
    ("range(FLAGS.num_gpus)", "        FLAGS(['', '--num_gpus=3'])\n"),
    ("range(len(splits))", "        def grow(out):\n            out.append(1)\n        grow(splits)\n"),
]


@pytest.mark.parametrize(("iterable", "changes"), CHANGED)
def test_a_number_that_may_change_is_taken_where_the_loop_is(iterable, changes):
    loop = indent(TOWERS.replace("range(n)", iterable), "        ")
    text = after(f"{BODY}    with tf.device('/cpu:0'):\n{changes}{loop}")
    assert "    with tf.device('/cpu:0'):\n" in text and "        with strategy.scope():\n" in text


def test_two_loops_share_a_strategy_whose_scope_is_around_both():
    loops = indent(TOWERS + TOWERS, "        ")
    text = after(BODY + "    with tf.device('/cpu:0'):\n" + loops)
    assert text.count("TowerStrategy(") == 1 and "def tower_2(i):" in text
    apart = after(BODY + indent(TOWERS, "    ") + "    if n:\n" + indent(TOWERS, "        "))
    assert apart.count("TowerStrategy(") == 1 and "        strategy.run(tower_2, " in apart
    for change in (
        "n = 3",
        dedent(
            """\
            def f():
                nonlocal n
                n = 3
            f()"""
        ),
    ):
        other = after(BODY + indent(f"{TOWERS}{change}\n{TOWERS}", "    "))
        assert other.count("TowerStrategy(") == 2 and "    strategy_2.run(tower_2, " in other


def test_a_strategy_of_the_scripts_own_name():
    text = after(looped("i", "range(n)", "'/gpu:%d' % i").replace("unknown, self", "strategy, self"))
    assert "strategy_2 = TowerStrategy(n)" in text and "strategy_2.run(tower, args=(strategy_2.re" in text


LOOP = """\
sess = tf.Session()
for i in range(2):
    with tf.device('/gpu:%d' % i):
        print(1)
"""

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

EACH = "        for g, v in pairs:\n            grads.append(tf.expand_dims(g, 0))"
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
    [(f"        grads = []\n{EACH}\n", ""), ("tf.concat(grads, 0)", "tf.stack([g for g, _ in pairs])")],
    [("result.append((mean, pairs[0][1]))", "v = pairs[0][1]\n        result.append((mean, v))")],
    [("result.append((mean, pairs[0][1]))", "pair = (mean, pairs[0][1])\n        result.append(pair)")],
    [("            grads.append(tf", "            e = tf"), ("g, 0))", "g, 0)\n            grads.append(e)")],
    [(f"        grads = []\n{EACH}\n", ""), ("tf.concat(grads, 0)", "[g for g, _ in pairs]")],
    [("tf.expand_dims(g, 0)", "g"), ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / len(pairs)")],
    [("tf.expand_dims(g, 0)", "g"), ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.div(tf.add_n(grads), len(grads))")],
    [("tf.expand_dims(g, 0)", "g"),
     ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.multiply(tf.add_n(grads), 1.0 / len(grads))")],
    [("            grads.append", "            assert g is not None, v.name\n            grads.append")],
    [("result.append((mean, pairs[0][1]))", "pairs = (mean, pairs[0][1])\n        result.append(pairs)")],
    [("            grads.append", "            if g is not None:\n                grads.append")],
    [("            grads.append", "            if g is None:\n                continue\n            grads.append")],
    [("for g, v in pairs", "for p in pairs"), ("(g, 0)", "(p[0], 0)")],
    [(f"        grads = []\n{EACH}\n", "        grads, v = zip(*pairs)\n"), ("concat(", "stack("),
     ("pairs[0][1]", "v[0]")],
    [("        mean =", "        first = pairs[0][0]\n        mean =")],
    [("    result = []\n", "    result = []\n    n = len(tower_grads)\n"), ("tf.expand_dims(g, 0)", "g"),
     ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / n")],
    [("        mean =", "        print('%s' % pairs[0][1].name, len(grads), grads[0].get_shape())\n        mean =")],
    [("        result.append", "        print(mean)\n        result.append")],
]  # fmt: skip
#: changes that make it something else
OTHER = [
    [("tf.reduce_mean(tf.concat", "tf.reduce_sum(tf.concat")],
    [("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.reduce_mean(tf.concat(grads, 0))")],
    [("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.reduce_mean(tf.concat(grads, 0), 0) / 2")],
    [("tf.concat(grads, 0)", "tf.concat(grads, 1)")],
    [("tf.expand_dims(g, 0)", "g")],
    [("tf.expand_dims(g, 0)", "tf.expand_dims(v, 0)")],
    [("tf.expand_dims(g, 0)", "tf.expand_dims(g * 2, 0)")],
    [
        (
            "            grads.append",
            "            if g is not None:\n                print(1)\n            grads.append",
        )
    ],
    [
        (
            "            grads.append",
            "            if v is None:\n                continue\n            grads.append",
        )
    ],
    [
        (
            EACH,
            f"{EACH[:27]}            if g is None:\n                continue\n            grads.append(g)",
        ),
        ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / len(pairs)"),
    ],
    [("pairs[0][1]", "pairs[1][1]")],
    [("(mean, pairs[0][1])", "(pairs[0][1], mean)")],
    [("        result.append", "        print(mean * 2)\n        result.append")],
    [("        result.append", "        tf.Print(mean, [1])\n        result.append")],
    [("    result = []\n", "    tower_grads = tower_grads[0]\n    result = []\n")],
    [("    result = []\n", "    result = []\n    log(len(tower_grads))\n")],
    [("zip(*tower_grads)", "zip(*tower_grads[1:])")],
    [("return result", "return result[1:]")],
    [("    return result", "    result.reverse()\n    return result")],
    [("    return result", "    result = tower_grads[0]\n    return result")],
    [("    return result", "    result = tower_grads\n    return result")],
    [
        ("    result = []\n", "    n = 2\n    result = []\n"),
        ("tf.expand_dims(g, 0)", "g"),
        ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / n"),
        ("    return", "    n = len(tower_grads)\n    return"),
    ],
    [
        ("        grads = []\n", "        v = pairs[0][1]\n        grads = []\n"),
        ("(mean, pairs[0][1])", "(mean, v)"),  # the last tower's
    ],
    [
        (f"        grads = []\n{EACH}\n", "        pairs, v = zip(*pairs)\n"),
        ("concat(grads", "stack(pairs"),
        ("pairs[0][1]", "v[0]"),
    ],
    [("(tower_grads)", "(tower_grads, clip=None)")],
    [("        mean =", "        with tf.device('/cpu:0'):\n            pass\n        mean =")],
    [("tf.concat(grads, 0)", "tf.concat(grads, 0, name='all')")],
    [("tf.reduce_mean(", "np.mean(")],
    [("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / len(pairs)")],
    [
        ("tf.expand_dims(g, 0)", "g"),
        ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / len(result)"),
    ],
    [("tf.expand_dims(g, 0)", "g"), ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) / 2")],
    [
        ("tf.expand_dims(g, 0)", "g"),
        ("tf.reduce_mean(tf.concat(grads, 0), 0)", "tf.add_n(grads) * (1 / len(grads))"),
    ],
    [("            grads.append", "            assert g is None\n            grads.append")],
    [
        (
            "result.append((mean, pairs[0][1]))",
            "pairs = (mean, pairs[0][1])\n        result.append((mean, pairs[1]))",
        )
    ],
]


def calling(changes: list[tuple[str, str]]) -> str:
    mean = MEAN
    for old, new in changes:
        assert old in mean
        mean = mean.replace(old, new)
    return dedent(
        """\
        import numpy as np
        import tensorflow as tf


        {mean}

        {LOOP}grads = average([])
        """
    ).format(mean=mean, LOOP=LOOP)


@pytest.mark.parametrize("changes", SAME)
def test_a_plain_mean_becomes_a_reduce(changes):
    text = after(calling(changes))
    assert "grads = strategy.reduce('MEAN', [])\n" in text and "def average" not in text
    assert (
        dedent(
            """\
            graph_mode()


            sess"""
        )
        in text
    )
    assert after(text) == text


def test_what_a_mean_printed_is_named():
    result = migrated(calling([("        mean =", "        print(len(grads))\n        mean =")]))
    assert [(each.code, each.line) for each in result.findings] == [("T2T606", 12)]


def test_what_a_mean_of_another_module_printed_is_named_where_it_is_called(program):
    util = f"import tensorflow as tf\n\n\n{MEAN}".replace(
        "        mean =", "        print(grads)\n        mean ="
    )
    main = f"import tensorflow as tf\nimport util\n\n{LOOP}grads = util.average([])\n"
    result = program({"util.py": util, "train.py": main})
    assert [(each.code, each.path.name, each.line) for each in result.findings] == [("T2T606", "train.py", 8)]


def test_what_a_function_is_given_under_the_name_of_a_mean():
    head = "\n".join(["import tensorflow as tf", "", "", MEAN, ""])
    for build in (
        "def build(average):\n    {LOOP}    return average([])",
        "def build(chosen):\n    average = chosen['first']\n    {LOOP}    return average([])",
    ):
        text = after(f"{head}{build.format(LOOP=indent(LOOP, '    ').lstrip())}\n\n\nbuild(clipped)\n")
        assert "strategy.run(tower" in text and "    return average([])\n" in text


@pytest.mark.parametrize("changes", OTHER)
def test_another_average_stays_the_scripts_own(changes):
    text = after(calling(changes))
    assert "grads = average([])\n" in text and "def average" in text


def test_a_mean_that_something_else_uses_stays():
    text = after(calling([]).replace("([])", "(([]))") + "f = average(pairs for pairs in [])\n")
    assert "strategy.reduce('MEAN', ([]))" in text and "def average" in text and "average(pairs for" in text


#: what stands above the classic function or the gradients' list -> what stays of it
COMMENTS = [
    (
        "# the mean\n# of all\ndef average(",
        dedent(
            """\
            graph_mode()


            sess"""
        ),
    ),
    (
        dedent(
            """\
            # the mean


            def average("""
        ),
        dedent(
            """\
            graph_mode()


            # the mean


            sess"""
        ),
    ),
]


@pytest.mark.parametrize(("above", "wanted"), COMMENTS)
def test_a_comment_on_a_mean_goes_with_it(above, wanted):
    text = after(calling([("def average(", above)]))
    assert wanted in text and "def average" not in text


def test_a_comment_on_a_list_goes_with_it():
    lines = """
    # the gradients
    grads = []

    # the losses
    losses = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            losses.append(i)
            grads.append(opt.compute_gradients(x))
    opt.apply_gradients(average(grads))
"""
    text = after(
        dedent(
            """\
            import tensorflow as tf


            {MEAN}

            def train(opt, x):{lines}tf.Session()
            """
        ).format(MEAN=MEAN, lines=lines)
    )
    assert (
        dedent(
            """\
            def train(opt, x):
                # the losses
                losses = []
                strategy = TowerStrategy(2)

                def tower(i):
            """
        )
        in text
    )
    assert "            return opt.compute_gradients(x)\n" in text


def test_a_comment_on_a_list_of_gradients_is_on_the_function():
    lines = """\
def train(opt, x):
    with tf.device('/cpu:0'):
        tf.Session()

        # The gradients of each tower.
        grads = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                grads.append(opt.compute_gradients(x))
        opt.apply_gradients(average(grads))
"""
    text = after(f"{TF}\n\n{MEAN}\n\n{lines}")
    assert "        Session()\n\n        # The gradients of each tower.\n        def tower(i):\n" in text


def test_a_mean_of_a_local_module(program):
    util = dedent(
        """\
        import tensorflow as tf


        {MEAN}

        def other():
            pass
        """
    ).format(MEAN=MEAN)
    for line, mean in (
        ("import util", "util.average"),
        ("from util import average, other", "average"),
        ("from util import other, average as mean", "mean"),
        ("from util import average", "average"),
        ("from util import *", "average"),
    ):
        main = dedent(
            """\
            import tensorflow as tf
            {line}

            {LOOP}grads = {mean}([])
            """
        ).format(line=line, LOOP=LOOP, mean=mean)
        text = program({"util.py": util, "train.py": main}).changes[0].after
        assert "grads = strategy.reduce('MEAN', [])" in text
        assert "average(" not in text and "mean(" not in text
        assert "average" not in text or line in ("import util", "from util import *")
        assert ("from util import other\n" in text) == ("other" in line)
    replaced = dedent(
        """\
        import util
        {LOOP}util.average = other
        grads = util.average([])
        """
    ).format(LOOP=LOOP)
    assert "grads = util.average([])" in program({"util.py": util, "train.py": replaced}).changes[0].after


#: a method that gives a mean by another method
BUILDS = """
def build(self, opt, x):
    grads = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            grads.append(opt.compute_gradients(x))
    return self.average(grads)
"""
#: how a method gives the mean -> whether it is a reduce
METHODS = [
    ([("def average(t", "def average(self, t")], True),
    ([("def average(", "@staticmethod\ndef average("), ("self.average", "Trainer.average")], True),
    ([("def average(", "@staticmethod\ndef average(")], True),
    ([("def average(", "@cached\ndef average(")], False),
    ([("def average(t", "def average(self, t"), ("self.average", "self.other.average")], False),
    ([("def average(t", "def average(self, t"), ("self.average", "make().average")], False),
    ([("def average(t", "def average(self, t"), ("def build(", "@staticmethod\n    def build(")], False),
    ([("def average(t", "def average(self, t"), ("END", "class B(Trainer):\n    average = other")], False),
    ([("def average(t", "def average(self, t"), ("END", "class B(Trainer):\n    def average(self, t): pass")], False),
    ([("def average(t", "def average(self, t"), ("END", "Trainer.average = other")], False),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "is_mean"), METHODS)
def test_a_mean_that_a_method_gives(changes, is_mean):
    text = f"{TF}\n\nclass Trainer(object):\n{indent(MEAN + BUILDS, '    ')}\n\nEND\ntf.Session()\n"
    for old, new in changes:
        assert old in text
        text = text.replace(old, indent(new, "    ").lstrip() if old.startswith("def a") else new)
    text = after(text.replace("END\n", ""))
    assert ("return strategy.reduce('MEAN', grads)\n" in text) is is_mean
    assert ("return opt.compute_gradients(x)\n" in text) is is_mean
    assert "def average" in text or is_mean


@pytest.mark.parametrize(("other", "is_mean"), [("average = other", False), ("mean = other", True)])
def test_a_mean_of_a_class_that_another_module_extends(other, is_mean, program):
    methods = indent(MEAN.replace("average(t", "average(self, t") + BUILDS, "    ")
    files = {
        "trainer.py": f"import tensorflow as tf\n\n\nclass Trainer(object):\n{methods}",
        "train.py": f"{TF}import trainer\n\n\nclass Mine(trainer.Trainer):\n    {other}\n\n\ntf.Session()\n",
    }
    text = texts(program(files))["trainer.py"]
    assert ("return strategy.reduce('MEAN', grads)\n" in text) is is_mean


def test_a_mean_whose_strategy_the_module_makes():
    lines = """
class Model(object):
    def one(self, device):
        with tf.device(device):
            return opt.compute_gradients(x)

    def build(self):
        AGAIN
        towers = [self.one('/gpu:%d' % i) for i in NUMBERS]
        return average(tower_grads=towers)
"""
    text = f"import tensorflow as tf\n\nNUMBERS = range(2)\n\n\n{MEAN}\n\n{lines}\n\nModel().build()\ntf.Session()\n"
    assert "        return strategy.reduce('MEAN', towers)\n" in after(text.replace("AGAIN\n", "\n"))
    again = "for i in range(2):\n            with tf.device('/gpu:%d' % i):\n                opt.minimize(x)"
    assert "        strategy = TowerStrategy(2)\n" in after(text.replace("AGAIN", again))


def test_the_mean_of_another_object_is_its_own():
    own = MEAN + dedent(
        """
        def build(trainer, opt, x):
            grads = []
            for i in range(2):
                with tf.device('/gpu:%d' % i):
                    grads.append(opt.compute_gradients(x))
            return trainer.average(grads), make().average(grads)
        """
    )
    text = after(f"import tensorflow as tf\n\n\n{own}\n\ntf.Session()\n")
    assert "return trainer.average(grads), make().average(grads)" in text and "'MEAN'" not in text


def test_a_mean_that_a_package_hands_on(program):
    files = {
        "nets/averages.py": f"import tensorflow as tf\n\n\n{MEAN}",
        "nets/__init__.py": "from .averages import average as mean\n",
        "helpers.py": "import tensorflow as tf\nfrom nets.averages import *\n",
    }
    for line, mean in (
        ("import nets.averages", "nets.averages.average"),
        ("from nets import averages", "averages.average"),
        ("from helpers import average", "average"),
        ("from helpers import *", "average"),
    ):
        main = f"import tensorflow as tf\n{line}\n\n{LOOP}grads = {mean}([])\n"
        text = program({**files, "train.py": main}).changes[0].after
        assert "grads = strategy.reduce('MEAN', [])" in text, line


def test_modules_that_import_each_other(program):
    for line in ("from LOOP import average", "from LOOP import *"):
        files = {
            "one.py": f"import tensorflow as tf\n{line.replace('LOOP', 'two')}\n",
            "two.py": f"import tensorflow as tf\n{line.replace('LOOP', 'one')}\n",
            "train.py": f"import tensorflow as tf\nfrom one import *\n\n{LOOP}grads = average([])\n",
        }
        assert "grads = average([])\n" in program(files).changes[0].after


def test_a_mean_that_a_star_import_may_replace(program):
    clips = f"import tensorflow as tf\n\n\n{MEAN.replace('(mean, p', '(mean / 2, p')}"
    files = {
        "clips.py": clips,
        "handed.py": "from clips import *\n",
        "means.py": f"import tensorflow as tf\n\n\n{MEAN}",
        "both.py": f"import tensorflow as tf\n\n\n{MEAN}\nfrom clips import *\n",
    }
    head = "import tensorflow as tf\n"
    for before, is_mean in (
        (f"{head}{MEAN}\nfrom clips import *\n", False),
        (f"{head}{MEAN}\nfrom handed import *\n", False),
        (f"{head}from clips import *\n\n\n{MEAN}\n", True),
        (f"{head}{MEAN}\nfrom os.path import *\n", True),
        (f"{head}from means import average\nfrom clips import *\n", False),
        (f"{head}from clips import *\nfrom means import average\n", True),
        (f"{head}from both import average\n", False),
        (f"{head}from both import *\n", False),
        (f"{head}from clips import *\nfrom means import *\n", True),
        (f"{head}from means import *\nfrom clips import *\n", False),
    ):
        main = f"{before}\n{LOOP}grads = average([])\n"
        text = program({**files, "train.py": main}).changes[0].after
        assert ("grads = strategy.reduce('MEAN', [])" in text) is is_mean, before


def test_a_mean_that_one_of_two_modules_gives(program):
    main = """
import tensorflow as tf
try:
    from fast import *
except ImportError:
    from slow import *

"""
    clips = MEAN.replace("(mean, p", "(mean / 2, p")
    files = {
        "fast.py": f"import tensorflow as tf\n\n\n{clips}",
        "slow.py": f"import tensorflow as tf\n\n\n{MEAN}",
        "train.py": f"{main}{LOOP}grads = average([])\n",
    }
    assert "grads = average([])\n" in program(files).changes[0].after


def test_a_mean_where_no_strategy_is_seen_stays():
    text = (
        dedent(
            """\
            import tensorflow as tf


            {MEAN}

            def build(grads):
                return average(grads)


            """
        ).format(MEAN=MEAN)
        + LOOP
    )
    assert "return average(grads)" in after(text) and "def average" in after(text)


#: towers in another form -> the scope
OTHERS = [
    (in_build("""\
        i = 0
        while i < n:
            with tf.device('/gpu:%d' % i):
                i += 1
        """),
     "        with strategy.scope(), tf.device('/gpu:%d' % i):\n"),
    (in_build("""\
        with tf.device('/gpu:0'):
            a = 1
        with tf.device('/gpu:1'):
            b = 2
        """),
     in_build("""\
         with strategy.scope(), tf.device('/gpu:0'):
             a = 1
         with strategy.scope(), tf.device('/gpu:1'):
         """)),
    (in_build("""\
        def one(i):
            with tf.device('/gpu:%d' % i):
                return i
        x = [one(0), one(1)]
        """),
     "        with strategy.scope(), tf.device('/gpu:%d' % i):\n"),
    (in_build("""\
        def one(d):
            with tf.device(d):
                return d
        x = [one('/gpu:%d' % i) for i in range(2)]
        """), "        with strategy.scope(), tf.device(d):\n"),
    (in_build("""\
        where = iter(['/gpu:0', '/gpu:1'])
        for i in range(2):
            with tf.device(next(where)):
                opt.compute_gradients(1)
        """), "        with strategy.scope(), tf.device(next(where)):\n"),
    (in_build("""\
        for i in range(2):
            if i == 0:
                with tf.device('/gpu:0'):
                    opt.compute_gradients(1)
        """), "            with strategy.scope(), tf.device('/gpu:0'):\n"),
]  # fmt: skip


def test_devices_that_are_no_towers_have_no_strategy(program):
    main = dedent("""\
        import tensorflow as tf
        import util

        print('/gpu:0', '/gpu:1')
        tf.Session()
        """)
    on_cpu = dedent("""\
        def one(x, d='/cpu:0'):
            with tf.device(d):
                return tf.Variable(0.)
        one(1)
        """)
    not_run = dedent("""\
        if __name__ == '__main__':
            with tf.device('/gpu:1'):
                print(tf.Variable(0.))
        """)
    for lines in (on_cpu, not_run):
        changes = program({"util.py": f"import tensorflow as tf\n{lines}", "train.py": main}).changes
        assert not any("Strategy" in each.after for each in changes)
    given = [on_cpu.replace("one(1)", call) for call in ("one(1, '/gpu:1')", "one(1, d='/gpu:1')")]
    for lines in (on_cpu.replace("cpu", "gpu"), not_run, *given):
        assert "TowerStrategy()" in after(f"{main}{lines}".replace("import util\n", ""))


def test_parts_of_a_model_on_several_gpus_are_no_towers():
    lines = in_build("""\
        with tf.device('/gpu:0'):
            a = one(n)
        with tf.device('/gpu:1'):
            b = two(a)
        """)
    result = migrated(BODY + lines)
    assert "Strategy" not in result.changes[0].after
    assert [each.code for each in result.findings if "parts of a model" in each.message] == ["T2T605"] * 2
    assert "TowerStrategy()" in after(BODY + lines.replace("two", "one"))


@pytest.mark.parametrize(("lines", "wanted"), OTHERS)
def test_towers_in_another_form(lines, wanted):
    result = migrated(BODY + lines)
    text = result.changes[0].after
    before = (
        dedent(
            """\

            strategy = TowerStrategy()


            def build("""
        )
        if "def one" in lines
        else "    strategy = TowerStrategy()\n"
    )
    assert result.status == 0 and before in text and wanted in text
    assert after(text) == text
    inside = after(BODY + "    with tf.Graph().as_default(), tf.device('/cpu:0'):\n" + indent(lines, "    "))
    if "def one" not in lines:
        assert "    strategy = TowerStrategy(parameter_device='/cpu:0')\n" in inside
        assert "    with tf.Graph().as_default(), strategy.scope():\n" in inside


def test_a_device_that_a_function_gives(program):
    on = dedent(
        """\
        import tensorflow as tf


        def on(i):
            return tf.device('/gpu:%d' % i)
        """
    )
    for head in (on, f"{TF}from place import on\n"):
        main = head + dedent(
            """\

            tf.Session()
            for i in range(2):
                with on(i):
                    pass
            """
        )
        assert "with strategy.scope(), on(i):" in program({"place.py": on, "train.py": main}).changes[0].after


def test_layers_that_go_over_the_towers_make_one_strategy():
    layer = dedent(
        """\


        def f{}(xs):
            for i in range(len(xs)):
                with tf.device('/gpu:%d' % i):
                    pass
        """
    )
    four = BODY + "".join(layer.format(count) for count in range(4))
    assert after(four).count("TowerStrategy(len(xs))") == 4
    five = four + layer.format(4)
    text = after(five)
    assert text.count("TowerStrategy(") == 1
    assert text.count("with strategy.scope(), tf.device('/gpu:%d' % i):") == 5
    assert after(five.replace("pass", "opt.compute_gradients(1)")).count("TowerStrategy(") == 5


#: a setter's device -> the scope
SERVERS = [
    ("with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(\n        1, worker_device=d)) as g:",
     None),
    ("with tf.device(tf.train.replica_device_setter(\n        cluster=c)):",
     "strategy = ParameterServerStrategy(\n        cluster=c)\nwith strategy.scope():"),
    ("with tf.device(tf.train.replica_device_setter(worker_device=d,\n"
     "                                              cluster=c)), tf.name_scope('x'):",
     "strategy = ParameterServerStrategy(worker_device=d,\n                                   cluster=c)\n"
     "with strategy.scope(), tf.name_scope('x'):"),
    ("with tf.Graph().as_default() as c, tf.device(tf.train.replica_device_setter(cluster=c)):",
     "with tf.Graph().as_default() as c, ParameterServerStrategy(cluster=c).scope():"),
    ("with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=print())):",
     "with tf.Graph().as_default(), ParameterServerStrategy(cluster=print()).scope():"),
    ("with (tf.device(tf.train.replica_device_setter(cluster=c))):",
     "with (ParameterServerStrategy(cluster=c).scope()):"),
    ("with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(2, cluster=c)):",
     "strategy = ParameterServerStrategy(2, cluster=c)\nwith tf.Graph().as_default(), strategy.scope():"),
    ("with tf.device(tf.train.replica_device_setter()):",
     "strategy = ParameterServerStrategy(ps_tasks=0)\nwith strategy.scope():"),
    ("setter = tf.train.replica_device_setter(cluster=c)\nwith tf.device(setter):",
     "strategy = ParameterServerStrategy(cluster=c)\nwith strategy.scope():"),
    ("setter = tf.train.replica_device_setter(cluster=c)\nprint(setter)\nwith tf.device(setter):",
     "strategy = ParameterServerStrategy(device=setter)\nwith strategy.scope():"),
    (dedent(
        """\
        if d:
            setter = tf.train.replica_device_setter(cluster=c)
        else:
            setter = ''
        with tf.Graph().as_default(), tf.device(setter):"""
    ),
     "strategy = ParameterServerStrategy(device=setter)\nwith tf.Graph().as_default(), strategy.scope():"),
    (dedent(
        """\
        def setter():
            return 0, tf.train.replica_device_setter(cluster=c)


        n, where = setter()
        with tf.device('/cpu:0'):
            y = 1
        with tf.device(where):"""
    ),
     dedent(
         """\
         with tf.device('/cpu:0'):
             y = 1
         strategy = ParameterServerStrategy(device=where)
         with strategy.scope():"""
     )),
]  # fmt: skip


#: devices of tasks in a program without setters -> the strategy, its scopes, and how many sites are named
TASKS = {
    "the variables of one task": (
        """
        with tf.device('/job:ps/task:0'):
            w = tf.get_variable('w', [])
        with tf.device('/job:worker/task:%d' % n):
            loss = w * w
        with tf.device('/job:ps/task:0'):
            train = tf.train.AdamOptimizer().minimize(loss)
        """,
        """
        strategy = ParameterServerStrategy(device='/job:ps/task:0')
        with strategy.scope():
            w = tf.get_variable('w', [])
        with tf.device('/job:worker/task:%d' % n):
            loss = w * w
        with strategy.scope():
            train = tf.train.AdamOptimizer().minimize(loss)
        """,
        0,
    ),
    "variables in a scope that uses them again": (
        """
        with tf.device('/job:master/task:0'):
            with tf.variable_scope('net'):
                net()
        for name in ('a', 'b'):
            with tf.device('/job:%s/task:0' % name):
                with tf.variable_scope('net', reuse=True):
                    net()
        """,
        """
        strategy = ParameterServerStrategy(device='/job:master/task:0')
        with strategy.scope():
            with tf.variable_scope('net'):
                net()
        for name in ('a', 'b'):
            with tf.device('/job:%s/task:0' % name):
                with tf.variable_scope('net', reuse=True):
                    net()
        """,
        0,
    ),
    "a device in a name, and one in it": (
        """
        with tf.Graph().as_default(), tf.device(where):
            with tf.device(other):
                w = tf.get_variable('w', [])
        """,
        """
        strategy = ParameterServerStrategy(device=where)
        with tf.Graph().as_default(), strategy.scope():
            with tf.device(other):
                w = tf.get_variable('w', [])
        """,
        0,
    ),
    "the device of a name in two functions": (
        """
        def one(where):
            with tf.device(where):
                return tf.get_variable('v', [])
        def two(where):
            with tf.device(where):
                return tf.get_variable('w', [])
        one(two('/job:ps/task:0'))
        """,
        """
        def one(where):
            strategy = ParameterServerStrategy(device=where)
            with strategy.scope():
                return tf.get_variable('v', [])
        def two(where):
            strategy = ParameterServerStrategy(device=where)
            with strategy.scope():
                return tf.get_variable('w', [])
        one(two('/job:ps/task:0'))
        """,
        0,
    ),
    "the same name with another device": (
        """
        where = '/job:ps/task:0'
        with tf.device(where):
            v = tf.get_variable('v', [])
        where = '/job:ps/task:1'
        with tf.device(where):
            w = tf.get_variable('w', [])
        """,
        """
        where = '/job:ps/task:0'
        strategy = ParameterServerStrategy(device=where)
        with strategy.scope():
            v = tf.get_variable('v', [])
        where = '/job:ps/task:1'
        strategy_2 = ParameterServerStrategy(device=where)
        with strategy_2.scope():
            w = tf.get_variable('w', [])
        """,
        0,
    ),
    **{
        name: (lines, lines, sites)
        for name, lines, sites in (
            ("several tasks", """
        with tf.device('/job:ps/task:0'):
            v = tf.get_variable('v', [])
        with tf.device('/job:ps/task:1'):
            w = tf.get_variable('w', [])
        """, 2),
            ("another task in each round", """
        for i in range(2):
            with tf.device('/job:ps/task:%d' % i):
                w = tf.get_variable('w%d' % i, [])
        """, 1),
            ("variables that are there already", """
        with tf.device('/job:master/task:0'), tf.variable_scope('net'):
            net()
        for name in ('a', 'b'):
            with tf.device('/job:%s/task:0' % name), tf.variable_scope('net', reuse=True):
                net()
        """, 2),
            ("the device of each variable", """
        def again(variables, where=None):
            for v in variables:
                where = where or v.device
                with tf.device(where):
                    tf.get_variable(v.op.name + '_again', [])
        again(tf.trainable_variables())
        """, 1),
            ("no variables", """
        with tf.device('/job:worker/task:%d' % n):
            x = tf.constant(1) * 2
        """, 0),
            ("no task", """
        with tf.Graph().as_default() as graph, tf.device('/cpu:0'):
            w = tf.get_variable('w', [])
        """, 0),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_the_scope_of_a_cluster_without_setters(name):
    lines, wanted, sites = TASKS[name]
    head = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})


def net():
    return tf.get_variable('w', [])

"""
    result = migrated(head + dedent(lines))
    text = result.changes[0].after
    assert text.endswith(f"return tf.get_variable('w', [])\n\n{dedent(wanted)}")
    assert [each.code for each in result.findings if "several devices" in each.message] == ["T2T630"] * sites
    assert result.status == 0 and after(text) == text


@pytest.mark.parametrize(("lines", "wanted"), SERVERS)
def test_the_scope_of_servers(lines, wanted):
    text = dedent(
        """\
        import tensorflow as tf

        d = 'd'
        c = tf.train.ClusterSpec({{'ps': ['a:1'], 'worker': ['b:1']}})
        {lines}
            x = tf.placeholder(tf.float32)
        """
    ).format(lines=lines)
    result = after(text)
    assert after(result) == result
    if wanted is None:  # no script uses the value of `as g`
        wanted = "with tf.Graph().as_default(), strategy.scope() as g:"
    assert wanted in result and "    x = tf.placeholder" in result


#: what comes between two setters with the same text -> whether they are one strategy
BETWEEN = [
    ("print(ps)", True),
    ("if ps:\n    print(ps)", True),
    ("ps = 3", False),
    ("def more():\n    nonlocal ps\n    ps += 1\nmore()", False),
]


@pytest.mark.parametrize(("between", "is_one"), BETWEEN)
def test_setters_with_the_same_arguments_are_one_strategy(between, is_one):
    enters = """\
with tf.device(tf.train.replica_device_setter(ps)):
    tf.get_variable('NAME', [])
"""
    lines = enters.replace("NAME", "v") + f"{between}\nif ps:\n" + indent(enters.replace("NAME", "w"), "    ")
    text = after(f"{TF}\n\ndef build(ps):\n" + indent(lines, "    "))
    assert "    strategy = ParameterServerStrategy(ps)\n    with strategy.scope():\n" in text
    assert ("        with strategy.scope():\n            tf.get_variable('w', [])" in text) == is_one
    assert text.count("ParameterServerStrategy(ps)") == 2 - is_one


def test_setters_of_other_functions_are_their_own():
    function = """

def NAME(ps):
    with tf.device(tf.train.replica_device_setter(ps)):
        tf.get_variable('v', [])
"""
    text = after(TF + function.replace("NAME", "train") + function.replace("NAME", "evaluate"))
    assert text.count("    strategy = ParameterServerStrategy(ps)\n") == 2


def test_a_device_that_a_module_of_layers_is_given_is_in_the_scope_of_the_towers(program):
    layers = (
        f"{TF}\n\ndef weight(name, device):\n    with tf.device(device):\n        tf.get_variable(name, [])\n"
    )
    main = """\
import tensorflow as tf
from layers import weight

tf.placeholder(tf.float32)
for i in range(2):
    with tf.device('/gpu:%d' % i):
        weight('w%d' % i, '/cpu:0')
"""
    texts = {each.path.name: each.after for each in program({"layers.py": layers, "train.py": main}).changes}
    assert "TowerStrategy(2)" in texts["train.py"] and "Strategy" not in texts["layers.py"]


def test_a_builtin_that_a_call_is_given_changes_no_towers():
    loop = dedent(
        """\
        for i in range(n):
                    with tf.device('/gpu:' + str(i)):
                        tf.no_op()
        """
    )
    train = f"def train(n):\n    with tf.variable_scope('m'):\n        {loop}"
    text = after(
        dedent(
            """\
            import tensorflow as tf

            parser.add_argument('x', type=str)


            {train}"""
        ).format(train=train)
    )
    assert "    with tf.variable_scope('m'), strategy.scope():\n" in text


GPUS = """\
import tensorflow as tf


class Model:
    def build(self, hp):
        x = tf.placeholder(tf.float32, [])
        gpus = ['/gpu:{{}}'.format(i) for i in range({number})]
        {before}
        self.losses = []
        for i in range(hp.num_gpus):
            with tf.device(gpus[i]):
                self.losses.append(x * i)
        {after}
"""


@pytest.mark.parametrize(
    ("number", "before", "later", "towers"),
    [
        ("hp.num_gpus", "print(gpus[0])", "print(gpus[1])", "gpus"),
        ("hp.n", "pass", "pass", None),
        ("hp.num_gpus", "hp.num_gpus = 3", "pass", None),
        ("hp.num_gpus", "hp.parse('num_gpus=3')", "pass", None),
        ("hp.num_gpus", "gpus.append('/gpu:3')", "pass", None),
        ("hp.num_gpus", "gpus[0] = '/gpu:3'", "pass", None),
        ("hp.num_gpus", "gpus = ['/gpu:3', '/gpu:2']", "pass", None),
        ("hp.num_gpus", "change(gpus)", "pass", None),
        ("hp.num_gpus", "change(hp)", "pass", None),
    ],
)
def test_all_items_of_a_list_are_the_list(number, before, later, towers):
    text = after(GPUS.format(number=number, before=before, after=later))
    assert f"TowerStrategy({towers or '[gpus[i] for i in range(hp.num_gpus)]'})" in text


SERVERS = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})
server = tf.train.Server(cluster)
"""


#: a setter around towers -> what becomes of it and of what is around the towers
AROUND_TOWERS = {
    "the setter itself": (
        """
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            TOWERS
        """,
        """
        strategy = ParameterServerStrategy(cluster=cluster, towers=2)
        with strategy.scope():
            def tower(i):
        """,
        "strategy.run(tower, args=(strategy.replica_ids,))",
    ),
    "a setter with a name, and the CPU": (
        """
        setter = tf.train.replica_device_setter(cluster=cluster)
        with tf.Graph().as_default(), tf.device(setter):
            with tf.device('/cpu:0'):
                TOWERS
        """,
        """
        strategy = ParameterServerStrategy(cluster=cluster, towers=2)
        with tf.Graph().as_default(), strategy.scope():
            with tf.device('/cpu:0'):
                def tower(i):
        """,
        "strategy.run(tower, args=(strategy.replica_ids,))",
    ),
    "arguments on several lines": (
        """
        with tf.device(tf.train.replica_device_setter(
                worker_device='/job:worker',
                cluster=cluster)):
            TOWERS
        """,
        """
        strategy = ParameterServerStrategy(
                worker_device='/job:worker',
                cluster=cluster,
                towers=2)
        with strategy.scope():
        """,
        "strategy.run(tower, args=(strategy.replica_ids,))",
    ),
    "a number that is not known before": (
        """
        with tf.device(tf.train.replica_device_setter()):
            n = 2
            for i in range(n):
                with tf.device('/gpu:%d' % i):
                    v = tf.get_variable('v%d' % i, [])
        """,
        """
        strategy = ParameterServerStrategy(ps_tasks=0)
        with strategy.scope():
            n = 2
        """,
        "strategy.run(tower, args=(strategy.per_replica(range(n)),))",
    ),
    "a loop that stays": (
        """
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            for i in range(2):
                with tf.device('/gpu:%d' % i):
                    if i == limit:
                        break
        """,
        """
        strategy = ParameterServerStrategy(cluster=cluster)
        with strategy.scope():
        """,
        "for i in strategy.towers(range(2)):",
    ),
    "towers that are no loop": (
        """
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            with tf.device('/gpu:0'):
                v = tf.get_variable('v', [])
            with tf.device('/gpu:1'):
                w = tf.get_variable('w', [])
        """,
        """
        strategy = ParameterServerStrategy(cluster=cluster)
        with strategy.scope():
            with tf.device('/gpu:0'):
        """,
        "with tf.device('/gpu:1'):",
    ),
}


@pytest.mark.parametrize("name", AROUND_TOWERS)
def test_a_setter_around_towers_is_one_strategy_with_them(name):
    lines, wanted, run = AROUND_TOWERS[name]
    around = lines[: lines.find("TOWERS")].rpartition("\n")[2] if "TOWERS" in lines else ""
    towers = """for i in range(2):
    with tf.device('/gpu:%d' % i):
        v = tf.get_variable('v%d' % i, [])"""
    text = after(SERVERS + dedent(lines.replace("TOWERS", indent(towers, around).lstrip())))
    assert dedent(wanted) in text and run in text
    assert "TowerStrategy" not in text and text.count("ParameterServerStrategy(") == 1
    assert after(text) == text


@pytest.mark.parametrize(
    ("comment", "noted"),
    [
        ("# The device setter places variables\n# on the servers\n", True),
        ("# on the servers\n", False),
        ("# A setter\n\n", False),
        ("", False),
    ],
)
@pytest.mark.parametrize(
    "entered",
    [
        "with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n",
        "setter = tf.train.replica_device_setter(cluster=cluster)\nwith tf.device(setter):\n",
    ],
)
def test_a_comment_about_a_setter_that_is_a_strategy_now(comment, noted, entered):
    result = migrated(f"{SERVERS}{comment}{entered}    v = tf.get_variable('v', [])\n")
    assert result.status == 0
    assert [each.code for each in result.findings if "speaks of" in each.message] == ["T2T630"] * noted


def test_a_setter_that_nothing_enters_gets_no_strategy_for_show():
    chosen = dedent(
        """\
        def choose():
            return tf.train.replica_device_setter(cluster=cluster), server.target
        device, target = choose()
        with tf.Session(target) as sess:
            print(sess.run(tf.constant(1)))
        """
    )
    result = migrated(SERVERS + chosen)
    assert "Strategy" not in result.changes[0].after and result.status == 0
    assert any("no tf.device is seen to enter" in each.message for each in result.findings)
    used = migrated(SERVERS + chosen + "with tf.device(device):\n    v = tf.get_variable('v', [])\n")
    assert "ParameterServerStrategy(device=device)" in used.changes[0].after
