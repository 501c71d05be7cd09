"""What a program means does not depend on which of TensorFlow's modules it takes a name from."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from codemod_texts import codes, migrated, table

from tf2towers.codemod.rule import rule_of, rules

EXAMPLES = [(rule.code, number) for rule in rules() for number in range(len(rule.examples))]


def private_names() -> dict[str, str]:
    """A public name of TF 1.15 -> the same object's in a private module, the shortest first."""
    found: dict[str, str] = {}
    for name, _, public in sorted(table("tf1_symbols.tsv"), key=lambda row: len(row[0])):
        if name.startswith("tf.python.") and name.count(".") > 2 and public:
            found.setdefault(public, name)
    return found


class Respelled(ast.NodeTransformer):
    """Takes from private modules what a script takes from `tf`; `imports` are those modules', by their new names."""

    def __init__(self) -> None:
        self.imports: dict[str, str] = {}
        self._private = private_names()

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        private = self._private.get(ast.unparse(node))
        if private is None or not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        module, _, name = private.rpartition(".")
        package, _, last = module.rpartition(".")
        bound = f"private_{module.count('.')}_{last}"
        self.imports[bound] = f"from tensorflow{package[2:]} import {last} as {bound}"
        return ast.Attribute(ast.Name(bound, ast.Load()), name, node.ctx)


def respelled(text: str) -> str | None:
    """A script that says `import tensorflow as tf`, with private modules; None where nothing has a name there."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None  # Python 2
    place = next(
        (i for i, line in enumerate(tree.body) if ast.unparse(line) == "import tensorflow as tf"), None
    )
    if place is None:
        return None
    change = Respelled()
    tree = ast.fix_missing_locations(change.visit(tree))
    tree.body[place + 1 : place + 1] = ast.parse("\n".join(change.imports.values())).body
    return ast.unparse(tree) + "\n" if change.imports else None


@pytest.mark.parametrize(("code", "number"), EXAMPLES)
def test_an_example_that_imports_private_modules_has_the_same_verdict(code, number):
    text = rule_of(code).examples[number].before
    private = respelled(text)
    if private is None:
        pytest.skip("nothing in it has a private name")
    public = migrated(ast.unparse(ast.parse(text)))
    result = migrated(private)
    assert result.status == public.status, private
    assert codes(result) == codes(public)
    assert not migrated(result.changes[0].after).changed


@pytest.mark.parametrize(
    "text",
    [
        dedent(
            """\
            from tensorflow.python.training import adam

            adam.AdamOptimizer(0.1)
            """
        ),
        dedent(
            """\
            from tensorflow.python.client import session

            session.Session().run([])
            """
        ),
        dedent(
            """\
            from tensorflow.python.ops import variables
            from tensorflow.python.ops import array_ops

            x = array_ops.placeholder('float32')
            """
        ),
    ],
)
def test_a_program_of_private_modules_alone_is_tf1(text):
    assert "graph_mode()" in migrated(text).changes[0].after


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("contrib.cudnn_rnn.python.ops", "cudnn_rnn_ops.CudnnLSTM(1, 4, 3)"),
        ("contrib.cudnn_rnn.python.ops", "cudnn_rnn_ops.CudnnLSTM(1, 4, input_mode='skip_input')"),
        ("contrib.training.python.training", "hparam.HParams(hparam_def=1)"),
    ],
)
def test_an_argument_that_is_not_served_is_seen_by_every_name(module: str, call: str) -> None:
    name = call.partition(".")[0]
    assert codes(
        migrated(
            dedent(
                """\
                from tensorflow.{module} import {name}

                {call}
                """
            ).format(module=module, name=name, call=call)
        )
    ) == ["T2T620"]
