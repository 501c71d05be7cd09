"""Who is restarted, what ends a cluster, with which status."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tf2towers.launch.cluster import LaunchError, Task
from tf2towers.launch.job import Job, Outcome, Watcher, ending_words
from tf2towers.launch.member import Member
from tf2towers.launch.plan import Plan

from .conftest import Write


class Heard(Watcher):
    def __init__(self) -> None:
        self.notices: list[str] = []
        self.written: list[str] = []

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        self.written += [f"{task.name}: {line}" for line in lines]

    def notice(self, text: str) -> None:
        self.notices.append(text)


def run(plan: Plan, watcher: Watcher | None = None) -> tuple[Outcome, list[str]]:
    """The outcome, and the state of every task."""
    job = Job(plan, watcher or Heard())
    return job.run(), [state(member) for member in job.members]


def state(member: Member) -> str:
    """'waiting', 'running', 'stopped', 'ended' (with 0) or 'failed'."""
    if member.runs:
        return "running"
    if member.status is not None:
        return "failed" if member.status else "ended"
    return "stopped" if member.stopped else "waiting"


@pytest.mark.parametrize(
    ("body", "linger", "of_ps"),
    [
        ("if job == 'ps': tell(); time.sleep(60)\nwait_for('ps-0')", 0.1, "stopped"),
        ("if job == 'ps': wait_for('worker-0', 'worker-1'); time.sleep(0.3)\ntell()", 20, "ended"),
    ],
    ids=["one that never ends is stopped", "one that ends by itself is waited for"],
)
def test_how_a_parameter_server_ends(script: Write, body: str, linger: float, of_ps: str) -> None:
    assert run(Plan(script(body), linger=linger)) == (Outcome(0), [of_ps, "ended", "ended"])


@pytest.mark.parametrize("chief", ["chief", "worker"])
def test_workers_that_serve_a_coordinator_are_ended_with_the_servers(script: Write, chief: str) -> None:
    """Of TF 2's parameter servers the chief's end is the end; `Server.join()` of the others never returns."""
    path = script(f"""
        if (job, index) == ("{chief}", 0):
            wait_for("ps-0", "worker-1" if job == "worker" else "worker-0")
        else:
            tell()
            time.sleep(60)
        def never():
            ClusterCoordinator(strategy)
    """)
    plan = Plan(path, ps=1, workers=2, chief=chief, linger=0.1)
    assert run(plan) == (Outcome(0), ["stopped", "ended", "stopped"])


@pytest.mark.parametrize(
    ("of_evaluator", "evaluation", "state", "notices"),
    [
        ("time.sleep(60)", 0.1, "stopped",
         ["the training has ended; evaluator 0 has 0.1 seconds for the last checkpoint",
          "evaluator 0 had not ended, and is stopped"]),
        ("wait_for('trained'); time.sleep(0.3)", 20, "ended",
         ["the training has ended; evaluator 0 has 20 seconds for the last checkpoint"]),
    ],
)  # fmt: skip
def test_an_evaluator(
    script: Write, of_evaluator: str, evaluation: float, state: str, notices: list[str]
) -> None:
    """The training's end does not wait for it; then it may evaluate the last checkpoint."""
    path = script(f"""
        if job == "evaluator":
            tell()
            {of_evaluator}
        elif job == "chief":
            wait_for("evaluator-0")
            tell(name="trained")
    """)
    watcher = Heard()
    plan = Plan(path, ps=0, workers=2, chief="chief", evaluators=1, evaluation=evaluation, linger=0.1)
    assert run(plan, watcher) == (Outcome(0), ["ended", "ended", state])
    assert watcher.notices == notices


@pytest.mark.parametrize(
    ("end", "status", "words"),
    [
        ("sys.exit(3)", 3, "ended with status 3"),
        ("1 / 0", 1, "ended with status 1"),
        ("os.kill(os.getpid(), signal.SIGKILL)", 137, "was killed by SIGKILL"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", 139, "was killed by SIGSEGV"),
    ],
)
@pytest.mark.parametrize("failing", ["worker 1", "ps 0"])
def test_a_failing_task_stops_all_others(
    script: Write, end: str, status: int, words: str, failing: str
) -> None:
    path = script(f"""
        tell()
        if me != {failing!r}: time.sleep(60)
        wait_for("ps-0", "worker-0", "worker-1")
        print("last words", flush=True)
        {end}
    """)
    watcher = Heard()
    job = Job(Plan(path), watcher)
    outcome = job.run()
    assert (outcome.status, outcome.reason) == (status, f"{failing} {words}")
    assert outcome.failed is not None
    assert outcome.failed.task.name == failing
    assert outcome.failed.lines[0] == "last words"
    assert watcher.notices == [f"{failing} {words}: every other task is stopped"]
    assert sorted(state(member) for member in job.members) == ["failed", "stopped", "stopped"]


def test_output_is_complete(script: Write) -> None:
    path = script("""
        if me == "worker 0":
            for number in range(20_000): print("out", number)
            print("no end of line", end="", file=sys.stderr)
    """)
    watcher = Heard()
    run(Plan(path, ps=0, workers=1), watcher)
    expected = [f"worker 0: out {number}" for number in range(20_000)]
    assert watcher.written == [*expected, "worker 0: no end of line"]


def test_output_of_what_a_task_left_running_is_not_waited_for(script: Write) -> None:
    path = script("subprocess.Popen(['sleep', '60'], start_new_session=True); print('done')")
    watcher = Heard()
    began = time.monotonic()
    outcome, _ = run(Plan(path, ps=0, workers=1), watcher)
    assert outcome == Outcome(0)
    assert watcher.written == ["worker 0: done"]
    assert time.monotonic() - began < 5


def test_a_task_may_close_its_output(script: Write) -> None:
    path = script("print(1, flush=True); os.close(1); os.close(2); time.sleep(0.3); os._exit(4)")
    outcome, _ = run(Plan(path, ps=0, workers=1))
    assert outcome.status == 4


def test_an_interpreter_that_does_not_run(script: Write) -> None:
    path = script("tell()")
    Path("broken").write_text("#!/no/such/thing\n")
    Path("broken").chmod(0o755)
    with pytest.raises(LaunchError, match=r"cannot start .*broken"):
        run(Plan(path, python="./broken"))


def test_statuses_of_shells() -> None:
    assert ending_words(143) == "was killed by SIGTERM"
    assert ending_words(255) == "ended with status 255"


@pytest.mark.parametrize(("worker", "why"), [(1, ""), (0, ". A chief of synchronous workers waits")])
def test_it_says_which_task_it_waits_for(
    worker: int, why: str, script: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tf2towers.launch.job.QUIET", 0.2)
    path = script(f"if me == 'worker {worker}': time.sleep(1)")
    heard = Heard()
    run(Plan(path, linger=0.1), heard)
    (notice,) = heard.notices
    assert notice.startswith(f"waiting for worker {worker}; the other workers have ended{why}")
    assert bool(why) == (len(notice) > 60)


def test_it_says_that_a_worker_waits_for_the_chief(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that TF 1 logs before it sleeps is not shown; another line says that the worker no longer waits."""
    monkeypatch.setattr("tf2towers.launch.job.QUIET", 0.2)
    line = "INFO:tensorflow:Waiting for model to be ready.  Ready_for_local_init_op:  None, ready: w"
    path = script(f"print({line!r}); 'worker 1' != me and print('step 1'); sys.stdout.flush(); time.sleep(1)")
    heard = Heard()
    run(Plan(path, linger=0.1), heard)
    (notice,) = heard.notices
    assert notice.startswith(
        "worker 1 waits for the chief to initialize the variables. TensorFlow 1 looks for"
    )
