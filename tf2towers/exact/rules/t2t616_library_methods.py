"""T2T616: methods that arrays, dicts, threads and other values have lost; what has no certain counterpart is T2T628."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.libraries.changed import LostMethod, lost_methods
from tf2towers.exact.libraries.known_values import made_by
from tf2towers.exact.never_called import stays_in
from tf2towers.exact.python_versions import is_expected_to_fail, is_never_reached
from tf2towers.exact.rule import Example, Rule
from tf2towers.names.meanings import Assigned, Opaque


class _MethodCall(ast.Call):
    """A call of an attribute."""

    func: ast.Attribute


def edits(file: File) -> Iterator[Edit]:
    """Today's method where a call's result is certainly the same.

    `array.tostring()` is what NumPy, `array.array` and Pillow have long called `tobytes`: the same bytes.
    `iteritems()` and its like, which dicts lost with Python 2 and pandas with 2.0, are `items()` where they are gone
    through at once: in Python 3 that goes as those did, but is no iterator of its own. Where a class of the program
    has such a method, it may be that one.
    """
    own = file.program.library_names.methods
    for call, method in _calls(file):
        name = call.func.attr
        of_itself = isinstance(call.func.value, ast.Name) and call.func.value.id == "self"
        if (of_itself and name in own) or _is_never_missed(file, call):
            continue
        end = file.text.end(call.func)
        certain = (
            name not in own and file.text.of(call.func).endswith(name) and _is_certain(file, call, method)
        )
        if certain and method.kind == "list":
            yield Edit(file.text.start(call), file.text.start(call), "list(")
            yield Edit(file.text.end(call.func.value), file.text.end(call), ")")
        elif certain:
            yield Edit(end - len(name), end, method.today)
        else:
            today = f"{method.today}()" if method.today.isidentifier() else method.today
            file.note(call, "T2T628", f"{name}() of {method.owner} is no more; today: {today}")
    for attribute in file.all(ast.Attribute):
        if (
            attribute.attr == "ix"
            and isinstance(file.parent(attribute), ast.Subscript)
            and _imports(file, "pandas")
        ):
            if file.program.library_names.canonical(file, attribute) is None and not _is_never_missed(
                file, attribute
            ):
                file.note(
                    attribute, "T2T628", "ix of a frame is no more; today: loc (labels) or iloc (places)"
                )
    yield from _values_of_datasets(file)
    _note_filters(file)
    if _makes_environments(file):
        yield from _limits_of_gym(file)
        _leave_steps_of_gym(file)


def calls_of_lost_methods(file: File) -> Iterator[tuple[ast.expr, str]]:
    """Every call of such a method, and the method in words."""
    return ((call.func, f"{call.func.attr}() of {method.owner}") for call, method in _calls(file))


def _calls(file: File) -> Iterator[tuple[_MethodCall, LostMethod]]:
    """Calls of such methods of values: a function of a module has a canonical name."""
    for call in file.all(ast.Call):
        if not _is_method_call(call) or call.func.attr not in lost_methods():
            continue
        if file.canonical(call.func) is not None or _canonical_function(file, call) is not None:
            continue
        if call.func.attr.startswith("iter") and (call.args or call.keywords):  # a dict's had none
            continue
        for method in lost_methods()[call.func.attr]:
            if _imports(file, method.library) and not (method.unless and _imports(file, method.unless)):
                yield call, method
                break


def _is_method_call(call: ast.Call) -> TypeGuard[_MethodCall]:
    return isinstance(call.func, ast.Attribute)


def _imports(file: File, library: str) -> bool:
    """Whether the program imports a library: `PIL` or `PIL.ImageFont`; all do without one."""
    return not library or library in file.program.library_names.imported


def _is_certain(file: File, call: _MethodCall, method: LostMethod) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    match method.kind:
        case "renamed":
            return call.func.attr != "tostring" or all(map(_is_order, arguments))
        case "through":
            return _is_gone_through(file, call)
        case "list":
            return not arguments and "list" not in file.bound_names
    return False


def _is_order(argument: ast.expr) -> bool:
    """Whether an argument is what NumPy's `tostring` took: an order of the elements."""
    return isinstance(argument, ast.Constant) and argument.value in ("C", "F", "A", None)


#: builtin functions that go through all of what they are given
_GO_THROUGH = frozenset(
    {
        "all", "any", "dict", "enumerate", "frozenset", "list", "map", "max", "min", "set", "sorted", "sum", "tuple",
        "zip",
    }
)  # fmt: skip


def _is_gone_through(file: File, call: ast.Call) -> bool:
    """Whether a call's result is only iterated over, from its beginning."""
    parent = file.parent(call)
    if isinstance(parent, ast.For | ast.comprehension):
        return parent.iter is call
    if not isinstance(parent, ast.Call) or not isinstance(parent.func, ast.Name) or call not in parent.args:
        return False
    return parent.func.id in _GO_THROUGH and not file.meanings.bindings(parent.func)


def _is_never_missed(file: File, node: ast.AST) -> bool:
    """Whether nothing leads to a place today, or the error of a name that is missing is expected there."""
    fenced = is_never_reached(file, node) or is_expected_to_fail(file, node)
    return fenced or stays_in(file, node, "") is not None


def _values_of_datasets(file: File) -> Iterator[Edit]:
    """`file['images'].value`, which h5py 3 has no more: `file['images'][()]`."""
    if not _imports(file, "h5py"):
        return
    for attribute in file.all(ast.Attribute):
        if attribute.attr != "value" or not isinstance(attribute.ctx, ast.Load):
            continue
        owner = attribute.value
        if not isinstance(owner, ast.Subscript) or _is_never_missed(file, attribute):
            continue
        calls = made_by(file, owner.value) if isinstance(owner.value, ast.Name) else None
        if calls and all(_canonical_function(file, call) == "h5py.File" for call in calls):
            yield Edit(file.text.end(owner), file.text.end(attribute), "[()]")
        elif calls is None and _may_be_a_file(file, owner.value):
            file.note(attribute, "T2T628", "value of a dataset of h5py is no more; today: dataset[()]")


def _may_be_a_file(file: File, value: ast.expr) -> bool:
    """Whether something that is indexed may be a file of h5py, or a group of one: no class, no list or dict."""
    if isinstance(value, ast.Name):
        bindings = file.meanings.bindings(value)
        return bool(bindings) and all(isinstance(binding, Assigned | Opaque) for binding in bindings)
    return isinstance(value, ast.Attribute | ast.Subscript) and file.canonical(value) is None


#: methods of an image whose result is an image
_OF_IMAGES = frozenset(
    {"convert", "copy", "crop", "filter", "point", "resize", "rotate", "transform", "transpose"}
)


def _note_filters(file: File) -> None:
    """Tells of `image.resize(size)`: Pillow took the nearest pixel before 7.0, and is bicubic since."""
    if not _imports(file, "PIL"):
        return
    for call in file.all(ast.Call):
        if not _is_method_call(call) or call.func.attr != "resize" or len(call.args) != 1 or call.keywords:
            continue
        if _is_image(file, call.func.value, frozenset()):
            file.note(
                call,
                "T2T628",
                "Pillow before 7.0 took the nearest pixel where no filter was named, and is bicubic since: name the "
                "one that you have trained with (Image.NEAREST)",
                "note",
            )


def _is_image(file: File, value: ast.expr, seen: frozenset[ast.Call]) -> bool:
    """Whether a value certainly is an image of Pillow."""
    calls = made_by(file, value)
    if not calls:
        return False
    for call in calls - seen:
        if _canonical_function(file, call) in ("PIL.Image.open", "PIL.Image.fromarray", "PIL.Image.new"):
            continue
        inner = call.func.value if _is_method_call(call) and call.func.attr in _OF_IMAGES else None
        if inner is None or not _is_image(file, inner, seen | {call}):
            return False
    return True


def _leave_steps_of_gym(file: File) -> None:
    """Leaves `observation, reward, done, info = env.step(action)`: gym 0.26 and later give five values."""
    for statement in file.all(ast.Assign):
        target, call = statement.targets[0], statement.value
        if not isinstance(target, ast.Tuple) or len(target.elts) != 4 or not isinstance(call, ast.Call):
            continue
        if _is_method_call(call) and call.func.attr == "step" and not _is_never_missed(file, call):
            file.note(
                call,
                "T2T628",
                "step() of an environment gives five values since gym 0.26, and reset() two; today: observation, "
                "reward, terminated, truncated, info; or keep gym 0.25.2, with NumPy below 2",
            )


def _limits_of_gym(file: File) -> Iterator[Edit]:
    """`env.spec.timestep_limit`, which gym 0.9 to 0.12 had as another name of `max_episode_steps`."""
    for attribute in file.all(ast.Attribute):
        of = attribute.value
        if attribute.attr != "timestep_limit" or not isinstance(of, ast.Attribute) or of.attr != "spec":
            continue
        if _is_never_missed(file, attribute):
            continue
        end = file.text.end(attribute)
        if isinstance(attribute.ctx, ast.Load) and file.text.of(attribute).endswith(attribute.attr):
            yield Edit(end - len(attribute.attr), end, "max_episode_steps")
        else:
            file.note(
                attribute, "T2T628", "timestep_limit of gym's spec is no more; today: max_episode_steps"
            )


def _makes_environments(file: File) -> bool:
    """Whether the program has an environment made by gym."""
    return _imports(file, "gym") and file.program.library_names.is_used("gym.make")


def _canonical_function(file: File, call: ast.Call) -> str | None:
    return file.program.library_names.canonical(file, call.func)


RULE = Rule(
    code="T2T616",
    title="Methods that arrays, dicts, threads and images have lost",
    why="""
    The arrays of NumPy 2.3 have no `tostring` (it is `tobytes`: the same bytes), the threads of Python 3.9 no
    `isAlive`, its XML elements no `getchildren`, the dicts of Python 3 no `iteritems`, the datasets of h5py 3 no
    `value`, the environments' specs of gym no `timestep_limit`. Where what stands for one is certainly the same, it is
    written; else the call is left (T2T628), and so are four values of gym's `step`. Where a class of the program has
    such a method, it may be that one.
    """,
    sources=(
        "exact/data/libraries/methods.tsv",
        "Python 3.9, NumPy 2.0 and 2.3, pandas 1.0, h5py 3.0 release notes",
    ),
    edits=edits,
    examples=(
        Example(
            "bytes, threads and elements",
            "import threading\nimport numpy as np\nimport tensorflow as tf\n\n"
            "thread = threading.Thread()\nalive = thread.isAlive()\ndata = np.zeros(2).tostring()\ntf.Session()\n",
            "import threading\nimport numpy as np\nimport tensorflow.compat.v1 as tf\n"
            "from tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "thread = threading.Thread()\nalive = thread.is_alive()\ndata = np.zeros(2).tobytes()\nSession()\n",
        ),
        Example(
            "a whole dataset",
            "import h5py\nimport tensorflow as tf\n\nwith h5py.File('digits.h5', 'r') as digits:\n"
            "    images = digits['images'].value\ntf.Session().run(tf.constant(images))\n",
            "import h5py\nimport tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\n"
            "graph_mode()\n\nwith h5py.File('digits.h5', 'r') as digits:\n"
            "    images = digits['images'][()]\nSession().run(tf.constant(images))\n",
        ),
    ),
)
