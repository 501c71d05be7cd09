"""Mutations of names: renaming, importing in other forms, binding once more."""

from __future__ import annotations

import ast
import random
import re

from mutations.text import Source, mutation, pick


def uses(source: Source, name: str) -> list[ast.Name]:
    return [node for node in source.all(ast.Name) if node.id == name]


def _in_fstring(source: Source, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for string in ast.walk(source.tree)
        if isinstance(string, ast.JoinedStr)
        for node in ast.walk(string)
    )


def renamed(source: Source, old: str, new: str) -> str | None:
    """Every use of a name, in whatever scope, under another name."""
    if _in_fstring(source, old) or any(node.arg == old for node in source.all(ast.keyword)):
        return None
    if any(old in node.names for node in source.all(ast.Global, ast.Nonlocal)):
        return None
    edits = [(node, new) for node in uses(source, old)]
    for node in source.all(ast.arg):
        if node.arg == old:
            start = source.start(node)
            edits.append(((start, start + len(old.encode())), new))
    for node in source.all(ast.FunctionDef, ast.ClassDef):
        if node.name == old and not isinstance(source.parents[node], ast.ClassDef):
            start = source.start(node)
            match = re.compile(rf"(?:def|class)\s+{old}\b".encode()).search(source.text.encode(), start)
            if match is None:
                return None
            edits.append(((match.end() - len(old.encode()), match.end()), new))
    for node in source.all(ast.alias):
        if (node.asname or node.name) == old:
            if node.asname is None and "." in node.name:
                return None
            edits.append((node, f"{node.name} as {new}"))
    if any(getattr(node, "name", None) == old for node in source.all(ast.ExceptHandler)):
        return None
    return source.replaced(edits)


@mutation
def other_names(source: Source, rng: random.Random) -> str | None:
    """Variables, parameters, functions, classes and imports under misleading names."""
    names = {node.id for node in source.all(ast.Name) if isinstance(node.ctx, ast.Store)}
    names |= {node.arg for node in source.all(ast.arg)} - {"self"}
    names |= {node.name for node in source.all(ast.FunctionDef, ast.ClassDef)}
    names |= {node.asname or node.name for node in source.all(ast.alias)}
    text = source.text
    for name in pick(rng, sorted(names), 4):
        now = Source(text)
        text = renamed(now, name, now.fresh(rng)) or text
    return text


def tensorflow_import(source: Source) -> ast.Import:
    """`import tensorflow as tf`, alone in its statement, at the top.

    Raises:
        StopIteration: there is none, and the mutation does not apply.
    """
    imports = (node for node in source.tree.body if isinstance(node, ast.Import) and len(node.names) == 1)
    return next(
        node for node in imports if (node.names[0].name, node.names[0].asname) == ("tensorflow", "tf")
    )


@mutation
def import_form(source: Source, rng: random.Random) -> str | None:
    node = tensorflow_import(source)
    form = rng.choice([
        "import tensorflow.compat.v1 as tf", "from tensorflow.compat import v1 as tf", "tf = __import__('tensorflow')",
        "from tensorflow import compat\ntf = compat.v1", "import tensorflow\ntf = tensorflow",
        "import tensorflow\nimport tensorflow as tf", "try:\n    import tensorflow as tf\nexcept ImportError:\n    raise",
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    import tensorflow as tf",
        "import tensorflow as first\ntf = first", "import tensorflow as tf, os as operating_system",
        "import os as operating_system, tensorflow as tf", "import tensorflow as tf; tf_again = tf",
        "if True:\n    import tensorflow as tf", "import tensorflow as tf\nimport tensorflow as tf",
        "import importlib\ntf = importlib.import_module('tensorflow')", "tf = None\nimport tensorflow as tf",
        "import tensorflow as tf  # import tensorflow.compat.v2 as tf",
        "import tensorflow as _tensorflow\nglobals()['tf'] = _tensorflow",
        "import sys, tensorflow\ntf = sys.modules['tensorflow']",
    ])  # fmt: skip
    return source.replaced([(node, form)])


def chains(source: Source, *, depth: int = 1) -> dict[str, list[ast.Attribute]]:
    """Dotted names of TensorFlow's of this many parts after `tf`: text -> places."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in source.all(ast.Attribute):
        inner, parts = node, []
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id == "tf" and len(parts) == depth:
            if isinstance(node.ctx, ast.Load):
                found.setdefault(".".join(["tf", *reversed(parts)]), []).append(node)
    return found


@mutation
def from_import(source: Source, rng: random.Random) -> str | None:
    node = tensorflow_import(source)
    found = chains(source)
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    names = [text for text in found if text[3:] not in used and not text.endswith("app")]
    if not names:
        return None
    edits, imported = [], []
    for text in pick(rng, sorted(names), 6):
        name = text[3:]
        bound = source.fresh(rng) if rng.random() < 0.3 else name
        if any(bound in name for name in imported):
            bound = name
        imported.append(name if bound == name else f"{name} as {bound}")
        edits += [(place, bound) for place in found[text]]
    base = rng.choice(["tensorflow", "tensorflow", "tensorflow.compat.v1"])
    line = f"from {base} import " + rng.choice(["{}", "({})"]).format(", ".join(imported))
    return source.replaced(
        [(node, rng.choice([f"import tensorflow as tf\n{line}", f"{line}\nimport tensorflow as tf"])), *edits]
    )


@mutation
def alias_of_symbol(source: Source, rng: random.Random) -> str | None:
    """`tfs = tf.Session`, or in a dict, a tuple, a class: used wherever the symbol was, or in some of the places."""
    node = tensorflow_import(source)
    found = {**chains(source, depth=1), **chains(source, depth=2)}
    text = rng.choice(sorted(found))
    name = source.fresh(rng)
    made, use = rng.choice([
        (f"{name} = {text}", name), (f"({name},) = [{text}]", name), (f"{name} = [tf, {text}]", f"{name}[1]"),
        (f"{name} = {{'run': {text}}}", f"{name}['run']"), (f"class {name}:\n    run = {text}", f"{name}.run"),
        (f"class {name}(object):\n    tf = tf\n    run = staticmethod({text})", f"{name}.run"),
        (f"{name} = type('sess', (), {{'run': staticmethod({text})}})", f"{name}.run"),
        (f"def {name}():\n    return {text}", f"{name}()"), (f"{name} = lambda: {text}", f"{name}()"),
        (f"import operator\n{name} = operator.attrgetter({text[3:]!r})", f"{name}(tf)"),
    ])  # fmt: skip
    places = [place for place in found[text] if source.start(place) > source.start(node)]
    places = pick(rng, places, len(places)) if rng.random() < 0.5 else places
    return source.replaced([(node, f"import tensorflow as tf\n{made}"), *((place, use) for place in places)])


@mutation
def bound_again_at_the_end(source: Source, rng: random.Random) -> str:
    names = source.bound_at_top()
    names += [node.name for node in source.tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names += [node.asname or node.name.partition(".")[0] for node in source.all(ast.alias)]
    values = ["'done'", "None", "0", "[]", "'sess.run(train_op)'", "lambda *a: None", "print", "object()"]
    text = source.text.rstrip("\n") + "\n"
    for name in pick(rng, sorted(set(names)), 3):
        text += rng.choice(
            [f"{name} = {rng.choice(values)}\n", f"def {name}(*args):\n    pass\n", f"class {name}:\n    run = None\n",
             f"del {name}\n", f"for {name} in 'ab':\n    pass\n", f"if len('ab') == 2:\n    {name} = 'later'\n",
             f"import os as {name}\n"]
        )  # fmt: skip
    return text


@mutation
def never_bound_so(source: Source, rng: random.Random) -> str | None:
    """A binding that is not reached, or one of a function's own."""
    names = [*source.bound_at_top(), "tf", "np"]
    name = rng.choice(names)
    value = rng.choice(["None", "'x'", "tf.Session", "tf.placeholder", "tf", "range", "print"])
    text = rng.choice(
        [
            f"if len('ab') == 3:\n    {name} = {value}",
            f"def unused_{name}({name}=None, *sess):\n    {name} = sess\n    return {name}",
            f"class Unused_{name}(object):\n    {name} = None\n    def run(self, {name}):\n        return {name}",
            f"unused_{name} = lambda {name}: {name}.run({name}.Session())",
            f"unused_{name} = [{name} for {name} in 'sess']",
            f"while False:\n    {name} = {value}",
            f"for unused_{name} in ():\n    {name} = {value}",
            f"try:\n    pass\nexcept Exception as unused_{name}:\n    {name} = {value}",
            f"def unused_{name}():\n    global {name}\n    {name} = {value}",
        ]
    )
    first = source.after_imports()
    return source.replaced([source.before(first, text)])


@mutation
def into_namespace(source: Source, rng: random.Random) -> str | None:
    """A variable becomes an attribute of a class, a namespace, or a dict's item, wherever it is used."""
    taken = {node.arg for node in source.all(ast.arg, ast.keyword)}
    taken |= {name for node in source.all(ast.Global, ast.Nonlocal) for name in node.names}
    taken |= {alias.asname or alias.name for alias in source.all(ast.alias)}
    taken |= {node.name for node in source.all(ast.FunctionDef, ast.ClassDef)}
    names = [
        name
        for name in source.bound_at_top()
        if name not in taken and not _in_fstring(source, name)
        and not any(
            isinstance(up, ast.comprehension | ast.NamedExpr) for use in uses(source, name)
            if isinstance(use.ctx, ast.Store) for up in source.around(use))
    ]  # fmt: skip
    first = source.after_imports()
    if not names:
        return None
    home = source.fresh(rng, "Box", "state", "G", "context", "self", "tf1", "sess")
    made, form = rng.choice(
        [
            (f"class {home}(object):\n    pass", "{home}.{name}"),
            (f"import types\n{home} = types.SimpleNamespace()", "{home}.{name}"),
            (f"import argparse\n{home} = argparse.Namespace()", "{home}.{name}"),
            (f"{home} = {{}}", "{home}['{name}']"), (f"{home} = dict()", "{home}[{name!r}]"),
            (f"class {home}_type(object):\n    def __getattr__(self, name):\n        raise AttributeError(name)\n"
             f"{home} = {home}_type()", "{home}.{name}"),
        ]
    )  # fmt: skip
    edits = [
        (use, form.format(home=home, name=name)) for name in pick(rng, names, 5) for use in uses(source, name)
    ]
    return source.replaced([source.before(first, made), *edits])
