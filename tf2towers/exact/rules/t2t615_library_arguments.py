"""T2T615: arguments that NumPy, scikit-image and so on take otherwise today; what is not certain is T2T628."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.exact.argument_texts import added_argument, start_of_argument, without_argument
from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.libraries.changed import ChangedArgument, changed_arguments
from tf2towers.exact.libraries.known_values import made_by
from tf2towers.exact.lists_of_slices import as_tuples
from tf2towers.exact.never_called import leave
from tf2towers.exact.python_versions import is_expected_to_fail, is_never_reached
from tf2towers.exact.rule import Example, Rule
from tf2towers.names.meanings import Assigned
from tf2towers.source.nodes import argument, has_star

#: what has to be told more today than it was
_TO_BE_TOLD = frozenset(
    {
        "yaml.load",
        "numpy.load",
        "numpy.array",
        "numpy.asarray",
        "h5py.File",
        "open",
        "io.open",
        "random.sample",
    }
    | {"scipy.signal.lfilter", "scipy.interpolate.interp1d"}
    | (_SPACES := {f"numpy.{name}" for name in ("linspace", "logspace", "geomspace")})
    | (_STACKS := {f"numpy.{name}" for name in ("vstack", "hstack", "dstack", "stack", "column_stack")})
)
#: functions of NumPy whose result is a float, whole as it may be
_FLOATS = frozenset(
    f"numpy.{name}" for name in ("around", "ceil", "floor", "rint", "round", "sqrt", "true_divide")
)


def edits(file: File) -> Iterator[Edit]:
    """A keyword before what stood at a place, new names for keywords, and what has to be said today."""
    yield from as_tuples(file)
    for call in file.all(ast.Call):
        function = _function(file, call)
        if function not in changed_arguments() and function not in _TO_BE_TOLD:
            continue
        if is_never_reached(file, call) or is_expected_to_fail(file, call):
            continue
        changes = changed_arguments().get(function, [])
        gone = [
            (change, given) for change in changes if change.kind == "left" for given in _given(call, change)
        ]
        for change, _ in gone:
            _leave(file, call, f"{function} takes no `{change.names[0]}` any more", change.today)
        if not gone:
            for change in changes:
                yield from _changed(file, call, change)
        match function:
            case "yaml.load":
                yield from _loader(file, call)
            case "numpy.load":
                yield from _pickles(file, call)
            case "h5py.File":
                yield from _mode(file, call)
            case "numpy.array":
                yield from _copy_where_needed(file, call)
                yield from _rows_of_objects(file, call)
            case "numpy.asarray":
                yield from _rows_of_objects(file, call)
            case "open" | "io.open":
                yield from _universal_newlines(file, call)
            case "random.sample":
                yield from _sequence(file, call)
            case space if space in _SPACES:
                yield from _whole_number(file, call)
            case stack if stack in _STACKS:
                yield from _list_of_arrays(file, call)
            case "scipy.signal.lfilter" if any(
                _may_be_of_objects(file, other) for other in file.all(ast.Call)
            ):
                module = file.need("scipy_signal", "tf2towers.runtime.old_libraries")
                yield file.replace(call.func, f"{module}.lfilter")
            case "scipy.interpolate.interp1d" if _is_of_lines(call):
                module = file.need("scipy_interpolate", "tf2towers.runtime.old_libraries")
                yield file.replace(call.func, f"{module}.interp1d")


def old_arguments(file: File) -> Iterator[tuple[ast.expr, str]]:
    """Every call that would have to change, and what changes, in words."""
    for call in file.all(ast.Call):
        function = _function(file, call)
        if function == "yaml.load" and any(_loader(file, call)):
            yield call, "yaml.load without a loader"
        for change in changed_arguments().get(function or "", []):
            if any(_given(call, change)):
                yield call, f"an argument of {function} as it was given before"


def _function(file: File, call: ast.Call) -> str | None:
    """The canonical name of a function of a library that is called."""
    if isinstance(call.func, ast.Name) and call.func.id == "open" and not file.meanings.bindings(call.func):
        if not file.program.library_names.may_have(file, "open"):
            return "open"
    return file.program.library_names.canonical(file, call.func)


def _stands_at(call: ast.Call, keyword: ast.keyword, place: int | None) -> bool:
    """Whether a keyword is where its argument would be without its name."""
    plain = not has_star(call)
    return plain and len(call.args) == place and call.keywords[0] is keyword


def _given(call: ast.Call, change: ChangedArgument) -> Iterator[ast.expr | ast.keyword]:
    """The arguments of a call that a change is about."""
    if change.kind == "keyword":
        assert change.place is not None
        if not has_star(call):
            yield from call.args[change.place : change.place + len(change.names)]
        return
    if change.place is not None and change.kind != "unnamed":
        if not has_star(call):
            yield from call.args[change.place : change.place + 1]
    yield from (keyword for keyword in call.keywords if keyword.arg == change.names[0])


def _changed(file: File, call: ast.Call, change: ChangedArgument) -> Iterator[Edit]:
    for given in _given(call, change):
        if isinstance(given, ast.keyword):
            start = file.text.start(given)
            if change.kind == "renamed":
                yield Edit(start, start + len(change.names[0]), change.today)
            elif change.kind == "unnamed" and _stands_at(call, given, change.place):
                yield Edit(start, file.text.start(given.value), "")
            elif change.kind == "unnamed":
                _leave(file, call, f"{change.names[0]} is no name of it in all releases", change.today)
            elif _says_nothing(given.value):
                yield without_argument(file.text, call, given)
            else:
                _leave(file, call, f"{change.names[0]} is taken no more", change.today)
        elif change.kind == "keyword":
            assert change.place is not None
            place = call.args.index(given)
            start = start_of_argument(file.text, call, place)
            yield Edit(start, start, f"{change.names[place - change.place]}=")
        else:
            _leave(file, call, f"{change.names[0]} is taken no more", change.today)


def _says_nothing(value: ast.expr) -> bool:
    """Whether nothing is missed where a value is not computed."""
    return not any(isinstance(node, ast.Call | ast.Await | ast.NamedExpr) for node in ast.walk(value))


def _leave(file: File, call: ast.Call, message: str, today: str) -> None:
    message += f"; today: {today}" if today else ""
    leave(file, call, "T2T628", message)


def _loader(file: File, call: ast.Call) -> Iterator[Edit]:
    """`yaml.load(text)`: PyYAML 6 wants to be told the loader that it took before 5.1."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return
    if isinstance(call.func, ast.Attribute):
        loader = f"{file.text.of(call.func.value)}.Loader"
    else:
        loader = file.need("Loader", "yaml")
    yield added_argument(file.text, call, f"Loader={loader}")


def _pickles(file: File, call: ast.Call) -> Iterator[Edit]:
    """`numpy.load(path).item()`: a pickled object, which NumPy 1.16.3 and later load when they are told to."""
    if len(call.args) not in (1, 2) or has_star(call):
        return
    keywords = {keyword.arg for keyword in call.keywords}
    if keywords & {"allow_pickle", None}:
        return
    if "encoding" in keywords or any(_is_taken_out(file, use) for use in _uses(file, call)):
        yield added_argument(file.text, call, "allow_pickle=True")


def _uses(file: File, call: ast.Call) -> Iterator[ast.expr]:
    """A call, and the names that stand for its result alone."""
    yield call
    parent = file.parent(call)
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        bound = parent.targets[0].id
        for name in file.all(ast.Name):
            if (
                name.id == bound
                and isinstance(name.ctx, ast.Load)
                and made_by(file, name) == frozenset({call})
            ):
                yield name


def _is_taken_out(file: File, value: ast.expr) -> bool:
    """Whether the one object of an array is taken out of it: `array.item()`, `array[()]`."""
    parent = file.parent(value)
    if isinstance(parent, ast.Subscript) and parent.value is value:
        return isinstance(parent.slice, ast.Tuple) and not parent.slice.elts
    if not isinstance(parent, ast.Attribute) or parent.attr not in ("item", "tolist"):
        return False
    around = file.parent(parent)
    return isinstance(around, ast.Call) and around.func is parent and not around.args


def _mode(file: File, call: ast.Call) -> Iterator[Edit]:
    """`h5py.File(path)` that is written to: h5py 3 opens a file for reading, where h5py 2 opened or made it."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return
    for attribute in file.all(ast.Attribute):
        if attribute.attr in ("create_dataset", "create_group", "require_dataset", "require_group"):
            if call in (made_by(file, attribute.value) or ()):
                yield added_argument(file.text, call, "'a'")
                return


def _copy_where_needed(file: File, call: ast.Call) -> Iterator[Edit]:
    """`numpy.array(values, copy=False)`, which NumPy 2 refuses where a copy is needed: `numpy.asarray(values)`."""
    keywords = {keyword.arg: keyword for keyword in call.keywords}
    copy = keywords.get("copy")
    if copy is None or not isinstance(copy.value, ast.Constant) or copy.value.value is not False:
        return
    if (
        isinstance(call.func, ast.Attribute)
        and len(call.args) in (1, 2)
        and keywords.keys() <= {"copy", "dtype"}
    ):
        yield without_argument(file.text, call, copy)
        yield file.replace(call.func, f"{file.text.of(call.func.value)}.asarray")
    else:  # NumPy 1 takes it for False
        yield file.replace(copy.value, "None")


def _rows_of_objects(file: File, call: ast.Call) -> Iterator[Edit]:
    """`rollout = np.array(rollout)`, whose columns are taken, `np.asarray(values + [last])`: it may be of objects."""
    if _may_be_of_objects(file, call):
        yield file.replace(call.func, f"{file.need('numpy1', 'tf2towers.runtime.old_libraries')}.array")


def _may_be_of_objects(file: File, call: ast.Call) -> bool:
    """Whether an array may be made of rows and numbers of unlike shapes, as NumPy 1 took them for objects."""
    return _becomes_columns(file, call) or _is_one_longer(file, call)


def _is_one_longer(file: File, call: ast.Call) -> bool:
    """Whether it is `numpy.asarray(values + [last])`: values that were fetched as arrays, and a number behind them."""
    if _function(file, call) not in ("numpy.array", "numpy.asarray") or len(call.args) != 1 or call.keywords:
        return False
    match call.args[0]:
        case ast.BinOp(op=ast.Add(), right=ast.List(elts=[last])):
            return not isinstance(last, ast.Constant | ast.Starred | ast.JoinedStr)
    return False


def _becomes_columns(file: File, call: ast.Call) -> bool:
    """Whether it is `numpy.array(rows)`, given to a name of which columns are taken."""
    statement = file.parent(call)
    if _function(file, call) != "numpy.array" or len(call.args) != 1 or call.keywords:
        return False
    if isinstance(call.args[0], ast.Starred) or not isinstance(statement, ast.Assign):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and any(
        isinstance(use.value, ast.Name)
        and use.value.id == target.id
        and file.function_around(use) is file.function_around(call)
        and _is_a_column(use.slice)
        for use in file.all(ast.Subscript)
    )


def _is_a_column(index: ast.expr) -> bool:
    """Whether it is `[:, 0]`."""
    if not (isinstance(index, ast.Tuple) and len(index.elts) == 2):
        return False
    rows, column = index.elts
    whole = isinstance(rows, ast.Slice) and not (rows.lower or rows.upper or rows.step)
    return whole and isinstance(column, ast.Constant) and isinstance(column.value, int)


def _is_of_lines(call: ast.Call) -> bool:
    """Whether it is `interp1d(x, y, kind='slinear')`, which took several points at one place until SciPy 1.7."""
    kinds = [keyword.value for keyword in call.keywords if keyword.arg == "kind"]
    return any(isinstance(kind, ast.Constant) and kind.value in ("slinear", 1) for kind in kinds)


def _universal_newlines(file: File, call: ast.Call) -> Iterator[Edit]:
    """`open(path, 'rU')`: Python 3 reads all kinds of line ends anyway, and 3.11 has no 'U'."""
    mode = argument(call, 1, "mode")
    if isinstance(mode, ast.Constant) and isinstance(mode.value, str) and "U" in mode.value:
        text = file.text.of(mode)
        if text[1:-1] == mode.value:
            rest = mode.value.replace("U", "")
            yield file.replace(mode, text[0] + (rest if "r" in rest else f"r{rest}") + text[-1])


def _sequence(file: File, call: ast.Call) -> Iterator[Edit]:
    """`random.sample(d.keys(), 3)`: Python 3.11 takes no sets; before, it made a tuple of them, and drew the same."""
    of = argument(call, 0, "population")
    if of is not None and "tuple" not in file.bound_names and _may_be_a_set(file, of):
        yield file.replace(of, f"tuple({file.text.of(of)})")


def _list_of_arrays(file: File, call: ast.Call) -> Iterator[Edit]:
    """`np.vstack(map(f, rows))`: NumPy 1.16 began to warn of what is no sequence, and 1.24 takes it no more."""
    if not call.args or not _is_an_iterator(file, call.args[0]):
        return
    of = call.args[0]
    if isinstance(of, ast.GeneratorExp):
        opening, closing = ("([", "])") if file.text.end(of) == file.text.end(call) else "[]"
        yield file.replace(of, f"{opening}{file.text.of(of)[1:-1]}{closing}")
    elif "list" not in file.bound_names:
        yield file.replace(of, f"list({file.text.of(of)})")


def _whole_number(file: File, call: ast.Call) -> Iterator[Edit]:
    """`np.linspace(0, 1, np.round(n / 2) + 1)`: NumPy took the whole part of a number of samples until 1.18."""
    plain = not has_star(call)
    number = [
        *(call.args[2:3] if plain else ()),
        *(keyword.value for keyword in call.keywords if keyword.arg == "num"),
    ]
    if len(number) == 1 and "int" not in file.bound_names and _may_be_a_float(file, number[0]):
        yield file.replace(number[0], f"int({file.text.of(number[0])})")


def _may_be_a_float(file: File, value: ast.expr) -> bool:
    """Whether a number is computed by what gives floats; of a whole one `int` is the number itself."""
    if isinstance(value, ast.BinOp):
        divided = isinstance(value.op, ast.Div)
        return divided or _may_be_a_float(file, value.left) or _may_be_a_float(file, value.right)
    if isinstance(value, ast.UnaryOp):
        return _may_be_a_float(file, value.operand)
    if isinstance(value, ast.Call):
        return _function(file, value) in _FLOATS
    return isinstance(value, ast.Constant) and isinstance(value.value, float)


def _is_an_iterator(file: File, value: ast.expr) -> bool:
    """Whether it is one, or a name that one is given; of anything else a list does no harm."""
    if isinstance(value, ast.Name):
        bound = [binding.value for binding in file.meanings.bindings(value) if isinstance(binding, Assigned)]
        return any(not isinstance(each, ast.Name) and _is_an_iterator(file, each) for each in bound)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in {"map", "zip", "filter", "reversed"} - file.bound_names
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in ("keys", "values") and not (value.args or value.keywords)
    return isinstance(value, ast.GeneratorExp)


def _may_be_a_set(file: File, value: ast.expr) -> bool:
    """Whether it is a set, or a name or attribute that one is given; of anything else a tuple does no harm."""
    if isinstance(value, ast.Name):
        bound = [binding.value for binding in file.meanings.bindings(value) if isinstance(binding, Assigned)]
        return any(_is_a_set(each) for each in bound)
    if isinstance(value, ast.Attribute):
        return any(
            isinstance(target, ast.Attribute) and target.attr == value.attr and _is_a_set(statement.value)
            for other in {file, *file.program.files}
            for statement in other.all(ast.Assign)
            for target in statement.targets
        )
    return _is_a_set(value)


def _is_a_set(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr | ast.BitAnd | ast.BitXor | ast.Sub):
        return _is_a_set(value.left) or _is_a_set(value.right)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in ("set", "frozenset")
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        views = value.func.attr in ("keys", "items") and not (value.args or value.keywords)
        return views or value.func.attr in ("union", "intersection", "difference", "symmetric_difference")
    return isinstance(value, ast.Set | ast.SetComp)


RULE = Rule(
    code="T2T615",
    title="Arguments that NumPy, scikit-image and other libraries take otherwise today",
    why="""
    `librosa.load(path, 16000)` and some eight hundred functions of scikit-learn, seaborn, SciPy and so on want
    their later arguments by name today; `selem` and `interpolation` have other names; `numpy.load` loads pickled
    objects, and `yaml.load` anything, only when it is told to; `numpy.array(copy=False)` never copies, and rows of
    states and numbers make no array of objects by themselves; `numpy.vstack` takes no iterator, `numpy.linspace` no
    float for a number of samples, `numpy.equal` no `dtype`, `scipy.interpolate.interp1d(kind='slinear')` no two points
    at one place, and a list of slices is no index of an array; Python 3.11 opens no file as 'rU', and
    `random.sample` takes no set.
    Where what stands for an argument is certainly the same, it is written; else the call is left (T2T628).
    """,
    sources=(
        "exact/data/libraries/arguments.tsv, from the signatures of old and new releases",
        "PyYAML 6.0, NumPy 1.16.3 and 2.0, h5py 3.0 release notes",
    ),
    edits=edits,
    examples=(
        Example(
            "by keyword",
            "import librosa\nimport tensorflow as tf\n\nwave, rate = librosa.load('speech.wav', 16000)\n"
            "tf.Session().run(tf.constant(wave))\n",
            "import librosa\nimport tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import Session, graph_mode\n\n"
            "graph_mode()\n\nwave, rate = librosa.load('speech.wav', sr=16000)\n"
            "Session().run(tf.constant(wave))\n",
        ),
        Example(
            "pickled weights",
            "import numpy as np\nimport tensorflow as tf\n\nweights = np.load('vgg16.npy').item()\n"
            "tf.Session().run(tf.constant(weights['conv1']))\n",
            "import numpy as np\nimport tensorflow.compat.v1 as tf\n"
            "from tf2towers.runtime import Session, graph_mode\n\ngraph_mode()\n\n"
            "weights = np.load('vgg16.npy', allow_pickle=True).item()\n"
            "Session().run(tf.constant(weights['conv1']))\n",
        ),
    ),
)
