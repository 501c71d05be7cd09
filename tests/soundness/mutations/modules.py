"""Mutations of files: parts of a script go into local modules."""

from __future__ import annotations

import ast
import builtins
import random

from mutations.names import chains, tensorflow_import
from mutations.text import Source, mutation, pick

Files = dict[str, str]


def _free(node: ast.AST) -> set[str]:
    """Names that a definition uses and does not bind anywhere inside."""
    parts = list(ast.walk(node))
    names = [part for part in parts if isinstance(part, ast.Name)]
    bound = {part.id for part in names if isinstance(part.ctx, ast.Store)}
    bound |= {part.arg for part in parts if isinstance(part, ast.arg)}
    bound |= {part.name for part in parts if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    return {part.id for part in names if not hasattr(builtins, part.id)} - bound


@mutation
def functions_into_module(source: Source, rng: random.Random) -> Files | None:
    """Functions and classes go into a local module, reached in one of several ways."""
    imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {alias.asname or alias.name.partition(".")[0] for node in imports for alias in node.names}
    moved: list = []
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and source.plain(node):
            globals_in = any(isinstance(part, ast.Global) for part in ast.walk(node))
            if not globals_in and _free(node) <= known | {other.name for other in moved}:
                moved.append(node)
    moved = moved if rng.random() < 0.6 else moved[:1]
    if not moved:
        return None
    edits = [((source.starts[source.top(node) - 1], source.starts[node.end_lineno]), "") for node in moved]
    text = "\n".join(map(source.of, imports)) + "\n\n\n" + "\n\n\n".join(map(source.whole, moved)) + "\n"
    place = source.start(next(node for node in imports if getattr(node, "module", "") != "__future__"))
    rest = source.replaced(edits).encode()
    head, tail = rest[:place].decode(), rest[place:].decode()
    module = rng.choice(
        ["helpers", "model", "train", "utils", "session", "tower_lib", "average", "runtime", "strategy"]
    )
    names = ", ".join(node.name for node in moved)

    def bound(home: str) -> str:
        return "".join(f"\n{node.name} = {home}.{node.name}" for node in moved)

    line, others = rng.choice([
        (f"from {module} import {names}", {f"{module}.py": text}),
        (f"from {module} import *", {f"{module}.py": text}),
        (f"import {module} as lib_{bound('lib_')}", {f"{module}.py": text}),
        (f"import {module}{bound(module)}", {f"{module}.py": text}),
        (f"from pkg_.{module} import {names}", {f"pkg_/{module}.py": text, "pkg_/__init__.py": ""}),
        (f"from pkg_ import {names}", {f"pkg_/{module}.py": text, "pkg_/__init__.py": f"from .{module} import {names}\n"}),
        (f"from again_ import {names}", {f"{module}.py": text, "again_.py": f"from {module} import *\n"}),
    ])  # fmt: skip
    return {"script.py": f"{head}{line}\n{tail}", **others}


@mutation
def tensorflow_through_module(source: Source, rng: random.Random) -> Files | None:
    """A local module hands TensorFlow, or one of its symbols, to the script."""
    node = tensorflow_import(source)
    found = chains(source)
    line, text = rng.choice([
        ("from common_ import tf", ""), ("from common_ import *", "import numpy as np\n"), ("import common_\ntf = common_.tf", ""),
        ("import common_ as tf", "from tensorflow import *\nfrom tensorflow import train, nn, layers, losses, summary, app, flags, "
                                 "gfile, logging, contrib\n"),
        (None, ""), (None, ""),
    ])  # fmt: skip
    edits = []
    if line is None:
        chosen = pick(rng, sorted(found), 3)
        edits = [(place, f"{name[3:]}_") for name in chosen for place in found[name]]
        line = "import tensorflow as tf\nfrom common_ import " + ", ".join(f"{name[3:]}_" for name in chosen)
        text = "".join(f"{name[3:]}_ = {name}\n" for name in chosen)
        if not chosen:
            return None
    return {
        "script.py": source.replaced([(node, line), *edits]),
        "common_.py": f"import tensorflow as tf\n{text}",
    }


@mutation
def whole_into_module(source: Source, rng: random.Random) -> Files | None:
    """The main script only imports the module that has everything."""
    if "__name__" in source.text or "__main__" in source.text:
        return None
    package = {"pkg_/everything_.py": source.text, "pkg_/__init__.py": "# tf.Session\n"}
    line, files = rng.choice([
        ("import everything_", {"everything_.py": source.text}),
        ("import tensorflow as tf\nfrom everything_ import *", {"everything_.py": source.text}),
        ("if __name__ == '__main__':\n    import everything_ as sess", {"everything_.py": source.text}),
        ("def main():\n    from pkg_ import everything_\n\n\nmain()", package),
    ])  # fmt: skip
    return {"script.py": f"{line}\n", **files}
