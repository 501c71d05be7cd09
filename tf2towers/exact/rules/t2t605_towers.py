"""T2T605: the tower loop, over the replicas of a strategy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.rule import Example, Rule
from tf2towers.exact.tower_loops import Loop, devices_of, stands_alone, tower_loops

_LIMIT = 100

#: a file with loops that take no gradients in more functions than these has layers that go over the GPUs themselves
_FUNCTIONS = 4
_GRADIENTS = ("compute_gradients", "gradients", "minimize")


def edits(file: File) -> Iterator[Edit]:
    """A strategy before each tower loop, and `towers` around what it goes over."""
    loops = tower_loops(file)
    if len({id(_function(file, loop)) for loop in loops if not _takes_gradients(loop)}) > _FUNCTIONS:
        file.note(
            loops[0].iterable,
            "T2T605",
            "many functions here go over the GPUs, each for its own layer: the runtime takes the towers from the "
            "devices that the graph names, and no strategy is written before each loop",
            "note",
        )
        return
    made: dict[tuple[ast.AST, str], str] = {}
    for loop in loops:
        count = devices_of(file, loop)
        if count is None and stands_alone(file, loop):
            count = file.program.towers
        if count is None:
            file.note(
                loop.iterable,
                "T2T605",
                f"a tower loop over `{file.text.of(loop.iterable)}`, whose number of towers is not seen here: the "
                "runtime takes the towers from the devices that the graph names (--towers EXPRESSION writes the "
                "strategy out)",
                "note",
            )
            continue
        yield from _written(file, loop, count, made)
    if not loops and _other_towers(file):
        device = _other_towers(file)[0]
        file.note(
            device,
            "T2T605",
            f"towers without a loop (`{file.text.of(device)}`): the runtime takes them from the devices that the graph "
            "names",
            "note",
        )


def _function(file: File, loop: Loop) -> ast.AST:
    functions = (
        node
        for node in file.ancestors(loop.statement)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return next(functions, file.tree)


def _takes_gradients(loop: Loop) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in _GRADIENTS for node in ast.walk(loop.statement)
    )


def _written(file: File, loop: Loop, count: str, made: dict[tuple[ast.AST, str], str]) -> Iterator[Edit]:
    towers, devices = file.need("towers"), file.need("tower_devices")
    key = (file.parent(loop.statement), count)
    if key not in made:
        made[key] = file.fresh("strategy")
        indent = file.text.indent(loop.statement.lineno)
        head = f"{made[key]} = {file.plain_tensorflow()}.distribute.MirroredStrategy("
        inner = f"{devices}({count}))"
        if len(indent) + len(head) + len(inner) > _LIMIT:
            head += file.text.newline + indent + "    "
        place = file.text.start(loop.statement)
        yield Edit(place, place, head + inner + file.text.newline + indent)
    start, end = file.text.start(loop.iterable), file.text.end(loop.iterable)
    bare = isinstance(loop.iterable, ast.Tuple) and file.text.text[start] != "("
    yield Edit(start, start, f"{towers}({made[key]}, {'(' if bare else ''}")
    yield Edit(end, end, "))" if bare else ")")


def _other_towers(file: File) -> list[ast.Call]:
    """The calls of `tf.device` that name a second GPU, or one that depends on something; none beside a written loop."""
    if any(file.canonical(call.func) == "tf2towers.runtime.towers" for call in file.all(ast.Call)):
        return []
    return [
        call
        for call in file.all(ast.Call)
        if file.canonical(call.func) == "tf.device" and call.args and _is_tower(call.args[0])
    ]


def _is_tower(device: ast.expr) -> bool:
    texts = [str(node.value).lower() for node in ast.walk(device) if isinstance(node, ast.Constant)]
    if any("job:" in text for text in texts):
        return False
    depends = any(isinstance(node, ast.Name) for node in ast.walk(device))
    return any(text.rstrip().endswith("gpu:1") or ("gpu" in text and depends) for text in texts)


RULE = Rule(
    code="T2T605",
    title="The tower loop goes over the replicas of a strategy",
    why="""
    A loop that enters `tf.device` with a GPU of each round is the tower loop. The strategy is written before it, with
    the devices of the loop, and `towers(strategy, ...)` around what it goes over; its body stays. The variables that
    the towers share get a copy on each device. Only a loop whose devices are certain, and can be evaluated twice
    without effect, is written so; for any other the runtime takes the towers from the devices that the graph names.
    So it does where more than four functions of a file have such a loop that takes no gradients: layers that take a
    list with a tensor of each tower would make a strategy each time they are called.
    """,
    edits=edits,
    sources=("tf.distribute.MirroredStrategy",),
    examples=(
        Example(
            "one tower a GPU",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [])\nlosses = []\nfor i in range(2):\n"
            "    with tf.device('/gpu:%d' % i):\n        losses.append(x * i)\n",
            "import tensorflow.compat.v1 as tf\nimport tensorflow as tf2\n"
            "from tf2towers.runtime import graph_mode, tower_devices, towers\n\n"
            "graph_mode()\n\nx = tf.placeholder(tf.float32, [])\nlosses = []\n"
            "strategy = tf2.distribute.MirroredStrategy(tower_devices(2))\nfor i in towers(strategy, range(2)):\n"
            "    with tf.device('/gpu:%d' % i):\n        losses.append(x * i)\n",
        ),
    ),
)
