"""T2T636: more than one session, or one that is not made once and initialised once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import MAKE_SESSIONS, SESSIONS, Building, inside
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.shared_by_workers import shared_by_workers
from tf2towers.certain.without_towers import graph_on_devices
from tf2towers.certain.worker_example import OWN_SESSION, SUPERVISED, TWO, worker_with
from tf2towers.exact.file import File
from tf2towers.names.old_names import todays_name

_ROUNDS = (ast.For, ast.While, ast.AsyncFor)
#: what a training loop may catch: the end of its input, or the user's
_CAUGHT = frozenset({"tf.errors.OutOfRangeError", "builtins.KeyboardInterrupt"})
_PLAIN = frozenset({"tf.Session", "tf.InteractiveSession"})
#: what has nothing to do with the graph, or is made for a session
_MAY_FOLLOW = (
    "tf.app.", "tf.flags.", "tf.gfile.", "tf.logging.", "tf.errors.", "tf.examples.",
    "tf.summary.FileWriter", "tf.train.SummaryWriter", "tf.train.Saver", "tf.get_default_graph",
    "tf.ConfigProto", "tf.GPUOptions", "tf.train.Coordinator", "tf.train.start_queue_runners", *SESSIONS,
    "tf.global_variables_initializer", "tf.initialize_all_variables",
    "tf.local_variables_initializer", "tf.initialize_local_variables",
    "tf.train.latest_checkpoint", "tf.train.get_checkpoint_state",
)  # fmt: skip


def doubts(building: Building) -> Iterator[Doubt]:
    """Sessions in loops, several of them, initialisers run again, errors of runs that are caught."""
    made = [
        (file, call)
        for file in building.files
        for call in file.all(ast.Call)
        if file.canonical(call.func) in SESSIONS - {"tf.train.SessionManager"}
        or (isinstance(call.func, ast.Attribute) and call.func.attr in ("prepare_session", "recover_session"))
    ]
    made = [(file, call) for file, call in made if not _is_never_asked(file, call)]
    graph = graph_on_devices(building)
    lives = graph is None or graph.has_variables  # whether a session has something that another has not
    for number, (file, call) in enumerate(made):
        if number and lives and not (len(made) == 2 and _are_alternatives(made[0][1], call, file)):
            yield Doubt(file, call, "another session")
        if any(True for _ in inside(file, call, *_ROUNDS)):
            yield Doubt(file, call, "a session in a loop")
    if lives:
        yield from _behind_sessions(building)
    yield from _begun_by_each_worker(building)
    initialisers = 0
    for file, call in building.runs:
        for fetch in ast.walk(call.args[0]) if call.args else ():
            value = building.value_of(file, fetch) if isinstance(fetch, ast.Name) else fetch
            if isinstance(value, ast.Call) and (file.canonical(value.func) or "") in (
                "tf.global_variables_initializer", "tf.initialize_all_variables",
            ):  # fmt: skip
                initialisers += 1
                if initialisers > 1 or any(True for _ in inside(file, call, *_ROUNDS)):
                    yield Doubt(file, call, "variables that are initialised again")
    yield from _errors_caught(building)
    calls = [(file, call) for file in building.files for call in file.all(ast.Call)]
    for file, call in calls:
        if todays_name(file.canonical(call.func) or "") == "tf.summary.FileWriter":
            if not isinstance(file.parent(call), ast.Assign):
                yield Doubt(file, call, "a writer without a name")


def _errors_caught(building: Building) -> Iterator[Doubt]:
    """Blocks that may go on after an error of a run: its kind and its words are others in TF 2."""
    runs = {call for _, call in building.runs}
    for file in building.files:
        yield from _errors_looked_at(file)
        catching: list[tuple[ast.AST, list[ast.stmt]]] = [
            (block, block.body)
            for block in file.all(ast.Try)
            if any(
                handler.type is None or file.canonical(handler.type) not in _CAUGHT
                for handler in block.handlers
            )
        ]
        catching += [
            (block, block.body)
            for block in file.all(ast.With)
            if any(
                file.text.of(item.context_expr).partition("(")[0].endswith("suppress") for item in block.items
            )
        ]
        for block, body in catching:
            parts: list[tuple[File, ast.AST]] = [(file, statement) for statement in body]
            if any(node in runs for _, part in building.with_functions(parts) for node in ast.walk(part)):
                yield Doubt(file, block, "an error of a run is caught")


def _errors_looked_at(file: File) -> Iterator[Doubt]:
    """Uses of the end of the input, whose words are others: all but `coord.request_stop(e)`."""
    for handler in file.all(ast.ExceptHandler):
        if handler.name is None or handler.type is None or not _is_of_tensorflow(file, handler.type):
            continue
        for node in (node for statement in handler.body for node in ast.walk(statement)):
            if (
                not isinstance(node, ast.Name)
                or node.id != handler.name
                or not isinstance(node.ctx, ast.Load)
            ):
                continue
            call = file.parent(node)
            method = call.func if isinstance(call, ast.Call) else None
            if not (isinstance(method, ast.Attribute) and method.attr == "request_stop"):
                yield Doubt(file, node, "the words of an error of TensorFlow's")


def _is_of_tensorflow(file: File, kind: ast.expr) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any((file.canonical(error) or "").startswith("tf.errors.") for error in kinds)


def _is_never_asked(file: File, call: ast.Call) -> bool:
    """Whether it is a Supervisor in a name that nothing reads: no session comes of it, and without a folder no file."""
    statement = file.parent(call)
    if call.args or any(keyword.arg in (None, "logdir") for keyword in call.keywords):
        return False
    if file.canonical(call.func) != "tf.train.Supervisor" or not isinstance(statement, ast.Assign):
        return False
    if not all(isinstance(target, ast.Name) for target in statement.targets):
        return False
    names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return not any(isinstance(name.ctx, ast.Load) and name.id in names for name in file.all(ast.Name))


def _begun_by_each_worker(building: Building) -> Iterator[Doubt]:
    """Plain sessions of workers, each of which gives the variables of all their first values when it begins."""
    if not building.placed or building.has_one_worker:
        return
    yield from shared_by_workers(building)
    for file in building.files:
        for call in file.all(ast.Call):
            if file.canonical(call.func) in _PLAIN:
                yield Doubt(file, call, "a session of each worker, which initialises the variables of all")
        servers = _servers(file)
        for address in file.all(ast.Attribute):
            if isinstance(address.value, ast.Name) and address.value.id in servers:
                if address.attr == "target" and not _is_for_session(file, address):
                    yield Doubt(
                        file, address, "the address of a worker, where one process runs the loops of all"
                    )


def _servers(file: File) -> set[str]:
    """The names that are set to a server anywhere, and those set to such a name."""
    found: set[str] = set()
    while True:
        more = {
            target.id
            for assign in file.all(ast.Assign)
            if (isinstance(assign.value, ast.Name) and assign.value.id in found)
            or (isinstance(assign.value, ast.Call) and file.canonical(assign.value.func) == "tf.train.Server")
            for target in assign.targets
            if isinstance(target, ast.Name)
        }
        if more <= found:
            return found
        found |= more


def _is_for_session(file: File, address: ast.Attribute) -> bool:
    """Whether an address is only what a session is made with."""
    call = file.parent(address)
    if isinstance(call, ast.keyword):
        call = file.parent(call)
    if not isinstance(call, ast.Call):
        return False
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return file.canonical(call.func) in SESSIONS or method in {*MAKE_SESSIONS, "wait_for_session"}


def _are_alternatives(first: ast.Call, second: ast.Call, file: File) -> bool:
    """Whether two calls stand in the two branches of one `if`."""
    return any(
        isinstance(around, ast.If)
        and any(first in ast.walk(part) for part in around.body)
        and any(second in ast.walk(part) for part in around.orelse)
        for around in file.ancestors(first)
    )


def _behind_sessions(building: Building) -> Iterator[Doubt]:
    """TensorFlow behind the place where a session is made, in the same function or module."""
    for file in building.files:
        for call in file.all(ast.Call):
            if file.canonical(call.func) not in SESSIONS:
                continue
            scope = file.meanings.scope(call)
            end = (call.end_lineno or call.lineno, call.end_col_offset or call.col_offset)
            for node, canonical in file.symbols:
                if (node.lineno, node.col_offset) >= end and file.meanings.scope(node) is scope:
                    if not canonical.startswith(_MAY_FOLLOW):
                        yield Doubt(file, node, f"{canonical} behind the place where the session is made")


_HEAD = "head: import numpy as np; import tensorflow as tf; N = 2"
_COUNTS = f"{_HEAD}; counts = {{'steps': 0}}; def count():;     counts['steps'] += 1"
_DRAWS = f"{_HEAD}; own = np.random.RandomState(0); def draw():;     return own.rand()"

RULE = Rule(
    code="T2T636",
    title="More than one session, or one that is begun again",
    why="""
    In idiomatic form the variables live as long as the program: there is no session that has values of its own,
    none to make anew, and none that an error leaves as it was. Of a cluster, one process runs the loops of all
    workers, on variables that are initialised once, with one environment and one copy of each module's values.
    """,
    todo="Nothing: the exact form has sessions. For idiomatic form, train in one session that is initialised once.",
    doubts=doubts,
    doubtful=(
        "train: sess.run(tf.global_variables_initializer()); print(sess.run([train_op, loss], {x: batch})[1])",
        "end: print(tf.Session().run(w))",
        "end: other = tf.Session()",
        "train: try:;     print(sess.run([train_op, loss], {x: batch})[1]); except ValueError:;     break",
        "train: try:;     print(sess.run([train_op, loss], {x: batch})[1]); "
        "except tf.errors.OutOfRangeError as e:;     print(e)",
        "end: def ask(size):;     print(sess.run(loss, {x: np.ones((size, 3))})); try:;     ask(3); "
        "except (ValueError, TypeError):;     pass",
        "head: import numpy as np; import tensorflow as tf; import contextlib; N = 2\n"
        "train: with contextlib.suppress(ValueError):;     sess.run(train_op, {x: batch})",
        "end: print(tf.constant(1).shape)",
        worker_with("['a:2', 'a:3']", OWN_SESSION),
        worker_with("HOSTS.split(',')", OWN_SESSION) + "\nbefore: HOSTS = 'a:2'",
        worker_with("['a:2', 'a:3']", f"{SUPERVISED}; print(server.target)"),
        worker_with("['a:2', 'a:3']", f"{SUPERVISED}; mine = server; print(mine.target)"),
        worker_with("['a:2', 'a:3']", f"{SUPERVISED}; print(server.target); server = 'gone'"),
        worker_with(TWO, f"{SUPERVISED}; os.environ['ME'] = '1'") + f"\n{_HEAD}; import os",
        worker_with(TWO, f"{SUPERVISED}; os.chdir('/tmp')") + f"\n{_HEAD}; import os",
        worker_with(TWO, SUPERVISED)
        + f"\n{_HEAD}; import sys\ntrain: print(sys.argv[1], sess.run(train_op, {{x: batch}}))",
        worker_with(TWO, f"{SUPERVISED}; count()") + f"\n{_COUNTS}",
        worker_with(TWO, f"{SUPERVISED}; draw()") + f"\n{_DRAWS}",
        worker_with(TWO, f"{SUPERVISED}; draw()") + f"\n{_DRAWS.replace('draw()', 'draw(own=own)')}",
        worker_with(TWO, f"{SUPERVISED}; mine = counts; mine['steps'] += 1") + f"\n{_COUNTS}",
        worker_with(TWO, f"{SUPERVISED}; rows = Rows()") + f"\n{_HEAD}; class Rows(object):;     taken = []",
        worker_with(TWO, SUPERVISED) + f"\n{_HEAD}; import sys\nend: sys.exit(1)",
        worker_with("['a:2']", f"{SUPERVISED}; other = tf.Session(server.target)"),
        worker_with("['a:2']", f"unused = tf.train.Supervisor(logdir='logs'); {OWN_SESSION}"),
    ),
    certain=(
        "after: saver = tf.train.Saver()\nsession: sess = tf.Session(); sess.run(tf.global_variables_initializer()); "
        "latest = tf.train.latest_checkpoint('logs'); if latest:;     saver.restore(sess, latest); "
        "rng = np.random.RandomState(0); for step in range(3):;     batch = rng.randn(4, 3)",
        "end: print(N)",
        "train: try:;     print(sess.run([train_op, loss], {x: batch})[1]); except KeyboardInterrupt:;     break",
        "before: coord = tf.train.Coordinator()\ntrain: try:;     print(sess.run([train_op, loss], {x: batch})[1]); "
        "except tf.errors.OutOfRangeError as e:;     coord.request_stop(e)",
        worker_with(TWO, f"name = sys.argv[0]; {SUPERVISED}") + f"\n{_HEAD}; import sys",
        worker_with("['a:2']", f"{OWN_SESSION}; print(server.target)"),
        worker_with("['a:2', 'a:3']", SUPERVISED),
        worker_with("['a:2']", f"{SUPERVISED}; count()") + f"\n{_COUNTS}",
        worker_with(TWO, f"{SUPERVISED}; count()")
        + f"\n{_HEAD}; def count():;     own = [];     own.append(1)",
        worker_with("['a:2']", f"unused = tf.train.Supervisor(is_chief=True); {OWN_SESSION}"),
        # nothing lives in these sessions
        "head: import numpy as np; import tensorflow as tf; N = 2\ninputs: \nloop: \nvariable: \nmodel: \nloss: \n"
        "losses: \ngrads: \naverage: x = tf.placeholder(tf.float32, [2]); y = x * 2.0; with tf.Session() as sess:;"
        "     print(sess.run(y, {x: np.ones(2)})); x = tf.placeholder(tf.float32, [3]); y = tf.square(x)\n"
        "session: with tf.Session() as sess:;     for step in range(3):\n"
        "train:     print(sess.run(y, {x: np.ones(3) * step}))",
    ),
)
