"""The flags of a task that have names of their own, found by what reaches the server."""

import textwrap
from pathlib import Path

import pytest

from tf2towers.launch.program import is_of_cluster, taken_flags

BY_ATTRIBUTE = """
    parser.add_argument("--servers", type=str)
    parser.add_argument("--trainers")
    parser.add_argument("--role")
    parser.add_argument("-r", "--my-rank", dest="rank", type=int)
    args = parser.parse_args()
    cluster = tf.train.ClusterSpec({"ps": args.servers.split(","), "worker": args.trainers.split(",")})
    server = tf.train.Server(cluster, job_name=args.role, task_index=args.rank)
    """
BY_NAME = """
    flags.DEFINE_integer("task_id", 0, "")
    flags.DEFINE_string("job_name", "", "")
    flags.DEFINE_string("ps", "", "")
    hosts = {"ps": [FLAGS.ps], "worker": workers}
    job, index = FLAGS.job_name, int(FLAGS.task_id)
    server = tf.train.Server(tf.train.ClusterSpec(hosts), job, index)
    """
BY_PLACE = """
    job = sys.argv[1]
    server = tf.train.Server({"ps": ["localhost:2222"]}, job_name=job, task_index=int(sys.argv[2]))
    """
BY_VARIABLE = """
    server = tf.train.Server(spec, job_name=os.environ["ROLE"], task_index=int(os.getenv("RANK", "0")))
    """


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (
            BY_ATTRIBUTE,
            "--my-rank={task_index} --role={job_name} --servers={ps_hosts} --trainers={worker_hosts}",
        ),
        (BY_NAME, "--job_name={job_name} --ps={ps_hosts} --task_id={task_index}"),
        (BY_PLACE, "{job_name} {task_index}"),
        (BY_VARIABLE, "RANK={task_index} ROLE={job_name}"),
        # what stands before it is not known
        (BY_PLACE.replace("sys.argv[1]", "sys.argv[3]"), ""),
        # the script starts all tasks
        ("def serve(job, index): tf.train.Server(spec, job_name=job, task_index=index)", ""),
        # two assignments: which one counts is not known
        (BY_PLACE + "\n    job = 'worker'\n", ""),
        ("print 'Python 2'; tf.train.Server(spec, job_name=FLAGS.role, task_index=FLAGS.rank)", ""),
    ],
)
def test_the_flags_that_reach_a_server(tmp_path: Path, text: str, flags: str) -> None:
    (script := tmp_path / "train.py").write_text(textwrap.dedent(text))
    assert taken_flags(script) == flags
    assert is_of_cluster(script) == bool(flags)
