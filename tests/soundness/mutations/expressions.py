"""Mutations of expressions: the same value in another form."""

from __future__ import annotations

import ast
import random

from mutations.layout import expressions, outermost
from mutations.text import Source, mutation, pick


def _values(source: Source) -> list[ast.expr]:
    """Values of assignments, arguments and results, which may become another expression."""
    found: list[ast.expr] = [node.value for node in source.all(ast.Assign)]
    found += [node.value for node in source.all(ast.Return) if node.value is not None]
    for node in source.all(ast.Call):
        found += [
            argument for argument in node.args if not isinstance(argument, ast.Starred | ast.GeneratorExp)
        ]
        found += [keyword.value for keyword in node.keywords]
    return [node for node in found if not _awkward(source, node)]


def _awkward(source: Source, node: ast.expr) -> bool:
    if any(isinstance(part, ast.Yield | ast.Await | ast.NamedExpr | ast.Starred) for part in ast.walk(node)):
        return True
    if isinstance(node, ast.Tuple) and not source.of(node).startswith("("):
        return True
    return isinstance(source.function(node), ast.ClassDef) or "super()" in source.of(node)


@mutation
def another_form_of_a_value(source: Source, rng: random.Random) -> str | None:
    """Conditional expressions, lambdas, dicts, tuples and the like around values."""
    forms = [
        "({} if True else None)", "({} if 'sess' else tf.Session)", "(lambda: {})()", "(lambda *a, **k: {})(1, run=2)",
        "[{}][0]", "({}, 'sess.run')[0]", "{{'run': {}}}['run']", "({} or None)", "{{'a': lambda: {}}}['a']()",
        "next(iter([{}]))", "(None if not True else {})", "[z_ for z_ in [{}]][0]", "max([{}], key=id)",
        "(lambda sess: sess)({})", "(lambda tf_: tf_)({})", "(lambda z_=({}): z_)()", "dict(run={}).get('run')",
        "list(map(lambda run: run, [{}]))[0]", "(True and {})", "(z_ := {})",
    ]  # fmt: skip
    nodes = outermost(source, pick(rng, _values(source), 6))
    edits = []
    for node in nodes:
        form = rng.choice(forms)
        if " or None" in form and not isinstance(node, ast.Call):
            continue
        if ":=" in form and isinstance(source.function(node), ast.ListComp | ast.GeneratorExp | ast.Lambda):
            continue
        text = source.of(node)
        if isinstance(node, ast.Lambda | ast.IfExp):
            text = f"({text})"
        if "#" not in text:
            edits.append((node, form.format(text)))
    return source.replaced(edits) if edits else None


@mutation
def called_in_another_way(source: Source, rng: random.Random) -> str | None:
    """Star-args, keyword dicts, partials, getattr, unbound methods."""
    calls = [
        node for node in source.all(ast.Call)
        if not any(isinstance(argument, ast.Starred) for argument in node.args) and all(keyword.arg for keyword in node.keywords)
        and not (len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp))
        and "super" not in source.of(node) and "#" not in source.of(node)
    ]  # fmt: skip
    edits = []
    for node in outermost(source, pick(rng, calls, 5)):
        func = source.of(node.func)
        args = [source.of(argument) for argument in node.args]
        keys = [(keyword.arg, source.of(keyword.value)) for keyword in node.keywords]
        written = [f"{name}={value}" for name, value in keys]
        form = rng.randrange(9)
        if form == 0 and args:
            text = f"{func}(*[{', '.join(args)}]{''.join(', ' + argument for argument in written)})"
        elif form == 1 and keys:
            text = f"{func}({''.join(argument + ', ' for argument in args)}**{{{', '.join(f'{n!r}: {v}' for n, v in keys)}}})"
        elif form == 2 and keys:
            text = f"{func}({''.join(argument + ', ' for argument in args)}**dict({', '.join(written)}))"
        elif form == 3 and args:
            text = f"__import__('functools').partial({func}, {', '.join([*args, *written])})()"
        elif form == 4 and isinstance(node.func, ast.Attribute):
            value = source.of(node.func.value)
            text = f"getattr({value}, {node.func.attr!r})({', '.join([*args, *written])})"
        elif form == 5:
            text = f"(lambda run, *a, **k: run(*a, **k))({', '.join([func, *args, *written])})"
        elif form == 6 and isinstance(node.func, ast.Attribute) and node.func.attr == "run":
            names = ["fetches", "feed_dict"]
            extra = [f"{name}={argument}" for name, argument in zip(names, args, strict=False)]
            text = f"{func}({', '.join([*extra, *written])})"
        elif (
            form == 7
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("run", "restore", "save")
        ):
            value = source.of(node.func.value)
            text = f"type({value}).{node.func.attr}({', '.join([value, *args, *written])})"
        elif form == 8:
            text = f"({func})({', '.join([*args, *reversed(written)])})"
        else:
            continue
        edits.append((node, text))
    return source.replaced(edits) if edits else None


@mutation
def device_strings(source: Source, rng: random.Random) -> str | None:
    """`'/gpu:%d' % i` in other forms."""
    edits = []
    for node in source.all(ast.BinOp):
        if not (
            isinstance(node.op, ast.Mod)
            and isinstance(node.left, ast.Constant)
            and isinstance(node.left.value, str)
        ):
            continue
        text = node.left.value
        if text.count("%") != 1 or not text.endswith(("%d", "%s", "%i")) or isinstance(node.right, ast.Tuple):
            continue
        head, value = text[:-2], source.of(node.right)
        if "{" in head or '"' in value:
            continue
        forms = [
            f'f"{head}{{{value}}}"', f"'{head}{{}}'.format({value})", f"'{head}' + str({value})", f"''.join(['{head}', str({value})])",
            f"'{head}{{0}}'.format({value})", f"'{head}{{k}}'.format(k={value})", f"'{head}%(k)s' % {{'k': {value}}}",
            f"'{head[:2]}' '{head[2:]}%d' % ({value})", f"('{head}%d' % ({value},))", f"':'.join(['{head.rstrip(':')}', repr({value})])",
            f"'%s%s' % ('{head}', {value})",
        ]  # fmt: skip
        if "'" in value:
            continue
        edits.append((node, f"({rng.choice(forms)})"))
    return source.replaced(edits) if edits else None


@mutation
def string_constants(source: Source, rng: random.Random) -> str | None:
    """Strings put together from parts."""
    nodes = [
        node for node in expressions(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 2
        and node.lineno == node.end_lineno and not set("'\"\\{}\n%") & set(node.value)
    ]  # fmt: skip
    edits = []
    for node in pick(rng, nodes, 5):
        begin, rest = node.value[:2], node.value[2:]
        forms = [f"('{begin}' '{rest}')", f"('{begin}' + '{rest}')", f"f'{node.value}'", f"'{begin}{{}}'.format('{rest}')",
                 f"('%s{rest}' % '{begin}')" if "%" not in rest else f"('{begin}' + '{rest}')", f"str('{node.value}')",
                 f"''.join(('{begin}', '{rest}'))", f'"""{node.value}"""', f"r'{node.value}'", f"u'{node.value}'"]  # fmt: skip
        edits.append((node, rng.choice(forms)))
    return source.replaced(edits) if edits else None


@mutation
def extract_constant(source: Source, rng: random.Random) -> str | None:
    """Numbers and strings become constants at the top, of a class, or of flags."""
    nodes = [
        node for node in expressions(source)
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value is not None
        and node.value is not Ellipsis and node.lineno == node.end_lineno
    ]  # fmt: skip
    first = source.after_imports()
    nodes = [node for node in nodes if first is not None and source.start(node) >= source.start(first)]
    if not nodes:
        return None
    edits, lines = [], []
    form = rng.choice(["plain", "class", "dict", "tuple", "one of many"])
    for count, node in enumerate(pick(rng, nodes, 6)):
        value = source.of(node)
        name = f"NUM_GPUS_{count}" if rng.random() < 0.5 else f"sess_{count}"
        if form == "class":
            lines.append(f"class C{count}(object):\n    {name} = {value}")
            edits.append((node, f"C{count}.{name}"))
        elif form == "dict":
            lines.append(f"{name} = {{'n': {value}}}")
            edits.append((node, f"{name}['n']"))
        elif form == "tuple":
            lines.append(f"{name}, other_{count} = {value}, None")
            edits.append((node, name))
        elif form == "one of many":
            lines.append(f"{name} = None\n{name} = {value}")
            edits.append((node, name))
        else:
            lines.append(f"{name} = {value}")
            edits.append((node, name))
    return source.replaced([source.before(first, "\n".join(lines)), *edits])


@mutation
def iterables(source: Source, rng: random.Random) -> str | None:
    """What a loop goes through in another form."""
    edits = []
    for node in pick(rng, source.all(ast.For), 3):
        target, value = source.of(node.target), source.of(node.iter)
        if isinstance(node.target, ast.Tuple) and not target.startswith("("):
            target = f"({target})"
        forms = [
            (target, f"list({value})"), (f"k_, {target}", f"enumerate({value})"), (f"{target}, k_", f"zip(*[list({value})] * 2)"),
            (target, f"[z_ for z_ in {value}]"), (target, f"(z_ for z_ in {value})"), (target, f"iter({value})"),
            (target, f"map(lambda z_: z_, {value})"), (target, f"tuple({value})"), (target, f"sorted({value})"),
            (f"k_, {target}", f"enumerate({value}, 1)"), (target, f"__import__('itertools').chain({value}, [])"),
            (target, f"list({value})[:]"), (target, f"[*{value}]"), (target, f"list({value}) + []"),
            (target, f"reversed(list(reversed(list({value}))))"), (f"({target},)", f"zip({value})"),
            (target, f"dict.fromkeys({value})"), (target, f"filter(lambda z_: True, {value})"),
        ]  # fmt: skip
        new_target, new_iter = rng.choice(forms)
        edits += [(node.target, new_target), (node.iter, new_iter)]
    return source.replaced(edits) if edits else None


@mutation
def ranges(source: Source, rng: random.Random) -> str | None:
    edits = []
    for node in source.all(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "range" and len(node.args) == 1:
            value = source.of(node.args[0])
            edits.append((node, rng.choice([
                f"range(0, {value})", f"range(0, {value}, 1)", f"list(range({value}))", f"np.arange({value})",
                f"[k_ for k_ in range({value})]", f"range(*[{value}])", f"sorted(range({value}))",
                f"range(int({value}))", f"range(len([None] * ({value})))", f"range({value})[:]", f"np.arange({value}).tolist()",
                f"__import__('six').moves.range({value})", f"__import__('itertools').islice(__import__('itertools').count(), {value})",
            ])))  # fmt: skip
    return source.replaced(edits) if edits else None


@mutation
def collection_literals(source: Source, rng: random.Random) -> str | None:
    """`[...]` as a tuple or through `list`, `{...}` through `dict`; `x == y` turned round; `not not`."""
    edits = []
    for node in outermost(
        source, pick(rng, source.all(ast.List, ast.ListComp, ast.Dict, ast.Compare, ast.GeneratorExp), 5)
    ):
        if isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        text = source.of(node)
        if isinstance(node, ast.ListComp):
            edits.append((node, rng.choice([f"list({text[1:-1]})", f"list({text})", f"[*({text[1:-1]})]"])))
        elif isinstance(node, ast.List):
            edits.append(
                (
                    node,
                    rng.choice(
                        [
                            f"list({text})",
                            f"[*{text}]",
                            f"list(({text[1:-1]},))"
                            if node.elts and not text[:-1].rstrip().endswith(",")
                            else "list()",
                        ]
                    ),
                )
            )
        elif isinstance(node, ast.Dict):
            edits.append(
                (node, rng.choice([f"dict({text})", f"{{**{text}}}", f"dict(list({text}.items()))"]))
            )
        elif isinstance(node, ast.Compare):
            edits.append((node, f"(not not ({text}))"))
    return source.replaced(edits) if edits else None


@mutation
def comprehension_to_loop(source: Source, rng: random.Random) -> str | None:
    """`v = [e for t in i]` as a loop that appends."""
    found = [
        node for node in source.all(ast.Assign)
        if isinstance(node.value, ast.ListComp) and len(node.value.generators) == 1 and source.plain(node)
        and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1
    ]  # fmt: skip
    edits = []
    for node in pick(rng, found, 3):
        part = node.value.generators[0]
        name, indent = node.targets[0].id, source.indent(node)
        if name in {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}:
            continue
        tests = "".join(f"if not ({source.of(condition)}): continue\n{indent}    " for condition in part.ifs)
        edits.append((node, f"{name} = []\n{indent}for {source.of(part.target)} in {source.of(part.iter)}:\n{indent}    {tests}"
                            f"{name}.append({source.of(node.value.elt)})"))  # fmt: skip
    return source.replaced(edits) if edits else None
