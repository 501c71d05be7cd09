"""Mutations of files: parts of a script go into local modules."""

from __future__ import annotations

import ast
import builtins
import random

from mutations.text import Source, mutation, pick


def _free(node: ast.AST) -> set[str]:
    """Names that a definition uses and does not bind anywhere inside."""
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    bound = {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    bound |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    bound |= {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    return {name for name in used - bound if not hasattr(builtins, name)}


def _imports(source: Source) -> tuple[str, set[str]]:
    nodes = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.asname or alias.name.partition(".")[0] for node in nodes for alias in node.names}
    return "\n".join(source.of(node) for node in nodes), names


@mutation
def functions_into_module(source: Source, rng: random.Random) -> dict[str, str] | None:
    """Functions and classes go into a local module, reached in one of several ways."""
    lines, known = _imports(source)
    candidates = [
        node for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and source.plain(node)
        and not any(isinstance(part, ast.Global) for part in ast.walk(node))
    ]  # fmt: skip
    moved: list = []
    for node in candidates:
        if _free(node) <= known | {function.name for function in moved}:
            moved.append(node)
    moved = moved if rng.random() < 0.6 else moved[:1]
    if not moved:
        return None
    names = [node.name for node in moved]
    body = []
    edits = []
    for node in moved:
        top = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        body.append(b"".join(source.lines[top - 1 : node.end_lineno]).decode().rstrip("\n"))
        edits.append(((source.starts[top - 1], source.starts[node.end_lineno]), ""))
    module = rng.choice(
        ["helpers", "model", "train", "utils", "session", "tower_lib", "average", "runtime", "strategy"]
    )
    rest = source.replaced(edits)
    text = f"{lines}\n\n\n" + "\n\n\n".join(body) + "\n"
    first = next(
        node
        for node in source.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__"
    )
    place = source.text.encode()[: source.start(first)]
    head, tail = rest.encode()[: len(place)].decode(), rest.encode()[len(place) :].decode()
    form = rng.randrange(7)
    if form == 0:
        return {"script.py": f"{head}from {module} import {', '.join(names)}\n{tail}", f"{module}.py": text}
    if form == 1:
        return {"script.py": f"{head}from {module} import *\n{tail}", f"{module}.py": text}
    if form == 2:
        binds = "\n".join(f"{name} = lib_.{name}" for name in names)
        return {"script.py": f"{head}import {module} as lib_\n{binds}\n{tail}", f"{module}.py": text}
    if form == 3:
        return {
            "script.py": f"{head}from pkg_.{module} import {', '.join(names)}\n{tail}",
            f"pkg_/{module}.py": text,
            "pkg_/__init__.py": "",
        }
    if form == 4:
        again = f"from .{module} import {', '.join(names)}\n"
        return {
            "script.py": f"{head}from pkg_ import {', '.join(names)}\n{tail}",
            f"pkg_/{module}.py": text,
            "pkg_/__init__.py": again,
        }
    if form == 5:
        again = f"from {module} import *\n"
        return {
            "script.py": f"{head}from again_ import {', '.join(names)}\n{tail}",
            f"{module}.py": text,
            "again_.py": again,
        }
    binds = "\n".join(f"{name} = {module}.{name}" for name in names)
    return {"script.py": f"{head}import {module}\n{binds}\n{tail}", f"{module}.py": text}


@mutation
def tensorflow_through_module(source: Source, rng: random.Random) -> dict[str, str] | None:
    """A local module hands TensorFlow, or one of its symbols, to the script."""
    from mutations.names import chains, tensorflow_import

    node = tensorflow_import(source)
    if node is None:
        return None
    form = rng.randrange(6)
    if form == 0:
        return {
            "script.py": source.replaced([(node, "from common_ import tf")]),
            "common_.py": "import tensorflow as tf\n",
        }
    if form == 1:
        return {
            "script.py": source.replaced([(node, "from common_ import *")]),
            "common_.py": "import tensorflow as tf\nimport numpy as np\n",
        }
    if form == 2:
        return {
            "script.py": source.replaced([(node, "import common_\ntf = common_.tf")]),
            "common_.py": "import tensorflow as tf\n",
        }
    if form == 3:
        return {
            "script.py": source.replaced([(node, "import common_ as tf")]),
            "common_.py": "from tensorflow import *\nfrom tensorflow import train, nn, layers, losses, summary, app, flags, gfile, logging, contrib\n",
        }
    found = chains(source)
    names = sorted(found)
    if not names:
        return None
    chosen = pick(rng, names, 3)
    lines = "".join(f"{text[3:]}_ = {text}\n" for text in chosen)
    edits = [(place, f"{text[3:]}_") for text in chosen for place in found[text]]
    bound = ", ".join(f"{text[3:]}_" for text in chosen)
    return {
        "script.py": source.replaced(
            [(node, f"import tensorflow as tf\nfrom common_ import {bound}"), *edits]
        ),
        "common_.py": f"import tensorflow as tf\n{lines}",
    }


@mutation
def whole_into_module(source: Source, rng: random.Random) -> dict[str, str] | None:
    """The main script only imports the module that has everything."""
    if "__name__" in source.text or "__main__" in source.text:
        return None
    form = rng.randrange(4)
    if form == 0:
        return {"script.py": "import everything_\n", "everything_.py": source.text}
    if form == 1:
        return {
            "script.py": "import tensorflow as tf\nfrom everything_ import *\n",
            "everything_.py": source.text,
        }
    if form == 2:
        return {
            "script.py": "if __name__ == '__main__':\n    import everything_ as sess\n",
            "everything_.py": source.text,
        }
    return {
        "script.py": "def main():\n    from pkg_ import everything_\n\n\nmain()\n",
        "pkg_/everything_.py": source.text,
        "pkg_/__init__.py": "# tf.Session\n",
    }


@mutation
def constants_into_module(source: Source, rng: random.Random) -> dict[str, str] | None:
    """Module-level constants of plain values go into a local `config` module."""
    found = [
        node for node in source.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1
        and isinstance(node.value, ast.Constant | ast.List | ast.Tuple) and source.plain(node)
        and not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node.value))
    ]  # fmt: skip
    if not found:
        return None
    chosen = pick(rng, found, 4)
    names = ", ".join(node.targets[0].id for node in chosen)
    line = rng.choice([f"from settings_ import {names}", "from settings_ import *", "import settings_"])
    edits = []
    for count, node in enumerate(chosen):
        name = node.targets[0].id
        own = f"{name} = settings_.{name}" if line == "import settings_" else "pass"
        edits.append((node, f"{line}; {own}" if count == 0 else own))
    return {
        "script.py": source.replaced(edits),
        "settings_.py": "\n".join(source.of(node) for node in chosen) + "\n",
    }
