"""T2T632: a session is asked for something else than names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building, fetches_of
from tf2towers.certain.parameters import values
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.straight_line import reads_of
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Opaque

_KEYWORDS = frozenset({"fetches", "feed_dict"})
#: they begin an iterator anew, or give a variable its first value
_INITIALIZERS = frozenset({"initializer", "make_initializer"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Fetches and feeds of session calls that the rule is not certain of."""
    for file, call in building.runs:
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr != "run":
            yield Doubt(file, call, f".{call.func.attr}(...)")
            continue
        unknown = [keyword for keyword in call.keywords if keyword.arg not in _KEYWORDS]
        if unknown or len(call.args) > 2 or any(isinstance(argument, ast.Starred) for argument in call.args):
            yield Doubt(file, call, "a run with options")
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        fetches = call.args[0] if call.args else given.get("fetches")
        feeds = call.args[1] if len(call.args) > 1 else given.get("feed_dict")
        if fetches is not None:
            yield from _fetches(building, file, fetches)
        if feeds is not None:
            yield from _feeds(building, file, feeds)
    fetched = {node for _, call in building.runs for node in fetches_of(call)}
    for file in building.files:
        for attribute in file.all(ast.Attribute):
            if attribute.attr in _INITIALIZERS and attribute not in fetched:
                yield Doubt(file, attribute, "an initializer that is not run where it is named")


def _fetches(building: Building, file: File, fetches: ast.expr) -> Iterator[Doubt]:
    listed = fetches.elts if isinstance(fetches, ast.List | ast.Tuple) else [fetches]
    for fetch in listed:
        if _is_initializer(building, file, fetch):
            continue
        if (
            isinstance(fetch, ast.Attribute)
            and isinstance(fetch.value, ast.Name)
            and fetch.attr == "initializer"
        ):
            continue
        if not isinstance(fetch, ast.Name):
            yield Doubt(file, fetch, f"`{file.text.of(fetch)}` is fetched, which is no name")
        elif _is_of_towers(building, file, fetch):
            continue
        elif _is_placeholder(building, file, fetch):
            yield Doubt(
                file, fetch, f"`{fetch.id}` is fetched, which is fed: TF1 gives back what it was given"
            )
        elif not _is_tensor(building, file, fetch):
            yield Doubt(file, fetch, f"`{fetch.id}` is fetched, and may be a list or no tensor")


def _is_of_towers(building: Building, file: File, name: ast.Name) -> bool:
    """Whether a name is an empty list that a tower loop appends to, and nothing else does."""
    value = building.value_of(file, name)
    if not isinstance(value, ast.List) or value.elts:
        return False
    loops = [loop.statement for where, loop in building.loops if where is file]
    return all(
        any(around in loops for around in file.ancestors(use))
        for use in file.all(ast.Attribute)
        if isinstance(use.value, ast.Name) and use.value.id == name.id
    )


def _is_initializer(building: Building, file: File, fetch: ast.expr) -> bool:
    """Whether it gives variables their first values, or is a list of what does."""
    node = building.value_of(file, fetch) or fetch
    if isinstance(node, ast.List | ast.Tuple) and node.elts:
        return all(_is_initializer(building, file, part) for part in node.elts)
    return isinstance(node, ast.Call) and (file.canonical(node.func) or "").endswith(
        ("_variables_initializer", "initialize_all_variables")
    )


def _is_tensor(building: Building, file: File, name: ast.Name) -> bool:
    """Whether a name is bound to single values only: calls, operations on them, parts of what a call gives."""
    for binding in file.meanings.bindings(name):
        if isinstance(binding, Assigned):
            if not _may_be_one_value(file, binding.value):
                return False
            if isinstance(binding.value, ast.BinOp) and any(
                isinstance(part, ast.List | ast.Tuple) for part in (binding.value.left, binding.value.right)
            ):
                return False
            if isinstance(binding.value, ast.Call):
                function = building.function_called(file, binding.value)
                if function is not None and not _gives_one_value(function):
                    return False
                if (file.canonical(binding.value.func) or "").endswith(
                    ("_variables", "get_collection", ".split")
                ):
                    return False
        elif not isinstance(binding, Opaque) or isinstance(
            file.meanings.parents.get(binding.node), ast.arguments
        ):
            return False
    return True


def _may_be_one_value(file: File, value: ast.expr) -> bool:
    """Whether an expression is a call, a name, an operation, or a part of these; no choice between several values."""
    is_part = isinstance(value, ast.Subscript)
    while isinstance(value, ast.Subscript | ast.Attribute):
        value = value.value
    if is_part and isinstance(value, ast.Name):  # of a list that is written out, it may be an operation
        made = [binding.value for binding in file.meanings.bindings(value) if isinstance(binding, Assigned)]
        if any(isinstance(bound, ast.List | ast.Tuple | ast.Dict | ast.ListComp) for bound in made):
            return False
    return isinstance(value, ast.Call | ast.Name | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Constant)


def _gives_one_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return bool(returned) and not any(
        value is None or isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.ListComp)
        for value in returned
    )


def _feeds(building: Building, file: File, feeds: ast.expr) -> Iterator[Doubt]:
    value = building.value_of(file, feeds) if isinstance(feeds, ast.Name) else feeds
    home = file
    if isinstance(value, ast.Call) and building.function_called(file, value) is not None:
        home, function = building.functions_named(file, value.func)[0]
        made = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        value = made[0] if len(made) == 1 else value
    if not isinstance(value, ast.Dict):
        yield Doubt(file, feeds, f"`{file.text.of(feeds)}` is fed, which is no dictionary that is seen")
        return
    yield from _other_uses(building, file, feeds)
    for key in value.keys:
        if not isinstance(key, ast.Name):
            what = file.text.of(key) if key is not None else "another dictionary"
            yield Doubt(file, feeds, f"`{what}` is fed, which is no name")
        elif not _is_placeholder(building, home, key):
            yield Doubt(home, key, f"`{key.id}` is fed, which is not seen to be a placeholder")


def _other_uses(building: Building, file: File, feeds: ast.expr) -> Iterator[Doubt]:
    """What else a dictionary of feeds is used for: its keys are text in idiomatic form."""
    uses: list[tuple[File, ast.expr]] = []
    if isinstance(feeds, ast.Name):
        uses += [(file, read) for read in _reads(building, file, feeds)]
    elif isinstance(feeds, ast.Call) and (function := building.function_called(file, feeds)) is not None:
        for where, named in building.uses_of(function):
            around = where.parent(named)
            uses.append((where, around if isinstance(around, ast.Call) and around.func is named else named))
    fed = {id(node) for _, call in building.runs for node in _fed_by(call)}
    for where, node in uses:
        around = where.parent(node)
        if isinstance(around, ast.Subscript) and isinstance(around.ctx, ast.Store):
            continue  # `feed[x] = batch`: the use of the placeholder is told of
        if id(node) not in fed and not _has_a_name_for_feeds(building, where, node, fed):
            yield Doubt(where, node, f"`{where.text.of(node)}`, which is fed, is used for something else")


def _reads(building: Building, file: File, name: ast.Name) -> list[ast.Name]:
    """Where a name is read, in the functions within its own as well."""
    home = building.home(file, name)
    return reads_of(file, name.id, home[0].node) if home is not None else [name]


def _fed_by(call: ast.Call) -> list[ast.expr]:
    return [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "feed_dict")]


def _has_a_name_for_feeds(building: Building, file: File, node: ast.AST, fed: set[int]) -> bool:
    """Whether it is what one name is set to, which is fed, and that is all."""
    statement = file.parent(node)
    if not isinstance(statement, ast.Assign) or not isinstance(node, ast.Call):
        return False
    return (
        len(statement.targets) == 1
        and isinstance(target := statement.targets[0], ast.Name)
        and all(id(read) in fed for read in _reads(building, file, target))
    )


def _is_placeholder(building: Building, file: File, key: ast.Name) -> bool:
    """Whether a name is bound to a placeholder, perhaps in one branch alone, or every call gives the parameter one."""
    found = building.home(file, key)
    bindings = found[1] if found is not None else []
    made = [(file, binding.value) for binding in bindings if isinstance(binding, Assigned)]
    if made:
        return any(_makes_placeholder(where, value) for where, value in made)
    given = values(building, file, key)
    return bool(given) and all(_makes_placeholder(where, value) for where, value in given or [])


def _makes_placeholder(file: File, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and file.canonical(value.func) == "tf.placeholder"


RULE = Rule(
    code="T2T632",
    title="A session is asked for something else than names",
    why="""
    Every set of fetches becomes a function that returns them. It is certain what that is where the fetches are
    names of tensors, one by one; a list that was put together, a call, text or an attribute may stand for anything.
    """,
    todo="Give each value that is fetched or fed a name, and write the names in the run: `sess.run([train_op, loss])`.",
    doubts=doubts,
    doubtful=(
        "train: print(sess.run([train_op] + tower_losses, {x: batch})[1])",
        "before: size = tf.constant(2.0)\ntrain: print(sess.run([train_op, loss], {x: batch, size: 3.0})[1])",
        "train: print(sess.run([train_op, loss], {x: batch, loss: 3.0})[1])",
        "before: for z in [tf.zeros([])]:;     pass\ntrain: print(sess.run([train_op, loss], {x: batch, z: 3.0})[1])",
        "train: print(sess.run('mean:0', {x: batch}))",
        "train: feeds = {x: batch}; print([key.name for key in feeds], sess.run([train_op, loss], feeds)[1])",
        "before: feeds = {x: np.ones((4, 3))}; def ask():;     return sess.run(loss, feeds)\n"
        "end: print(ask(), list(feeds))",
        "train: feeds = {x: batch}; more = feeds; print(sess.run([train_op, loss], feeds)[1])",
        "before: k = tf.placeholder(tf.string, [])\ntrain: print(sess.run([train_op, loss, k], {x: batch, k: 'a'})[2])",
        "train: print(sess.run({'loss': loss, 'op': train_op}, {x: batch})['loss'])",
        "train: print(loss.eval({x: batch}, sess))",
        "train: print(sess.run(tf.trainable_variables()))",
        "train: print(sess.run([train_op, loss], dict([(x, batch)]))[1])",
        *(
            f"inputs: rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).batch(4); {begin}; "
            "x = batches.get_next(); xs = tf.split(x, N); opt = tf.train.GradientDescentOptimizer(0.1); grads = []; "
            "tower_losses = []; total = 0.0; seen = {}\ntrain: sess.run(begin); print(sess.run([train_op, loss])[1])"
            for begin in (
                "batches = tf.data.make_initializable_iterator(rows); begin = batches.initializer",
                "batches = tf.data.make_initializable_iterator(rows); first = batches.initializer; begin = first",
            )
        ),
        "after: step = (train_op, loss)[0]\ntrain: print(sess.run([step, loss], {x: batch})[1])",
        "after: steps = [train_op, loss]; step = steps[0]\ntrain: print(sess.run([step, loss], {x: batch})[1])",
        "after: step = train_op if N else loss\ntrain: print(sess.run([step, loss], {x: batch})[1])",
    ),
    certain=(
        "train: feeds = {x: batch}; print(sess.run([train_op, loss], feeds)[1], sess.run(loss, feed_dict=feeds))",
        *(
            f"before: k = tf.placeholder(tf.{kind}, [])\n"
            f"train: print(sess.run([train_op, loss], {{x: batch, k: {fed}}})[1])"
            for kind, fed in (
                ("bool", "True"),
                ("bool", "1"),
                ("int64", "step / 2 + 1"),
                ("float32", "step / 2"),
            )
        ),
        "train: print(sess.run(tower_losses, {x: batch}))",
        "train: print(sess.run((train_op, loss), feed_dict={x: batch})[1])",
        "train: print(sess.run([tower_losses, train_op], {x: batch})[0])",
        "train: print(sess.run(w))",
    ),
)
