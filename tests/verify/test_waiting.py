"""What each task of a cluster waits for, when it has not ended in time."""

from pathlib import Path

from tf2towers.verify.waiting import waiting_tasks

STACK = """\
Thread 0x00007f (most recent call first):
  File "/lib/threading.py", line 296 in wait

Thread 0x00007e (most recent call first):
  File "{library}", line 9 in {function}
  File "{home}/train.py", line 44 in main
  File "/tf2towers/verify/recorder/__main__.py", line 25 in <module>
"""


def test_a_script_that_starts_its_tasks_in_threads(tmp_path: Path) -> None:
    main = STACK.format(library="/lib/threading.py", function="join", home=tmp_path.resolve())
    thread = f"""Thread 0x00007c (most recent call first):
  File "/tensorflow/python/client/session.py", line 9 in run
  File "{tmp_path.resolve()}/train.py", line 20 in work
  File "/lib/threading.py", line 975 in run
"""
    (tmp_path / "the-script.stack").write_text(f"{thread}\n{main}")
    assert list(waiting_tasks(tmp_path, tmp_path / "train.py")) == [
        "a thread of the script waits in a session call (train.py, line 20)",
        "the script runs (train.py, line 44)",
    ]


def test_each_task_says_what_it_waits_for(tmp_path: Path) -> None:
    for task, library, function in (
        ("ps-0", "/tensorflow/python/training/server_lib.py", "join"),
        ("worker-0", "/tf2towers/verify/recorder/calls/turns.py", "_wait"),
        ("worker-1", "/tensorflow/python/client/session.py", "close"),
        ("worker-2", "/lib/random.py", "random"),
    ):
        text = STACK.format(library=library, function=function, home=tmp_path.resolve())
        (tmp_path / f"{task}.stack").write_text(text)
    (tmp_path / "worker-3.stack").write_text("")
    in_a_step = STACK.format(library="/python/client/session.py", function="run", home=tmp_path.resolve())
    at_token = 'Thread 0x00007d (most recent call first):\n  File "/verify/recorder/calls/tokens.py", line 99 in wait\n'
    (tmp_path / "worker-4.stack").write_text(at_token + in_a_step)
    assert list(waiting_tasks(tmp_path, tmp_path / "train.py")) == [
        "ps 0 serves (train.py, line 44)",
        "worker 0 waits for its turn (train.py, line 44)",
        "worker 1 closes its session, which waits for the other tasks (train.py, line 44)",
        "worker 2 runs (train.py, line 44)",
        "worker 4 waits in its step for a token of SyncReplicasOptimizer (train.py, line 44)",
    ]
