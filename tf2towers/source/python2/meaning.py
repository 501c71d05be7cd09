"""What Python 3 reads without a complaint and does otherwise than Python 2: division, rounding, pickles, and the like.

It works on the text that `grammar` made. What is certain becomes plain Python 3 (`//`, `float(math.ceil(x))`); where
the kind of a number shows only when the program runs, a function of the runtime does what Python 2 did.
"""

from __future__ import annotations

import ast
import builtins
import codecs
import re
from collections.abc import Iterator, Set

from tf2towers.source.conversion import Step
from tf2towers.source.nodes import is_docstring, is_text
from tf2towers.source.python2.bytes_written import is_of_bytes, python3_literal
from tf2towers.source.python2.evidence import NAMES, size_of_no_buffer
from tf2towers.source.python2.number_kinds import NumberKinds
from tf2towers.source.python2.scopes import Scope, Scopes
from tf2towers.source.python2.tables import read_words
from tf2towers.source.python2.text import Edit, Placed, Text, apply_edits

_RUNTIME = "tf2towers.runtime"
#: builtins that are not in Python 3, and for which nothing is written
_GONE = NAMES - {"StandardError", "cmp", "file", "xrange"}
#: methods that Python 3 never calls
_METHODS = {"__cmp__", "__coerce__", "__getslice__", "__setslice__", "__delslice__", "__unicode__"}
_OPERATORS = {"__div__": "__truediv__", "__rdiv__": "__rtruediv__", "__idiv__": "__itruediv__"}
_COMPARISONS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__eq__": "==", "__ne__": "!="}
#: what Python asks of the other object first, in both versions, before it would ask `__cmp__`
_REFLECTED = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}
#: a function of Python 2 -> the runtime's that does the same
_OURS = {"random.seed": "python2_seed", "random.Random": "python2_random"}
#: what takes any kind of list: what `filter` gives need be none
_TAKE_ANY = [
    f"builtins.{name}"
    for name in ("all", "any", "dict", "iter", "list", "max", "min", "set", "sorted", "sum", "tuple")
]
_HASHES = [
    f"hashlib.{name}"
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
]
#: encodings that are not for texts in Python 3
_OF_BYTES = read_words("encodings of bytes")
_PICKLES = ("pickle.load", "pickle.loads", "pickle.Unpickler", "_pickle.load", "_pickle.loads")
_CONFIGURATIONS = tuple(f"configparser.{name}ConfigParser" for name in ("", "Raw", "Safe"))
#: what takes an open file -> the place of the file, and what that file was opened with in Python 2
_OPENED = {
    "csv.DictReader": (0, "r"), "csv.DictWriter": (0, "w"), "csv.reader": (0, "r"), "csv.writer": (0, "w"),
    "numpy.load": (0, "rb"), "numpy.save": (0, "wb"), "numpy.savez": (0, "wb"), "numpy.savez_compressed": (0, "wb"),
    "pickle.Pickler": (0, "wb"), "pickle.Unpickler": (0, "rb"), "pickle.dump": (1, "wb"), "pickle.load": (0, "rb"),
}  # fmt: skip
_IN_BYTES = {"r": "rb", "w": "wb", "rU": "rb", "a": "ab"}
#: function of the string module -> the method of its first argument; 'join'; 'str' for one of str itself; a builtin
_STRING = {name: name for name in read_words("methods of texts")} | {
    "atof": "builtins.float", "atoi": "builtins.int", "atol": "builtins.int", "joinfields": "join",
    "maketrans": "str", "splitfields": "split",
}  # fmt: skip
_STRING_CONSTANTS = {f"string.{name}": f"ascii_{name}" for name in ("letters", "lowercase", "uppercase")}
_SIMPLE = ast.Name | ast.Constant | ast.Attribute


class Meaning:
    """One text under conversion: what it becomes, what was done, what is left.

    `bound` are names of builtins that the file bound itself, by an import that the conversion has taken away, too.
    """

    def __init__(self, text: str, tree: ast.Module, bound: Set[str]) -> None:
        self.steps: list[Step] = []
        self.left: list[Step] = []
        self._text = Text(text)
        self._tree = tree
        self._scopes = Scopes(tree)
        self._kinds = NumberKinds(self._scopes)
        self._futures = {
            alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
            for alias in node.names
        }
        self._bound = bound
        self._wanted: set[str] = set()

    def converted(self) -> str:
        """The text with every edit made."""
        made = [edit for node in self._scopes.nodes for edit in self._edits(node)]
        ends = [
            edit for edit in made if edit.new == ")"
        ]  # what a node around another opened is closed after it
        edits = [*(edit for edit in made if edit.new != ")"), *reversed(ends)]
        return apply_edits(self._text.text, [*edits, *([self._import()] if self._wanted else [])])

    def _edits(self, node: ast.AST) -> Iterator[Edit]:
        match node:
            case ast.BinOp(op=ast.Div()):
                yield from self._division(node)
            case ast.AugAssign(op=ast.Div()):
                yield from self._division_in_place(node)
            case ast.Call():
                yield from self._call(node)
            case ast.Attribute() | ast.Name() if self._scopes.canonical(node) == "io.StringIO":
                if isinstance(node.ctx, ast.Load):  # it took bytes as well as text
                    yield self._call_runtime(node, "StringIO of Python 2", "python2_StringIO")
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Subscript() if self._is_error(node.value) and not self._has_items():
                self._record_step("the arguments of an error", node)  # `error[0]`
                yield self._insert(self._text.end(node.value), ".args")
            case ast.Name():
                yield from self._name(node)
            case ast.FunctionDef():
                yield from self._method(node)
            case ast.Expr(value=ast.Call() as call) if self._sets_encoding(call):
                yield self._replace_recorded(node, "sys.setdefaultencoding()", "pass")
            case ast.ListComp():
                self._report_leaked_variable(node)
            case ast.ExceptHandler():
                self._report_forgotten_error(node)
            case ast.Constant() if "unicode_literals" not in self._futures:
                yield from self._literal(node)
            case ast.alias() if node.asname == node.name:  # was `import cPickle as pickle`
                yield self._replace(node, node.name)

    # -- division ---------------------------------------------------------------------------------------------------

    def _division(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right = self._kinds.of(node.left), self._kinds.of(node.right)
        if "division" in self._futures or "float" in (left, right) or isinstance(node.left, ast.JoinedStr):
            return
        text, between = self._text.text, (self._text.end(node.left), self._text.start(node.right))
        comment = re.compile(r"#[^\r\n]*")
        blanked = comment.sub(lambda found: " " * len(found[0]), text[slice(*between)])
        place = between[0] + blanked.index("/")
        if left == right == "int":
            self._record_step("integer division", node)
            yield Edit(place, place + 1, "//")
            return
        self._record_step("division of what may be integers", node)
        start, end = self._text.start(node), self._text.end(node)
        bare_left = self._in_parentheses(node.left, start, place)
        bare_right = self._in_parentheses(node.right, place + 1, end)
        name = self._need("python2_division")
        yield Edit(start, self._text.start(node.left) if bare_left else start, f"{name}(")
        comma = self._comma(place)
        if bare_left or bare_right:
            before = self._text.end(node.left) if bare_left else comma.start
            comma = Edit(before, self._text.start(node.right) if bare_right else comma.end, ", ")
        yield comma
        yield Edit(self._text.end(node.right) if bare_right else end, end, ")")

    def _in_parentheses(self, operand: ast.expr, start: int, end: int) -> bool:
        """Whether an operand has parentheses between `start` and `end`, on its line, that an argument can lack."""
        before = self._text.text[start : self._text.start(operand)]
        after = self._text.text[self._text.end(operand) : end]
        return (before.strip(" "), after.strip(" ")) == ("(", ")") and not isinstance(
            operand, ast.Yield | ast.YieldFrom
        )

    def _division_in_place(self, node: ast.AugAssign) -> Iterator[Edit]:
        target = node.target
        if "division" in self._futures or self._kinds.of(node.value) == "float":
            return
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            self._scopes.parents[load] = node
            if self._kinds.of(load) == "float":
                return
        elif not _is_plain(target):
            self._record_left("a division in place of what may be integers", node)
            return
        self._record_step("division of what may be integers", node)
        name = self._need("python2_division_in_place")
        yield Edit(
            self._text.end(target), self._text.start(node.value), f" = {name}({self._text.of(target)}, "
        )
        yield self._insert(self._text.end(node), ")")

    def _comma(self, place: int) -> Edit:
        """The edit that puts a comma in the place of an operator."""
        text = self._text.text
        start = len(text[:place].rstrip(" "))
        end = place + 1 + len(text[place + 1 :]) - len(text[place + 1 :].lstrip(" "))
        if text[start - 1] in "\r\n":  # the line begins with the operator: the comma goes there
            return Edit(place, end, ", ")
        return Edit(start, end, "," if text[end] in "\\\r\n" else ", ")

    # -- calls ------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Iterator[Edit]:
        name = self._scopes.canonical(node.func) or ""
        keywords = {keyword.arg for keyword in node.keywords}
        if name in _PICKLES and node.args and not keywords & {"encoding", None}:
            yield self._add_argument(node, "pickles that Python 2 wrote", "encoding='latin1'")
        if name in _OPENED:
            yield from self._opened(node, *_OPENED[name])
        function = self._ours_for(node, name)
        if function is not None and name.removeprefix("builtins.") not in self._bound:
            yield self._call_runtime(node.func, f"{name.removeprefix('builtins.')}() of Python 2", function)
        if name in _CONFIGURATIONS and "inline_comment_prefixes" not in keywords:
            added = "inline_comment_prefixes=(';',), strict=False"
            yield self._add_argument(node, "comments in files of configuration", added)
        if (given := self._hashed(node, name)) is not None:
            yield from self._enclose(given, "text that was bytes", "python2_bytes")
        if (encoding := _encoding(node, "encode", "decode")) and encoding.lower() in _OF_BYTES:
            self._record_left(f"the encoding {encoding!r}, which is not for texts in Python 3", node)
        if name in ("builtins.open", "os.fdopen") and (size := size_of_no_buffer(node)) is not None:
            yield self._replace_recorded(size, "files of text without a buffer, written line by line", "1")
        around = self._scopes.parents[node]
        if name == "numpy.load" and isinstance(around, ast.Attribute) and around.attr in ("item", "tolist"):
            wanted = {"allow_pickle": "allow_pickle=True", "encoding": "encoding='latin1'"}
            if missing := ", ".join(text for keyword, text in wanted.items() if keyword not in keywords):
                yield self._add_argument(node, "arrays of objects that Python 2 wrote", missing)
        whole = ("builtins.int", "builtins.float", "builtins.range")
        if name in ("math.floor", "math.ceil") and not self._scopes.calls(around, *whole):
            self._record_step("math.floor() and math.ceil() as floats", node)
            yield self._insert(self._text.start(node), "float(")
            yield self._insert(self._text.end(node), ")")
        if name == "builtins.round" and node.args:
            yield self._call_runtime(node.func, "round() of Python 2", "python2_round")
        if name == "time.clock":
            self._record_step("time.clock()", node)
            yield self._replaced_last(node.func, "process_time")
        if name.startswith("string.") and name[7:] in _STRING:
            yield from self._string(node, name[7:])
        if name == "builtins.str" and len(node.args) in (2, 3) and _is_of_text(node.args[1]):
            yield self._call_runtime(
                node.func, "text that was bytes", "python2_decode"
            )  # it was unicode(x, "utf-8")
        if isinstance(node.func, ast.Attribute):
            yield from self._method_call(node, node.func.attr)
        yield from self._compared(node, name)

    def _ours_for(self, node: ast.Call, name: str) -> str | None:
        """The function of the runtime that does what a function of Python 2 did: its arguments stay."""
        if any(keyword.arg is None for keyword in node.keywords) or not node.args:
            return None
        if name == "builtins.map" and (len(node.args) > 2 or isinstance(node.args[-1], ast.Starred)):
            return "python2_map"
        if name == "builtins.filter":
            match self._scopes.parents.get(node):
                case ast.Call(func=ast.Attribute(attr="join" | "extend" | "update"), args=args) if (
                    node in args
                ):
                    return None
                case ast.Call(args=args) as around if node in args and self._scopes.calls(around, *_TAKE_ANY):
                    return None
                case (ast.For() | ast.comprehension()) as loop if loop.iter is node:
                    return None
            return "python2_filter"
        return _OURS.get(name)

    def _hashed(self, node: ast.Call, name: str) -> ast.expr | None:
        """What a call hashes, where that may be a text: `hashlib.md5(x)`, `m.update(x)` of such an `m`."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name() as made, attr="update")) if name not in _HASHES:
                bound = self._scopes.bindings(made)
                if not bound or not all(self._scopes.calls(each.node, *_HASHES) for each in bound):
                    return None
            case _ if name not in _HASHES:
                return None
        match node.args, node.keywords:
            case [
                ast.Starred() | ast.Constant(value=bytes()) | ast.Call(func=ast.Attribute(attr="encode"))
            ], []:
                return None
            case [given], []:
                return given
        return None

    def _method_call(self, node: ast.Call, method: str) -> Iterator[Edit]:
        """`text.translate(None, deleted)`, `line.decode("utf-8")`, and `print line.encode("utf-8")`."""
        if not node.args or node.keywords or any(isinstance(given, ast.Starred) for given in node.args):
            return
        dot = self._text.text.rfind(".", 0, self._text.end(node.func))
        first = self._text.start(node.args[0])
        plain = re.fullmatch(rf"\.{method}\(\s*", self._text.text[dot:first]) is not None
        decodes = method == "decode" and len(node.args) < 3 and _is_of_text(node.args[0])
        if plain and (decodes or (method == "translate" and len(node.args) == 2)):
            self._record_step("text that was bytes" if decodes else "translate() of two arguments", node)
            yield self._insert(self._text.start(node), f"{self._need(f'python2_{method}')}(")
            yield Edit(dot, first, ", ")
        elif (
            method == "encode" and len(node.args) == 1 and _is_of_text(node.args[0]) and self._is_shown(node)
        ):
            encoding = f", {self._text.of(node.args[0])})"  # Python 3 shows `b'...'`
            yield from self._enclose(node, "text that was bytes", "python2_decode", encoding)

    def _is_shown(self, node: ast.expr) -> bool:
        """Whether a value is printed, or becomes a part of a text of the script."""
        around = self._scopes.parents.get(node)
        if isinstance(around, ast.Tuple):
            node, around = around, self._scopes.parents.get(around)
        match around:
            case ast.BinOp(op=ast.Mod(), left=left, right=right):
                return node is right and is_text(left)
            case ast.Call(func=ast.Attribute(attr="format", value=text), args=args):
                return node in args and is_text(text)
            case ast.Call(args=args):
                return node in args and self._scopes.calls(around, "builtins.print")
        return False

    def _literal(self, node: ast.Constant) -> Iterator[Edit]:
        text = self._text.of(node)
        if "\\" not in text or not is_of_bytes(node, text, self._scopes):
            return
        new = python3_literal(node, text, self._scopes)
        if new is None:
            self._record_left("bytes where there is text now", node)
        else:
            yield self._replace_recorded(node, "text that was bytes", f"b{text}" if new == "bytes" else new)

    def _opened(self, node: ast.Call, place: int, wanted: str) -> Iterator[Edit]:
        """The file that is pickled, or read as a pickle: opened as text in Python 2, it has to be bytes.

        The csv module wanted bytes, and takes a text whose line ends nobody changes.
        """
        opened = self._open(node.args[place]) if len(node.args) > place else None
        if opened is None:
            return
        mode = opened.args[1] if len(opened.args) > 1 else None
        value = mode.value if isinstance(mode, ast.Constant) else None
        what = "pickles and arrays in files of text"
        if wanted in ("r", "w"):
            if mode is not None and value in ("rb", "wb", "ab", "rbU", "rUb"):
                yield self._replace_recorded(
                    mode, "files of the csv module", f"{str(value)[0]!r}, newline=''"
                )
        elif mode is None and len(opened.args) == 1 and not opened.keywords and wanted == "rb":
            yield self._add_argument(opened, what, "'rb'")
        elif mode is not None and value in _IN_BYTES:
            yield self._replace_recorded(mode, what, repr(_IN_BYTES[str(value)]))

    def _open(self, handle: ast.expr) -> ast.Call | None:
        """The call of open that a file comes from, where that is the only one."""
        value: ast.AST | None = handle
        if isinstance(handle, ast.Name):
            value = around = self._scopes.parents[handle]
            while not isinstance(around, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Module):
                for item in around.items if isinstance(around, ast.With) else ():
                    if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == handle.id:
                        return self._open(item.context_expr)
                around = self._scopes.parents[around]
            bindings = self._scopes.bindings(handle)
            if len(bindings) != 1:
                return None
            value, parent = bindings[0].node, self._scopes.parents.get(bindings[0].node)
            value = parent.context_expr if isinstance(parent, ast.withitem) else value
        if isinstance(value, ast.Call):
            named = isinstance(value.func, ast.Name) and value.func.id == "file"
            if named or self._scopes.calls(value, "builtins.open", "builtins.file"):
                return value
        return None

    def _string(self, node: ast.Call, name: str) -> Iterator[Edit]:
        """`string.split(text, ...)` becomes `text.split(...)`."""
        how, given = _STRING[name], node.args
        if how.startswith("builtins.") or how == "str":
            new = how[9:] if how != "str" else f"str.{name}"
            yield self._replace_recorded(node.func, "functions of the string module", new)
            return
        # edits inside the arguments would be lost: the unbound method takes them as they are
        nested = any(isinstance(child, ast.Call | ast.BinOp) for each in given for child in ast.walk(each))
        starred = any(isinstance(each, ast.Starred) for each in given)
        if node.keywords or not given or starred or (nested and how == "join"):
            self._record_left(f"string.{name}()", node)
            return
        self._record_step("functions of the string module", node)
        if nested:
            yield self._replace(node.func, f"str.{how}")
            return
        texts = [self._text.of(argument) for argument in given]
        text, inner = (
            (texts[0], texts[1:]) if how != "join" else (texts[1] if len(given) > 1 else "' '", texts[:1])
        )
        if name == "zfill":
            text = f"str({text})"  # it took numbers, too
        elif how != "join" or len(given) > 1:
            value = given[1] if how == "join" else given[0]
            text = text if isinstance(value, _SIMPLE | ast.Subscript) else f"({text})"
        yield self._replace(node, f"{text}.{how}({', '.join(inner)})")

    def _compared(self, node: ast.Call, name: str) -> Iterator[Edit]:
        """A function that compares two items, which sort() took."""
        is_sort = isinstance(node.func, ast.Attribute) and node.func.attr == "sort"
        start, value = None, None
        for keyword in node.keywords if is_sort or name == "builtins.sorted" else ():
            if keyword.arg == "cmp":
                start, value = self._text.start(keyword), keyword.value
        if is_sort and not node.keywords and len(node.args) == 1 and not name.startswith(("tf.", "numpy.")):
            value = node.args[0] if self._compares_two(node.args[0]) else None
        if name == "builtins.sorted" and len(node.args) == 2:
            value = node.args[1]
        if value is not None:
            self._record_step("sorting by cmp", node)
            first = self._text.start(value)
            yield Edit(
                first if start is None else start, first, f"key={self._need('cmp_to_key', 'functools')}("
            )
            yield self._insert(self._text.end(value), ")")

    def _compares_two(self, value: ast.expr) -> bool:
        """Whether a value certainly is a function that compares its two arguments."""
        if isinstance(value, ast.Lambda):
            return len(value.args.args) == 2 and not value.args.defaults
        bound = self._scopes.bindings(value) if isinstance(value, ast.Name) else None
        if not bound:
            return isinstance(value, ast.Name) and value.id == "cmp"
        made = [each.node for each in bound]
        return all(
            isinstance(each, ast.FunctionDef) and len(each.args.args) == 2 and not each.args.defaults
            for each in made
        )

    def _sets_encoding(self, call: ast.Call) -> bool:
        """Whether it is `reload(sys)` or `sys.setdefaultencoding('utf-8')`: text is UTF-8 in Python 3."""
        if self._scopes.calls(call, "sys.setdefaultencoding"):
            return True
        reloads = self._scopes.calls(call, "importlib.reload", "imp.reload")
        return reloads and any(isinstance(given, ast.Name) and given.id == "sys" for given in call.args)

    # -- names ------------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        name = self._scopes.canonical(node) or ""
        around = self._scopes.parents[node]
        called = isinstance(around, ast.Call) and around.func is node
        how = _STRING.get(name[7:]) if name.startswith("string.") and not called else None
        if name in _STRING_CONSTANTS:
            self._record_step("names of the string module", node)
            yield self._replaced_last(node, _STRING_CONSTANTS[name])
        elif how is not None and how != "join" and name[7:] not in ("zfill", "splitfields"):
            new = how[9:] if how.startswith("builtins.") else f"str.{name[7:]}"  # `map(string.strip, lines)`
            yield self._replace_recorded(node, "functions of the string module", new)
        elif name in ("operator.div", "operator.idiv"):
            which = "python2_division" + ("_in_place" if name.endswith("idiv") else "")
            yield self._call_runtime(node, "division of what may be integers", which)
        elif node.attr == "message" and isinstance(node.ctx, ast.Load) and self._is_error(node.value):
            new = f"{self._need('python2_message')}({self._text.of(node.value)})"
            yield self._replace_recorded(node, "the message of an error", new)

    def _is_error(self, value: ast.expr) -> bool:
        """Whether a name stands for an error that was caught, and for nothing else."""
        bound = self._scopes.bindings(value) if isinstance(value, ast.Name) else []
        return bool(bound) and all(isinstance(each.node, ast.ExceptHandler) for each in bound)

    def _has_items(self) -> bool:
        """Whether a class of the file may be an error with items of its own."""
        return any(
            isinstance(node, ast.FunctionDef) and node.name == "__getitem__" for node in self._scopes.nodes
        )

    def _name(self, node: ast.Name) -> Iterator[Edit]:
        scope, around = self._scopes.scope(node), self._scopes.parents[node]
        if node.id in _OPERATORS and isinstance(scope.node, ast.ClassDef):
            yield self._replace_recorded(
                node, "operator methods", _OPERATORS[node.id]
            )  # `__rdiv__ = __div__`
        if node.id == "__metaclass__" and scope is self._scopes.module:
            if not (isinstance(around, ast.Assign) and ast.unparse(around.value) == "type"):
                self._record_left("a __metaclass__ of the module", node)
        if not isinstance(node.ctx, ast.Load) or self._scopes.bindings(node):
            return
        if any(not module.startswith("tensorflow") for module in self._scopes.star_imports):
            return
        called = isinstance(around, ast.Call) and around.func is node
        if node.id == "file":
            yield from self._file(node, around)
        elif node.id in ("map", "filter") and node.id not in self._bound and not called:  # `partial(map, f)`
            yield self._call_runtime(node, f"{node.id} as a value", f"python2_{node.id}")
        elif node.id == "cmp":
            yield self._replace_recorded(node, "cmp()", "(lambda x, y: (x > y) - (x < y))")
        elif node.id in _GONE and not hasattr(builtins, node.id):
            self._record_left(f"{node.id}, which is not in Python 3", node)

    def _file(self, node: ast.Name, around: ast.AST) -> Iterator[Edit]:
        """`file(path)` is `open(path)`, and what `isinstance` asks for is what `open` gives."""
        asked = around if isinstance(around, ast.Tuple) else node
        call = self._scopes.parents[asked]
        if isinstance(around, ast.Call) and around.func is node:
            yield self._replace_recorded(node, "file()", "open")
        elif self._scopes.calls(call, "builtins.isinstance") and getattr(call, "args", [])[1:] == [asked]:
            yield self._call_runtime(node, "file", "python2_file")
        else:
            self._record_left("file, which is not in Python 3", node)

    def _method(self, node: ast.FunctionDef) -> Iterator[Edit]:
        kind = self._scopes.parents[node]
        if not isinstance(kind, ast.ClassDef):
            return
        if node.name == "__cmp__" and (made := _methods_for_cmp(kind, node)) is not None:
            self._record_step("methods for __cmp__", node)
            text, margin = self._text.text, " " * node.col_offset
            end = text.find("\n", self._text.end(node))
            lines = "".join(f"\n{margin}{line}" if line else "\n" for line in made)
            yield self._insert(len(text) if end < 0 else end, lines)
        elif node.name in _METHODS:
            self._record_left(f"the method {node.name}, which Python 3 never calls", node)
        elif node.name in _OPERATORS:
            self._record_step("operator methods", node)
            place = self._text.text.index(node.name, self._text.start(node))
            yield Edit(place, place + len(node.name), _OPERATORS[node.name])

    def _report_leaked_variable(self, node: ast.ListComp) -> None:
        """A list comprehension's variable was the function's own in Python 2: it is reported where that shows."""
        targets = [target for generator in node.generators for target in ast.walk(generator.target)]
        scope = self._scopes.scope(self._scopes.parents[node])
        while not isinstance(scope.node, ast.FunctionDef | ast.Module | ast.Lambda) and scope.parent:
            scope = scope.parent
        statement: ast.AST = node
        while not isinstance(statement, ast.stmt):
            statement = self._scopes.parents[statement]
        if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
            return
        for name in sorted({target.id for target in targets if isinstance(target, ast.Name)}):
            if self._is_read_after(name, scope, statement):
                self._record_left(f"{name} of a list comprehension, read after it", node)

    def _report_forgotten_error(self, handler: ast.ExceptHandler) -> None:
        """An error was still there after its `except`; Python 3 forgets its name: it is reported where that shows."""
        jumps = isinstance(handler.body[-1], ast.Return | ast.Raise | ast.Continue)
        if (
            handler.name
            and not jumps
            and self._is_read_after(handler.name, self._scopes.scope(handler), handler)
        ):
            self._record_left(f"{handler.name} of an except, read after it", handler)

    def _is_read_after(self, name: str, scope: Scope, node: ast.stmt | ast.ExceptHandler) -> bool:
        """Whether a name is read after a statement and before it is bound again; not one of an import or a `def`."""
        last = node.end_lineno or node.lineno
        uses = [
            (each.lineno, each.col_offset, isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
            for each in self._scopes.nodes
            if (each.id if isinstance(each, ast.Name) else getattr(each, "name", None)) == name
            and isinstance(each, ast.Name | ast.ExceptHandler)
            and self._scopes.scope(each) is scope
            and each.lineno > last
        ]
        line, _, reads = min(uses, default=(0, 0, False))
        others = self._scopes.module.bindings.get(name, ())
        if not reads or any(binding.kind in ("import", "definition") for binding in others):
            return False
        return not any(at == line and not loads for at, _, loads in uses)

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _record_step(self, what: str, node: Placed) -> None:
        self.steps.append(Step(what, node.lineno))

    def _record_left(self, what: str, node: Placed) -> None:
        self.left.append(Step(what, node.lineno))

    def _insert(self, place: int, new: str) -> Edit:
        return Edit(place, place, new)

    def _replace(self, node: Placed, new: str) -> Edit:
        return Edit(self._text.start(node), self._text.end(node), new)

    def _replace_recorded(self, node: Placed, what: str, new: str) -> Edit:
        self._record_step(what, node)
        return self._replace(node, new)

    def _call_runtime(self, node: Placed, what: str, function: str) -> Edit:
        return self._replace_recorded(node, what, self._need(function))

    def _enclose(self, node: ast.expr, what: str, function: str, closing: str = ")") -> Iterator[Edit]:
        self._record_step(what, node)
        yield self._insert(self._text.start(node), f"{self._need(function)}(")
        yield self._insert(self._text.end(node), closing)

    def _add_argument(self, call: ast.Call, what: str, added: str) -> Edit:
        """A call with one more argument, after its last one and that one's own parentheses."""
        self._record_step(what, call)
        given: list[Placed] = [*call.args, *call.keywords]
        ends = list(map(self._text.end, given))
        if not ends:
            return self._insert(self._text.end(call) - 1, added)
        rest = self._text.text[max(ends) : self._text.end(call) - 1]
        closing = re.match(r"(\s*\))*", rest)
        return self._insert(max(ends) + (closing.end() if closing else 0), f", {added}")

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
        lines = sorted(name for name in self._wanted if " " in name)
        if names := sorted(name for name in self._wanted if " " not in name):
            lines.append(f"from {_RUNTIME} import {', '.join(names)}")
        added = "".join(f"{line}\n" for line in lines)
        after, body = None, self._tree.body
        for place, statement in enumerate(body):
            if isinstance(statement, ast.Import | ast.ImportFrom) or (place == 0 and is_docstring(statement)):
                after = place
            elif after is None or not isinstance(statement, ast.Try | ast.If):
                break
        if after is None:
            line = min([body[0].lineno, *(each.lineno for each in getattr(body[0], "decorator_list", ()))])
            return self._insert(self._text.line_start(line), added)
        end = self._text.end(body[after])
        if body[after + 1 :]:
            following = self._text.start(body[after + 1])
            if re.fullmatch(r"[ \t]*;(?:[ \t]|\\\n)*", self._text.text[end:following]):  # on the same line
                return Edit(end, following, "\n" + added)
        place = self._text.line_start((body[after].end_lineno or 0) + 1)
        ended = place == 0 or self._text.text[place - 1] == "\n"
        return self._insert(place, added if ended else f"\n{added}")


def _encoding(call: ast.Call, *methods: str) -> str | None:
    """The encoding that a call of one of these methods names."""
    match call:
        case ast.Call(func=ast.Attribute(attr=method), args=[ast.Constant(value=str(encoding)), *_]):
            return encoding if method in methods else None
    return None


def _is_of_text(encoding: ast.expr) -> bool:
    """Whether a constant names an encoding of text: not `hex` or `base64`, say, which turn bytes into bytes."""
    if not isinstance(encoding, ast.Constant) or not isinstance(encoding.value, str):
        return False
    try:
        return codecs.lookup(encoding.value)._is_text_encoding
    except LookupError:
        return False


def _is_plain(node: ast.expr) -> bool:
    """Whether evaluating it twice does nothing else than once: names, attributes, items by them and numbers."""
    plain = ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.Slice | ast.Tuple | ast.UnaryOp
    return all(isinstance(part, plain | ast.expr_context | ast.unaryop) for part in ast.walk(node))


def _methods_for_cmp(kind: ast.ClassDef, cmp: ast.FunctionDef) -> list[str] | None:
    """The lines that a class needs beside its `__cmp__`; None where another class or object may have a say.

    A method that the class has for a comparison, or for its reflection, came before `__cmp__` in Python 2 as well. The
    other object has to be of the kind: one without the attributes that are asked of it was an error in Python 2, too.
    """
    is_new = [ast.unparse(base) for base in kind.bases] == ["object"]
    arguments = [argument.arg for argument in cmp.args.args]
    plain = (is_new or not kind.bases) and not (kind.keywords or kind.decorator_list or cmp.decorator_list)
    if not plain or len(arguments) != 2 or not _only_attributes(cmp, arguments[1]):
        return None
    own = {getattr(node, "name", getattr(node, "id", "")) for node in ast.walk(kind)}
    made = []
    for name, operator in _COMPARISONS.items():
        if name not in own and _REFLECTED.get(name) not in own:
            made += ["", f"def {name}(self, other):", f"    return self.__cmp__(other) {operator} 0"]
    if is_new and "__hash__" not in own:  # Python 3 takes it away where there is an __eq__
        made += ["", "__hash__ = object.__hash__"]
    return made


def _only_attributes(cmp: ast.FunctionDef, other: str) -> bool:
    """Whether all that is done with the other object is to ask for attributes of it, or to assert its kind."""
    asked: set[ast.AST] = {node.value for node in ast.walk(cmp) if isinstance(node, ast.Attribute)}
    for node in ast.walk(cmp):
        if isinstance(node, ast.Assert) and ast.unparse(node.test).startswith("isinstance("):
            asked.update(ast.walk(node.test))
    uses = {node for node in ast.walk(cmp) if isinstance(node, ast.Name) and node.id == other}
    return bool(uses) and uses <= asked
