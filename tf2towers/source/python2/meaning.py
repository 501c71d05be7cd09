"""Converts what Python 3 runs differently: division, rounding, pickles, and the like.

It works on the text that `grammar` has converted. Certain cases become plain Python 3 (`//`,
`float(math.ceil(x))`). If the type of a number is known only at run time, a function of the runtime
does what Python 2 did. Rare cases are left to the user.
"""

from __future__ import annotations

import builtins
import codecs
import re
import string
from collections.abc import Set

import libcst as cst
from libcst import matchers as m
from libcst import metadata

from tf2towers.source.conversion import Step
from tf2towers.source.cst_nodes import is_sign, text_of
from tf2towers.source.python2.bytes_in_text import text_of_bytes
from tf2towers.source.python2.evidence import NAMES
from tf2towers.source.python2.names import Names, dotted, is_like, is_plain_call, keywords_of
from tf2towers.source.python2.number_kinds import NumberKinds
from tf2towers.source.python2.tables import read_words

#: builtins that are not in Python 3, and that are not converted
_GONE = NAMES - {"StandardError", "file", "xrange"}
#: methods that Python 3 never calls
_METHODS = frozenset(
    f"__{name}__"
    for name in ["cmp", "coerce", "div", "rdiv", "idiv", "getslice", "setslice", "delslice", "unicode"]
)
#: a function of Python 2 -> the runtime's function that does the same, if it is called with
#: arguments
_CALLED = {
    "builtins.filter": "python2_filter", "builtins.round": "python2_round", "random.seed": "python2_seed",
}  # fmt: skip
#: names that Python 3 lacks, or that behave differently, and that are not converted -> what is
#: reported
_LOST = {
    "io.StringIO": "io.StringIO that may hold bytes", "operator.div": "operator.div, which is not in Python 3",
    "operator.idiv": "operator.idiv, which is not in Python 3",
    "random.Random": "random.Random, which draws other numbers",
    **{f"configparser.{name}ConfigParser": "comments in configuration files" for name in ("", "Raw", "Safe")},
}  # fmt: skip
#: functions that take a string in Python 2 and bytes in Python 3
_HASHES = frozenset(f"hashlib.{name}" for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512"))
#: encodings that do not decode to strings in Python 3
_OF_BYTES = read_words("encodings of bytes")
_PICKLES = ("pickle.load", "pickle.loads", "pickle.Unpickler", "_pickle.load", "_pickle.loads")
#: function that takes an open file -> the file's position, and whether it must be of bytes or of
#: text (csv module)
_OPENED = {
    "csv.DictReader": (0, "text"), "csv.DictWriter": (0, "text"), "csv.reader": (0, "text"),
    "csv.writer": (0, "text"), "numpy.load": (0, "bytes"), "numpy.save": (0, "bytes"), "numpy.savez": (0, "bytes"),
    "numpy.savez_compressed": (0, "bytes"), "pickle.Pickler": (0, "bytes"), "pickle.Unpickler": (0, "bytes"),
    "pickle.dump": (1, "bytes"), "pickle.load": (0, "bytes"),
}  # fmt: skip
_IN_BYTES = {"r": "rb", "w": "wb", "rU": "rb", "a": "ab"}
#: an escape of a byte that is not ASCII
_BYTE = re.compile(r"\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2}")
#: expressions that must not be evaluated twice
_ACTIONS = m.Call() | m.Await() | m.Yield() | m.NamedExpr() | m.ListComp() | m.DictComp() | m.SetComp()


class Meaning(cst.CSTTransformer):
    """Converts one text, and records the steps and the cases that are left.

    `bound` has the builtins that the file rebinds, also by an import that the conversion has
    removed.
    """

    def __init__(self, text: str, bound: Set[str]) -> None:
        super().__init__()
        self.steps: list[Step] = []
        self.left: list[Step] = []
        self._names = Names(text)
        self._kinds = NumberKinds(self._names)
        #: full name of an object that a `from` import imports -> its name in this file
        self._imported: dict[str, str] = {}
        for node in self._names.nodes:
            if isinstance(node, cst.ImportFrom) and node.module:
                for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
                    name = f"{dotted(node.module)}.{alias.evaluated_name}"
                    self._imported[name] = alias.evaluated_alias or alias.evaluated_name
                    if (lost := _loss_of(name)) is not None:
                        self._record_left(lost, node)
        self._divides = "__future__.division" not in self._imported
        self._has_bytes = "__future__.unicode_literals" not in self._imported
        self._bound = bound
        #: call of `open` -> the use of the file: 'bytes' or 'text'
        self._opened: dict[cst.Call, str] = {}
        self._wanted: set[str] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Visits what may have something to convert in it."""
        return not is_sign(type(node)) and super().on_visit(node)

    def converted(self) -> str:
        """The converted text."""
        for node in self._names.nodes:
            if isinstance(node, cst.Call) and (found := _OPENED.get(self._names.canonical(node.func))):
                opened = self._open(node.args[found[0]].value) if len(node.args) > found[0] else None
                if opened is not None:
                    self._opened[opened] = found[1]
        module = self._names.module.visit(self)
        assert isinstance(module, cst.Module)
        return text_of(self._with_import(module))

    def _with_import(self, module: cst.Module) -> cst.Module:
        """The module with an import of the needed runtime functions, after its first imports."""
        if not self._wanted:
            return module
        place, imports = 0, m.SimpleStatementLine(body=[m.ZeroOrMore(m.Import() | m.ImportFrom())])
        for at, statement in enumerate(module.body):
            if is_like(statement, imports) or (at == 0 and module.get_docstring() is not None):
                place = at + 1
            elif place and not isinstance(statement, cst.Try | cst.If):
                break
        added = cst.parse_statement(f"from tf2towers.runtime import {', '.join(sorted(self._wanted))}\n")
        return module.with_changes(body=[*module.body[:place], added, *module.body[place:]])

    # -- division ----------------------------------------------------------------------------------

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        """Converts `a / b` of integers to `a // b`; of possible ones, to the runtime's."""
        operator, left = updated_node.operator, original_node.left
        if not isinstance(operator, cst.Divide) or not self._divides or isinstance(left, cst.FormattedString):
            return updated_node
        kinds = self._kinds.of(left), self._kinds.of(original_node.right)
        if "float" in kinds:
            return updated_node
        if kinds == ("int", "int"):
            self._record_step("integer division", original_node)
            floor = cst.FloorDivide(operator.whitespace_before, operator.whitespace_after)
            return updated_node.with_changes(operator=floor)
        self._record_step("division of possible integers", original_node)
        before, after = operator.whitespace_before, operator.whitespace_after
        comma = cst.Comma(
            before if _is_over_lines(before) else cst.SimpleWhitespace(""),
            after if _is_over_lines(after) else cst.SimpleWhitespace(" "),
        )
        left, right = map(_without_parentheses, (updated_node.left, updated_node.right))
        return self._runtime_call(
            "python2_division", cst.Arg(left, comma=comma), cst.Arg(right), old=updated_node
        )

    def leave_AugAssign(
        self, original_node: cst.AugAssign, updated_node: cst.AugAssign
    ) -> cst.BaseSmallStatement:
        """Converts `x /= n`, which changes an array in place."""
        target = original_node.target
        if not isinstance(original_node.operator, cst.DivideAssign) or not self._divides:
            return updated_node
        if "float" in (self._kinds.of(original_node.value), self._kinds.of(target)):
            return updated_node
        if m.findall(target, _ACTIONS):
            self._record_left("division in place of possible integers", original_node)
            return updated_node
        self._record_step("division of possible integers", original_node)
        given = cst.Arg(updated_node.target), cst.Arg(updated_node.value)
        call = self._runtime_call("python2_division_in_place", *given)
        return cst.Assign([cst.AssignTarget(updated_node.target)], call)

    # -- calls -------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Converts calls of functions that behave differently in Python 3."""
        node, name = original_node, self._names.canonical(original_node.func)
        keywords = keywords_of(node)
        if name in _PICKLES and node.args and not keywords & {"encoding", "**"}:
            self._record_step("pickles that Python 2 wrote", node)
            return _with_argument(updated_node, "encoding='latin1'")
        if node in self._opened:
            updated_node = self._with_mode(updated_node, node)
        if name in ("builtins.open", "os.fdopen") and (size := _size_of_no_buffer(node)) is not None:
            self._record_step("unbuffered text files, now buffered by line", node)
            place = node.args.index(size)
            return updated_node.with_deep_changes(updated_node.args[place].value, value="1")
        if name in ("math.floor", "math.ceil"):
            outer = self._names.call_around(node)
            if not self._names.calls(outer, "builtins.int", "builtins.float", "builtins.range"):
                self._record_step("math.floor() and math.ceil() as floats", node)
                given = [cst.Arg(_without_parentheses(updated_node))]
                return _with_parentheses(cst.Call(cst.Name("float"), given), updated_node)
            return updated_node
        new = self._runtime_function(node, name)
        if new is not None and name.removeprefix("builtins.") not in self._bound:
            self._record_step(f"{name.removeprefix('builtins.')}() of Python 2", node)
            return updated_node.with_changes(func=cst.Name(self._need(new)))
        if name in _HASHES and not (len(node.args) == 1 and _gives_bytes(node.args[0].value)):
            self._record_left(f"{name}() of a possible string: encode it", node)
        if isinstance(node.func, cst.Attribute) and is_plain_call(node):
            updated_node = self._method_call(node, updated_node, node.func.attr.value)
        if name == "builtins.str" and len(node.args) in (2, 3) and _is_of_text(node.args[1].value):
            self._record_step("strings that were bytes", node)  # it was unicode(x, "utf-8")
            return updated_node.with_changes(func=cst.Name(self._need("python2_decode")))
        if self._is_compared(node, name):
            self._record_left("sorting by cmp", node)
        return updated_node

    def _runtime_function(self, node: cst.Call, name: str) -> str | None:
        """The runtime's function for one of Python 2, with the same arguments."""
        if not node.args or "**" in keywords_of(node):
            return None
        if name == "builtins.map":
            return "python2_map" if len(node.args) > 2 or node.args[-1].star else None
        return _CALLED.get(name)

    def _method_call(self, node: cst.Call, updated: cst.Call, method: str) -> cst.Call:
        """Converts `line.decode("utf-8")`, and reports `text.translate(None, deleted)`."""
        encoding = node.args[0].value
        if method in ("decode", "encode") and _text_of(encoding).lower() in _OF_BYTES:
            self._record_left(
                f"the encoding {_text_of(encoding)!r}, which is not for strings in Python 3", node
            )
        elif method == "translate" and len(node.args) == 2:
            self._record_left("translate() with two arguments", node)
        elif method == "decode" and len(node.args) < 3 and _is_of_text(encoding):
            self._record_step("strings that were bytes", node)
            text = cst.ensure_type(updated.func, cst.Attribute).value
            return self._runtime_call("python2_decode", cst.Arg(text), *updated.args, old=updated)
        return updated

    def _open(self, handle: cst.BaseExpression) -> cst.Call | None:
        """The call of `open` that a file comes from, if there is exactly one."""
        value: cst.CSTNode | None = handle
        if isinstance(handle, cst.Name):
            around = self._names.parent(handle)
            while around is not None and not isinstance(around, cst.FunctionDef | cst.Lambda | cst.ClassDef):
                for item in around.items if isinstance(around, cst.With) else ():
                    if is_like(item.asname, m.AsName(name=m.Name(handle.value))):
                        return self._open(item.item)
                around = self._names.parent(around)
            bound = self._names.assignments(handle)
            value = self._names.value(bound[0].node) if len(bound) == 1 else None
        return value if self._names.calls(value, "builtins.open", "builtins.file") else None  # type: ignore[return-value]

    def _with_mode(self, updated: cst.Call, node: cst.Call) -> cst.Call:
        """Sets the mode of `open`: binary for pickles and arrays, text for the csv module."""
        positional = is_plain_call(node)
        mode = _text_of(node.args[1].value) if positional and len(node.args) > 1 else ""
        if self._opened[node] == "text":
            if mode not in ("rb", "wb", "ab", "rbU", "rUb"):
                return updated
            self._record_step("files for the csv module", node)
            updated = updated.with_deep_changes(updated.args[1].value, value=repr(mode[0]))
            return _with_argument(updated, "newline=''")
        new = _IN_BYTES.get(mode) if mode else "rb" if positional and len(node.args) == 1 else None
        if new is None:
            return updated
        self._record_step("pickles and arrays in text files", node)
        if mode:
            return updated.with_deep_changes(updated.args[1].value, value=repr(new))
        return _with_argument(updated, repr(new))

    def _is_compared(self, node: cst.Call, name: str) -> bool:
        """True if a call passes a function that compares two items to sort() or sorted()."""
        is_sort = is_like(node.func, m.Attribute(attr=m.Name("sort")))
        if (is_sort or name == "builtins.sorted") and "cmp" in keywords_of(node):
            return True
        if not is_sort:
            return name == "builtins.sorted" and is_plain_call(node) and len(node.args) == 2
        given = node.args[0].value if len(node.args) == 1 and is_plain_call(node) else None
        bound = self._names.assignments(given) if isinstance(given, cst.Name) else []
        functions = bool(bound) and all(isinstance(each.node, cst.FunctionDef) for each in bound)
        return functions or isinstance(given, cst.Lambda)

    # -- names -------------------------------------------------------------------------------------

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Converts the message of an error, and reports names that modules of Python 3 lack."""
        node = original_node
        if isinstance(self._names.parent(node), cst.AssignTarget):
            return updated_node
        if (lost := _loss_of(self._names.canonical(node))) is not None:
            self._record_left(lost, node)
        if node.attr.value == "message" and self._is_error(node.value):
            if not self._names.is_read(node):  # `error.message += text`
                self._record_left("the message of an error", node)
                return updated_node
            self._record_step("the message of an error", node)
            return self._runtime_call("python2_message", cst.Arg(updated_node.value), old=updated_node)
        return updated_node

    def leave_Subscript(
        self, original_node: cst.Subscript, updated_node: cst.Subscript
    ) -> cst.BaseExpression:
        """Converts `error[0]`."""
        if not self._is_error(original_node.value):
            return updated_node
        self._record_step("the arguments of an error", original_node)
        given = self._runtime_call("python2_arguments", cst.Arg(updated_node.value))
        return updated_node.with_changes(value=given)

    def _is_error(self, value: cst.BaseExpression) -> bool:
        """True if a name is always a caught error."""
        caught = m.ExceptHandler()
        bound = [self._names.parent(each.node) for each in self._names.assignments(value)]
        return bool(bound) and all(
            isinstance(each, cst.AsName) and is_like(self._names.parent(each), caught) for each in bound
        )

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """Converts or reports builtins that Python 3 lacks."""
        node, name, around = original_node, original_node.value, self._names.parent(original_node)
        if isinstance(around, cst.AssignTarget) and name == "__metaclass__":
            value = cst.ensure_type(self._names.parent(around), cst.Assign).value
            if isinstance(self._names.scope(node), metadata.GlobalScope) and dotted(value) != "type":
                self._record_left("a __metaclass__ of the module", node)
        if node in (getattr(around, each, None) for each in ("attr", "keyword", "name")):
            return updated_node  # not a reference to the builtin
        if name not in _GONE | {"file", "map", "filter"} or not self._is_builtin(node):
            return updated_node
        called = isinstance(around, cst.Call) and around.func is node
        if name == "file" and called:
            self._record_step("file()", node)
            return updated_node.with_changes(value="open")
        if name in ("map", "filter"):
            if not called and name not in self._bound:  # `partial(map, f)`
                self._record_step(f"{name} as a value", node)
                return updated_node.with_changes(value=self._need(f"python2_{name}"))
        elif not hasattr(builtins, name):
            self._record_left(f"{name}, which is not in Python 3", node)
        return updated_node

    def _is_builtin(self, node: cst.Name) -> bool:
        """True if nothing in the file binds a name, so that it is a builtin."""
        unknown = any(not module.startswith("tensorflow") for module in self._names.star_imports)
        return not unknown and not self._names.assignments(node)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """Reports methods that Python 3 never calls."""
        name, block = original_node.name.value, self._names.parent(original_node)
        if block is not None and isinstance(self._names.parent(block), cst.ClassDef) and name in _METHODS:
            self._record_left(f"the method {name}, which Python 3 never calls", original_node)
        return updated_node

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.BaseSmallStatement:
        """Removes `reload(sys)` and `sys.setdefaultencoding('utf-8')`, Python 3's default."""
        call = original_node.value
        reloads = self._names.calls(call, "importlib.reload", "imp.reload")
        of_sys = reloads and is_like(call, m.Call(args=[m.Arg(m.Name("sys"))]))
        if of_sys or self._names.calls(call, "sys.setdefaultencoding"):
            self._record_step("sys.setdefaultencoding()", original_node)
            return cst.Pass(semicolon=updated_node.semicolon)
        return updated_node

    def leave_ImportAlias(
        self, original_node: cst.ImportAlias, updated_node: cst.ImportAlias
    ) -> cst.ImportAlias:
        """Shortens `import pickle as pickle`, which was `import cPickle as pickle`."""
        if updated_node.evaluated_alias == updated_node.evaluated_name:
            return updated_node.with_changes(asname=None)
        return updated_node

    # -- what is left ------------------------------------------------------------------------------

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.BaseExpression:
        r"""Converts or reports bytes that are written as escapes: `replace('\xef\xbb\xbf', '')`."""
        node = original_node
        if not self._has_bytes or not _BYTE.search(node.raw_value) or set(node.prefix) & set("ub"):
            return updated_node
        call = self._names.call_around(node)
        name = self._names.canonical(call.func) if call is not None else ""
        means_bytes = (
            name.startswith("re.") if "r" in node.prefix else name not in ("builtins.ord", "builtins.len")
        )
        if means_bytes and not isinstance(self._names.parent(node), cst.Expr):
            if "r" not in node.prefix and (text := text_of_bytes(self._names, node)) is not None:
                self._record_step("bytes of UTF-8 as text", node)
                return updated_node.with_changes(value=text)
            self._record_left("bytes in what is a string now", node)
        return updated_node

    def visit_ListComp(self, node: cst.ListComp) -> None:
        """Reports a list comprehension's variable that is read after it, as Python 2 let it."""
        scope: metadata.Scope = self._names.scope(node)
        while isinstance(scope, metadata.ComprehensionScope | metadata.ClassScope):
            scope = scope.parent
        statement: cst.CSTNode = node
        while not isinstance(statement, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            statement = self._names.parent(statement)  # type: ignore[assignment]
        if isinstance(statement, cst.BaseCompoundStatement):  # in its head
            statement = node
        loops = [each.target for each in m.findall(node, m.CompFor()) if isinstance(each, cst.CompFor)]
        targets = [each for loop in loops for each in m.findall(loop, m.Name())]
        names = {each.value for each in targets if isinstance(each, cst.Name)} - _names_assigned(statement)
        for name in sorted(names):
            if self._is_read_after(name, scope, statement):
                self._record_left(f"{name} of a list comprehension, read after it", node)

    def _is_read_after(self, name: str, scope: metadata.Scope, node: cst.CSTNode) -> bool:
        """True if a name is read after a statement, before a new binding; not of an import."""
        last = self._names.last_line(node)
        bound = [each.node for each in scope.assignments[name] if isinstance(each, metadata.Assignment)]
        known = cst.Import | cst.ImportFrom | cst.FunctionDef | cst.ClassDef
        if any(isinstance(each, known) for each in bound):
            return False
        reads = {self._names.line(each.node) for each in scope.accesses[name] if each.scope is scope}
        writes = {self._names.line(each) for each in bound}
        after = min((line for line in reads | writes if line > last), default=0)
        return after in reads - writes

    # -- helpers -----------------------------------------------------------------------------------

    def _record_step(self, what: str, node: cst.CSTNode) -> None:
        self.steps.append(Step(what, self._names.line(node)))

    def _record_left(self, what: str, node: cst.CSTNode) -> None:
        self.left.append(Step(what, self._names.line(node)))

    def _runtime_call(self, name: str, *given: cst.Arg, old: cst.BaseExpression | None = None) -> cst.Call:
        """A call of a runtime function in an expression's place, with its parentheses."""
        call = cst.Call(cst.Name(self._need(name)), given)
        return call if old is None else call.with_changes(lpar=old.lpar, rpar=old.rpar)

    def _need(self, name: str) -> str:
        self._wanted.add(name)
        return name


def _loss_of(name: str) -> str | None:
    """The report on a name of a module; None if Python 3 has the name."""
    if name.startswith("string.") and not hasattr(string, name.removeprefix("string.")):
        return f"{name}, which is not in Python 3"
    return _LOST.get(name)


def _size_of_no_buffer(opened: cst.Call) -> cst.Arg | None:
    """The argument 0 of an `open` of an unbuffered text file, which Python 3 refuses; or None."""
    sizes = [each for each in opened.args[2:] if each.keyword is None or each.keyword.value == "buffering"]
    mode = _text_of(opened.args[1].value) if len(opened.args) > 1 else "r"
    is_text = bool(mode) and "b" not in mode
    return next((each for each in sizes if is_text and is_like(each, m.Arg(m.Integer("0")))), None)


def _names_assigned(statement: cst.CSTNode) -> set[str]:
    """The names that an assignment binds: after `g = mean([g for g in tower])` g is the mean."""
    found = set()
    for target in statement.targets if isinstance(statement, cst.Assign) else ():
        part = target.target
        parts = [each.value for each in part.elements] if isinstance(part, cst.Tuple | cst.List) else [part]
        found |= {each.value for each in parts if isinstance(each, cst.Name)}
    return found


def _gives_bytes(value: cst.BaseExpression) -> bool:
    """True if a value is certainly bytes in Python 3: `text.encode()`, `b'...'`."""
    encoded = m.Call(func=m.Attribute(attr=m.Name("encode") | m.Name("as_bytes")))
    return is_like(value, encoded) or (isinstance(value, cst.SimpleString) and "b" in value.prefix.lower())


def _text_of(value: cst.BaseExpression) -> str:
    """The value of a string constant; empty for any other value."""
    text = value.evaluated_value if isinstance(value, cst.SimpleString) else ""
    return text if isinstance(text, str) else ""


def _is_of_text(encoding: cst.BaseExpression) -> bool:
    """True if a constant names an encoding of text, not of bytes as `hex` and `base64` do."""
    try:
        return bool(_text_of(encoding)) and codecs.lookup(_text_of(encoding))._is_text_encoding
    except LookupError:
        return False


def _with_argument(call: cst.Call, argument: str) -> cst.Call:
    """A call with one more argument (`newline=''`) at its end, its layout kept."""
    *before, last = call.args
    (added,) = cst.ensure_type(cst.parse_expression(f"f({argument})"), cst.Call).args
    added = added.with_changes(whitespace_after_arg=last.whitespace_after_arg)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if isinstance(last.comma, cst.Comma):  # `f(a,)`
        comma = last.comma
    moved = last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*before, moved, added])


def _is_over_lines(space: cst.BaseParenthesizableWhitespace) -> bool:
    return isinstance(space, cst.ParenthesizedWhitespace) or "\n" in cst.Module([]).code_for_node(space)


def _with_parentheses(new: cst.BaseExpression, old: cst.BaseExpression) -> cst.BaseExpression:
    return new.with_changes(lpar=old.lpar, rpar=old.rpar)


def _without_parentheses(value: cst.BaseExpression) -> cst.BaseExpression:
    """An operand without its parentheses, which it does not need as an argument on one line."""
    needs = cst.Tuple | cst.GeneratorExp | cst.Yield | cst.NamedExpr
    if len(value.lpar) != 1 or isinstance(value, needs):
        return value
    spaces = value.lpar[0].whitespace_after, value.rpar[0].whitespace_before
    return value if any(map(_is_over_lines, spaces)) else value.with_changes(lpar=[], rpar=[])
