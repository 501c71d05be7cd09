"""Every argument of every function of TF 1.15: what is written takes it, with the same meaning, or it is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from codemod_texts import migrated, printed

PARAMETERS = Path(__file__).parent / "tf115_parameters.tsv"
#: of Python's own making, which nobody calls; or the same thing under another name at the same place
NOT_HELD = {
    "tf.Tensor", "tf.python.framework.ops.Tensor", "tf.errors.UnknownError", "tf.OptionalSpec",
    "tf.python.framework.errors.UnknownError", "tf.python.framework.errors_impl.UnknownError",
    "tf.data.experimental.OptionalStructure", "tf.config.experimental.set_virtual_device_configuration",
    "tf.random.experimental.create_rng_state", "tf.python.ops.control_flow_ops.exit",
    "tf.python.tools.freeze_graph.freeze_graph", "tf.python.tools.freeze_graph.freeze_graph_with_def_protos",
    # private, with arguments that are TensorFlow's own business
    "tf.python.framework.ops.internal_convert_to_tensor", "tf.autograph.experimental.set_loop_options",
    # `tf.function(experimental_compile=...)` by place, after five others
    "tf.function", "tf.contrib.eager.function", "tf.python.ops.summary_ops_v2.graph",
    # they make the program one of TF 2
    "tf.enable_eager_execution", "tf.enable_v2_behavior", "tf.contrib.eager.enable_eager_execution",
    "tf.python.framework.ops.enable_eager_execution", "tf.python.framework.ops.enable_v2_behavior",
}  # fmt: skip
#: run by a process of its own; the text has one assignment for each call, which says what it gives as names
BIND = """
import ast, inspect, json, sys, warnings
warnings.simplefilter("ignore")
wrong = []
for script in json.load(sys.stdin):
    tree, found = ast.parse(script["text"]), {}
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    exec(compile(ast.Module(imports, []), "imports", "exec"), found)
    calls = {node.targets[0].id: node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    for name, (symbol, given) in script["calls"].items():
        call = calls[name]
        if not isinstance(call, ast.Call):
            continue
        function = eval(compile(ast.Expression(call.func), "function", "eval"), found)
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            continue
        places = [ast.unparse(argument).removeprefix("given_") for argument in call.args]
        keywords = {keyword.arg: ast.unparse(keyword.value).removeprefix("given_") for keyword in call.keywords}
        try:
            bound = signature.bind_partial(*places, **keywords).arguments
        except TypeError as error:
            wrong.append(f"{symbol}: {error}")
            continue
        meant = {value: parameter for parameter, value in bound.items() if isinstance(value, str)}
        wrong += [
            f"{symbol}: {name} is taken for {meant[name]}"
            for name in given
            if places and name in meant and meant[name] != name and name in signature.parameters
        ]
print(json.dumps(wrong))
"""


def rows() -> list[tuple[str, list[str], list[str]]]:
    found = (line.split("\t") for line in PARAMETERS.read_text(encoding="utf-8").splitlines()[1:])
    return [
        (name, places.split(",") if places else [], words.split(",") if words else [])
        for name, places, words in found
        if name not in NOT_HELD
    ]


def calls_of(symbol: str, places: list[str], words: list[str]) -> list[tuple[str, str, list[str]]]:
    """An import, a call and what it gives: every argument by keyword, and all that have a place by place."""
    imported = ""
    called = symbol
    if symbol.startswith("tf.python."):
        module, _, name = symbol.rpartition(".")
        parent, _, last = module.rpartition(".")
        imported, called = (
            f"from tensorflow{parent[2:]} import {last} as {last}_module",
            f"{last}_module.{name}",
        )
    found = [(imported, f"{called}({word}=given_{word})", [word]) for word in (*places, *words)]
    if places:
        found.append((imported, f"{called}({', '.join(f'given_{place}' for place in places)})", places))
    return found


@pytest.mark.tensorflow
def test_every_argument_is_taken_or_reported() -> None:
    every = [(symbol, *call) for symbol, places, words in rows() for call in calls_of(symbol, places, words)]
    assert len(every) > 15_000
    scripts = []
    for start in range(0, len(every), 2000):
        part = every[start : start + 2000]
        head = [
            "import tensorflow as tf",
            *sorted({imported for _, imported, _, _ in part if imported}),
            "tf.Session()",
        ]
        body = [f"call_{number} = {call}" for number, (_, _, call, _) in enumerate(part)]
        text = "\n".join([*head, *body]) + "\n"
        result = migrated(text)
        lines = text.splitlines()
        reported = {lines[finding.line - 1].partition(" ")[0] for finding in result.findings}
        calls = {
            f"call_{number}": (symbol, given)
            for number, (symbol, _, _, given) in enumerate(part)
            if f"call_{number}" not in reported
        }
        scripts.append({"text": result.changes[0].after, "calls": calls})
    assert json.loads(printed("-c", BIND, given=json.dumps(scripts)).splitlines()[-1]) == []
