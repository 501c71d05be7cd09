"""Finds the flags of a task that have names of their own: those that reach its server.

    parser.add_argument("--role")
    tf.train.Server(cluster, job_name=args.role, task_index=args.rank)     --role={job_name}
    cluster = tf.train.ClusterSpec({"ps": args.servers.split(",")})        --servers={ps_hosts}

What cannot be followed to a flag, a variable of the environment or `sys.argv[k]` is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

#: a job of a cluster -> the field of its hosts
_HOSTS = {"ps": "ps_hosts", "worker": "worker_hosts", "chief": "chief_hosts"}
#: calls and methods that pass on what they are given
_PASSED = frozenset(["int", "str", "split", "strip", "lower", "list"])
_ARGUMENTS = "sys.argv"


def server_flags(texts: Sequence[str]) -> dict[str, str]:
    """The words that tell a program its task: {'job_name': '--role={job_name}', ..}.

    A variable of the environment is `ROLE={job_name}`, and `sys.argv[1]` is `{job_name}` alone.

    Args:
        texts: those of the script and of its local modules. One that is no Python 3 has no flags.
    """
    trees = []
    for text in texts:
        try:
            trees.append(ast.parse(text))
        except (SyntaxError, ValueError):
            continue
    sources = _Sources(trees)
    found: dict[str, str] = {}
    for field, value in (pair for tree in trees for pair in _given(tree)):
        if field not in found and (word := sources.word(value, field)):
            found[field] = word
    places = sorted(int(word[1:]) for word in found.values() if word[0] == "@")
    if places != list(range(1, len(places) + 1)):  # what stands before them is not known
        return {field: word for field, word in found.items() if word[0] != "@"}
    ordered = sorted(found.items(), key=lambda pair: (pair[1][0] == "-", pair[1][0] == "@", pair[1]))
    return {field: f"{{{field}}}" if word[0] == "@" else word for field, word in ordered}


def _given(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The fields of a task, each with the expression that gives it to a server or cluster."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "Server":
            given = dict(zip(("cluster", "job_name", "task_index"), node.args, strict=False))
            given |= {word.arg: word.value for word in node.keywords if word.arg}
            yield from ((field, given[field]) for field in ("job_name", "task_index") if field in given)
        elif name == "ClusterSpec" and node.args:
            yield from _hosts(node.args[0], tree)


def _hosts(cluster: ast.expr, tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for value in _assigned(cluster.id, [tree]) if isinstance(cluster, ast.Name) else [cluster]:
        if isinstance(value, ast.Dict):
            for key, hosts in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in _HOSTS:
                    yield _HOSTS[key.value], hosts


def _assigned(name: str, trees: Sequence[ast.AST]) -> list[ast.expr]:
    """What is assigned to a name, anywhere in the program."""
    found = []
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    found.append(node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = zip(target.elts, node.value.elts, strict=False)
                    found += [
                        value for part, value in pairs if isinstance(part, ast.Name) and part.id == name
                    ]
    return found


class _Sources:
    """Follows expressions to the flags of a program."""

    def __init__(self, trees: Sequence[ast.AST]) -> None:
        self._trees = trees
        self._flags: dict[str, str] = {}  # the attribute of a flag -> the flag
        for call in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)):
            self._define(call)

    def _define(self, call: ast.Call) -> None:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        words = [
            word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)
        ]
        if re.match(r"DEFINE_(string|integer|enum|list)", name) and words:
            self._flags[words[0]] = f"--{words[0]}"
        elif name == "add_argument" and any(word.startswith("--") for word in words):
            word = next(word for word in words if word.startswith("--"))
            given = [key.value for key in call.keywords if key.arg == "dest"]
            named = (
                given[0].value if given and isinstance(given[0], ast.Constant) else word[2:].replace("-", "_")
            )
            self._flags[str(named)] = word

    def word(self, value: ast.expr, field: str, depth: int = 0) -> str:
        """The word that gives an expression its value; `@1` for `sys.argv[1]`; empty if unknown."""
        if depth > 9:
            return ""
        match value:
            case ast.Attribute(value=ast.Name(), attr=name) if name in self._flags:
                return f"{self._flags[name]}={{{field}}}"
            case ast.Name(id=name):
                words = {self.word(given, field, depth + 1) for given in _assigned(name, self._trees)}
                return words.pop() if len(words) == 1 else ""
            case ast.List(elts=[one]):
                return self.word(one, field, depth + 1)
            case ast.Subscript(value=of, slice=ast.Constant(value=key)):
                return _of_process(ast.unparse(of), key, field)
            case ast.Call(func=ast.Attribute(value=of, attr="get"), args=[ast.Constant(value=key), *_]):
                return _of_process(ast.unparse(of), key, field)
            case ast.Call(func=function, args=[ast.Constant(value=key), *_]) if (
                ast.unparse(function) == "os.getenv"
            ):
                return _of_process("os.environ", key, field)
            case ast.Call(func=ast.Attribute(value=of, attr=name)) if name in _PASSED:
                return self.word(of, field, depth + 1)
            case ast.Call(func=ast.Name(id=name), args=[one]) if name in _PASSED:
                return self.word(one, field, depth + 1)
        return ""


def _of_process(of: str, key: object, field: str) -> str:
    if of == "os.environ" and isinstance(key, str):
        return f"{key}={{{field}}}"
    return f"@{key}" if of == _ARGUMENTS and isinstance(key, int) and key > 0 else ""
