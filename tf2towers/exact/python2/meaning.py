"""What Python 3 reads without a complaint and does otherwise than Python 2: division, rounding, pickles, and the like.

It works on the text that `grammar` made. What is certain becomes plain Python 3 (`//`, `float(math.ceil(x))`); where
the kind of a number shows only when the program runs, a function of our runtime does what Python 2 did.
"""

from __future__ import annotations

import ast
import builtins
import codecs
import re
from collections.abc import Iterator, Set
from functools import cached_property

from tf2towers.exact.argument_texts import added_argument
from tf2towers.exact.edits import Edit, Placed, Text, apply
from tf2towers.exact.python2.bytes_written import is_of_bytes, today
from tf2towers.exact.python2.changed_calls import compares_two, encodes_bytes, hashed, is_error, ours
from tf2towers.exact.python2.comparisons import methods_for_cmp
from tf2towers.exact.python2.evidence import NAMES
from tf2towers.exact.python2.number_kinds import NumberKinds
from tf2towers.exact.python2.strings import STRING_CONSTANTS, STRING_METHODS
from tf2towers.exact.python2.text_files import size_of_no_buffer
from tf2towers.names.meanings import Assigned, Meanings, Opaque
from tf2towers.source.conversion import Step
from tf2towers.source.nodes import is_docstring, is_text

_RUNTIME = "tf2towers.runtime"
#: builtins that Python 3 has not, and for which nothing is written
_GONE = NAMES - {"StandardError", "cmp", "file", "xrange"}
#: methods that Python 3 never calls
_METHODS = {"__cmp__", "__coerce__", "__getslice__", "__setslice__", "__delslice__", "__unicode__"}
_OPERATORS = {"__div__": "__truediv__", "__rdiv__": "__rtruediv__", "__idiv__": "__itruediv__"}
_PICKLES = ("pickle.load", "pickle.loads", "pickle.Unpickler", "_pickle.load", "_pickle.loads")
_CONFIGURATIONS = tuple(f"configparser.{name}ConfigParser" for name in ("", "Raw", "Safe"))
#: what takes an open file -> the place of the file, and what that file was opened with in Python 2
_OPENED = {
    "csv.DictReader": (0, "r"), "csv.DictWriter": (0, "w"), "csv.reader": (0, "r"), "csv.writer": (0, "w"),
    "numpy.load": (0, "rb"), "numpy.save": (0, "wb"), "numpy.savez": (0, "wb"), "numpy.savez_compressed": (0, "wb"),
    "pickle.Pickler": (0, "wb"), "pickle.Unpickler": (0, "rb"), "pickle.dump": (1, "wb"), "pickle.load": (0, "rb"),
}  # fmt: skip


class Meaning:
    """One text under conversion: what it becomes, what was done, what is left.

    `bound` are names of builtins that the file bound itself, by an import that the conversion has taken away, too.
    """

    def __init__(self, text: str, tree: ast.Module, bound: Set[str]) -> None:
        self.steps: list[Step] = []
        self.left: list[Step] = []
        self._text = Text(text)
        self._tree = tree
        self._meanings = Meanings(tree)
        self._number_kinds = NumberKinds(tree, self._meanings)
        self._true_division = _has_future(tree, "division")
        self._texts_are_unicode = _has_future(tree, "unicode_literals")
        self._bound = bound
        self._wanted: set[str] = set()
        self._names = {node.id for node in self._meanings.nodes if isinstance(node, ast.Name)}

    def converted(self) -> str:
        """The text with every edit made."""
        made = [edit for node in self._meanings.nodes for edit in self._edits(node)]
        ends = [
            edit for edit in made if edit.text == ")"
        ]  # what a node around another opened is closed after it
        edits = [*(edit for edit in made if edit.text != ")"), *reversed(ends)]
        if self._wanted:
            edits.append(self._import())
        return apply(self._text.text, _together(edits))

    def _edits(self, node: ast.AST) -> Iterator[Edit]:
        match node:
            case ast.BinOp(op=ast.Div()):
                yield from self._division(node)
            case ast.AugAssign(op=ast.Div()):
                yield from self._division_in_place(node)
            case ast.Call():
                yield from self._call(node)
            case ast.Attribute() | ast.Name() if self._meanings.canonical(node) == "io.StringIO":
                yield from self._file_in_memory(node)
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Subscript():
                yield from self._item(node)
            case ast.Name():
                yield from self._name(node)
            case ast.FunctionDef():
                yield from self._method(node)
            case ast.Expr():
                yield from self._default_encoding(node)
            case ast.ListComp():
                self._leak(node)
            case ast.ExceptHandler():
                self._forgotten(node)
            case ast.Constant() if not self._texts_are_unicode:
                yield from self._literal(node)
            case ast.alias() if node.asname == node.name:  # was `import cPickle as pickle`
                yield self._replaced(node, node.name)

    # -- division ---------------------------------------------------------------------------------------------------

    def _division(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right = self._number_kinds.of(node.left), self._number_kinds.of(node.right)
        if self._true_division or "float" in (left, right) or isinstance(node.left, ast.JoinedStr):
            return
        place = self._operator(node.left, node.right)
        if left == right == "int":
            self._did("integer division", node)
            yield Edit(place, place + 1, "//")
            return
        self._did("division of what may be integers", node)
        start, end = self._text.start(node), self._text.end(node)
        first, last = self._text.start(node.left), self._text.end(node.right)
        bare_left = self._in_parentheses(node.left, start, place)
        bare_right = self._in_parentheses(node.right, place + 1, end)
        yield Edit(start, first if bare_left else start, f"{self._need('python2_division')}(")
        if bare_left or bare_right:
            comma = self._comma(place)
            before = self._text.end(node.left) if bare_left else comma.start
            after = self._text.start(node.right) if bare_right else comma.end
            yield Edit(before, after, ", ")
        else:
            yield self._comma(place)
        yield Edit(last if bare_right else end, end, ")")

    def _in_parentheses(self, operand: ast.expr, start: int, end: int) -> bool:
        """Whether an operand has parentheses between `start` and `end`, on its line, that an argument can lack."""
        if isinstance(operand, ast.Yield | ast.YieldFrom):
            return False
        before = self._text.text[start : self._text.start(operand)]
        after = self._text.text[self._text.end(operand) : end]
        return (before.strip(" "), after.strip(" ")) == ("(", ")")

    def _division_in_place(self, node: ast.AugAssign) -> Iterator[Edit]:
        right = self._number_kinds.of(node.value)
        if self._true_division or right == "float":
            return
        target = node.target
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            self._meanings.parents[load] = node
            left = self._number_kinds.of(load)
            if left == "float":
                return
        elif not _is_plain(target):
            self._leave("a division in place of what may be integers", node)
            return
        self._did("division of what may be integers", node)
        written = self._text.of(target)
        start, end = self._text.start(node.value), self._text.end(node)
        after = self._text.end(target)
        name = self._need("python2_division_in_place")
        yield Edit(after, start, f" = {name}({written}, ")
        yield Edit(end, end, ")")

    def _operator(self, left: ast.expr, right: ast.expr) -> int:
        """Where the `/` between two operands stands."""
        place, end = self._text.end(left), self._text.start(right)
        while place < end:
            if self._text.text[place] == "#":
                while self._text.text[place] not in "\r\n":
                    place += 1
            elif self._text.text[place] == "/":
                return place
            place += 1
        raise AssertionError("no operator between operands")

    def _comma(self, place: int) -> Edit:
        """The edit that puts a comma in the place of an operator."""
        text = self._text.text
        start, end = place, place + 1
        while start > 0 and text[start - 1] == " ":
            start -= 1
        while end < len(text) and text[end] == " ":
            end += 1
        if text[start - 1] in "\r\n":  # the line begins with the operator: the comma stands there
            return Edit(place, end, ", ")
        return Edit(start, end, "," if text[end] in "\\\r\n" else ", ")

    # -- calls ------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Iterator[Edit]:
        name = self._meanings.canonical(node.func) or ""
        if name in _PICKLES:
            yield from self._pickle(node)
        if name in _OPENED:
            yield from self._opened(node, *_OPENED[name])
        function = ours(node, name, self._meanings)
        if function is not None and name.removeprefix("builtins.") not in self._bound:
            self._did(f"{name.removeprefix('builtins.')}() of Python 2", node)
            yield self._replaced(node.func, self._need(function))
        if name in _CONFIGURATIONS and not _has(node, "inline_comment_prefixes"):
            self._did("comments in files of configuration", node)
            added = "inline_comment_prefixes=(';',), strict=False"
            given_some = node.args or node.keywords
            end = self._text.end(node) - 1
            yield added_argument(self._text, node, added) if given_some else Edit(end, end, added)
        if (given := hashed(node, name, self._meanings)) is not None:
            self._did("text that was bytes", node)
            yield Edit(self._text.start(given), self._text.start(given), f"{self._need('python2_bytes')}(")
            yield Edit(self._text.end(given), self._text.end(given), ")")
        if (encoding := encodes_bytes(node)) is not None:
            self._leave(f"the encoding {encoding!r}, which Python 3 has not for texts", node)
        if name in ("builtins.open", "os.fdopen") and (size := size_of_no_buffer(node)) is not None:
            self._did("files of text without a buffer, written line by line", node)
            yield self._replaced(size, "1")
        if name == "numpy.load" and self._is_item(node):
            missing = [
                argument
                for argument in ("allow_pickle=True", "encoding='latin1'")
                if not _has(node, argument)
            ]
            if missing:
                self._did("arrays of objects that Python 2 wrote", node)
                yield added_argument(self._text, node, ", ".join(missing))
        if name in ("math.floor", "math.ceil") and not self._inside_int(node):
            self._did("math.floor() and math.ceil() as floats", node)
            yield from self._enclosed(node, "float(", ")")
        if name == "builtins.round" and node.args:
            self._did("round() of Python 2", node)
            yield self._replaced(node.func, self._need("python2_round"))
        if name == "time.clock":
            self._did("time.clock()", node)
            yield self._replaced_last(node.func, "process_time")
        if name.startswith("string.") and name[7:] in STRING_METHODS:
            yield from self._string(node, name[7:])
        if name == "builtins.str" and len(node.args) in (2, 3) and _is_of_text(node.args[1]):
            self._did("text that was bytes", node)  # it was unicode(x, "utf-8")
            yield self._replaced(node.func, self._need("python2_decode"))
        yield from self._decoded(node)
        yield from self._shown(node)
        yield from self._translated(node)
        yield from self._compared(node, name)

    def _translated(self, node: ast.Call) -> Iterator[Edit]:
        """`text.translate(None, deleted)`: Python 3 takes the table alone."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "translate" or len(node.args) != 2:
            return
        dot = self._text.text.rfind(".", 0, self._text.end(node.func))
        first = self._text.start(node.args[0])
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        if node.keywords or starred or re.fullmatch(r"\.translate\(\s*", self._text.text[dot:first]) is None:
            return
        self._did("translate() of two arguments", node)
        start = self._text.start(node)
        yield Edit(start, start, f"{self._need('python2_translate')}(")
        yield Edit(dot, first, ", ")

    def _decoded(self, node: ast.Call) -> Iterator[Edit]:
        """`line.decode("utf-8")`: lines of files and texts of the script were bytes, and are texts now."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "decode" or not node.args:
            return
        if node.keywords or len(node.args) > 2 or not _is_of_text(node.args[0]):
            return
        dot = self._text.text.rfind(".", 0, self._text.end(node.func))
        first = self._text.start(node.args[0])
        if re.fullmatch(r"\.decode\(\s*", self._text.text[dot:first]) is None:
            return
        self._did("text that was bytes", node)
        start = self._text.start(node)
        yield Edit(start, start, f"{self._need('python2_decode')}(")
        yield Edit(dot, first, ", ")

    def _shown(self, node: ast.Call) -> Iterator[Edit]:
        """`print line.encode("utf-8")`: Python 2 showed the text, Python 3 shows `b'...'`."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "encode" or len(node.args) != 1:
            return
        if node.keywords or not _is_of_text(node.args[0]) or not self._is_shown(node):
            return
        self._did("text that was bytes", node)
        encoding = self._text.of(node.args[0])
        yield from self._enclosed(node, f"{self._need('python2_decode')}(", f", {encoding})")

    def _is_shown(self, node: ast.expr) -> bool:
        """Whether a value is printed, or becomes a part of a text of the script."""
        around = self._meanings.parents.get(node)
        if isinstance(around, ast.Tuple):
            node, around = around, self._meanings.parents.get(around)
        if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mod):
            return node is around.right and is_text(around.left)
        if not isinstance(around, ast.Call) or node not in around.args:
            return False
        if isinstance(around.func, ast.Attribute) and around.func.attr == "format":
            return is_text(around.func.value)
        return self._meanings.canonical(around.func) == "builtins.print"

    def _literal(self, node: ast.Constant) -> Iterator[Edit]:
        text = self._text.of(node)
        if "\\" not in text or not is_of_bytes(node, text, self._meanings):
            return
        new = today(node, text, self._meanings)
        if new is None:
            self._leave("bytes where there is text now", node)
            return
        self._did("text that was bytes", node)
        start = self._text.start(node)
        yield Edit(start, start, "b") if new == "bytes" else Edit(start, self._text.end(node), new)

    def _pickle(self, node: ast.Call) -> Iterator[Edit]:
        if not node.args or any(keyword.arg in ("encoding", None) for keyword in node.keywords):
            return
        self._did("pickles that Python 2 wrote", node)
        yield added_argument(self._text, node, "encoding='latin1'")

    def _opened(self, node: ast.Call, place: int, wanted: str) -> Iterator[Edit]:
        """The file that is pickled, or read as a pickle: opened as text in Python 2, it has to be bytes.

        The csv module wanted bytes, and takes a text whose line ends nobody changes.
        """
        if len(node.args) <= place:
            return
        is_text = "b" not in wanted
        what = "files of the csv module" if is_text else "pickles and arrays in files of text"
        for opened in self._opens(node.args[place]):
            mode = opened.args[1] if len(opened.args) > 1 else None
            if is_text:
                if isinstance(mode, ast.Constant) and mode.value in ("rb", "wb", "ab", "rbU", "rUb"):
                    self._did(what, opened)
                    new = f"{str(mode.value)[0]!r}, newline=''"
                    yield Edit(self._text.start(mode), self._text.end(mode), new)
            elif mode is None and len(opened.args) == 1 and not opened.keywords and wanted == "rb":
                self._did(what, opened)
                yield added_argument(self._text, opened, "'rb'")
            elif isinstance(mode, ast.Constant) and mode.value in ("r", "w", "rU", "a"):
                self._did(what, opened)
                new = {"r": "rb", "w": "wb", "rU": "rb", "a": "ab"}[str(mode.value)]
                yield self._replaced(mode, repr(new))

    def _opens(self, handle: ast.expr) -> Iterator[ast.Call]:
        """The calls of open that a handle comes from, where all that it comes from is seen."""
        values: list[ast.expr] = [handle]
        around = self._with(handle) if isinstance(handle, ast.Name) else None
        if around is not None:
            values = [around]
        elif isinstance(handle, ast.Name):
            values = []
            for binding in self._meanings.bindings(handle):
                parent = self._meanings.parents.get(binding.node) if isinstance(binding, Opaque) else None
                if isinstance(binding, Assigned):
                    values.append(binding.value)
                elif isinstance(parent, ast.withitem):
                    values.append(parent.context_expr)
                else:
                    return
            if len(values) != 1:  # the name is used for several files: which is pickled is not certain
                return
        for value in values:
            if isinstance(value, ast.Call):
                if self._meanings.canonical(value.func) in ("builtins.open", "builtins.file") or (
                    isinstance(value.func, ast.Name) and value.func.id == "file"
                ):
                    yield value

    def _with(self, handle: ast.Name) -> ast.expr | None:
        """What the nearest `with` around a name binds to it."""
        around: ast.AST | None = handle
        while around is not None and not isinstance(around, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            around = self._meanings.parents.get(around)
            if isinstance(around, ast.With):
                for item in around.items:
                    if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == handle.id:
                        return item.context_expr
        return None

    def _is_item(self, node: ast.Call) -> bool:
        """Whether `.item()` of it is asked for: an object is in the array."""
        parent = self._meanings.parents[node]
        return isinstance(parent, ast.Attribute) and parent.attr in ("item", "tolist")

    def _inside_int(self, node: ast.Call) -> bool:
        parent = self._meanings.parents[node]
        return isinstance(parent, ast.Call) and self._meanings.canonical(parent.func) in (
            "builtins.int",
            "builtins.float",
            "builtins.range",
        )

    def _string(self, node: ast.Call, name: str) -> Iterator[Edit]:
        """`string.split(text, ...)` becomes `text.split(...)`."""
        how = STRING_METHODS[name]
        if how.startswith("builtins."):
            self._did("functions of the string module", node)
            yield self._replaced(node.func, how[9:])
            return
        if how == "str":
            self._did("functions of the string module", node)
            yield self._replaced(node.func, f"str.{name}")
            return
        given = node.args
        if node.keywords or not given or any(isinstance(argument, ast.Starred) for argument in given):
            self._leave(f"string.{name}()", node)
            return
        self._did("functions of the string module", node)
        texts = [self._text.of(argument) for argument in given]
        if how == "join":
            separator = texts[1] if len(texts) > 1 else "' '"
            inner = [texts[0]]
            if len(given) > 1 and not isinstance(given[1], ast.Name | ast.Constant | ast.Attribute):
                separator = f"({separator})"
        else:
            separator = texts[0]
            inner = texts[1:]
            if name == "zfill":
                separator = f"str({separator})"  # it took numbers, too
            elif not isinstance(given[0], ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript):
                separator = f"({separator})"
        if any(isinstance(child, ast.Call | ast.BinOp) for argument in given for child in ast.walk(argument)):
            # edits inside the arguments would be lost: the unbound method takes them as they stand
            if how == "join":
                self._leave(f"string.{name}()", node)
            else:
                yield self._replaced(node.func, f"str.{how}")
            return
        yield self._replaced(node, f"{separator}.{how}({', '.join(inner)})")

    def _string_value(self, node: ast.Attribute, name: str) -> str | None:
        """`map(string.strip, lines)`: the function itself as a value, and what it is now."""
        around = self._meanings.parents[node]
        if (isinstance(around, ast.Call) and around.func is node) or name not in STRING_METHODS:
            return None
        how = STRING_METHODS[name]
        if how == "join" or name in ("zfill", "splitfields"):
            return None
        return how[9:] if how.startswith("builtins.") else f"str.{name}"

    def _compared(self, node: ast.Call, name: str) -> Iterator[Edit]:
        """A function that compares two items, which sort() took."""
        is_sort = isinstance(node.func, ast.Attribute) and node.func.attr == "sort"
        given: list[tuple[ast.expr, bool]] = [
            (keyword.value, True) for keyword in node.keywords if keyword.arg == "cmp"
        ]
        if is_sort and not node.keywords and len(node.args) == 1 and not name.startswith(("tf.", "numpy.")):
            if compares_two(node.args[0], self._meanings):
                given = [(node.args[0], False)]
        if name == "builtins.sorted" and len(node.args) == 2:
            given = [(node.args[1], False)]
        if (is_sort or name == "builtins.sorted") and given:
            value, named = given[0]
            keyword = next((passed for passed in node.keywords if passed.value is value), None)
            start = self._text.start(keyword if named and keyword is not None else value)
            self._did("sorting by cmp", node)
            yield Edit(start, self._text.start(value), f"key={self._need('cmp_to_key', 'functools')}(")
            end = self._text.end(value)
            yield Edit(end, end, ")")

    # -- names ------------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        name = self._meanings.canonical(node) or ""
        if name.startswith("string.") and name[7:] in STRING_CONSTANTS:
            self._did("names of the string module", node)
            yield self._replaced_last(node, STRING_CONSTANTS[name[7:]])
        elif name.startswith("string.") and (value := self._string_value(node, name[7:])) is not None:
            self._did("functions of the string module", node)
            yield self._replaced(node, value)
        elif name in ("operator.div", "operator.idiv"):
            self._did("division of what may be integers", node)
            which = "python2_division" + ("_in_place" if name.endswith("idiv") else "")
            yield self._replaced(node, self._need(which))
        elif (
            node.attr == "message" and isinstance(node.ctx, ast.Load) and is_error(node.value, self._meanings)
        ):
            self._did("the message of an error", node)
            yield self._replaced(node, f"{self._need('python2_message')}({self._text.of(node.value)})")

    def _file_in_memory(self, node: ast.Attribute | ast.Name) -> Iterator[Edit]:
        """`StringIO.StringIO`, wherever it is named: it took bytes as well as text."""
        if isinstance(node.ctx, ast.Load):
            self._did("StringIO of Python 2", node)
            yield self._replaced(node, self._need("python2_StringIO"))

    def _item(self, node: ast.Subscript) -> Iterator[Edit]:
        """`error[0]`, the first argument of an error."""
        if is_error(node.value, self._meanings) and not self._has_items:
            self._did("the arguments of an error", node)
            end = self._text.end(node.value)
            yield Edit(end, end, ".args")

    @cached_property
    def _has_items(self) -> bool:
        """Whether a class of the file may be an error with items of its own."""
        return any(
            isinstance(node, ast.FunctionDef) and node.name == "__getitem__" for node in self._meanings.nodes
        )

    def _name(self, node: ast.Name) -> Iterator[Edit]:
        if node.id in _OPERATORS and isinstance(self._meanings.scope(node).node, ast.ClassDef):
            self._did("operator methods", node)  # `__rdiv__ = __div__`
            yield self._replaced(node, _OPERATORS[node.id])
        if node.id == "__metaclass__" and isinstance(self._meanings.scope(node).node, ast.Module):
            around = self._meanings.parents[node]
            if not (isinstance(around, ast.Assign) and ast.unparse(around.value) == "type"):
                self._leave("a __metaclass__ of the module", node)
        if not isinstance(node.ctx, ast.Load) or self._meanings.bindings(node):
            return
        if node.id in self._names and self._bound_by_star(node.id):
            return
        if node.id == "file":
            yield from self._file(node)
        elif node.id in ("map", "filter") and self._is_value(node):
            self._did(f"{node.id} as a value", node)
            yield self._replaced(node, self._need(f"python2_{node.id}"))
        elif node.id == "cmp":
            self._did("cmp()", node)
            yield self._replaced(node, "(lambda x, y: (x > y) - (x < y))")
        elif node.id in _GONE and not hasattr(builtins, node.id):
            self._leave(f"{node.id}, which Python 3 has not", node)

    def _is_value(self, node: ast.Name) -> bool:
        """Whether a function of Python 2 is handed on: `partial(map, f)`."""
        around = self._meanings.parents[node]
        return node.id not in self._bound and not (isinstance(around, ast.Call) and around.func is node)

    def _file(self, node: ast.Name) -> Iterator[Edit]:
        """`file(path)` is `open(path)`, and what `isinstance` asks for is what `open` gives."""
        around = self._meanings.parents[node]
        asked = around if isinstance(around, ast.Tuple) else node
        call = self._meanings.parents[asked]
        if isinstance(around, ast.Call) and around.func is node:
            self._did("file()", node)
            yield self._replaced(node, "open")
        elif (
            isinstance(call, ast.Call)
            and self._meanings.canonical(call.func) == "builtins.isinstance"
            and call.args[1:] == [asked]
        ):
            self._did("file", node)
            yield self._replaced(node, self._need("python2_file"))
        else:
            self._leave("file, which Python 3 has not", node)

    def _bound_by_star(self, name: str) -> bool:
        return any(not module.startswith("tensorflow") for module in self._meanings.star_imports)

    def _method(self, node: ast.FunctionDef) -> Iterator[Edit]:
        kind = self._meanings.parents[node]
        if not isinstance(kind, ast.ClassDef):
            return
        if node.name == "__cmp__" and (made := methods_for_cmp(kind, node)) is not None:
            self._did("methods for __cmp__", node)
            end = self._text.text.find("\n", self._text.end(node))
            end = len(self._text.text) if end < 0 else end
            margin = " " * node.col_offset
            yield Edit(end, end, "".join(f"\n{margin}{line}" if line else "\n" for line in made))
        elif node.name in _METHODS:
            self._leave(f"the method {node.name}, which Python 3 never calls", node)
        elif node.name in _OPERATORS:
            self._did("operator methods", node)
            place = self._text.text.index(node.name, self._text.start(node))
            yield Edit(place, place + len(node.name), _OPERATORS[node.name])

    def _default_encoding(self, node: ast.Expr) -> Iterator[Edit]:
        """`reload(sys)` and `sys.setdefaultencoding('utf-8')`: text is UTF-8 in Python 3."""
        call = node.value
        if not isinstance(call, ast.Call):
            return
        name = self._meanings.canonical(call.func) or ""
        reloads = name in ("importlib.reload", "imp.reload") and any(
            isinstance(argument, ast.Name) and argument.id == "sys" for argument in call.args
        )
        if name == "sys.setdefaultencoding" or reloads:
            self._did("sys.setdefaultencoding()", node)
            yield Edit(self._text.start(node), self._text.end(node), "pass", whole=True)

    def _leak(self, node: ast.ListComp) -> None:
        """A list comprehension's variable was the function's own in Python 2: it is told where that shows."""
        names = {
            target.id
            for generator in node.generators
            for target in ast.walk(generator.target)
            if isinstance(target, ast.Name)
        }
        scope = self._meanings.scope(self._meanings.parents[node])
        while not isinstance(scope.node, ast.FunctionDef | ast.Module | ast.Lambda) and scope.parent:
            scope = scope.parent
        statement: ast.AST = node
        while not isinstance(statement, ast.stmt):
            statement = self._meanings.parents[statement]
        last = statement.end_lineno or statement.lineno
        if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
            return
        for name in sorted(names):
            places = sorted(
                (node.lineno, node.col_offset, not isinstance(node.ctx, ast.Load))
                for node in self._meanings.nodes
                if isinstance(node, ast.Name)
                and node.id == name
                and self._meanings.scope(node) is scope
                and node.lineno > last
            )
            if places and not places[0][2] and not self._binds_on_the_line(name, places[0][0], scope):
                self._leave(f"{name} of a list comprehension, read after it", node)

    def _forgotten(self, handler: ast.ExceptHandler) -> None:
        """An error was still there behind its `except`; Python 3 forgets its name: it is told where that shows."""
        jumps = isinstance(handler.body[-1], ast.Return | ast.Raise | ast.Continue)
        if handler.name is None or jumps:
            return
        scope, last = self._meanings.scope(handler), handler.end_lineno or handler.lineno
        behind = sorted(
            (node.lineno, node.col_offset, isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
            for node in self._meanings.nodes
            if isinstance(node, ast.Name | ast.ExceptHandler)
            and (node.id if isinstance(node, ast.Name) else node.name) == handler.name
            and self._meanings.scope(node) is scope
            and node.lineno > last
        )
        if behind and behind[0][2] and not self._binds_on_the_line(handler.name, behind[0][0], scope):
            self._leave(f"{handler.name} of an except, read after it", handler)

    def _binds_on_the_line(self, name: str, line: int, scope: object) -> bool:
        """Whether a name that a line reads is bound there or is an import's or a function's."""
        found = self._meanings.module.lookup(name)
        if found is not None and any(not isinstance(binding, Assigned | Opaque) for binding in found[1]):
            return True
        for node in self._meanings.nodes:
            if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
                if node.lineno == line and self._meanings.scope(node) is scope:
                    return True
        return False

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _did(self, what: str, node: Placed) -> None:
        self.steps.append(Step(what, node.lineno))

    def _leave(self, what: str, node: Placed) -> None:
        self.left.append(Step(what, node.lineno))

    def _replaced(self, node: Placed, new: str) -> Edit:
        return Edit(self._text.start(node), self._text.end(node), new)

    def _enclosed(self, node: Placed, opening: str, closing: str) -> Iterator[Edit]:
        start, end = self._text.start(node), self._text.end(node)
        yield Edit(start, start, opening)
        yield Edit(end, end, closing)

    def _replaced_last(self, node: ast.expr, new: str) -> Edit:
        """The last name of a dotted name becomes another."""
        end = self._text.end(node)
        last = node.attr if isinstance(node, ast.Attribute) else self._text.of(node)
        return Edit(end - len(last), end, new)

    def _need(self, name: str, module: str = _RUNTIME) -> str:
        self._wanted.add(f"from {module} import {name}" if module != _RUNTIME else name)
        return name

    def _import(self) -> Edit:
        """The lines that import what was asked for, after the imports that the module begins with."""
        ours = sorted(name for name in self._wanted if " " not in name)
        lines = sorted(name for name in self._wanted if " " in name)
        if ours:
            lines.append(f"from {_RUNTIME} import {', '.join(ours)}")
        after: ast.stmt | None = None
        for place, statement in enumerate(self._tree.body):
            if isinstance(statement, ast.Import | ast.ImportFrom) or (place == 0 and is_docstring(statement)):
                after = statement
            elif after is None or not isinstance(statement, ast.Try | ast.If):
                break
        newline = self._text.newline
        if after is not None and (between := self._to_the_next_on_its_line(after)) is not None:
            return Edit(*between, newline + "".join(added + newline for added in lines))
        if after is not None:
            offset = self._text.line_start((after.end_lineno or after.lineno) + 1)
            ended = offset == 0 or self._text.text[offset - 1] in "\r\n"
            return Edit(
                offset, offset, ("" if ended else newline) + "".join(added + newline for added in lines)
            )
        first = self._tree.body[0]
        line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))])
        offset = self._text.line_start(line)
        return Edit(offset, offset, "".join(added + newline for added in lines))

    def _to_the_next_on_its_line(self, statement: ast.stmt) -> tuple[int, int] | None:
        """What stands between a statement of the top level and one on the same line, which may use what is imported."""
        body = self._tree.body
        following = body[body.index(statement) + 1 :]
        if not following:
            return None
        return self._text.between_on_a_line(statement, following[0])


def _together(edits: list[Edit]) -> list[Edit]:
    """Insertions at one place as one, in their order: the same function may begin twice there."""
    places: dict[int, str] = {}
    for edit in edits:
        if edit.start == edit.end:
            places[edit.start] = places.get(edit.start, "") + edit.text
    spans = [edit for edit in edits if edit.start != edit.end]
    return [*(Edit(place, place, text) for place, text in places.items()), *spans]


def _is_of_text(encoding: ast.expr) -> bool:
    """Whether a constant names an encoding of text: not `hex` or `base64`, say, which turn bytes into bytes."""
    if not isinstance(encoding, ast.Constant) or not isinstance(encoding.value, str):
        return False
    try:
        return codecs.lookup(encoding.value)._is_text_encoding
    except LookupError:
        return False


def _has(node: ast.Call, argument: str) -> bool:
    return any(keyword.arg == argument.partition("=")[0] for keyword in node.keywords)


def _has_future(tree: ast.Module, feature: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == feature for alias in node.names)
        for node in tree.body
    )


def _is_plain(node: ast.expr) -> bool:
    """Whether evaluating it twice does nothing else than once: names, attributes, items by them and numbers."""
    return all(
        isinstance(
            part,
            ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.Slice | ast.Tuple | ast.UnaryOp
            | ast.expr_context | ast.unaryop,
        )
        for part in ast.walk(node)
    )  # fmt: skip
