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
        if isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        inner = in_loop or isinstance(part, ast.For | ast.While)
        pending += [(child, inner) for child in ast.iter_child_nodes(part)]
    return False


def _bound(node: ast.AST) -> list[str]:
    """Names that a statement binds in its own scope."""
    names, pending = set(), [node]
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
        if isinstance(part, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        pending += ast.iter_child_nodes(part)
    return sorted(names)


def _block(source: Source, node: ast.stmt) -> str:
    return textwrap.dedent(source.block(node))


@mutation
def block_around(source: Source, rng: random.Random) -> str | None:
    """`if True`, `try`, `with`, a loop of one round around a statement."""
    found = _movable(source, ast.Assign, ast.Expr, ast.For, ast.With, ast.If, ast.AugAssign)
    if not found:
        return None
    node = rng.choice(found)
    loop = not _jumps_out(node)
    forms = [
        "if True:\n{}", "try:\n{}\nfinally:\n    pass", "try:\n{}\nexcept ZeroDivisionError:\n    raise",
        "if 'sess':\n{}\nelse:\n    sess = None", "with __import__('contextlib').suppress(ZeroDivisionError):\n{}",
        "try:\n    pass\nfinally:\n{}", "if not True:\n    pass\nelse:\n{}", "if False:\n    import os as tf\nelse:\n{}",
    ]  # fmt: skip
    if loop:
        forms += ["for k_ in range(1):\n{}", "while True:\n{}\n    break", "for sess_ in ['sess']:\n{}",
                  "for k_ in (0,):\n{}\nelse:\n    pass"]  # fmt: skip
    text = rng.choice(forms).format(indented(_block(source, node), "    "))
    return source.replaced([(source.lines_of(node), indented(text, source.indent(node)))])


@mutation
def statement_into_function(source: Source, rng: random.Random) -> str | None:
    """A statement at the top, or in a function, goes into a function that is called there."""
    found = [
        node for node in _movable(source, ast.Assign, ast.Expr, ast.For, ast.With) if not _jumps_out(node)
    ]
    found = [node for node in found if not isinstance(source.function(node), ast.ClassDef)]
    big = [node for node in found if isinstance(node, ast.For | ast.With)]
    if not found:
        return None
    node = rng.choice(big) if big and rng.random() < 0.7 else rng.choice(found)
    names, inside = _bound(node), source.function(node)
    name = source.fresh(
        rng, "build", "train_loop", "run", "towers", "sess", "helper", "main_loop", "average_gradients"
    )
    body = indented(_block(source, node), "    ")
    if inside is None:
        declared = f"    global {', '.join(names)}\n" if names else ""
        head = ""
    else:
        declared = f"    nonlocal {', '.join(names)}\n" if names else ""
        own = {part.arg for part in ast.walk(inside) if isinstance(part, ast.arg)}
        before = {
            part.id for part in ast.walk(inside)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and source.start(part) < source.start(node)
        }  # fmt: skip
        head = "".join(f"{name} = None\n" for name in names if name not in own | before)
    forms = [
        f"{head}def {name}():\n{declared}{body}\n{name}()",
        f"{head}def {name}(*args, **kwargs):\n    '''sess.run'''\n{declared}{body}\n{name}(1, session=None)",
        f"{head}def {name}():\n{declared}{body}\n    return None\nignored = {name}()",
    ]
    if not names:
        forms.append(
            f"class {name.title()}_(object):\n    def __call__(self):\n{indented(body, '    ')}\n{name.title()}_()()"
        )
    elif inside is None:
        forms.append(
            f"class {name.title()}_(object):\n    def run(self):\n    {declared}{indented(body, '    ')}\n{name.title()}_().run()"
        )
    return source.replaced([(source.lines_of(node), indented(rng.choice(forms), source.indent(node)))])


@mutation
def value_into_function(source: Source, rng: random.Random) -> str | None:
    """`v = expression` as `v = helper()`, with the names it needs as parameters or not."""
    found = [
        node for node in _movable(source, ast.Assign)
        if not isinstance(source.function(node), ast.ClassDef) and "super()" not in source.of(node)
        and not any(isinstance(part, ast.Yield | ast.NamedExpr) for part in ast.walk(node))
    ]  # fmt: skip
    if not found:
        return None
    node = rng.choice(found)
    value = source.of(node.value)
    used = sorted(
        {
            part.id
            for part in ast.walk(node.value)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        }
    )
    inner = {
        part.id
        for part in ast.walk(node.value)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    inner |= {part.arg for part in ast.walk(node.value) if isinstance(part, ast.arg)}
    used = [name for name in used if name not in inner]
    some = pick(rng, used, len(used))
    name = source.fresh(rng, "make", "get_session", "session", "build", "create", "model", "sess_")
    result = source.of(node)[: len(source.of(node)) - len(value)] if source.of(node).endswith(value) else None
    if result is None or "\n" in value:
        return None
    forms = [
        f"def {name}():\n    return {value}\n{result}{name}()",
        f"def {name}({', '.join(some)}):\n    return {value}\n{result}{name}({', '.join(some)})",
        f"def {name}({', '.join(some)}):\n    return {value}\n{result}{name}({', '.join(f'{parameter}={parameter}' for parameter in some)})",
        f"def {name}({', '.join(f'{parameter}={parameter}' for parameter in some)}):\n    return {value}\n{result}{name}()",
        f"{name} = lambda: {value if not isinstance(node.value, ast.Tuple) else '(' + value + ')'}\n{result}{name}()",
        f"def {name}():\n    yield ({value})\n{result}next({name}())",
        f"class {name.title()}_(object):\n    def get(self{''.join(', ' + parameter for parameter in some)}):\n        return {value}\n"
        f"{result}{name.title()}_().get({', '.join(some)})",
    ]
    return source.replaced([(source.lines_of(node), indented(rng.choice(forms), source.indent(node)))])


@mutation
def argument_before(source: Source, rng: random.Random) -> str | None:
    """Arguments get names in the line before."""
    places = []
    for node in source.all(ast.Call):
        statement = source.statement(node)
        simple = isinstance(statement, ast.Assign | ast.Expr | ast.With)
        if (
            not simple
            or not source.plain(statement)
            or source.function(node) is not source.function(statement)
        ):
            continue
        if isinstance(statement, ast.With) and node not in [item.context_expr for item in statement.items]:
            continue
        places += [
            (statement, argument)
            for argument in node.args
            if not isinstance(argument, ast.Starred | ast.GeneratorExp)
        ]
        places += [(statement, keyword.value) for keyword in node.keywords]
    edits, taken = [], []
    for count, (statement, node) in enumerate(pick(rng, places, 3)):
        if any(
            node is place or node in source.around(place) or place in source.around(node) for place in taken
        ):
            continue
        taken.append(node)
        name = rng.choice(["config", "feed", "tmp", "graph_", "sess_arg", "cfg"]) + f"_{count}"
        edits += [source.before(statement, f"{name} = {source.of(node)}"), (node, name)]
    return source.replaced(edits) if edits else None


@mutation
def for_to_while(source: Source, rng: random.Random) -> str | None:
    found = [
        node for node in _movable(source, ast.For) if not node.orelse and node.body[0].lineno > node.lineno
    ]
    if not found:
        return None
    node = rng.choice(found)
    indent = source.indent(node)
    first = source.starts[node.body[0].lineno - 1]
    if getattr(node.body[0], "decorator_list", None):
        return None
    body = source.text.encode()[first : source.end(node)].decode()
    inner = source.indent(node.body[0])
    target, value = source.of(node.target), source.of(node.iter)
    name = source.fresh(rng, "it", "iterator", "queue", "n")
    simple = (
        isinstance(node.target, ast.Name)
        and isinstance(node.iter, ast.Call)
        and source.of(node.iter.func) == "range"
    )
    simple = (
        simple
        and len(node.iter.args) == 1
        and not _has_jump(node)
        and target not in _bound(ast.Module(node.body, []))
    )
    if simple and rng.random() < 0.6:
        limit = source.of(node.iter.args[0])
        text = f"{indent}{target} = 0\n{indent}while {target} < ({limit}):\n{body}\n{inner}{target} += 1"
    else:
        text = (
            f"{indent}{name} = iter({value})\n{indent}while True:\n{inner}try:\n{inner}    {target} = next({name})\n"
            f"{inner}except StopIteration:\n{inner}    break\n{body}"
        )
    return source.replaced([(source.lines_of(node), text)])


def _has_jump(node: ast.For) -> bool:
    return any(isinstance(part, ast.Continue | ast.Break | ast.Return) for part in ast.walk(node))


@mutation
def with_forms(source: Source, rng: random.Random) -> str | None:
    """`with a, b:` against nested; managers made before; ExitStack; by hand."""
    found = [
        node for node in source.all(ast.With)
        if source.plain(node) and node.body[0].lineno > node.lineno and not has_long_string(node)
        and "#" not in source.text.encode()[source.start(node):source.start(node.body[0])].decode()
    ]  # fmt: skip
    if not found:
        return None
    node = rng.choice(found)
    indent = source.indent(node)
    first = node.body[0]
    if getattr(first, "decorator_list", None):
        return None
    body = textwrap.dedent(source.text.encode()[source.starts[first.lineno - 1] : source.end(node)].decode())
    items = [
        (
            source.of(item.context_expr),
            source.of(item.optional_vars) if item.optional_vars is not None else None,
        )
        for item in node.items
    ]
    written = [value + (f" as {name}" if name else "") for value, name in items]
    form = rng.randrange(7)
    value, name = items[0]
    if len(items) > 1:
        text, depth = "", ""
        for entry in written:
            text += f"{depth}with {entry}:\n"
            depth += "    "
        text += indented(body, depth)
    elif form == 0:
        text = f"manager = {value}\nwith manager{f' as {name}' if name else ''}:\n{indented(body, '    ')}"
    elif form == 1:
        entered = f"{name} = stack.enter_context({value})" if name else f"stack.enter_context({value})"
        text = f"import contextlib\nwith contextlib.ExitStack() as stack:\n    {entered}\n{indented(body, '    ')}"
    elif form == 2 and name and "Session" in value:
        text = f"{name} = {value}\nwith {name}.as_default():\n{indented(body, '    ')}\n{name}.close()"
    elif form == 3 and name and "Session" in value:
        text = f"{name} = {value}\nwith {name}:\n{indented(body, '    ')}"
    elif form == 4:
        text = f"with {written[0]}, __import__('contextlib').suppress(KeyError):\n{indented(body, '    ')}"
    elif form == 5:
        text = (
            "import contextlib\n@contextlib.contextmanager\ndef around_sess():\n"
            f"    with {value} as inner_sess:\n        yield inner_sess\nwith around_sess(){f' as {name}' if name else ''}:\n{indented(body, '    ')}"
        )
    else:
        text = (
            f"with ({written[0]}):\n{indented(body, '    ')}"
            if not name
            else f"with {value} as ({name}):\n{indented(body, '    ')}"
        )
    return source.replaced([(source.lines_of(node), indented(text, indent))])


@mutation
def nested_withs_joined(source: Source, rng: random.Random) -> str | None:
    """`with a: with b:` as `with a, b:`."""
    found = [
        node for node in source.all(ast.With)
        if len(node.body) == 1 and isinstance(node.body[0], ast.With) and source.plain(node) and not has_long_string(node)
    ]  # fmt: skip
    if not found:
        return None
    node = rng.choice(found)
    inner = node.body[0]
    head = ", ".join(source.of(item.context_expr) + (f" as {source.of(item.optional_vars)}" if item.optional_vars is not None else "")
                     for item in [*node.items, *inner.items])  # fmt: skip
    first = inner.body[0]
    if first.lineno == inner.lineno or getattr(first, "decorator_list", None):
        return None
    body = textwrap.dedent(source.text.encode()[source.starts[first.lineno - 1] : source.end(node)].decode())
    text = f"with {head}:\n{indented(body, '    ')}"
    return source.replaced([(source.lines_of(node), indented(text, source.indent(node)))])


@mutation
def decorators(source: Source, rng: random.Random) -> str | None:
    functions = [node for node in source.tree.body if isinstance(node, ast.FunctionDef)]
    first = source.after_imports()
    if not functions or first is None:
        return None
    made = rng.choice(
        [
            "import functools\ndef traced(sess):\n    @functools.wraps(sess)\n    def run(*args, **kwargs):\n        return sess(*args, **kwargs)\n    return run",
            "def traced(function):\n    return function",
            "class traced(object):\n    def __init__(self, run):\n        self.run = run\n    def __call__(self, *args, **kwargs):\n        return self.run(*args, **kwargs)",
        ]
    )
    edits = [source.before(first, made)]
    for node in pick(rng, functions, 3):
        place = source.starts[(node.decorator_list[0] if node.decorator_list else node).lineno - 1]
        edits.append(((place, place), "@traced\n"))
    return source.replaced(edits)


@mutation
def function_in_class(source: Source, rng: random.Random) -> str | None:
    """A function at the top becomes a static method, a class method's closure or a nested function."""
    functions = [
        node for node in source.tree.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and source.plain(node) and not has_long_string(node)
    ]  # fmt: skip
    if not functions:
        return None
    node = rng.choice(functions)
    home = source.fresh(rng, "Model", "Trainer", "Session", "Towers", "Helpers", "tools_")
    body = indented(_block(source, node), "    ")
    text = rng.choice(
        [
            f"class {home}(object):\n    @staticmethod\n{body}\n{node.name} = {home}.{node.name}",
            f"class {home}(object):\n    @staticmethod\n{body}\n{node.name} = {home}().{node.name}",
            f"def {home}():\n{body}\n    return {node.name}\n{node.name} = {home}()",
            f"if True:\n{body}",
            f"{home} = {{}}\n{_block(source, node)}\n{home}['run'] = {node.name}\n{node.name} = {home}['run']",
        ]
    )
    return source.replaced([(source.lines_of(node), text)])


@mutation
def whole_into_main(source: Source, rng: random.Random) -> str | None:
    """Everything behind the imports goes into a function, or only what stands behind the definitions."""
    first = source.after_imports()
    if first is None or has_long_string(source.tree) or "__name__" in source.text:
        return None
    body = source.tree.body[source.tree.body.index(first) :]
    definitions = []
    if rng.random() < 0.5:
        definitions = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    rest = [node for node in body if node not in definitions]
    if not all(source.plain(node) for node in rest) or not rest:
        return None
    names = sorted({name for node in rest for name in _bound(node)})
    declared = ""
    if definitions and names:
        declared = f"    global {', '.join(names)}\n"
    name = source.fresh(rng, "main", "train", "run", "run_training")

    def text_of(node: ast.stmt) -> str:
        top = node.decorator_list[0].lineno if getattr(node, "decorator_list", None) else node.lineno
        return b"".join(source.lines[top - 1 : node.end_lineno]).decode().rstrip("\n")

    head = source.text.encode()[
        : source.starts[(getattr(first, "decorator_list", None) or [first])[0].lineno - 1]
    ].decode()
    defs = "\n\n".join(text_of(node) for node in definitions)
    inner = indented("\n".join(text_of(node) for node in rest), "    ")
    form = rng.randrange(6)
    if form == 0:
        tail = f"def {name}():\n{declared}{inner}\n\n\nif __name__ == '__main__':\n    {name}()"
    elif form == 1:
        tail = (
            f"def {name}(_):\n{declared}{inner}\n\n\nif __name__ == '__main__':\n    tf.app.run(main={name})"
        )
    elif form == 2:
        tail = f"def {name}(argv=None):\n{declared}{inner}\n\n\n{name}()"
    elif form == 3:
        tail = f"class Trainer_(object):\n    def {name}(self):\n    {declared}{indented(inner, '    ')}\n\n\nTrainer_().{name}()"
    elif form == 4:
        tail = f"def {name}(*unused):\n{declared}{inner}\n\n\nif __name__ == '__main__':\n    __import__('sys').exit({name}())"
    else:
        tail = (
            f"with tf.Graph().as_default():\n{inner}"
            if not definitions
            else f"def {name}():\n{declared}{inner}\n\n\n{name}()"
        )
    return f"{head}{defs}\n\n\n{tail}\n"


@mutation
def dead_code(source: Source, rng: random.Random) -> str | None:
    """Code that is never run and looks like the real one."""
    texts = [
        "if len('ab') == 3:\n    sess_1 = tf.Session('grpc://nowhere')\n    sess_1.run(None)",
        "def unused_1(num_gpus=2):\n    for i in range(num_gpus):\n        with tf.device('/gpu:%d' % i):\n            yield tf.placeholder(tf.float32)",
        "class Fake_1(object):\n    def run(self, fetches):\n        return fetches\n    Session = property(lambda self: 3)\nassert Fake_1().run(2) == 2 and Fake_1().Session == 3",
        "def average_gradients_1(tower_grads):\n    return tower_grads[0]",
        "for i_1 in range(0):\n    with tf.device('/gpu:%d' % i_1):\n        tf.no_op()",
        "class Opt_1(object):\n    def compute_gradients(self, loss):\n        return [loss]\n    apply_gradients = minimize = compute_gradients\nassert Opt_1().minimize(3) == [3]",
        "def sess_2(run):\n    return run.run(run.Session)",
        "while False:\n    tf.train.Server({'ps': ['a:1']})",
        "assert not isinstance(None, (tf.Session, tf.InteractiveSession))",
        "assert issubclass(tf.Session, object) and callable(tf.Session)",
    ]
    first = source.after_imports()
    edits = [source.before(first, rng.choice(texts))] if first is not None else []
    return source.replaced(edits) if edits and "tf" in source.names() else None


@mutation
def deleted_or_kept(source: Source, rng: random.Random) -> str | None:
    """`del` of a copy, a copy of a name used instead of it, `a = b = value`."""
    found = [
        node
        for node in _movable(source, ast.Assign)
        if isinstance(node.targets[0], ast.Name) and len(node.targets) == 1
    ]
    if not found:
        return None
    edits = []
    for count, node in enumerate(pick(rng, found, 3)):
        text, name = source.of(node), node.targets[0].id
        edits.append((source.lines_of(node), indented(rng.choice([
            f"{text}\ncopy_{count} = {name}\n{name} = None\n{name} = copy_{count}\ndel copy_{count}",
            f"{name} = copy_{count} = {source.of(node.value)}" if "\n" not in text else text,
            f"{text}\ncopy_{count} = [{name}]\n{name}, = copy_{count}",
            f"{text}\n{name} = {name}",
            f"{text}\n{name}, copy_{count} = {name}, 'sess'",
        ]), source.indent(node)) if "\n" not in text else source.block(node)))  # fmt: skip
    return source.replaced(edits)
