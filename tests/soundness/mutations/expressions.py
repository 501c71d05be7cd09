"""Mutations of expressions: the same value in another form."""

from __future__ import annotations

import ast
import random

from mutations.layout import expressions
from mutations.text import Source, mutation, pick


def _values(source: Source) -> list[ast.expr]:
    """Values of assignments, arguments and results, which may become another expression."""
    found: list[ast.expr] = [node.value for node in source.all(ast.Assign)]
    found += [node.value for node in source.all(ast.Return) if node.value is not None]
    for node in source.all(ast.Call):
        found += [part for part in node.args if not isinstance(part, ast.Starred | ast.GeneratorExp)]
        found += [keyword.value for keyword in node.keywords]
    return [node for node in found if not _awkward(source, node)]


def _awkward(source: Source, node: ast.expr) -> bool:
    if any(isinstance(part, ast.Yield | ast.Await | ast.NamedExpr | ast.Starred) for part in ast.walk(node)):
        return True
    if isinstance(node, ast.Tuple) and not source.of(node).startswith("("):
        return True
    return isinstance(source.function(node), ast.ClassDef) or "super()" in source.of(node)


VALUES = (
    "({} if True else None)", "({} if 'sess' else tf.Session)", "(lambda: {})()", "(lambda *a, **k: {})(1, run=2)", "[{}][0]",
    "({}, 'sess.run')[0]", "{{'run': {}}}['run']", "{{'a': lambda: {}}}['a']()", "next(iter([{}]))", "(None if not True else {})",
    "[z_ for z_ in [{}]][0]", "max([{}], key=id)", "(lambda sess: sess)({})", "(lambda tf_: tf_)({})", "(lambda z_=({}): z_)()",
    "dict(run={}).get('run')", "list(map(lambda run: run, [{}]))[0]", "(True and {})",
)  # fmt: skip


@mutation
def another_form_of_a_value(source: Source, rng: random.Random) -> str | None:
    """Conditional expressions, lambdas, dicts, tuples and the like around values."""
    options = []
    for node in _values(source):
        text = source.of(node)
        if "#" not in text:
            forms = list(VALUES) + ["({} or None)"] * isinstance(node, ast.Call)
            if not isinstance(source.function(node), ast.ListComp | ast.GeneratorExp | ast.Lambda):
                forms.append("(z_ := {})")
            text = f"({text})" if isinstance(node, ast.Lambda | ast.IfExp) else text
            options.append((node, [form.format(text) for form in forms]))
    return source.one_of(rng, options, 6)


@mutation
def called_in_another_way(source: Source, rng: random.Random) -> str | None:
    """Star-args, keyword dicts, partials, getattr, unbound methods."""
    options = []
    for node in source.all(ast.Call):
        text = source.of(node)
        starred = any(isinstance(part, ast.Starred | ast.GeneratorExp) for part in node.args)
        if starred or not all(keyword.arg for keyword in node.keywords) or "super" in text or "#" in text:
            continue
        func, args = source.of(node.func), [source.of(argument) for argument in node.args]
        keys = [(keyword.arg, source.of(keyword.value)) for keyword in node.keywords]
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
            value, name = source.of(node.func.value), node.func.attr
            forms.append(f"getattr({value}, {name!r})({every})")
            if name == "run":
                named = [f"{name}={part}" for name, part in zip(("fetches", "feed_dict"), args, strict=False)]
                forms.append(f"{func}({', '.join([*named, *written])})")
            if name in ("run", "restore", "save"):
                forms.append(f"type({value}).{name}({', '.join([value, *args, *written])})")
        options.append((node, forms))
    return source.one_of(rng, options, 5)


@mutation
def device_strings(source: Source, rng: random.Random) -> str | None:
    """`'/gpu:%d' % i` in other forms."""
    edits = []
    for node in source.all(ast.BinOp):
        text = getattr(node.left, "value", None)
        if not isinstance(node.op, ast.Mod) or not isinstance(text, str) or isinstance(node.right, ast.Tuple):
            continue
        head, value = text[:-2], source.of(node.right)
        if text.count("%") == 1 and text.endswith(("%d", "%s", "%i")) and not set("{'\"") & set(head + value):
            edits.append((node, "(" + rng.choice([
                f'f"{head}{{{value}}}"', f"'{head}{{}}'.format({value})", f"'{head}' + str({value})",
                f"''.join(['{head}', str({value})])", f"'{head}{{0}}'.format({value})", f"'{head}{{k}}'.format(k={value})",
                f"'{head}%(k)s' % {{'k': {value}}}", f"'{head[:2]}' '{head[2:]}%d' % ({value})", f"('{head}%d' % ({value},))",
                f"':'.join(['{head.rstrip(':')}', repr({value})])", f"'%s%s' % ('{head}', {value})",
            ]) + ")"))  # fmt: skip
    return source.replaced(edits) if edits else None


@mutation
def extract_constant(source: Source, rng: random.Random) -> str | None:
    """Numbers and strings become constants at the top, of a class, or of a dict."""
    first = source.after_imports()
    nodes = [
        node for node in expressions(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
        and node.lineno == node.end_lineno and source.start(node) >= source.start(first)
    ]  # fmt: skip
    if not nodes:
        return None
    made, use = rng.choice([
        ("class C{count}(object):\n    {name} = {value}", "C{count}.{name}"), ("{name} = {{'n': {value}}}", "{name}['n']"),
        ("{name}, other_{count} = {value}, None", "{name}"), ("{name} = None\n{name} = {value}", "{name}"),
        ("{name} = {value}", "{name}"),
    ])  # fmt: skip
    edits, lines = [], []
    for count, node in enumerate(pick(rng, nodes, 6)):
        words = {
            "count": count,
            "name": rng.choice([f"NUM_GPUS_{count}", f"sess_{count}"]),
            "value": source.of(node),
        }
        lines.append(made.format(**words))
        edits.append((node, use.format(**words)))
    return source.replaced([source.before(first, "\n".join(lines)), *edits])


LOOPS = (
    "{0} in list({1})", "k_, {0} in enumerate({1})", "{0}, k_ in zip(*[list({1})] * 2)", "{0} in [z_ for z_ in {1}]",
    "{0} in (z_ for z_ in {1})", "{0} in iter({1})", "{0} in map(lambda z_: z_, {1})", "{0} in tuple({1})", "{0} in sorted({1})",
    "k_, {0} in enumerate({1}, 1)", "{0} in __import__('itertools').chain({1}, [])", "{0} in list({1})[:]", "{0} in [*{1}]",
    "{0} in list({1}) + []", "{0} in reversed(list(reversed(list({1}))))", "({0},) in zip({1})", "{0} in dict.fromkeys({1})",
    "{0} in filter(lambda z_: True, {1})",
)  # fmt: skip


@mutation
def iterables(source: Source, rng: random.Random) -> str | None:
    """What a loop goes through in another form."""
    edits = []
    for node in pick(rng, source.all(ast.For), 3):
        target = source.of(node.target)
        if isinstance(node.target, ast.Tuple) and not target.startswith("("):
            target = f"({target})"
        place = (source.start(node.target), source.end(node.iter))
        edits.append((place, rng.choice(LOOPS).format(target, source.of(node.iter))))
    return source.replaced(edits) if edits else None


RANGES = (
    "range(0, {})", "range(0, {}, 1)", "list(range({}))", "np.arange({})", "[k_ for k_ in range({})]", "range(*[{}])",
    "sorted(range({}))", "range(int({}))", "range(len([None] * ({})))", "range({})[:]", "np.arange({}).tolist()",
    "__import__('six').moves.range({})", "__import__('itertools').islice(__import__('itertools').count(), {})",
)  # fmt: skip


@mutation
def ranges(source: Source, rng: random.Random) -> str | None:
    edits = [
        (node, rng.choice(RANGES).format(source.of(node.args[0])))
        for node in source.all(ast.Call)
        if isinstance(node.func, ast.Name) and node.func.id == "range" and len(node.args) == 1
    ]
    return source.replaced(edits) if edits else None
