"""Changes of a script's tree that keep its meaning; one is dropped where the original no longer prints the same.

What is changed is the tree, not the layout: comments, brackets and line ends are LibCST's matter in
the migration.
"""

from __future__ import annotations

import ast
import builtins
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from textwrap import dedent

Files = dict[str, str]
#: changes a tree; the files beside the script that come of it, or None where it does not apply
Change = Callable[["Source", random.Random], "Files | None"]
#: a script's text -> the files that come of it (the main one is "script.py"), or None where it does
#: not apply
MUTATIONS: dict[str, Callable[[str, random.Random], Files | None]] = {}

#: names that mean something to the migration, given to things that are something else
MISLEADING = (
    "sess", "session", "Session", "strategy", "towers", "tower_grads", "grads", "graph_mode", "TowerStrategy",
    "tower", "build_tower", "average_gradients", "train_op", "saver", "server", "cluster", "step", "optimizer", "opt",
    "loss", "i", "n", "devices", "tf_", "tensorflow", "compat", "v1", "runtime", "tf2towers", "train", "run", "np_",
    "device", "strategy_2", "Session_2", "graph", "num_gpus", "range_", "FLAGS", "flags", "app", "range", "zip",
    "list", "enumerate", "len", "map", "sum", "str", "int", "isinstance", "vars", "type", "id", "self", "cls", "_",
)  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*DEFINITIONS, ast.Lambda, *COMPREHENSIONS)


def mutation(change: Change) -> Change:
    """Adds a change to the campaign."""

    def mutated(text: str, rng: random.Random) -> Files | None:
        source = Source(text)
        before = ast.unparse(source.tree)
        others = change(source, rng)
        after = ast.unparse(source.tree)
        return None if others is None or after == before else {"script.py": f"{after}\n", **others}

    MUTATIONS[change.__name__] = mutated
    return change


class Source:
    """A script's tree, with the parents of its nodes; both are those of before a change."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def all(self, *node_types: type[ast.AST]) -> list:
        """Every node of these kinds, outside f-strings, whose quotes Python 3.11 does not nest."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, node_types)]
        return [node for node in found if not any(isinstance(up, ast.JoinedStr) for up in self.around(node))]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def put(self, old: ast.AST, text: str) -> None:
        """Other statements in the place of a statement, or another expression in that of an expression."""
        new: list = ast.parse(text).body if isinstance(old, ast.stmt) else [ast.parse(text, mode="eval").body]
        for name, value in ast.iter_fields(self.parents[old]):
            if value is old:
                setattr(self.parents[old], name, new[0])
            elif isinstance(value, list) and any(part is old for part in value):
                place = next(at for at, part in enumerate(value) if part is old)
                value[place : place + 1] = new

    def put_some(self, rng: random.Random, options: list[tuple[ast.expr, list[str]]], most: int) -> Files:
        """Up to `most` of the nodes give way to one of their forms; those in other chosen nodes stay."""
        chosen = pick(rng, options, most)
        nodes = {node for node, _ in chosen}
        for node, forms in chosen:
            if not nodes & set(self.around(node)):
                self.put(node, rng.choice(forms))
        return {}

    def before_all(self, text: str) -> Files:
        """Puts statements after the imports."""
        place = self.tree.body.index(self.after_imports())
        self.tree.body[place:place] = ast.parse(text).body
        return {}

    def fresh(self, rng: random.Random, *wanted: str) -> str:
        """A misleading name that the text does not have, strings included."""
        used = set(re.findall(r"\w+", ast.unparse(self.tree)))
        free = [name for name in (wanted or MISLEADING) if name not in used]
        return rng.choice(free) if free else f"name_{rng.randrange(10**6)}"

    def after_imports(self) -> ast.stmt:
        """The first statement at the top that is no import and no docstring; StopIteration where there is none."""
        for node in self.tree.body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            guarded = isinstance(node, ast.Try) and isinstance(node.body[0], IMPORTS)
            if not (isinstance(node, IMPORTS) or docstring or guarded):
                return node
        raise StopIteration

    def tensorflow_import(self) -> ast.Import:
        """`import tensorflow as tf`, alone in its statement, at the top; StopIteration where there is none."""
        imports = (node for node in self.tree.body if isinstance(node, ast.Import) and len(node.names) == 1)
        return next(node for node in imports if ast.unparse(node) == "import tensorflow as tf")

    def function(self, node: ast.AST) -> ast.AST | None:
        """The function, lambda, class or comprehension that a node stands in."""
        return next((up for up in self.around(node) if isinstance(up, SCOPES)), None)

    def bound_at_top(self) -> list[str]:
        """The names that the module's own statements bind by assignment, loop or `with`."""
        stored = [node for node in self.all(ast.Name) if isinstance(node.ctx, ast.Store)]
        return sorted({node.id for node in stored if self.function(node) is None})

    def chains(self, *depths: int) -> dict[str, list[ast.Attribute]]:
        """Dotted names of TensorFlow's of so many parts after `tf`: text -> places."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.all(ast.Attribute):
            text = ast.unparse(node)
            if text.count(".") in depths and re.fullmatch(r"tf(\.\w+)+", text):
                if isinstance(node.ctx, ast.Load):
                    found.setdefault(text, []).append(node)
        return found


def text_of(statements: list[ast.stmt], indent: str = "    ") -> str:
    """Statements, at an indentation."""
    return textwrap.indent("\n".join(map(ast.unparse, statements)), indent)


def pick(rng: random.Random, items: list, most: int = 1) -> list:
    """One to `most` of the items at random, in their order."""
    if not items:
        return []
    chosen = set(rng.sample(range(len(items)), rng.randint(1, min(most, len(items)))))
    return [item for place, item in enumerate(items) if place in chosen]


def bound(*nodes: ast.AST) -> list[str]:
    """Names that statements bind in their own scope."""
    names, pending = set(), list(nodes)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store | ast.Del):
            names.add(part.id)
        elif isinstance(part, DEFINITIONS):
            names.add(part.name)
            continue
        elif isinstance(part, ast.alias):
            names.add(part.asname or part.name.partition(".")[0])
        elif isinstance(part, ast.ExceptHandler) and part.name:
            names.add(part.name)
        if not isinstance(part, (ast.Lambda, *COMPREHENSIONS)):
            pending += ast.iter_child_nodes(part)
    return sorted(names)


# names


def rename(source: Source, old: str, new: str) -> None:
    """Every use of a name, in whatever scope, under another name."""
    nodes = list(ast.walk(source.tree))
    dotted = any(isinstance(node, ast.alias) and node.name.startswith(f"{old}.") for node in nodes)
    if dotted or any(isinstance(node, ast.keyword) and node.arg == old for node in nodes):
        return
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
        elif isinstance(node, ast.arg) and node.arg == old:
            node.arg = new
        elif isinstance(node, ast.alias) and (node.asname or node.name) == old:
            node.asname = new
        elif isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [new if name == old else name for name in node.names]
        elif isinstance(node, (*DEFINITIONS, ast.ExceptHandler)) and node.name == old:
            if not isinstance(source.parents[node], ast.ClassDef):
                node.name = new


@mutation
def other_names(source: Source, rng: random.Random) -> Files:
    """Variables, parameters, functions, classes and imports under misleading names."""
    names = {node.id for node in source.all(ast.Name) if isinstance(node.ctx, ast.Store)}
    names |= {node.arg for node in source.all(ast.arg)} - {"self"}
    names |= {node.name for node in source.all(*DEFINITIONS)}
    names |= {node.asname or node.name for node in source.all(ast.alias)}
    for name in pick(rng, sorted(names), 4):
        rename(source, name, source.fresh(rng))
    return {}


@mutation
def import_form(source: Source, rng: random.Random) -> Files:
    form = rng.choice([
        "import tensorflow.compat.v1 as tf", "from tensorflow.compat import v1 as tf", "tf = __import__('tensorflow')",
        "from tensorflow import compat\ntf = compat.v1", "import tensorflow\ntf = tensorflow",
        "import tensorflow\nimport tensorflow as tf", dedent(
            """\
            try:
                import tensorflow as tf
            except ImportError:
                raise"""
        ),
        dedent(
            """\
            try:
                import tensorflow.compat.v1 as tf
            except ImportError:
                import tensorflow as tf"""
        ),
        "import tensorflow as first\ntf = first", "import tensorflow as tf, os as operating_system",
        "import os as operating_system, tensorflow as tf", "import tensorflow as tf; tf_again = tf",
        "if True:\n    import tensorflow as tf", "import tensorflow as tf\nimport tensorflow as tf",
        "import importlib\ntf = importlib.import_module('tensorflow')", "tf = None\nimport tensorflow as tf",
        "import tensorflow as _tensorflow\nglobals()['tf'] = _tensorflow", "import sys, tensorflow\ntf = sys.modules['tensorflow']",
    ])  # fmt: skip
    source.put(source.tensorflow_import(), form)
    return {}


@mutation
def from_import(source: Source, rng: random.Random) -> Files:
    node, found = source.tensorflow_import(), source.chains(1)
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    names = sorted(text for text in found if text[3:] not in used and not text.endswith("app"))
    imported = {}
    for text in pick(rng, names, 6):
        other = source.fresh(rng) if rng.random() < 0.3 else text[3:]
        imported[text[3:]] = text[3:] if other in imported.values() else other
        for place in found[text]:
            source.put(place, imported[text[3:]])
    lines = [f"from {rng.choice(['tensorflow', 'tensorflow', 'tensorflow.compat.v1'])} import "]
    lines[0] += ", ".join(f"{name} as {other}" for name, other in imported.items())
    lines.insert(rng.randrange(2), "import tensorflow as tf")
    source.put(node, "\n".join(lines))
    return {}


@mutation
def alias_of_symbol(source: Source, rng: random.Random) -> Files:
    """`tfs = tf.Session`, or in a dict, a tuple, a class: used wherever the symbol was, or in some of the places."""
    node, found = source.tensorflow_import(), source.chains(1, 2)
    text, name = rng.choice(sorted(found)), source.fresh(rng)
    made, use = rng.choice([
        (f"{name} = {text}", name), (f"({name},) = [{text}]", name), (f"{name} = [tf, {text}]", f"{name}[1]"),
        (f"{name} = {{'run': {text}}}", f"{name}['run']"), (f"class {name}:\n    run = {text}", f"{name}.run"),
        (f"class {name}(object):\n    tf = tf\n    run = staticmethod({text})", f"{name}.run"),
        (f"{name} = type('sess', (), {{'run': staticmethod({text})}})", f"{name}.run"),
        (f"def {name}():\n    return {text}", f"{name}()"), (f"{name} = lambda: {text}", f"{name}()"),
        (f"import operator\n{name} = operator.attrgetter({text[3:]!r})", f"{name}(tf)"),
    ])  # fmt: skip
    places = [place for place in found[text] if place.lineno > node.lineno]
    for place in pick(rng, places, len(places)) if rng.random() < 0.5 else places:
        source.put(place, use)
    source.put(node, f"import tensorflow as tf\n{made}")
    return {}


@mutation
def bound_again_at_the_end(source: Source, rng: random.Random) -> Files:
    names = source.bound_at_top() + [node.name for node in source.tree.body if isinstance(node, DEFINITIONS)]
    names += [node.asname or node.name.partition(".")[0] for node in source.all(ast.alias)]
    values = ["'done'", "None", "0", "[]", "'sess.run(train_op)'", "lambda *a: None", "print", "object()"]
    for name in pick(rng, sorted(set(names)), 3):
        source.tree.body += ast.parse(rng.choice([
            f"{name} = {rng.choice(values)}", f"def {name}(*args):\n    pass", f"class {name}:\n    run = None",
            f"del {name}", f"for {name} in 'ab':\n    pass", f"if len('ab') == 2:\n    {name} = 'later'",
            f"import os as {name}",
        ])).body  # fmt: skip
    return {}


@mutation
def never_bound_so(source: Source, rng: random.Random) -> Files:
    """A binding that is not reached, or one of a function's own."""
    name = rng.choice([*source.bound_at_top(), "tf", "np"])
    value = rng.choice(["None", "'x'", "tf.Session", "tf.placeholder", "tf", "range", "print"])
    return source.before_all(rng.choice([
        f"if len('ab') == 3:\n    {name} = {value}", f"while False:\n    {name} = {value}",
        f"def unused_{name}({name}=None, *sess):\n    {name} = sess\n    return {name}",
        f"class Unused_{name}(object):\n    {name} = None\n    def run(self, {name}):\n        return {name}",
        f"unused_{name} = lambda {name}: {name}.run({name}.Session())", f"unused_{name} = [{name} for {name} in 'sess']",
        f"for unused_{name} in ():\n    {name} = {value}",
        f"try:\n    pass\nexcept Exception as unused_{name}:\n    {name} = {value}",
        f"def unused_{name}():\n    global {name}\n    {name} = {value}",
    ]))  # fmt: skip


@mutation
def into_namespace(source: Source, rng: random.Random) -> Files:
    """A variable becomes an attribute of a class, a namespace, or a dict's item, wherever it is used."""
    nodes = list(ast.walk(source.tree))
    taken = {node.arg for node in nodes if isinstance(node, ast.arg | ast.keyword)} | {
        name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    taken |= set(bound(*(node for node in nodes if isinstance(node, (*IMPORTS, *DEFINITIONS)))))
    inner = [node for node in nodes if isinstance(node, ast.comprehension | ast.NamedExpr | ast.JoinedStr)]
    taken |= {name.id for node in inner for name in ast.walk(node) if isinstance(name, ast.Name)}
    home = source.fresh(rng, "Box", "state", "G", "context", "self", "tf1", "sess")
    made, form = rng.choice([
        (f"class {home}(object):\n    pass", "{home}.{name}"), (f"{home} = {{}}", "{home}['{name}']"),
        (f"import types\n{home} = types.SimpleNamespace()", "{home}.{name}"), (f"{home} = dict()", "{home}[{name!r}]"),
        (f"import argparse\n{home} = argparse.Namespace()", "{home}.{name}"),
        (f"class {home}_type(object):\n    def __getattr__(self, name):\n        raise AttributeError(name)\n"
         f"{home} = {home}_type()", "{home}.{name}"),
    ])  # fmt: skip
    for name in pick(rng, [name for name in source.bound_at_top() if name not in taken], 5):
        for use in source.all(ast.Name):
            if use.id == name:
                source.put(use, form.format(home=home, name=name))
    return source.before_all(made)


# expressions


def awkward(source: Source, node: ast.expr) -> bool:
    """True if an expression means something else, or nothing, in a lambda or a comprehension."""
    parts = (ast.Yield, ast.Await, ast.NamedExpr, ast.Starred)
    inside = any(isinstance(part, parts) for part in ast.walk(node)) or "super()" in ast.unparse(node)
    return inside or isinstance(source.function(node), ast.ClassDef)


VALUES = (
    "({} if True else None)", "({} if 'sess' else tf.Session)", "(lambda: {})()", "(lambda *a, **k: {})(1, run=2)", "[{}][0]",
    "({}, 'sess.run')[0]", "{{'run': {}}}['run']", "{{'a': lambda: {}}}['a']()", "next(iter([{}]))", "(None if not True else {})",
    "[z_ for z_ in [{}]][0]", "max([{}], key=id)", "(lambda sess: sess)({})", "(lambda tf_: tf_)({})", "(lambda z_=({}): z_)()",
    "dict(run={}).get('run')", "list(map(lambda run: run, [{}]))[0]", "(True and {})",
)  # fmt: skip


@mutation
def another_form_of_a_value(source: Source, rng: random.Random) -> Files:
    """Conditional expressions, lambdas, dicts, tuples and the like around values, arguments and results."""
    values = [node.value for node in source.all(ast.Assign, ast.Return) if node.value is not None]
    for node in source.all(ast.Call):
        values += [part for part in node.args if not isinstance(part, ast.Starred | ast.GeneratorExp)]
        values += [keyword.value for keyword in node.keywords]
    options = []
    for node in values:
        if not awkward(source, node):
            forms = list(VALUES) + ["({} or None)"] * isinstance(node, ast.Call)
            if not isinstance(source.function(node), (ast.Lambda, *COMPREHENSIONS)):
                forms.append("(z_ := {})")
            options.append((node, [form.format(f"({ast.unparse(node)})") for form in forms]))
    return source.put_some(rng, options, 6)


@mutation
def called_in_another_way(source: Source, rng: random.Random) -> Files:
    """Star-args, keyword dicts, partials, getattr, unbound methods."""
    options = []
    for node in source.all(ast.Call):
        starred = any(isinstance(part, ast.Starred | ast.GeneratorExp) for part in node.args)
        if starred or not all(keyword.arg for keyword in node.keywords) or "super" in ast.unparse(node):
            continue
        func, args = ast.unparse(node.func), [ast.unparse(argument) for argument in node.args]
        keys = [(keyword.arg, ast.unparse(keyword.value)) for keyword in node.keywords]
        written = [f"{name}={value}" for name, value in keys]
        every, before = ", ".join([*args, *written]), "".join(f"{argument}, " for argument in args)
        forms = [f"(lambda run, *a, **k: run(*a, **k))({', '.join([func, *args, *written])})",
                 f"({func})({', '.join([*args, *reversed(written)])})"]  # fmt: skip
        if args:
            forms.append(f"{func}(*[{', '.join(args)}]{''.join(', ' + argument for argument in written)})")
            forms.append(f"__import__('functools').partial({func}, {every})()")
        if keys:
            forms.append(f"{func}({before}**{{{', '.join(f'{name!r}: {value}' for name, value in keys)}}})")
            forms.append(f"{func}({before}**dict({', '.join(written)}))")
        if isinstance(node.func, ast.Attribute):
            value, name = ast.unparse(node.func.value), node.func.attr
            forms.append(f"getattr({value}, {name!r})({every})")
            if name == "run":
                named = [f"{name}={part}" for name, part in zip(("fetches", "feed_dict"), args, strict=False)]
                forms.append(f"{func}({', '.join([*named, *written])})")
            if name in ("run", "restore", "save"):
                forms.append(f"type({value}).{name}({', '.join([value, *args, *written])})")
        options.append((node, forms))
    return source.put_some(rng, options, 5)


DEVICES = (
    "f'{0}{{{1}}}'", "'{0}{{}}'.format({1})", "'{0}' + str({1})", "''.join(['{0}', str({1})])", "'{0}{{0}}'.format({1})",
    "'{0}{{k}}'.format(k={1})", "'{0}%(k)s' % {{'k': {1}}}", "'{0}%d' % ({1},)", "'%s%s' % ('{0}', {1})",
)  # fmt: skip


@mutation
def device_strings(source: Source, rng: random.Random) -> Files:
    """`'/gpu:%d' % i` in other forms."""
    for node in source.all(ast.BinOp):
        text = getattr(node.left, "value", None)
        if not isinstance(node.op, ast.Mod) or not isinstance(text, str) or isinstance(node.right, ast.Tuple):
            continue
        head, value = text[:-2], ast.unparse(node.right)
        if text.count("%") == 1 and text.endswith(("%d", "%s", "%i")) and not set("{'\"") & set(head + value):
            source.put(node, f"({rng.choice(DEVICES).format(head, value)})")
    return {}


@mutation
def extract_constant(source: Source, rng: random.Random) -> Files:
    """Numbers and strings become constants at the top, of a class, or of a dict."""
    first = source.after_imports()
    nodes = [
        node for node in source.all(ast.Constant)
        if isinstance(node.value, int | float | str) and not isinstance(node.value, bool) and node.lineno >= first.lineno
        and not isinstance(source.parents[node], ast.Expr)
    ]  # fmt: skip
    made, use = rng.choice([
        ("class C{count}(object):\n    {name} = {value}", "C{count}.{name}"), ("{name} = {{'n': {value}}}", "{name}['n']"),
        ("{name}, other_{count} = {value}, None", "{name}"), ("{name} = None\n{name} = {value}", "{name}"),
        ("{name} = {value}", "{name}"),
    ])  # fmt: skip
    lines = []
    for count, node in enumerate(pick(rng, nodes, 6)):
        words = {
            "count": count,
            "name": f"{rng.choice(['NUM_GPUS', 'sess'])}_{count}",
            "value": ast.unparse(node),
        }
        lines.append(made.format(**words))
        source.put(node, use.format(**words))
    return source.before_all("\n".join(lines))


LOOPS = (
    "{0} in list({1})", "k_, {0} in enumerate({1})", "{0}, k_ in zip(*[list({1})] * 2)", "{0} in [z_ for z_ in {1}]",
    "{0} in (z_ for z_ in {1})", "{0} in iter({1})", "{0} in map(lambda z_: z_, {1})", "{0} in tuple({1})", "{0} in sorted({1})",
    "k_, {0} in enumerate({1}, 1)", "{0} in __import__('itertools').chain({1}, [])", "{0} in list({1})[:]", "{0} in [*{1}]",
    "{0} in list({1}) + []", "{0} in reversed(list(reversed(list({1}))))", "({0},) in zip({1})", "{0} in dict.fromkeys({1})",
    "{0} in filter(lambda z_: True, {1})",
)  # fmt: skip


@mutation
def iterables(source: Source, rng: random.Random) -> Files:
    """What a loop goes through in another form."""
    for node in pick(rng, source.all(ast.For), 3):
        target, iterable = f"({ast.unparse(node.target)})", f"({ast.unparse(node.iter)})"
        (made,) = ast.parse(f"for {rng.choice(LOOPS).format(target, iterable)}: pass").body
        node.target, node.iter = made.target, made.iter
    return {}


RANGES = (
    "range(0, {})", "range(0, {}, 1)", "list(range({}))", "np.arange({})", "[k_ for k_ in range({})]", "range(*[{}])",
    "sorted(range({}))", "range(int({}))", "range(len([None] * ({})))", "range({})[:]", "np.arange({}).tolist()",
    "__import__('six').moves.range({})", "__import__('itertools').islice(__import__('itertools').count(), {})",
)  # fmt: skip


@mutation
def ranges(source: Source, rng: random.Random) -> Files:
    for node in source.all(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "range" and len(node.args) == 1:
            source.put(node, rng.choice(RANGES).format(ast.unparse(node.args[0])))
    return {}


# statements


def jumps_out(node: ast.stmt) -> bool:
    """True if a `return`, `break` or `continue` in it acts on what is around it."""
    pending: list[tuple[ast.AST, bool]] = [(node, False)]
    while pending:
        part, in_loop = pending.pop()
        if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom | ast.Await):
            return True
        if isinstance(part, ast.Break | ast.Continue) and not in_loop:
            return True
        if not isinstance(part, (*DEFINITIONS, ast.Lambda)):
            inner = in_loop or isinstance(part, ast.For | ast.While)
            pending += [(child, inner) for child in ast.iter_child_nodes(part)]
    return False


BLOCKS = (
    "if True:\n{}", dedent(
        """\
        try:
        {}
        finally:
            pass"""
    ), dedent(
        """\
        try:
        {}
        except ZeroDivisionError:
            raise"""
    ),
    dedent(
        """\
        if 'sess':
        {}
        else:
            sess = None"""
    ), "with __import__('contextlib').suppress(ZeroDivisionError):\n{}",
    dedent(
        """\
        try:
            pass
        finally:
        {}"""
    ), dedent(
        """\
        if not True:
            pass
        else:
        {}"""
    ), dedent(
        """\
        if False:
            import os as tf
        else:
        {}"""
    ),
)  # fmt: skip
ROUNDS = (
    "for k_ in range(1):\n{}", "while True:\n{}\n    break", "for sess_ in ['sess']:\n{}", dedent(
        """\
        for k_ in (0,):
        {}
        else:
            pass"""
    ),
)  # fmt: skip


@mutation
def block_around(source: Source, rng: random.Random) -> Files:
    """`if True`, `try`, `with`, a loop of one round around a statement."""
    node = rng.choice(source.all(ast.Assign, ast.Expr, ast.For, ast.With, ast.If, ast.AugAssign))
    forms = BLOCKS if jumps_out(node) else BLOCKS + ROUNDS
    source.put(node, rng.choice(forms).format(text_of([node])))
    return {}


@mutation
def statement_into_function(source: Source, rng: random.Random) -> Files:
    """A statement at the top, or in a function, goes into a function that is called there."""
    found = [
        node for node in source.all(ast.Assign, ast.Expr, ast.For, ast.With)
        if not jumps_out(node) and not isinstance(source.function(node), ast.ClassDef)
    ]  # fmt: skip
    big = [node for node in found if isinstance(node, ast.For | ast.With)]
    node = rng.choice(big if big and rng.random() < 0.7 else found)
    names, inside = bound(node), source.function(node)
    name = source.fresh(rng, "build", "train_loop", "run", "towers", "sess", "helper", "average_gradients")
    kind, head = "global", ""
    if inside is not None:
        kind = "nonlocal"
        parts = [part for part in ast.walk(inside) if getattr(part, "lineno", node.lineno) < node.lineno]
        own = {part.arg for part in ast.walk(inside) if isinstance(part, ast.arg)} | set(bound(*parts))
        head = "".join(f"{name} = None\n" for name in names if name not in own)
    body = (f"    {kind} {', '.join(names)}\n" if names else "") + text_of([node])
    forms = [
        f"{head}def {name}():\n{body}\n{name}()",
        f"{head}def {name}(*args, **kwargs):\n    '''sess.run'''\n{body}\n{name}(1, session=None)",
        f"{head}def {name}():\n{body}\n    return None\nignored = {name}()",
    ]
    if not names or inside is None:
        home, method = f"{name.title()}_", "run" if names else "__call__"
        call = f"{home}().run()" if names else f"{home}()()"
        body = textwrap.indent(body, "    ")
        forms.append(f"class {home}(object):\n    def {method}(self):\n{body}\n{call}")
    source.put(node, rng.choice(forms))
    return {}


@mutation
def value_into_function(source: Source, rng: random.Random) -> Files:
    """`v = expression` as `v = helper()`, with the names it needs as parameters or not."""
    node = rng.choice([node for node in source.all(ast.Assign) if not awkward(source, node.value)])
    value = ast.unparse(node.value)
    result = ast.unparse(node).removesuffix(value)
    names = [part for part in ast.walk(node.value) if isinstance(part, ast.Name)]
    inner = {part.id for part in names if isinstance(part.ctx, ast.Store)}
    inner |= {part.arg for part in ast.walk(node.value) if isinstance(part, ast.arg)}
    used = sorted({part.id for part in names if isinstance(part.ctx, ast.Load)} - inner)
    some = pick(rng, used, len(used))
    name = source.fresh(rng, "make", "get_session", "session", "build", "create", "model", "sess_")
    given, named = ", ".join(some), ", ".join(f"{parameter}={parameter}" for parameter in some)
    home = f"{name.title()}_"
    source.put(node, rng.choice([
        f"def {name}():\n    return {value}\n{result}{name}()",
        f"def {name}({given}):\n    return {value}\n{result}{name}({given})",
        f"def {name}({given}):\n    return {value}\n{result}{name}({named})",
        f"def {name}({named}):\n    return {value}\n{result}{name}()",
        f"{name} = lambda: ({value})\n{result}{name}()",
        f"def {name}():\n    yield ({value})\n{result}next({name}())",
        f"class {home}(object):\n    def get({', '.join(['self', *some])}):\n        return {value}\n{result}{home}().get({given})",
    ]))  # fmt: skip
    return {}


@mutation
def with_forms(source: Source, rng: random.Random) -> Files:
    """`with a, b:` against nested; managers made before; ExitStack; by hand."""
    node = rng.choice(source.all(ast.With))
    body = text_of(node.body)
    if len(node.items) > 1:
        for item in reversed(node.items):
            body = textwrap.indent(f"with {ast.unparse(item)}:\n{body}", "    ")
        source.put(node, textwrap.dedent(body))
        return {}
    value, target = ast.unparse(node.items[0].context_expr), node.items[0].optional_vars
    name = ast.unparse(target) if target is not None else ""
    named = f" as {name}" if name else ""
    forms = [
        f"manager = {value}\nwith manager{named}:\n{body}",
        f"import contextlib\nwith contextlib.ExitStack() as stack:\n    {name and name + ' = '}stack.enter_context({value})\n{body}",
        f"with {value}{named}, __import__('contextlib').suppress(KeyError):\n{body}",
        "import contextlib\n@contextlib.contextmanager\ndef around_sess():\n"
        f"    with {value} as inner_sess:\n        yield inner_sess\nwith around_sess(){named}:\n{body}",
    ]  # fmt: skip
    if name and "Session" in value:
        forms.append(f"{name} = {value}\nwith {name}.as_default():\n{body}\n{name}.close()")
        forms.append(f"{name} = {value}\nwith {name}:\n{body}")
    source.put(node, rng.choice(forms))
    return {}


@mutation
def whole_into_main(source: Source, rng: random.Random) -> Files | None:
    """Everything after the imports goes into a function, or only what stands beside the definitions."""
    place = source.tree.body.index(source.after_imports())
    if "__name__" in ast.unparse(source.tree):
        return None
    body, apart = source.tree.body[place:], rng.random() < 0.5
    definitions = [node for node in body if apart and isinstance(node, DEFINITIONS)]
    rest = [node for node in body if node not in definitions]
    names = bound(*rest)
    declared = f"    global {', '.join(names)}\n" if definitions and names else ""
    name, run = source.fresh(rng, "main", "train", "run", "run_training"), declared + text_of(rest)
    tails = [
        f"def {name}():\n{run}\n\n\nif __name__ == '__main__':\n    {name}()",
        f"def {name}(_):\n{run}\n\n\nif __name__ == '__main__':\n    tf.app.run(main={name})",
        f"def {name}(argv=None):\n{run}\n\n\n{name}()",
        f"class Trainer_(object):\n    def {name}(self):\n{textwrap.indent(run, '    ')}\n\n\nTrainer_().{name}()",
        f"def {name}(*unused):\n{run}\n\n\nif __name__ == '__main__':\n    __import__('sys').exit({name}())",
    ]
    if not definitions:
        tails.append(f"with tf.Graph().as_default():\n{run}")
    source.tree.body[place:] = [*definitions, *ast.parse(rng.choice(tails)).body]
    return {}


# files


def free(node: ast.AST) -> set[str]:
    """Names that a definition uses and does not bind anywhere inside."""
    parts = list(ast.walk(node))
    names = [part for part in parts if isinstance(part, ast.Name)]
    inner = {part.id for part in names if isinstance(part.ctx, ast.Store)}
    inner |= {part.arg for part in parts if isinstance(part, ast.arg)}
    inner |= {part.name for part in parts if isinstance(part, DEFINITIONS)}
    return {part.id for part in names if not hasattr(builtins, part.id)} - inner


@mutation
def functions_into_module(source: Source, rng: random.Random) -> Files | None:
    """Functions and classes go into a local module, reached in one of several ways."""
    imports = [node for node in source.tree.body if isinstance(node, IMPORTS)]
    known, moved = set(bound(*imports)), []
    for node in source.tree.body:
        if isinstance(node, DEFINITIONS) and not any(isinstance(part, ast.Global) for part in ast.walk(node)):
            if free(node) <= known | {other.name for other in moved}:
                moved.append(node)
    moved = moved if rng.random() < 0.6 else moved[:1]
    if not moved:
        return None
    text = text_of([*imports, *moved], "") + "\n"
    module = rng.choice(["helpers", "model", "train", "utils", "session", "tower_lib", "average", "strategy"])
    names = ", ".join(node.name for node in moved)

    def through(home: str) -> str:
        return "".join(f"\n{node.name} = {home}.{node.name}" for node in moved)

    line, others = rng.choice([
        (f"from {module} import {names}", {f"{module}.py": text}),
        (f"from {module} import *", {f"{module}.py": text}),
        (f"import {module} as lib_{through('lib_')}", {f"{module}.py": text}),
        (f"import {module}{through(module)}", {f"{module}.py": text}),
        (f"from pkg_.{module} import {names}", {f"pkg_/{module}.py": text, "pkg_/__init__.py": ""}),
        (f"from pkg_ import {names}", {f"pkg_/{module}.py": text, "pkg_/__init__.py": f"from .{module} import {names}\n"}),
        (f"from again_ import {names}", {f"{module}.py": text, "again_.py": f"from {module} import *\n"}),
    ])  # fmt: skip
    first = next(node for node in imports if getattr(node, "module", "") != "__future__")
    source.put(first, f"{line}\n{ast.unparse(first)}")
    source.tree.body[:] = [node for node in source.tree.body if node not in moved]
    return others


@mutation
def tensorflow_through_module(source: Source, rng: random.Random) -> Files:
    """A local module hands TensorFlow, or one of its symbols, to the script."""
    node, found = source.tensorflow_import(), source.chains(1)
    line, text = rng.choice([
        ("from common_ import tf", ""), ("from common_ import *", "import numpy as np\n"), ("import common_\ntf = common_.tf", ""),
        ("import common_ as tf", "from tensorflow import *\nfrom tensorflow import train, nn, layers, losses, summary, app, flags, "
                                 "gfile, logging, contrib\n"),
        ("", ""), ("", ""),
    ])  # fmt: skip
    if not line:
        chosen = pick(rng, sorted(found), 3)
        for name in chosen:
            for place in found[name]:
                source.put(place, f"{name[3:]}_")
        line = "import tensorflow as tf\nfrom common_ import " + ", ".join(f"{name[3:]}_" for name in chosen)
        text = "".join(f"{name[3:]}_ = {name}\n" for name in chosen)
    source.put(node, line)
    return {"common_.py": f"import tensorflow as tf\n{text}"}


@mutation
def whole_into_module(source: Source, rng: random.Random) -> Files | None:
    """The main script only imports the module that has everything."""
    text = ast.unparse(source.tree) + "\n"
    if "__name__" in text or "__main__" in text:
        return None
    package = {"pkg_/everything_.py": text, "pkg_/__init__.py": "# tf.Session\n"}
    line, files = rng.choice([
        ("import everything_", {"everything_.py": text}),
        ("import tensorflow as tf\nfrom everything_ import *", {"everything_.py": text}),
        ("if __name__ == '__main__':\n    import everything_ as sess", {"everything_.py": text}),
        (dedent(
            """\
            def main():
                from pkg_ import everything_


            main()"""
        ), package),
    ])  # fmt: skip
    source.tree.body[:] = ast.parse(line).body
    return files
