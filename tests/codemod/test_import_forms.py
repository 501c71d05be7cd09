"""Every name of TF 1.15, reached in every way that a script may import it: what is written exists in TensorFlow 2."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from codemod_texts import migrated, printed, table

#: run by a process of its own: imports of private modules change what TensorFlow's others have
REACH = """
import json, sys, warnings
warnings.simplefilter("ignore")
missing = []
for script in json.load(sys.stdin):
    found = {}
    try:
        exec(script["text"], found)
    except Exception as error:
        missing.append(f"{script['form']}: {error!r}")
    for name in script["names"]:
        try:
            found[f"reach_{name}"]()
        except Exception as error:
            missing.append(f"{script['form']}, {name}: {error!r}")
print(json.dumps(missing))
"""


def names_by_module() -> dict[str, list[str]]:
    """Module of TF 1.15, rooted at `tf` -> its names."""
    rows = table("tf1_symbols.tsv")
    modules = {name for name, kind, _ in rows if kind == "module"}
    found = defaultdict(list)
    for name, kind, _ in rows:
        module, _, attribute = name.rpartition(".")
        # a program that runs eagerly stays as it is
        if module in modules and kind != "module" and attribute != "enable_eager_execution":
            found[module].append(attribute)
    return found


def functions(names: list[str], of: str, before: str = "") -> str:
    """One function a name, for a note at its line to be seen as the name's."""
    return "".join(
        f"def reach_{name}():\n    {before.format(name)}return {of.format(name)}\n" for name in names
    )


def forms(module: str, names: list[str]) -> dict[str, str]:
    """The ways to reach a module's names, and a script for each."""
    dotted = "tensorflow" + module[2:]
    parent, _, last = dotted.rpartition(".")
    found = {
        f"from {parent} import {last}": functions(names, "module.{}"),
        f"import {dotted} as": functions(names, "module.{}"),
        f"from {dotted} import name": functions(names, "name", f"from {dotted} import {{}} as name\n    "),
    }
    first = f"from {parent} import {last} as module\n"
    heads = (first, f"import {dotted} as module\n", "")
    scripts = {form: head + body for (form, body), head in zip(found.items(), heads, strict=True)}
    if not module.startswith("tf.python."):
        scripts[f"{module}.name"] = functions(names, f"{module}.{{}}")
    return scripts


def reported(text: str, lines: set[int]) -> set[str]:
    """The functions of a script that have a finding at one of their lines."""
    found, name = set(), ""
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("(")[0].removeprefix("def reach_") if line.startswith("def ") else name
        if number in lines:
            found.add(name)
    return found


@pytest.mark.tensorflow
def test_every_name_is_there_or_reported() -> None:
    scripts = []
    for module, names in names_by_module().items():
        for form, lines in forms(module, names).items():
            if form.startswith(("from tensorflow.app.flags", "import tensorflow.app.flags")):
                continue  # no module in TF 1.15, either
            calls = "".join(f"reach_{name}()\n" for name in names)
            text = "import tensorflow as tf\n" + lines + calls + "tf.Session()\n"
            result = migrated(text)
            left = reported(text, {finding.line for finding in result.findings})
            if "" in left or left >= set(names):  # the import itself, or all that it is for
                continue
            after = (
                result.changes[0]
                .after.replace(calls, "")
                .replace("graph_mode()\n", "")
                .replace("Session()\n", "pass\n")
            )
            scripts.append(
                {"form": form, "text": after, "names": [name for name in names if name not in left]}
            )
    assert sum(len(script["names"]) for script in scripts) > 10_000
    found = printed("-c", REACH, folder=Path(__file__).parents[2], given=json.dumps(scripts))
    assert json.loads(found.splitlines()[-1]) == []
