"""Lists that a tower loop fills, one item a tower, and that are only read then: the towers can return the items.

`tower_grads = []` stands before the loop. `tower_grads.append(grads)` stands once in it, where every round certainly
reaches it. Every other use certainly comes after the loop, and is the argument of a mean, or reads the items as it
would read those of a tuple. So does every use after a mean that has got the list's name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.towers.live_names import LiveNames
from tf2towers.codemod.towers.means import find_definition, find_means, gives_an_item_a_variable

#: functions that fail for an empty list, wherever it is among their arguments
_NEED_AN_ITEM = frozenset({"tf.add_n", "tf.concat", "tf.accumulate_n"})
_ZIPS = frozenset({"builtins.zip", "six.moves.zip"})
#: functions that do the same with a list and with a tuple
_READS_ITEMS = _ZIPS | {"builtins.len", "builtins.enumerate"}
_APPEND = m.Expr(m.Call(m.Attribute(m.Name(), m.Name("append")), [m.Arg(keyword=None, star="")]))


@dataclass(frozen=True)
class Gathered:
    """A list that a loop fills, and whose items are only read after it.

    Attributes:
        name: the list's name.
        made: the statement that binds it to `[]`.
        place: which of the values that the statement assigns is the list; None where it assigns the list alone.
        append: the statement in the loop.
        item: what is appended.
        reduced: the calls that give the mean of the list.
        is_indexed: whether something else reads its items, which takes a tuple of them.
    """

    name: str
    made: cst.Assign
    place: int | None
    append: cst.Expr
    item: cst.BaseExpression
    reduced: tuple[cst.Call, ...]
    is_indexed: bool = False


def find_gathered(file: File, loop: cst.For, live: LiveNames) -> Iterator[Gathered]:
    """The lists of a loop whose items its function can return, in the order of the text."""
    inside = list(nodes.walk(*nodes.block(loop)))
    means = {call.args[0].value: call for call, _, _ in find_means(file)}
    for statement in inside:
        if not isinstance(statement, cst.Expr) or not m.matches(statement, _APPEND):
            continue
        call = cst.ensure_type(statement.value, cst.Call)
        name = cst.ensure_type(cst.ensure_type(call.func, cst.Attribute).value, cst.Name)
        if not is_reached(file, loop, statement, live):
            continue
        home = file.meanings.home_of(name)
        if home is None or home is not file.meanings.scope(loop):
            continue
        uses = [use for use in file.meanings.uses(name) if use is not name]
        again = [use for use in uses if _is_the_mean(file, loop, use, means)]
        made = [made_empty(file, use) for use in uses if not file.is_read(use) and use not in again]
        later = [use for use in uses if any(is_after(file, file.parent(bound), use) for bound in again)]
        reads = [use for use in uses if file.is_read(use) and use not in later]
        calls = tuple(means[use] for use in reads if use in means)
        others = [use for use in reads if use not in means]
        match made:
            case [(cst.Assign() as assign, place)] if reads and (calls or _holds_gradients(file, call)):
                if not all(is_after(file, loop, use) for use in reads) or not is_before(file, assign, loop):
                    continue
                if all(_reads_items(file, use) for use in others):
                    item = call.args[0].value
                    yield Gathered(name.value, assign, place, statement, item, calls, bool(others))


def _holds_gradients(file: File, append: cst.Call) -> bool:
    """True if the words of `tower_grads.append(grads)` are about gradients; other lists may stay lists."""
    return "grad" in file.text.of(append).lower()


def _reads_items(file: File, use: cst.Name, asked: frozenset[cst.CSTNode] = frozenset()) -> bool:
    """True if a use of a list only reads its items, and does the same with a tuple of them."""
    match file.parent(use):
        case cst.Arg(star="*") as given:
            call = file.parent(given)
            return isinstance(call, cst.Call) and file.canonical(call.func) in _ZIPS
        case cst.Call() as call if call.func is not use:
            return file.canonical(call.func) in _READS_ITEMS or _function_reads_items(file, call, use, asked)
        case cst.Subscript(value=value) as item if value is use:
            return file.is_read(item) and not isinstance(nodes.index_of(item), cst.Slice | None)
        case cst.For(iter=iterable) | cst.CompFor(iter=iterable):
            return iterable is use
    return False


def _function_reads_items(file: File, call: cst.Call, use: cst.Name, asked: frozenset[cst.CSTNode]) -> bool:
    """True if a function of the program only reads the items of the list that a call gives it."""
    match find_definition(file, call.func):
        case home, cst.FunctionDef(params=params, decorators=[]) as function if function not in asked:
            place = nodes.positional(call).index(use) if use in nodes.positional(call) else -1
        case _:
            return False
    if isinstance(home.parent(function), cst.ClassDef):
        if not isinstance(call.func, cst.Attribute) or _is_class(file, call.func.value):
            return False  # `Model.update(model, tower_grads)` gives `self`, too
        place += 1
    if place < 0 or nodes.has_star(call) or place >= len(params.params):
        return False
    name = params.params[place].name
    uses = [each for each in home.meanings.uses(name) if each is not name]
    return all(home.is_read(each) and _reads_items(home, each, asked | {function}) for each in uses)


def _is_class(file: File, owner: cst.BaseExpression) -> bool:
    found = find_definition(file, owner)
    return found is not None and isinstance(found[1], cst.ClassDef)


def _is_the_mean(
    file: File, loop: cst.For, name: cst.Name, means: dict[cst.BaseExpression, cst.Call]
) -> bool:
    """True if a list's name is bound to the mean of the list, after the loop: `tower_grads = average(tower_grads)`."""
    statement = file.parent(name)
    if nodes.only_target(statement) is not name or not isinstance(statement, cst.Assign):
        return False
    match statement.value:
        case cst.Call(args=[cst.Arg(value=cst.Name(value=given) as own)]) as call if given == name.value:
            return means.get(own) is call and is_after(file, loop, statement)
    return False


def made_empty(file: File, name: cst.Name) -> tuple[cst.Assign, int | None] | None:
    """The statement that binds a name to an empty list, and the name's place in `a, b = x, []`."""
    around = file.parent(name)
    place = None
    if isinstance(around, cst.Tuple) and not nodes.has_star(around):
        place, around = nodes.items(around).index(name), file.parent(around)
    target = nodes.only_target(around)
    if not isinstance(around, cst.Assign) or target is None:
        return None
    value: cst.BaseExpression = around.value
    if place is not None:
        if not isinstance(value, cst.Tuple) or not isinstance(target, cst.Tuple):
            return None
        if nodes.has_star(value):
            return None
        if len(value.elements) != len(target.elements) or target.lpar or value.lpar:
            return None
        value = nodes.items(value)[place]
    return (around, place) if isinstance(value, cst.List) and not value.elements else None


def is_reached(file: File, loop: cst.For, statement: cst.CSTNode, live: LiveNames) -> bool:
    """True if each round that ends without an error certainly runs a statement, once."""
    for around in file.ancestors(statement):
        if around is loop:
            return True
        if not isinstance(around, cst.With) or not live.lets_errors_pass(around):
            return False
    return False


def is_after(file: File, loop: cst.CSTNode, node: cst.CSTNode) -> bool:
    """True if a node is certainly evaluated after a loop alone, in the same function."""
    here = {node, *file.ancestors(node)}
    while (following := file.tree.following(loop)) is not None:
        if not here.isdisjoint(following):
            return file.function_around(node) is file.function_around(loop)
        loop = file.parent(loop)
        if not isinstance(loop, cst.With):
            return False
    return False


def is_before(file: File, statement: cst.Assign, loop: cst.For) -> bool:
    """True if a statement certainly runs before each run of a loop."""
    around = list(file.ancestors(loop))
    again = [node for node in around if isinstance(node, cst.For | cst.While)]
    return set(again) <= set(file.ancestors(statement)) and is_after(file, statement, loop)


def tail(file: File, loop: cst.For, found: Collection[Gathered]) -> list[Gathered]:
    """Those whose appends, one after the other, are the last statements of a round."""
    statements = nodes.block(loop)
    while statements and isinstance(statements[-1], cst.With):
        statements = nodes.block(statements[-1])
    appends: dict[cst.CSTNode, Gathered] = {each.append: each for each in found}
    last: list[Gathered] = []
    for statement in reversed(statements):
        if statement not in appends:
            break
        last.insert(0, appends[statement])
    return last


def is_kept_by_name(file: File, loop: cst.For, each: Gathered, local: Iterable[str]) -> bool:
    """True if the item that is appended is a local name of the round, which means the same at the round's end."""
    item = each.item
    if not nodes.is_name(item) or item.value not in local:
        return False
    bound = [
        node
        for node in nodes.walk(*nodes.block(loop))
        if nodes.is_name(node) and node.value == item.value and not file.is_read(node)
    ]
    start = file.text.start(each.append)
    return len(bound) == 1 and file.text.start(bound[0]) < start


# -- lists that only a loop fills: what fails if they are empty shows that it has a round ------------------------------


def find_filled_lists(file: File, loop: cst.For) -> set[str]:
    """The names of the loop's function that are bound once, to `[]`, and that only the loop appends to."""
    scope = file.meanings.scope(loop)
    found: dict[str, bool] = {}
    for name in file.all(cst.Name):
        if file.meanings.home_of(name) is not scope:
            continue
        around = file.parent(name)
        if not file.is_read(name):
            fits = name.value not in found and made_empty(file, name) is not None
        elif isinstance(around, cst.Attribute):
            fits = around.attr.value == "append" and loop in file.ancestors(name)
        else:
            fits = _only_reads(file, name, around)
        found[name.value] = fits and found.get(name.value, True)
    return {name for name, fits in found.items() if fits}


def _only_reads(file: File, name: cst.Name, around: cst.CSTNode) -> bool:
    """True if a use of a list leaves it as it is, and gives it no other name."""
    if isinstance(around, cst.Call):
        canonical = file.called(around)
        return around.func is not name and (
            canonical.startswith(("tf.", "builtins.")) or _gives_an_item_a_variable(file, around)
        )
    return isinstance(around, cst.Subscript) and around.value is name and file.is_read(around)


def needs_an_item(file: File, node: cst.CSTNode, lists: set[str], loop: cst.For) -> bool:
    """True if evaluating a node is certainly an error if one of the lists is empty."""
    match node:
        case cst.Subscript(value=cst.Name(value=name)) if name in lists:
            index = nodes.index_of(node)
            index = index.expression if isinstance(index, cst.UnaryOperation) else index
            return isinstance(index, cst.Integer)
        case cst.Call(args=given) if file.called(node) in _NEED_AN_ITEM:
            return any(nodes.is_name(each.value) and each.value.value in lists for each in given)
        case cst.Call(
            func=cst.Attribute(attr=cst.Name(value="apply_gradients"), value=optimizer), args=[first, *_]
        ):
            if not nodes.is_plain(first) or not _is_optimizer(file, optimizer):
                return False
            return _is_empty_with(file, first.value, lists, loop)
    return False


def _is_empty_with(file: File, value: cst.BaseExpression, lists: set[str], loop: cst.For) -> bool:
    """True if a value is an empty list if one of the lists is empty: the average of a list of gradients."""
    match _held_after(file, value, loop):
        case cst.Call(args=[cst.Arg(value=cst.Name(value=name))]) as call if name in lists:
            return _gives_an_item_a_variable(file, call)
    return False


def _held_after(file: File, value: cst.BaseExpression, loop: cst.For) -> cst.BaseExpression:
    """What a name holds where it is read, if one statement alone binds it outside the loop, after the loop."""
    if not nodes.is_name(value):
        return value
    inside = set(nodes.walk(loop))
    bound = [
        file.parent(use) for use in file.meanings.uses(value) if not file.is_read(use) and use not in inside
    ]
    match bound:
        case [cst.Assign(targets=[_], value=held) as statement]:
            if is_after(file, loop, statement) and is_after(file, statement, value):
                return held
    return value


def _gives_an_item_a_variable(file: File, call: cst.Call) -> bool:
    match find_definition(file, call.func):
        case home, cst.FunctionDef() as function:
            return gives_an_item_a_variable(home, function)
    return False


def _is_optimizer(file: File, node: cst.BaseExpression) -> bool:
    """True if a name or an attribute certainly holds one of TensorFlow's optimizers."""
    if isinstance(node, cst.Attribute):
        given = file.program.given_to_attributes(node.attr.value)
    else:
        given = [(file, value or node) for value in file.meanings.values(node)]
    made = [other.called(value) for other, value in given]
    return bool(made) and all(name.startswith("tf.train.") and name.endswith("Optimizer") for name in made)
