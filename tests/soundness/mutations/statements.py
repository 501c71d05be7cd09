"""Mutations of statements: loops, functions, `with`, classes around what there is."""

from __future__ import annotations

import ast
import random
import textwrap

from mutations.text import Source, has_long_string, indented, mutation, pick


def _movable(source: Source, *node_types: type[ast.stmt]) -> list[ast.stmt]:
    """Statements on lines of their own that may be put into another block as they are."""
    return [
        node for node in source.all(*node_types)
        if source.plain(node) and not has_long_string(node) and not getattr(node, "decorator_list", None)
        and not source.text.encode()[source.start(node):].startswith(b"elif")
        and not isinstance(node, ast.ImportFrom | ast.Global | ast.Nonlocal)
    ]  # fmt: skip


def _jumps_out(node: ast.stmt) -> bool:
    """Whether a `return`, `break` or `continue` in it acts on what is around it."""
    pending: list[tuple[ast.AST, bool]] = [(node, False)]
    while pending:
        part, in_loop = pending.pop()
        if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom | ast.Await):
            return True
        if isinstance(part, ast.Break | ast.Continue) and not in_loop:
            return True
        if not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            inner = in_loop or isinstance(part, ast.For | ast.While)
            pending += [(child, inner) for child in ast.iter_child_nodes(part)]
    return False


def _bound(*nodes: ast.AST) -> list[str]:
    """Names that statements bind in their own scope."""
    names, pending = set(), list(nodes)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store | ast.Del):
            names.add(part.id)
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            names.add(part.name)
            continue
        elif isinstance(part, ast.alias):
            names.add(part.asname or part.name.partition(".")[0])
        elif isinstance(part, ast.ExceptHandler) and part.name:
            names.add(part.name)
        if not isinstance(part, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            pending += ast.iter_child_nodes(part)
    return sorted(names)


def _block(source: Source, node: ast.stmt) -> str:
    return textwrap.dedent(source.block(node))


def _body(source: Source, node: ast.With | ast.For) -> str | None:
    """What stands in a block of lines of its own, at the left margin."""
    first = node.body[0]
    if first.lineno == node.lineno or getattr(first, "decorator_list", None):
        return None
    return textwrap.dedent(source.text.encode()[source.starts[first.lineno - 1] : source.end(node)].decode())


BLOCKS = (
    "if True:\n{}", "try:\n{}\nfinally:\n    pass", "try:\n{}\nexcept ZeroDivisionError:\n    raise",
    "if 'sess':\n{}\nelse:\n    sess = None", "with __import__('contextlib').suppress(ZeroDivisionError):\n{}",
    "try:\n    pass\nfinally:\n{}", "if not True:\n    pass\nelse:\n{}", "if False:\n    import os as tf\nelse:\n{}",
)  # fmt: skip
ROUNDS = (
    "for k_ in range(1):\n{}", "while True:\n{}\n    break", "for sess_ in ['sess']:\n{}", "for k_ in (0,):\n{}\nelse:\n    pass",
)  # fmt: skip


@mutation
def block_around(source: Source, rng: random.Random) -> str | None:
    """`if True`, `try`, `with`, a loop of one round around a statement."""
    found = _movable(source, ast.Assign, ast.Expr, ast.For, ast.With, ast.If, ast.AugAssign)
    node = rng.choice(found)
    forms = BLOCKS if _jumps_out(node) else BLOCKS + ROUNDS
    return source.put(node, rng.choice(forms).format(indented(_block(source, node), "    ")))


@mutation
def statement_into_function(source: Source, rng: random.Random) -> str | None:
    """A statement at the top, or in a function, goes into a function that is called there."""
    found = [
        node for node in _movable(source, ast.Assign, ast.Expr, ast.For, ast.With) if not _jumps_out(node)
    ]
    found = [node for node in found if not isinstance(source.function(node), ast.ClassDef)]
    big = [node for node in found if isinstance(node, ast.For | ast.With)]
    node = rng.choice(big if big and rng.random() < 0.7 else found)
    names, inside = _bound(node), source.function(node)
    name = source.fresh(
        rng, "build", "train_loop", "run", "towers", "sess", "helper", "main_loop", "average_gradients"
    )
    kind, head = "global", ""
    if inside is not None:
        kind = "nonlocal"
        own = {part.arg for part in ast.walk(inside) if isinstance(part, ast.arg)} | {
            part.id for part in ast.walk(inside)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and source.start(part) < source.start(node)
        }  # fmt: skip
        head = "".join(f"{bound} = None\n" for bound in names if bound not in own)
    body = indented((f"{kind} {', '.join(names)}\n" if names else "") + _block(source, node), "    ")
    forms = [
        f"{head}def {name}():\n{body}\n{name}()",
        f"{head}def {name}(*args, **kwargs):\n    '''sess.run'''\n{body}\n{name}(1, session=None)",
        f"{head}def {name}():\n{body}\n    return None\nignored = {name}()",
    ]
    if not names or inside is None:
        home, method = f"{name.title()}_", "run" if names else "__call__"
        call = f"{home}().run()" if names else f"{home}()()"
        forms.append(f"class {home}(object):\n    def {method}(self):\n{indented(body, '    ')}\n{call}")
    return source.put(node, rng.choice(forms))


@mutation
def value_into_function(source: Source, rng: random.Random) -> str | None:
    """`v = expression` as `v = helper()`, with the names it needs as parameters or not."""
    found = [
        node for node in _movable(source, ast.Assign)
        if not isinstance(source.function(node), ast.ClassDef) and "super()" not in source.of(node)
        and not any(isinstance(part, ast.Yield | ast.NamedExpr) for part in ast.walk(node))
        and source.of(node).endswith(source.of(node.value)) and "\n" not in source.of(node.value)
    ]  # fmt: skip
    node = rng.choice(found)
    value = source.of(node.value)
    result = source.of(node)[: -len(value)]
    names = [part for part in ast.walk(node.value) if isinstance(part, ast.Name)]
    inner = {part.id for part in names if isinstance(part.ctx, ast.Store)}
    inner |= {part.arg for part in ast.walk(node.value) if isinstance(part, ast.arg)}
    used = sorted({part.id for part in names if isinstance(part.ctx, ast.Load)} - inner)
    some = pick(rng, used, len(used))
    name = source.fresh(rng, "make", "get_session", "session", "build", "create", "model", "sess_")
    given, named = ", ".join(some), ", ".join(f"{parameter}={parameter}" for parameter in some)
    home = f"{name.title()}_"
    bracketed = f"({value})" if isinstance(node.value, ast.Tuple) else value
    return source.put(node, rng.choice([
        f"def {name}():\n    return {value}\n{result}{name}()",
        f"def {name}({given}):\n    return {value}\n{result}{name}({given})",
        f"def {name}({given}):\n    return {value}\n{result}{name}({named})",
        f"def {name}({named}):\n    return {value}\n{result}{name}()",
        f"{name} = lambda: {bracketed}\n{result}{name}()",
        f"def {name}():\n    yield ({value})\n{result}next({name}())",
        f"class {home}(object):\n    def get({', '.join(['self', *some])}):\n        return {value}\n{result}{home}().get({given})",
    ]))  # fmt: skip


def _entries(source: Source, *nodes: ast.With) -> list[tuple[str, str]]:
    """What is entered, and its name (or nothing)."""
    items = [item for node in nodes for item in node.items]
    names = [source.of(item.optional_vars) if item.optional_vars is not None else "" for item in items]
    return [(source.of(item.context_expr), name) for item, name in zip(items, names, strict=True)]


def _written(entry: tuple[str, str]) -> str:
    value, name = entry
    return f"{value} as {name}" if name else value


@mutation
def with_forms(source: Source, rng: random.Random) -> str | None:
    """`with a, b:` against nested; managers made before; ExitStack; by hand."""
    found = [
        (node, _body(source, node))
        for node in source.all(ast.With)
        if source.plain(node) and not has_long_string(node)
    ]
    found = [pair for pair in found if pair[1] is not None]
    node, body = rng.choice(found)
    if b"#" in source.text.encode()[source.start(node) : source.start(node.body[0])]:
        return None
    entries = _entries(source, node)
    (value, name), body = entries[0], indented(body, "    ")
    if len(entries) > 1:
        for entry in reversed(entries[1:]):
            body = indented(f"with {_written(entry)}:\n{body}", "    ")
        return source.put(node, f"with {_written(entries[0])}:\n{body}")
    named = f" as {name}" if name else ""
    forms = [
        f"manager = {value}\nwith manager{named}:\n{body}",
        f"import contextlib\nwith contextlib.ExitStack() as stack:\n    {name and name + ' = '}stack.enter_context({value})\n{body}",
        f"with {value}{named}, __import__('contextlib').suppress(KeyError):\n{body}",
        "import contextlib\n@contextlib.contextmanager\ndef around_sess():\n"
        f"    with {value} as inner_sess:\n        yield inner_sess\nwith around_sess(){named}:\n{body}",
        f"with {value} as ({name}):\n{body}" if name else f"with ({value}):\n{body}",
    ]
    if name and "Session" in value:
        forms.append(f"{name} = {value}\nwith {name}.as_default():\n{body}\n{name}.close()")
        forms.append(f"{name} = {value}\nwith {name}:\n{body}")
    return source.put(node, rng.choice(forms))


@mutation
def whole_into_main(source: Source, rng: random.Random) -> str | None:
    """Everything after the imports goes into a function, or only what stands beside the definitions."""
    first = source.after_imports()
    if has_long_string(source.tree) or "__name__" in source.text:
        return None
    body = source.tree.body[source.tree.body.index(first) :]
    apart = rng.random() < 0.5
    definitions = [node for node in body if apart and isinstance(node, ast.FunctionDef | ast.ClassDef)]
    rest = [node for node in body if node not in definitions]
    if not all(source.plain(node) for node in rest) or not rest:
        return None
    names = _bound(*rest)
    declared = f"global {', '.join(names)}\n" if definitions and names else ""
    name = source.fresh(rng, "main", "train", "run", "run_training")
    inner = "\n".join(map(source.whole, rest))
    run = indented(declared + inner, "    ")
    tails = [
        f"def {name}():\n{run}\n\n\nif __name__ == '__main__':\n    {name}()",
        f"def {name}(_):\n{run}\n\n\nif __name__ == '__main__':\n    tf.app.run(main={name})",
        f"def {name}(argv=None):\n{run}\n\n\n{name}()",
        f"class Trainer_(object):\n    def {name}(self):\n{indented(run, '    ')}\n\n\nTrainer_().{name}()",
        f"def {name}(*unused):\n{run}\n\n\nif __name__ == '__main__':\n    __import__('sys').exit({name}())",
    ]
    if not definitions:
        tails.append(f"with tf.Graph().as_default():\n{indented(inner, '    ')}")
    head = source.text.encode()[: source.starts[source.top(first) - 1]].decode()
    return head + "\n\n".join(map(source.whole, definitions)) + f"\n\n\n{rng.choice(tails)}\n"
