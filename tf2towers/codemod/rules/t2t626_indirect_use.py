"""T2T626: TensorFlow passed on as a value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.arguments import is_written_as_today
from tf2towers.codemod.libraries import gone_part
from tf2towers.codemod.program import File, passed_modules, unknown_attributes
from tf2towers.codemod.reached import note_site
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.symbols import (
    Found,
    both_or_neither_have,
    canonical_name,
    find_replacement,
    is_module,
    names_in,
    row_of,
    was_in_tf1,
)
from tf2towers.codemod.tables import names_of_numpy
from tf2towers.report.paths import with_quoted_code

_HARMLESS = frozenset({
    "builtins.print", "builtins.dir", "builtins.help", "builtins.id", "builtins.type", "importlib.reload",
})  # fmt: skip
#: the parts of TensorFlow that need no graph
_BUILDS_NOTHING = frozenset({"Event", "Summary", "errors", "gfile", "logging"})
#: any name, or a part of one
_ANY = r"\w*"
_RUN_TEXTS = ("builtins.eval", "builtins.exec")
#: `a = tf`: plain names, whose uses are followed
_ALIAS = m.AnnAssign(m.Name()) | m.Assign([m.ZeroOrMore(m.AssignTarget(m.Name()))])
#: functions, and `sys.modules`, that give a module by its name
_IMPORTING = frozenset({
    "__import__", "import_module", "modules", "find_spec", "LazyLoader", "builtins.__import__",
    "importlib.import_module", "sys.modules",
})  # fmt: skip


def _is_followed(file: File, module: cst.CSTNode) -> bool:
    """True if a module only gets a plain name; one of a class must not be taken from an object: `self.nn`."""
    parent, scope = file.parent(module), file.meanings.scope(module)
    if not m.matches(parent, _ALIAS) or not isinstance(file.meanings.node_of(scope), cst.ClassDef):
        return m.matches(parent, _ALIAS)
    names = {name.value for name in nodes.find_names(parent) if file.is_bound(name)}
    return all(map(names.isdisjoint, map(unknown_attributes, file.program.all_files)))


def _may_give_others(file: File, module: str, own: str = "") -> bool:
    """True if the program takes by name, of what may be a module, what the module's own replacement lacks.

    Args:
        own: the last part of the module's name where `module` has its names; a module does not have itself.
    """
    files, kind = file.program.all_files, find_replacement(module).kind
    read = file.program.texts.union(*map(unknown_attributes, files))
    taken = [f"{module}.{name}" for name in read - {own}]
    if kind == "v1":
        return any(was_in_tf1(name) and find_replacement(name) != Found("v1", name) for name in taken)
    same = (kind, "tf2")  # what is TF 2's alone is no name that a TF1 program reads
    return any(row_of(name) is not None and find_replacement(name).kind not in same for name in taken)


def _with_its_names(file: File, module: nodes.Symbol, canonical: str) -> str:
    """The public module with all names of a file of contrib's: its replacement is the file's as well."""
    row = row_of(file.names.spelled(module) or "")
    is_file = row is not None and "f" in row.marks and find_replacement(canonical).kind == "left"
    return row.public if row is not None and is_file else canonical


def _is_harmless(file: File, module: cst.CSTNode, canonical: str) -> bool:
    """True if a call that is given a module takes nothing from it that TF 2 has otherwise.

    Of `hasattr(tf, 'mul')`, which an older release had, both say no: the branch for newer releases is taken.
    """
    call = file.parent(module)
    if not isinstance(call, cst.Call) or module not in nodes.positional(call):
        return False
    function = file.canonical(call.func)
    if function in _HARMLESS:
        return True
    if (computed := _computed_name(file, call, module)) is not None:
        texts = _possible_texts(file, computed, canonical)
        return bool(texts) and all(_is_the_same(f"{canonical}.{text}") for text in texts)
    given = nodes.positional(call)
    name = nodes.literal(given[1]) if len(given) > 1 else None
    if not isinstance(name, str) or not name.isidentifier():
        return False
    taken = f"{canonical}.{name}"
    if function == "builtins.hasattr":
        return both_or_neither_have(taken)
    return function == "builtins.getattr" and _is_the_same(taken)


def _computed_name(file: File, call: cst.CSTNode, module: cst.CSTNode) -> cst.BaseExpression | None:
    """The name that `getattr(module, name)` takes, where it is no constant."""
    call = file.parent(call) if isinstance(call, cst.Arg) else call
    given = nodes.positional(call) if isinstance(call, cst.Call) else []
    if len(given) < 2 or given[0] is not module or nodes.is_literal(given[1]):
        return None
    return given[1] if file.called(call) == "builtins.getattr" else None


def _is_the_same(canonical: str) -> bool:
    """True if `tensorflow.compat.v1` has by that name what TensorFlow 1 had."""
    found = find_replacement(canonical)
    return found.kind == "v1" and found.target == canonical


def _possible_texts(file: File, name: cst.BaseExpression, module: str) -> list[str]:
    """The names of TensorFlow 1 in a module that an expression may give, and that a text of the program says.

    The parts of `'%sOptimizer' % kind` are known; what is computed otherwise may be any text of the program, as a
    table's, a flag's default and choices, or a parameter's.
    """
    pattern = _pattern(name)
    if pattern != _ANY:
        names = (each[len(module) + 1 :] for each in names_in(module))
        return [each for each in names if re.fullmatch(pattern, each)]
    return sorted(text for text in file.program.texts if row_of(f"{module}.{text}") is not None)


def _pattern(text: cst.BaseExpression) -> str:
    """A regular expression for the values of a text."""
    filled = r"(?!)"
    match text:
        case cst.BinaryOperation(operator=cst.Add()):
            return _pattern(text.left) + _pattern(text.right)
        case cst.FormattedString():
            parts = (nodes.literal(part) for part in text.parts)
            return "".join(re.escape(part) if isinstance(part, str) else _ANY for part in parts)
        case cst.BinaryOperation(left=text, operator=cst.Modulo()):
            filled = r"%[sdr]"
        case cst.Call(func=cst.Attribute(value=text, attr=cst.Name(value="format"))):
            filled = r"\{[^}]*\}"
    value = nodes.literal(text)
    return _ANY.join(map(re.escape, re.split(filled, value))) if isinstance(value, str) else _ANY


def _asks_for_tf1s(file: File, call: cst.Call, module: cst.CSTNode, canonical: str) -> bool:
    """True for `hasattr` of a name that TensorFlow 1.15 had, and TensorFlow 2 lacks, in a program of TF1 alone."""
    given = nodes.positional(call)
    asks = file.called(call) == "builtins.hasattr" and len(given) == 2 and given[0] is module
    name = nodes.literal(given[1]) if asks else None
    if not isinstance(name, str) or not file.program.is_tf1 or file.program.plain_is_tf2:
        return False
    taken = f"{canonical}.{name}"
    return was_in_tf1(taken) and not both_or_neither_have(taken)


def _is_of_either(file: File, use: cst.Name, canonical: str) -> bool:
    """True for `lib.cos(x)` of a name that is TensorFlow or NumPy, where both still have what they had.

    A call has to be written as TF 2.21's function takes it.
    """
    attribute = file.parent(use)
    call = file.parent(attribute)
    name = canonical.removeprefix("tf.")
    if name not in names_of_numpy() or gone_part(f"numpy.{name}") is not None:
        return False
    meanings = set(map(file.canonical, file.meanings.values(use)))
    if meanings != {"tf", "numpy"} or not _is_the_same(canonical) or not file.names.is_v1(use):
        return False
    if not isinstance(call, cst.Call) or call.func is not attribute:
        return isinstance(attribute, cst.Attribute)
    return is_written_as_today(file, canonical, call)


def _run_as_text(file: File) -> Iterator[tuple[cst.Call, str]]:
    """Symbols in texts that `eval` and `exec` are given, and that are not in `tensorflow.compat.v1` what they were.

    Of `eval('tf.train.%sOptimizer' % name)` the module says it. Where the text comes from elsewhere,
    `eval(FLAGS.cell)`, it may be any text of the file that begins so.
    """
    runs = [call for call in file.all(cst.Call) if call.args and file.called(call) in _RUN_TEXTS]
    if not runs:
        return
    whole = [node for node, canonical in file.symbols if canonical == "tf"]
    names = {node.value for node in whole if nodes.is_name(node)}
    for node in file.all(cst.Import):
        modules = ("tensorflow", "tensorflow.compat.v1")
        names |= {
            nodes.asname_of(each) or "tensorflow" for each in node.names if nodes.name_of(each) in modules
        }
    begin = "|".join(map(re.escape, names))
    for call in runs:
        symbols = rf"(?<![\w.])(?:{begin})((?:\.\w+)*\.?)(?=(\W|$))" if names else r"(?!)"
        texts = [
            value for node in nodes.walk(call.args[0].value) if isinstance(value := nodes.literal(node), str)
        ]
        if not texts:
            literals = file.tree.literals
            others = [each for each in literals if not isinstance(file.parent(each), cst.Expr)]
            texts = [value for each in others if isinstance(value := nodes.literal(each), str)]
            symbols = rf"^(?=\w+\.){symbols}"
        for text in texts:
            for found in re.finditer(symbols, text):
                canonical = "tf" + found[1]
                # the rest is computed
                if canonical[-1] == "." or found[2] in ("%", "{"):
                    canonical = canonical.rpartition(".")[0]
                known = find_replacement(canonical)
                if canonical == "tf" or known.kind != "v1" or known.target != canonical:
                    yield call, found[0]


def _is_kept(file: File, module: cst.CSTNode) -> bool:
    """True if the module is kept as an attribute, `self.tf = tf`, only for summaries, files and messages.

    Whatever object an attribute of that name is taken from: `self.tf.Summary`, `logger.tf.Summary`. Devices, operations
    and sessions would have to be rewritten.
    """
    parent = file.parent(module)
    target = nodes.only_target(parent)
    if (
        not isinstance(parent, cst.Assign)
        or parent.value is not module
        or not isinstance(target, cst.Attribute)
    ):
        return False
    name = target.attr.value
    if any(name in file.program.read(path).text for path in file.program.others):
        return False
    return all(_takes_what_stays(other, name) for other in file.program.files)


def _takes_what_stays(file: File, name: str) -> bool:
    """True if all that a file takes through attributes of a name builds no graph, and is as TF1 had it."""
    # getattr(self, 'tf')
    if name in file.tree.texts:
        return False
    for node in file.all(cst.Attribute):
        if node.attr.value != name or file.is_bound(node):
            continue
        parts, outer = [], file.parent(node)
        while isinstance(outer, cst.Attribute) and not file.is_bound(outer):
            parts.append(outer.attr.value)
            outer = file.parent(outer)
        if not parts or parts[0] not in _BUILDS_NOTHING:
            return False
        if not _is_the_same(".".join(["tf", *parts])):
            return False
    return True


def _passed_local_modules(file: File) -> Iterator[tuple[nodes.Symbol, str]]:
    """Local modules that are values, where the program may take TensorFlow from them: `build(common)`, and `it.tf`.

    Each comes with the name of TensorFlow, or of a module of it, in the local one.
    """
    read = sorted(set().union(*map(unknown_attributes, file.program.all_files)))
    given: dict[str, str] = {}
    for module in file.program.imports.imports_of(file.path):
        for name in read:
            taken = canonical_name(file.program.through(file, f"{module}.{name}") or "")
            if taken == "tf" or is_module(taken):
                given.setdefault(module, name)
    if not given:
        return
    owners = {node.value for node in file.all(cst.Attribute)}
    uses: list[nodes.Symbol] = [*file.all(cst.Name), *file.all(cst.Attribute)]
    for use in uses:
        parent = file.parent(use)
        if use in owners or file.is_bound(use) or isinstance(parent, cst.ImportAlias | cst.ImportFrom):
            continue
        first = given.get(file.canonical(use) or "")
        if first is None or _is_followed(file, use) or file.called(parent) in _HARMLESS:
            continue
        yield use, first


def _imported_by_text(file: File) -> Iterator[cst.CSTNode]:
    """Texts that name TensorFlow to a call that imports, or to `sys.modules`; by a computed text any may (T2T624)."""
    for text in file.tree.literals:
        value, parent = nodes.literal(text), file.parent(text)
        if not isinstance(value, str) or not re.fullmatch(r"tensorflow(\.[\w.]*)?", value):
            continue
        parent = file.parent(parent) if isinstance(parent, cst.Arg) else parent
        function = getattr(parent, "func", getattr(parent, "value", None))
        if isinstance(parent, cst.Call | cst.Subscript) and function is not None and function is not text:
            names = (node for node in nodes.walk(function) if isinstance(node, nodes.Symbol))
            if any({nodes.last_name(node), file.canonical(node)} & _IMPORTING for node in names):
                yield text


class IndirectUse(Rule):
    """TensorFlow is passed on as a value

    The module itself may be an argument, or a module of the script in which TensorFlow has a name. Or an attribute is
    taken by a name that no text of the program says (`getattr(tf, input())`). Then it is unknown whether the symbols
    mean the same in TF 2. The name may be in a table, in a flag's default or choices, or a part of it is known
    (`name + 'Optimizer'`). Where TF 2 has all that it can be, the call stays. `hasattr(tf, 'contrib')` becomes True.
    Of `{"run": tf.train}` this is done where the program names what TF 2's module lacks, of some object (`x.Server`) or
    in a text (`getattr(tf.nn, 'rnn_cell')`). A text for `eval` or `exec` is not rewritten: it may name only what TF 2
    has under the same name.

    A name that is NumPy's in one branch and TensorFlow's in the other keeps what both still have: `lib.cos(x)`.

    A script may replace a function in the module (`tf.matmul = mine`). The runtime's layers would call it, where TF1's
    called their own. This does not hold for `tf.get_variable`.
    """

    does = "refuses"
    programs = frozenset({"tf1", "migrated", "other"})
    todo = """
    Write the symbols out, or pass `tensorflow.compat.v1` where only TF1 names are taken that it still has.
    """
    examples = (
        Example(
            "an optimizer by its name",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [])
                op = getattr(tf, input())(x)
                """,
            left=True,
        ),
        Example(
            "a name that the texts say",
            """
                import tensorflow as tf

                x = tf.placeholder(tf.float32, [])
                if hasattr(tf, 'contrib'):
                    opt = getattr(tf.train, input() + 'Optimizer')(0.1)
                """,
            """
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import graph_mode

                graph_mode()

                x = tf.placeholder(tf.float32, [])
                if True:
                    opt = getattr(tf.train, input() + 'Optimizer')(0.1)
                """,
        ),
        Example(
            "a function of TensorFlow replaced",
            """
                import functools

                import tensorflow as tf

                tf.matmul = functools.partial(tf.matmul, transpose_b=True)
                y = tf.layers.dense(tf.zeros([1, 2]), 3)
                """,
            left=True,
        ),
        Example(
            "an attribute of something else",
            """
                import tensorflow


                class Held:
                    tf = None


                Held.tf = tensorflow
                sess = Held.tf.Session()
                """,
            left=True,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """Notes each use of TensorFlow as a value, from which anything could be taken."""
        file = self.file
        if "tensorflow" in file.script.text:
            for text in _imported_by_text(file):
                self._quote(text, "a string names TensorFlow for an import: what is taken from it is unknown")
        for use, canonical in passed_modules(file):
            self._ask(use, canonical)
        if not file.program.is_tf2:
            for use, name in _passed_local_modules(file):
                what = f"a module whose {name} is of TensorFlow"
                self._quote(use, f"{what} is passed on as a value: what is taken from it is unknown")
        if file.program.is_tf2:
            return
        for use, canonical in file.names.spelled_symbols:
            # TF 1's own code did not use the new value; the runtime calls what `tensorflow.compat.v1` has
            if file.is_bound(use) and was_in_tf1(canonical) and canonical != "tf.get_variable":
                if find_replacement(canonical).kind == "v1":
                    message = (
                        f"the script assigns to {canonical} here: the runtime would use the new value, too"
                    )
                    note_site(file, use, self.code, message, stays="it stays in {}")
        for call, spelled in _run_as_text(file):
            message = f"a string that is run as code here uses {spelled}, which means something else in TF 2"
            self._quote(call, message, call)
        for use, canonical in file.names.doubtful:
            if _is_of_either(file, use, canonical):
                continue
            self._quote(use, f"{use.value} may mean TensorFlow here, or something else")

    def _ask(self, node: nodes.Symbol, canonical: str) -> None:
        """Notes a module that is passed on; `hasattr(tf, 'contrib')` is True: what TensorFlow 1 had is migrated."""
        file, parent = self.file, self.file.parent(node)
        if isinstance(parent, cst.Call) and _asks_for_tf1s(file, parent, node, canonical):
            self.replace(parent, "True")
            return
        is_kept = _is_followed(file, node) or _is_kept(file, node)
        if is_kept or _is_harmless(file, node, canonical) or file.program.is_tf2:
            return
        passed = canonical == "tf" and not m.matches(parent, _ALIAS)
        computed = _computed_name(file, parent, node)
        asked = computed is not None and _pattern(computed) != _ANY
        home = _with_its_names(file, node, canonical)
        own = "" if home == canonical else canonical.rpartition(".")[2]
        if passed or asked or _may_give_others(file, home, own):
            what = "TensorFlow itself" if canonical == "tf" else canonical
            message = f"{what} is passed on as a value: what is taken from it is unknown"
            self._quote(node, message, parent if isinstance(parent, cst.Call) else None)

    def _quote(self, node: cst.CSTNode, message: str, seen: cst.CSTNode | None = None) -> None:
        quoted = self.file.text.of(seen if seen is not None else self.file.statement(node))
        self.note(node, with_quoted_code(message, quoted))
