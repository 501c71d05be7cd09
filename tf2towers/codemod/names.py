"""`Names`: TensorFlow's symbols in a file, and how the file imports TensorFlow, on top of what names mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst
from libcst.metadata import Scope

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Assigned, Binding, Imported, Meanings
from tf2towers.codemod.symbols import (
    STANDARDIZATION,
    Found,
    canonical_name,
    find_replacement,
    import_home,
    is_module,
    public_spelling,
)
from tf2towers.codemod.tree import Tree


def first_name(symbol: cst.CSTNode) -> cst.Name:
    """The name that a symbol begins with."""
    name = nodes.root_of(symbol)
    assert isinstance(name, cst.Name)
    return name


class Names:
    """The names of one file, on top of `Meanings`.

    Args:
        tree: the file's tree.
        meanings: what its names mean.
        module_of: the names of a local module that uses TensorFlow, by its name in the file's imports.
        plain_is_tf2: whether the program runs on TF 2, so that `tf.x` is TF 2's.
    """

    def __init__(
        self,
        tree: Tree,
        meanings: Meanings,
        module_of: Callable[[str], Names | None],
        plain_is_tf2: Callable[[], bool],
    ) -> None:
        self.tree, self.meanings = tree, meanings
        self._module_of, self._plain_is_tf2 = module_of, plain_is_tf2
        self._asked: set[str] = set()

    def canonical(self, node: cst.CSTNode | None) -> str | None:
        """The canonical name of a Name or Attribute: the public one, also where it comes from a private module."""
        spelled = self.spelled(node)
        return None if spelled is None else public_spelling(spelled)

    def spelled(self, node: cst.CSTNode | None) -> str | None:
        """The canonical name by the modules that the file names: `tf.python.ops.array_ops.concat`, not `tf.concat`."""
        return self.meanings.canonical(node)

    @cached_property
    def symbols(self) -> list[tuple[nodes.Symbol, str]]:
        """Every use of something of TensorFlow outside imports: the longest attribute chain, and its canonical name."""
        return [(node, public_spelling(spelled)) for node, spelled in self.spelled_symbols]

    @cached_property
    def spelled_symbols(self) -> list[tuple[nodes.Symbol, str]]:
        """`symbols` by the modules that the file names."""
        found: list[tuple[nodes.Symbol, str]] = []
        for name in self.tree.read_names:
            root = self.meanings.canonical(name)
            if root is None:
                continue
            node: nodes.Symbol = name
            parent = self.tree.parent(node)
            while isinstance(parent, cst.Attribute):
                node, parent = parent, self.tree.parent(parent)
            if node is name and root.partition(".")[0] != "tf":
                continue
            canonical = self.meanings.canonical(node)
            if canonical is not None and canonical.partition(".")[0] == "tf":
                found.append((node, canonical))
        return found

    @cached_property
    def doubtful(self) -> list[tuple[cst.Name, str]]:
        """Uses of names that mean a module of TensorFlow's and also something else, and what they may mean."""
        found: list[tuple[cst.Name, str]] = []
        for name in self.tree.read_names:
            if self.meanings.canonical(name) is not None:
                continue
            if isinstance(
                self.tree.parent(name),
                cst.BinaryOperation | cst.UnaryOperation | cst.Comparison | cst.FormattedStringExpression,
            ):
                continue  # nobody adds or compares modules
            for meaning in self.meanings.possible_meanings(name):
                if meaning == "tf" or (meaning.startswith("tf.") and is_module(meaning)):
                    parts, node = [meaning], self.tree.parent(name)
                    while isinstance(node, cst.Attribute):
                        parts.append(node.attr.value)
                        node = self.tree.parent(node)
                    found.append((name, canonical_name(".".join(parts))))
        return found

    def imported_from_v1(self, node: nodes.Symbol) -> bool:
        """True if a use goes through an import of `tensorflow.compat.v1`, which TF 2 programs have too."""
        return any(
            isinstance(binding, Imported) and binding.target.startswith("tensorflow.compat.v1")
            for binding in self.meanings.bindings(first_name(node))
        )

    def is_plain(self, node: nodes.Symbol, through: tuple[cst.CSTNode, ...] = ()) -> bool:
        """True if a use is taken from plain `tensorflow` by an import, and does not name `compat.v1`.

        `through` are the values of `tf = tensorflow` that led here.
        """
        if "compat.v1" in (nodes.dotted(node) or ""):
            return False
        for binding in self.meanings.bindings(first_name(node)):
            if isinstance(binding, Assigned) and isinstance(binding.value, nodes.Symbol):  # `tf = tensorflow`
                if isinstance(nodes.root_of(binding.value), cst.Name) and binding.value not in through:
                    if not self.is_plain(binding.value, (*through, binding.value)):
                        return False
            elif not isinstance(binding, Imported) or binding.target.startswith("tensorflow.compat."):
                return False
        return True

    @cached_property
    def identifiers(self) -> set[str]:
        """Every name that the file uses: a new name must not be one of them."""
        found = {name.value for name in self.tree.all(cst.Name)} | self.bound_names
        for module in self.meanings.star_imports:
            other = self._module_of(module)
            found.update(other.meanings.top_names if other is not None else ())
        return found

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """The names that the file binds anywhere, by whatever means."""
        return frozenset(self.meanings.bound_names)

    def top_names(self) -> list[str]:
        """The names that the file's top level gives TensorFlow itself by imports, `tf` first."""
        found = []
        for name in self.meanings.top_names:
            if all(isinstance(binding, Imported) for binding in self.meanings.at_top(name)):
                if self.meanings.top_meaning(name) == "tf":
                    found.append(name)
        return sorted(found, key=lambda name: name != "tf")

    def is_v1(self, node: cst.CSTNode) -> bool:
        """True if a name for TensorFlow stands for `tensorflow.compat.v1` once the imports are rewritten."""
        if isinstance(node, cst.Attribute):
            if node.attr.value == "v1":
                return True
            module = self.meanings.canonical(node.value)
            other = self._module_of(module) if module is not None else None
            return other is not None and other.is_v1_name(node.attr.value)
        return nodes.is_name(node) and self.is_v1_name(node.value, self.meanings.scope(node))

    def is_v1_name(self, name: str, scope: Scope | None = None) -> bool:
        """As `is_v1`, for a name in a scope, or at the top of the module."""
        if name in self._asked:
            return False
        self._asked.add(name)
        try:
            found = self.meanings.bindings_of(name, scope or self.meanings.module)
            if found:
                return any(self._binds_v1(binding) for binding in found)
            stars = [self._module_of(module) for module in self.meanings.star_imports]
            return any(other is not None and other.is_v1_name(name) for other in stars)
        finally:
            self._asked.discard(name)

    def _binds_v1(self, binding: Binding) -> bool:
        if isinstance(binding, Assigned):
            return self.is_v1(binding.value)
        if not isinstance(binding, Imported):
            return False
        if binding.target.partition(".")[0] == "tensorflow":
            return binding.target != "tensorflow" or not self.keeps_plain(binding.alias)
        module, _, name = binding.target.rpartition(".")
        other = self._module_of(module)
        return other is not None and other.is_v1_name(name)

    def keeps_plain(self, alias: nodes.Alias) -> bool:
        """True if `import tensorflow` stays plain: in a program that runs on TF 2, and beside `import tensorflow.x`.

        It also stays where the file takes only TF 2's own names from it, such as Keras's data sets.
        """
        if self._plain_is_tf2() or (nodes.asname_of(alias) is None and self._has_dotted):
            return True
        return nodes.name_of(alias) == "tensorflow" and nodes.bound_by(alias) in self._tf2_names

    @cached_property
    def _has_dotted(self) -> bool:
        """True if `import tensorflow.python.x` binds `tensorflow`, which then has to be the package itself."""
        return any(
            nodes.asname_of(alias) is None and stays_dotted(nodes.name_of(alias))
            for node in self.tree.all(cst.Import)
            for alias in node.names
        )

    @cached_property
    def _tf2_names(self) -> set[str]:
        """The names of modules from which the file takes only what TF 2 alone has."""
        uses: dict[str, bool] = {}
        for node, canonical in self.spelled_symbols:
            name = first_name(node).value
            only = find_replacement(canonical).kind == "tf2"
            uses[name] = uses.get(name, True) and only
        return {name for name, only in uses.items() if only}


# -- what a TensorFlow import binds after the migration, alias by alias ------------------------------------------------

V1 = "tensorflow.compat.v1"


@dataclass(frozen=True)
class NewImport:
    """`from module import name as bound`, or `import name as bound` where there is no module."""

    module: str
    name: str
    bound: str
    alias: nodes.Alias
    #: set if the name has no replacement
    left: Found | None = None

    @property
    def text(self) -> str:
        """The name in its import statement."""
        return nodes.as_named(self.name, self.bound)


#: the module of TensorFlow's flags, then and now
PRIVATE_FLAGS = "tensorflow.python.platform.flags"


def is_tensorflow(dotted: str) -> bool:
    """True if a dotted name is TensorFlow's."""
    return dotted.partition(".")[0] == "tensorflow"


def imports_made_by(keeps_plain: Callable[[nodes.Alias], bool], node: nodes.Import) -> Iterator[NewImport]:
    """The new import for each alias of an import statement; other libraries' stay as they are."""
    for alias in nodes.aliases(node):
        name, module = nodes.name_of(alias), nodes.module_of(node)
        was = NewImport(module, name, nodes.asname_of(alias) or name, alias)
        if not is_tensorflow(module or name):
            yield was
        elif name == "*":
            yield _star(was)
        elif isinstance(node, cst.ImportFrom):
            yield _made(was, f"{module}.{name}")
        elif nodes.asname_of(alias) is not None:
            yield was if name == "tensorflow" and keeps_plain(alias) else _made(was, name)
        elif keeps_plain(alias) or stays_dotted(name):
            yield was
        else:  # names that are gone are rewritten where they are used
            yield NewImport("", V1, "tensorflow", alias)


def stays_dotted(dotted: str) -> bool:
    """True if `import tensorflow.x.y` without `as` stays: there is such a module."""
    kind = find_replacement(canonical_name(dotted)).kind
    return dotted.startswith("tensorflow.") and kind in ("v1", "tf2", "private")


def _star(was: NewImport) -> NewImport:
    root = canonical_name(was.module)
    found = find_replacement(root)
    if found.runtime is not None:
        return replace(was, module=".".join(found.runtime))
    return replace(was, module=V1 + root[2:]) if found.kind == "v1" else was


def _made(was: NewImport, dotted: str) -> NewImport:
    """The new import of a dotted name of TensorFlow's."""
    canonical = canonical_name(dotted)
    found = find_replacement(canonical)
    if public_spelling(canonical) == STANDARDIZATION:
        why = f"{STANDARDIZATION} is taken before it is TF 1.15's; instead: its name"
        found = Found("left", code="T2T620", why=why)
    if found.kind == "left":
        return replace(was, left=found)
    if found.runtime is not None:
        module, _, name = ".".join(found.runtime).rpartition(".")
        return replace(was, module=import_home(module), name=name)
    is_whole = bool(was.module) and canonical == "tf"
    if is_whole or found.kind == "tf2" or found.target.startswith("tf.compat"):
        return was
    of_v1 = V1 + found.target[2:].replace(".app.flags", ".flags")
    path = found.target if found.kind == "private" else of_v1
    module, _, name = path.rpartition(".")
    if found.target.startswith("tf.app.flags.") and was.module:
        # no module of compat.v1 that names could be imported from
        module, name = PRIVATE_FLAGS, was.name
    # an import of the module by itself is without flags
    if was.module or found.target.startswith("tf.app"):
        return replace(was, module=module, name=name)
    return replace(was, name=path)
