"""T2T603: arguments in the order and under the names of an old release."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod.arguments import (
    added_argument,
    new_keywords,
    not_taken,
    order_of_old_release,
    without_argument,
)
from tf2towers.codemod.changes import (
    Change,
    Replacement,
    given_by,
    replace,
)
from tf2towers.codemod.nodes import Symbol, keyword_of, method_of, positional
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import Found

_WHITENING = "tf.image.per_image_whitening"


@found_once
def _has_datasets(file: File) -> bool:
    return any(name.startswith(("tf.data", "tf.contrib.data")) for _, name in file.symbols)


def _least_integer(file: File, call: cst.Call) -> Iterator[Change]:
    """`tf.random_uniform_initializer(maxval=9)`: the default of `minval` was 0; in TF 2 it is 0.0, not for integers."""
    name = file.called(call).rpartition(".")[2]
    if name not in ("random_uniform_initializer", "random_uniform", "RandomUniform"):
        return
    if file.called(call) in ("tf.random_uniform", "tf.random.uniform"):
        return  # the operation, which takes a shape
    words = set(map(keyword_of, call.args))  # "" by place, or of `**more`
    if words & {"maxval", "minval", ""} == {"maxval"}:
        yield added_argument(call, "minval=0")


def _map_changes(call: cst.Call) -> Iterator[Change]:
    """`dataset.map(f, num_threads=T, output_buffer_size=N)` of TF 1.2, as TF 1.4's own advice says."""
    if method_of(call) != "map" or not positional(call):
        return
    for given in call.args[1:]:
        if keyword_of(given) == "num_threads":
            yield Replacement(given, given_by("num_parallel_calls"))
        elif keyword_of(given) == "output_buffer_size":
            yield without_argument(call, given)
            yield replace(call, "{mapped}.prefetch({size})", mapped=call, size=given.value)


class OldArguments(Rule):
    """Arguments in the order, and under the names, of an old release

    Before TensorFlow 1.0, `tf.concat` took the axis first, and so did `tf.split`. Such a call gets the keywords of TF
    2.21's function, and so keeps its meaning. An argument without effect is removed. A dataset's `map` of TF 1.2 had
    `num_threads` and `output_buffer_size`, which are `num_parallel_calls` and `prefetch`.

    `tf.image.resize_images` once took height and width as two arguments. `tf.nn.nce_loss` and
    `tf.nn.sampled_softmax_loss` took the inputs before the labels. Only the values say which order a call has. Such
    calls stay: in graph mode the functions take both orders, and refuse what TF 1.15 refused. They also take the
    `full_shape` of `tf.uniform_unit_scaling_initializer`, and assignments among the `control_inputs` of `tf.tuple`.

    Where TF 2 has put an argument before a function's name, as in `tf.nn.top_k(x, k, True, 'top')`, the name is given
    by keyword. Random integers up to a `maxval` get their lower bound 0.
    """

    sources = ("codemod/data/argument_orders.tsv", "codemod/data/keywords.tsv")
    examples = (
        Example(
            "the axis came first",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [4])
                y = tf.concat(0, [x, x])
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [4])
                y = tf.concat(axis=0, values=[x, x])
                """,
        ),
        Example(
            "a dataset of TF 1.2",
            """
                import tensorflow as tf

                x = tf.contrib.data.Dataset.range(4)
                x = x.map(lambda number: number + 1, num_threads=2, output_buffer_size=8).batch(2)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.data.Dataset.range(4)
                x = x.map(lambda number: number + 1, num_parallel_calls=2).prefetch(8).batch(2)
                """,
        ),
    )

    def visit_Symbol(self, node: Symbol, canonical: str) -> None:
        """Reports what whitens images, where no call is."""
        if canonical == _WHITENING and not isinstance(self.file.parent(node), cst.Call):
            message = f"{canonical} returned float32; no call is here to add a cast to"
            self.file.note(node, "T2T620", message)

    def visit_Call(self, node: cst.Call) -> None:
        """Adds keywords to arguments in an old order, and replaces the names of keywords that are gone."""
        file, canonical = self.file, self.file.called(node)
        if not canonical.startswith("tf."):
            if _has_datasets(file):
                self.change(_map_changes(node))
            return
        order = order_of_old_release(file, node) or ()
        is_tf2 = file.program.plain_is_tf2
        is_tf2s = is_tf2 and isinstance(node.func, Symbol) and file.names.is_plain(node.func)
        if not is_tf2s and (why := not_taken(file, node)):
            note_site(file, node, "T2T620", why)
        if is_tf2:
            return
        if canonical == _WHITENING and len(node.args) == 1 and not node.args[0].star:
            # TF 0.x whitened each image in float32, its successor keeps an image's type
            cast, kind = (file.decided.name_of(Found("v1", f"tf.{name}")) for name in ("cast", "float32"))
            self.replace(image := node.args[0].value, f"{cast}({{image}}, {kind})", image=image)
        for given, new in zip(node.args, order, strict=False):
            if new:
                self.changes.append(Replacement(given, given_by(new)))
        self.change(_least_integer(file, node))
        for given, new in new_keywords(file, node).items():
            without = without_argument(node, given)
            self.changes.append(Replacement(given, given_by(new)) if new else without)
