"""Methods and arguments that other libraries have renamed or lost since TF1's days; libraries.tsv has the names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.arguments import added_argument, without_argument
from tf2towers.codemod.certainty import GOES_THROUGH
from tf2towers.codemod.changes import Becomes, Change, Now, Replacement, given_by, in_its_place, replace
from tf2towers.codemod.libraries import imported_modules, library_name, note_lost
from tf2towers.codemod.program import File
from tf2towers.codemod.python_versions import is_expected_to_fail, is_never_reached
from tf2towers.codemod.reached import find_unreached_context
from tf2towers.codemod.symbols import read_table

#: method -> its name today, and what a program imports that has such objects; empty for objects of Python or NumPy
_RENAMED_METHODS = {
    "getiterator": ("iter", "xml"),
    "isAlive": ("is_alive", ""),
    "readfp": ("read_file", "configparser"),
    "set_axis_bgcolor": ("set_facecolor", "matplotlib"),
    "tostring": ("tobytes", ""),
}
#: method without arguments -> the method whose result gives the same where it is iterated over at once
_ITERATORS = {"iteritems": "items", "iterkeys": "keys", "itervalues": "values"}
#: method without arguments -> the attribute that has its result today, and the library
_PROPERTIES = {"as_matrix": ("values", "pandas")}
#: method -> what a person would write, and the library
_LOST_METHODS = {
    "getchildren": ("list(element)", "xml"),
    "getsize": ("font.getbbox(text)", "PIL.ImageFont"),
    "itemset": ("array[index] = value", "numpy"),
    "ptp": ("numpy.ptp(array)", "numpy"),
    "textsize": ("draw.textbbox(place, text)", "PIL.ImageDraw"),
}
_RESIZE = (
    "Pillow before 7.0 took the nearest pixel where no filter was named, and is bicubic since: for images name the "
    "one that you have trained with (Image.NEAREST)"
)
_GYM_STEP = "observation, reward, terminated, truncated, info; and two of reset(); or keep gym 0.25.2"
_RESULTS_OF_GYM_STEP = 5

#: functions and their keyword -> its name today
_RENAMED_KEYWORDS = dict.fromkeys(
    (("numpy.percentile", "interpolation"), ("numpy.quantile", "interpolation")), "method"
)
#: functions and a keyword that had no effect any longer
_IDLE_KEYWORDS = {("json.load", "encoding"), ("json.loads", "encoding")}
#: functions and a keyword that is gone -> what a person would write
_LOST_KEYWORDS = dict.fromkeys(
    (("numpy.histogram", "normed"), ("matplotlib.pyplot.hist", "normed")), "density"
)
#: functions that take sequences of arrays today, and took generators
TAKE_SEQUENCES = frozenset({
    "numpy.stack", "numpy.vstack", "numpy.hstack", "numpy.dstack", "numpy.column_stack",
})  # fmt: skip
#: functions that open files, whose mode may no longer have the letter U
_OPEN = frozenset({"builtins.open", "io.open"})
_CHANGED = _RENAMED_METHODS | _PROPERTIES | _LOST_METHODS
_METHODS = {*_CHANGED, *_ITERATORS, "resize", "step"}
_GO_THROUGH = GOES_THROUGH | {"builtins.enumerate", "builtins.map", "builtins.zip"}


@cache
def _librosa_arguments() -> dict[str, list[str]]:
    """Function of librosa -> its arguments, in the order of librosa 0.9.2; a star precedes those by name alone."""
    return {name: words.split() for name, words in read_table("data/librosa_arguments.tsv")}


def change_call(file: File, call: cst.Call) -> Iterator[Change]:
    """What becomes of a call: of a method, of arguments, and of what is taken from the result."""
    function = library_name(file, call.func)
    if function is None:
        if (method := nodes.method_of(call)) in _METHODS:
            yield from _change_method(file, call, method)
    elif not is_never_reached(file, call):
        yield from _change_arguments(file, call, function)
        if function.startswith("librosa."):
            yield from _name_arguments(file, call, function.rpartition(".")[2])


def renamed(name: str) -> Becomes:
    """What gives an attribute another name."""
    return lambda updated, now: updated.with_changes(attr=cst.Name(name))


def _change_method(file: File, call: cst.Call, method: str) -> Iterator[Change]:
    """Replaces a method by today's, if it certainly is the library's: a class of the program may have such a name."""
    known = _CHANGED.get(method)
    if method in _ITERATORS and not call.args:
        known = (_ITERATORS[method], "")
    libraries = imported_modules(file)
    is_resize = method == "resize" and len(call.args) == 1 and "PIL" in libraries
    if not (is_resize or method == "step" or (known and (not known[1] or known[1] in libraries))):
        return
    fences = (is_never_reached, is_expected_to_fail, find_unreached_context)
    if any(is_fenced(file, call) for is_fenced in fences):
        return
    if is_resize:
        file.note(call, "T2T628", _RESIZE, "note")
    elif method == "step":
        if _is_unpacked(file, call, _RESULTS_OF_GYM_STEP) and _is_called(file, "gym.make"):
            note_lost(file, call, "step() returns more values today", _GYM_STEP, ".step")
    elif known is not None:
        yield from _replace_method(file, call, method, *known)


def _replace_method(file: File, call: cst.Call, method: str, today: str, library: str) -> Iterator[Change]:
    own = method in file.program.own_names
    if own and m.matches(call.func, m.Attribute(m.Name("self"))):
        return
    of_library = bool(library) or all(nodes.is_literal(given.value) for given in call.args)
    if (not own and method in _RENAMED_METHODS and of_library) or (
        not own and method in _ITERATORS and _is_gone_through(file, call)
    ):
        yield Replacement(call.func, renamed(today))
    elif not own and method in _PROPERTIES and not call.args:
        yield Replacement(call, partial(_property, today))
    else:
        instead = f"{today}()" if today.isidentifier() else today
        message = f"{method}() is gone from {library or 'Python'}"
        note_lost(file, call, message, instead, f".{method}")


def _property(name: str, updated: cst.Call, now: Now) -> cst.BaseExpression:
    """`x.name` for `x.get_name()`."""
    method = cst.ensure_type(updated.func, cst.Attribute)
    return in_its_place(method.with_changes(attr=cst.Name(name)), updated)


def _is_unpacked(file: File, call: cst.Call, today: int) -> bool:
    """True if a call's result is assigned to fewer names than it has today."""
    names = nodes.only_target(file.parent(call))
    return isinstance(names, cst.Tuple) and len(names.elements) < today


def _is_called(file: File, function: str) -> bool:
    """True if the program calls a function of a library."""
    root, _, last = function.rpartition(".")
    for each in file.program.all_files:
        if root in each.text.text and last in each.text.text:
            if any(library_name(each, call.func) == function for call in each.all(cst.Call)):
                return True
    return False


def _is_gone_through(file: File, call: cst.Call) -> bool:
    """True if a call's result is only iterated over, from its beginning."""
    match file.parent(call):
        case (cst.For() | cst.CompFor()) as loop:
            return loop.iter is call
        case cst.Call() as around if call in nodes.positional(around):
            return file.canonical(around.func) in _GO_THROUGH
    return False


def _change_arguments(file: File, call: cst.Call, function: str) -> Iterator[Change]:
    for place, given in enumerate(call.args):
        word = nodes.keyword_of(given)
        key = (function, word)
        if key in _RENAMED_KEYWORDS:
            yield Replacement(given, given_by(_RENAMED_KEYWORDS[key]))
        elif key in _IDLE_KEYWORDS and nodes.is_literal(given.value):
            yield without_argument(call, given)
        elif key in _IDLE_KEYWORDS or key in _LOST_KEYWORDS:
            message = f"the argument {word} of {function} is gone"
            note_lost(file, call, message, _LOST_KEYWORDS.get(key, ""))
        elif function in TAKE_SEQUENCES and place == 0 and not word:
            if isinstance(given.value, cst.GeneratorExp) and len(given.value.lpar) < 2:
                yield Replacement(given.value, _list_of)
        elif function in _OPEN and (word == "mode" or (place == 1 and not word)):
            yield from _change_mode(file, given.value)
    words = {nodes.keyword_of(given) for given in call.args}
    around = file.parent(call)
    taken = around.attr.value if isinstance(around, cst.Attribute) else ""
    if function == "numpy.load" and ("encoding" in words or taken in ("item", "tolist")):
        yield from _add_keyword(call, "allow_pickle", "True")
    if function == "yaml.load" and _lacks(call, "Loader"):
        yield from _add_keyword(call, "Loader", _beside(file, call, "yaml", "Loader"))


def _change_mode(file: File, mode: cst.BaseExpression) -> Iterator[Change]:
    """`'r'` for the mode `'rU'`: text files have universal newlines in Python 3 anyway."""
    if isinstance(mode, cst.SimpleString) and not file.meanings.star_imports:
        today = {"U": "r", "rU": "r", "Ur": "r", "rbU": "rb", "rUb": "rb"}.get(str(nodes.literal(mode)))
        if today is not None:
            yield replace(mode, f"{mode.quote}{today}{mode.quote}")


def _lacks(call: cst.Call, keyword: str) -> bool:
    """True if a call has one argument by place, and not the keyword, neither by its name nor in a star."""
    given = {nodes.keyword_of(each) for each in call.args} | {"*" for each in call.args if each.star}
    return not given & {keyword, "*"} and len(nodes.positional(call)) == 1


def _add_keyword(call: cst.Call, keyword: str, value: str) -> Iterator[Change]:
    if _lacks(call, keyword):
        yield added_argument(call, f"{keyword}={value}")


def _beside(file: File, call: cst.Call, module: str, name: str) -> str:
    """The text for a name of the module that a called function is taken from."""
    if isinstance(call.func, cst.Attribute) and library_name(file, call.func.value) == module:
        return f"{nodes.dotted(call.func.value)}.{name}"
    return file.need(name, module)


def _list_of(updated: cst.GeneratorExp, now: Now) -> cst.ListComp:
    """`[x for x in y]` for `(x for x in y)`, or for one without brackets of its own."""
    if not updated.lpar:
        return cst.ListComp(updated.elt, updated.for_in)
    opened = cst.LeftSquareBracket(updated.lpar[0].whitespace_after)
    return cst.ListComp(
        updated.elt, updated.for_in, opened, cst.RightSquareBracket(updated.rpar[0].whitespace_before)
    )


def _name_arguments(file: File, call: cst.Call, function: str) -> Iterator[Change]:
    """Gives a function of librosa those arguments by name that it no longer takes by place."""
    words = _librosa_arguments().get(function, ["", "*"])
    by_place = words.index("*") if "*" in words else len(words)
    given = len(nodes.positional(call))
    if not function.islower() or given <= by_place:
        return
    named = [word for word in words if word != "*"]
    if function in _librosa_arguments() and given <= len(named) and not nodes.has_star(call):
        for argument, word in zip(call.args[by_place:], named[by_place:], strict=False):
            if not nodes.keyword_of(argument):
                yield Replacement(argument, given_by(word))
        return
    message = f"{function}() takes fewer positional arguments than in librosa 0.9.2"
    note_lost(file, call, message, "give the arguments by their names", "librosa(*)")
