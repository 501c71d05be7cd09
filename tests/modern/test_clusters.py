"""The modern twins of the parameter-server trainer, as clusters of processes on this machine."""

import gzip
import json
import re
import signal
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.modern.alone import MADE_UP, RUN, with_its_modules
from tests.modern.clusters import ROOT, Job, free_ports
from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

PARAMETER_SERVER, MULTI_WORKER = ["modern/mnist_parameter_server.py"], ["modern/mnist_multi_worker.py"]
BATCH, EVERY = 50, 12


@pytest.fixture(scope="module")
def modern():
    """The modules of modern/, imported as its scripts import them."""
    sys.path.insert(0, str(ROOT / "modern"))
    try:
        import mnist_cluster
        import mnist_model
        import mnist_multi_worker
        import mnist_parameter_server
        import mnist_training
    finally:
        sys.path.remove(str(ROOT / "modern"))
    return SimpleNamespace(
        cluster=mnist_cluster, model=mnist_model, training=mnist_training,
        asynchronous=mnist_parameter_server, synchronous=mnist_multi_worker,
    )  # fmt: skip


def alone(script: str, folder: Path) -> list[str]:
    """The program in a folder of its own, which finds no package that TensorFlow does not bring."""
    (folder / "alone").mkdir()
    return ["-c", RUN, str(with_its_modules(script, folder / "alone"))]


def validation(printed: str) -> tuple[int, float]:
    found = re.findall(
        r"After (\d+) training step\(s\), validation cross entropy = (\S+)$", printed, re.MULTILINE
    )
    assert found, printed
    return int(found[-1][0]), float(found[-1][1])


def scalars(folder: Path) -> set[str]:
    """The tags in the event files, which the chief alone writes."""
    import tensorflow as tf

    pytest.importorskip("tensorboard")
    return {
        value.tag
        for path in folder.glob("events.out.tfevents.*")
        for event in tf.compat.v1.train.summary_iterator(str(path))
        for value in event.summary.value
    }


def test_asynchronous_training_outlives_a_worker_and_the_chief(tmp_path):
    """Worker 0 of TF1's commands is the chief; the others compute. What is saved after a signal is where it goes on."""
    flags = ("--train_steps=2000", "--checkpoint_every=200", "--host_wait=30", "--steps_per_request=3")
    with Job(PARAMETER_SERVER, tmp_path, *flags, ps=1, workers=3) as job:
        for task in (("ps", 0), ("worker", 1), ("worker", 2), ("worker", 0)):
            job.start(*task)
        job.wait_for_step(200)
        job.kill("worker", 1)
        job.start("worker", 1)
        job.wait_for_step(500)
        job.processes["worker", 0].send_signal(signal.SIGTERM)  # the chief is to end
        assert job.processes["worker", 0].wait(timeout=60) == 1
        (stopped,) = re.findall(
            r"stopped by a signal after step (\d+), which is saved", job.printed("worker", 0)
        )
        job.start("worker", 0)
        job.wait_for_step(900)
        assert f"resuming at step {stopped} of 2000" in job.printed("worker", 0)
        job.kill("worker", 0)
        job.start("worker", 0)
        assert job.processes["worker", 0].wait(timeout=180) == 0, job.printed("worker", 0)
        printed = job.printed("worker", 0)
        resumed = re.search(r"resuming at step (\d+) of 2000", printed)
        assert resumed
        assert int(resumed[1]) >= 800
        step, loss = validation(printed)
        assert 2000 <= step <= 2003  # a request cut off by a death may count twice
        assert loss < 0.5 * 150 * np.log(10)  # of 150 images; guessing gives ln 10 each
        assert all(job.processes[task].poll() is None for task in (("ps", 0), ("worker", 1), ("worker", 2)))
    assert scalars(tmp_path / "log") == {"cross_entropy", "validation_cross_entropy"}


def test_a_step_of_adam_on_a_server_is_one_operation(modern):
    """Between two writes another worker's step could come; that step would divide by a second moment of 0."""
    import tensorflow as tf

    weight = tf.Variable([1.0, -2.0, 0.5])
    adam = modern.asynchronous.Adam(0.01, epsilon=1e-8)
    adam.build([weight])

    @tf.function
    def step():
        adam.apply([weight * 3.0], [weight])

    graph = step.get_concrete_function().graph
    moments = (adam._momentums[0].handle, adam._velocities[0].handle)
    inside = {graph.capture(handle).name for handle in (weight.handle, *moments)}
    uses = [op for op in graph.get_operations() if inside & {tensor.name for tensor in op.inputs}]
    (update,) = [op for op in uses if op.type != "ReadVariableOp"]
    assert (update.type, update.get_attr("use_locking")) == ("ResourceApplyAdam", True)
    step()
    np.testing.assert_allclose(weight, [0.99, -1.99, 0.49], rtol=1e-6)


def test_parameter_servers_run_with_tensorflow_alone(tmp_path):
    flags = ("--train_steps=60", "--steps_per_request=5", "--log_every=20")
    with Job(alone("mnist_parameter_server.py", tmp_path), tmp_path, *flags, ps=1, workers=2) as job:
        for task in (("ps", 0), ("worker", 1), ("worker", 0)):
            job.start(*task)
        assert job.processes["worker", 0].wait(timeout=180) == 0, job.printed("worker", 0)
        printed = job.printed("worker", 0)
    assert validation(printed)[0] == 60
    assert printed.count(MADE_UP) == 1


def losses_of(printed: str) -> dict[int, float]:
    return {int(step): float(loss) for step, loss in re.findall(r"step (\d+) done, loss: (\S+)", printed)}


def killed_and_returned(tmp_path: Path) -> tuple[int, list[list[float]], str]:
    """A training whose worker 1 is killed, then both are started again: the steps, each worker's losses, its end."""
    flags = (f"--batch_size={BATCH}", "--log_every=1", "--seed=3", f"--checkpoint_every={EVERY}")
    with Job(MULTI_WORKER, tmp_path, "--train_steps=1000000", *flags, ps=0, workers=2) as job:
        job.start("worker", 1)
        job.start("worker", 0)
        job.wait_for_step(EVERY + 2)
        job.kill("worker", 1)
        assert job.processes["worker", 0].wait(timeout=60) == 1, job.printed("worker", 0)
        before = [losses_of(job.printed("worker", index)) for index in (0, 1)]
        said = job.printed("worker", 0).splitlines()[-1]
    gone = r"another task of the cluster is gone or does not answer \(.*/task:1.*\)"
    found = re.fullmatch(rf"{gone}; start all again: it goes on from {tmp_path}/log/ckpt-(\d+)", said)
    assert found, said
    saved = int(found[1])
    steps = saved + EVERY
    with Job(MULTI_WORKER, tmp_path, f"--train_steps={steps}", *flags, ps=0, workers=2) as job:
        job.start("worker", 1)
        job.start("worker", 0)
        job.end()
        printed = [job.printed("worker", index) for index in (0, 1)]
    assert validation(printed[0]) == validation(printed[1])
    losses = []
    for first, text in zip(before, printed, strict=True):
        assert "Number of devices: 2\n" in text and f"resuming at step {saved} of {steps}" in text
        second = losses_of(text)
        assert list(second) == list(range(saved + 1, steps + 1))
        lost = sorted(first.keys() & second.keys())  # made before the death, and not saved
        np.testing.assert_allclose([second[step] for step in lost], [first[step] for step in lost], rtol=1e-6)
        losses.append([(first | second)[step] for step in range(1, steps + 1)])
    return steps, losses, printed[0]


def test_synchronous_training_is_training_on_the_mean_gradients(tmp_path, modern):
    """Two workers, one of them killed, both started again, against one process that does the same sums."""
    import keras
    import tensorflow as tf

    steps, losses, printed = killed_and_returned(tmp_path)
    digits, held = modern.model.load("")
    keras.utils.set_random_seed(3)
    model = modern.model.inference(100)
    optimizer = keras.optimizers.Adam(0.01, epsilon=1e-8)
    optimizer.build(model.trainable_variables)
    feeds = [
        iter(
            modern.synchronous.training_batches(digits, BATCH, 3, 0, tf.distribute.InputContext(2, worker, 2))
        )
        for worker in (0, 1)
    ]
    expected = []
    for _ in range(steps):
        towers = [modern.model.gradients(model, optimizer, *next(feed)) for feed in feeds]
        expected.append([float(loss) for loss, _ in towers])
        means = [(a + b) / 2 for a, b in zip(towers[0][1], towers[1][1], strict=True)]
        optimizer.apply_gradients(zip(means, model.trainable_variables, strict=True))
    np.testing.assert_allclose(losses, np.array(expected).T, rtol=1e-3, atol=1e-3)
    assert np.mean(expected[-3:]) < 0.5 * np.mean(expected[:3])

    got = model.get_weights()
    saved = tf.train.Checkpoint(model=model, optimizer=optimizer)
    moments = [variable.numpy() for variable in optimizer.variables]
    said = validation(printed)[1]
    saved.restore(tf.train.latest_checkpoint(str(tmp_path / "log"))).assert_existing_objects_matched()
    for mine, theirs in zip(got, model.get_weights(), strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-3, atol=1e-4)
    images, labels = (np.asarray(array) for array in modern.model.prepared(*held))  # in NumPy
    first, first_bias, last, last_bias = (np.asarray(value, np.float64) for value in model.get_weights())
    scores = np.exp(np.maximum(images @ first + first_bias, 0.0) @ last + last_bias)
    expected_said = -np.sum(labels * np.log(scores / scores.sum(axis=1, keepdims=True)))
    assert said == pytest.approx(expected_said, rel=1e-4)
    assert scalars(tmp_path / "log") == {"cross_entropy", "validation_cross_entropy"}
    for mine, variable in zip(moments, optimizer.variables, strict=True):  # of twice the size for a sum
        np.testing.assert_allclose(variable.numpy(), mine, rtol=1e-2, atol=1e-3 * np.abs(mine).max())


def test_a_signal_to_one_worker_loses_no_step_of_any(tmp_path):
    """All save the same step and end; started again they go on from it, also where float16 has skipped steps.

    The second time they run with TensorFlow alone.
    """
    import tensorflow as tf

    flags = ("--checkpoint_every=1000000", "--log_every=20", "--precision=float16")
    with Job(MULTI_WORKER, tmp_path, "--train_steps=1000000", *flags, ps=0, workers=2) as job:
        job.start("worker", 1)
        job.start("worker", 0)
        job.wait_for_step(60)
        job.processes["worker", 1].send_signal(signal.SIGTERM)
        job.wait(lambda: all(process.poll() is not None for process in job.processes.values()))
        printed = [job.printed("worker", index) for index in (0, 1)]
    found = [re.search(r"stopped by a signal after step (\d+), which is saved in", text) for text in printed]
    assert all(found), printed
    step, other = (int(match[1]) for match in found)
    assert step == other >= 60
    assert step % 20 == 0  # a call makes 20, and each of them counts
    saved = tf.train.load_checkpoint(str(tmp_path / "log"))
    counts = {
        int(saved.get_tensor(name))
        for name, shape in tf.train.list_variables(str(tmp_path / "log"))
        if not shape and saved.get_variable_to_dtype_map()[name] == tf.int64
    }
    assert step in counts and any(
        step - 20 < count < step for count in counts
    )  # Adam's own step leaves some out
    program = alone("mnist_multi_worker.py", tmp_path)
    with Job(program, tmp_path, f"--train_steps={step + 20}", *flags, ps=0, workers=2) as job:
        job.start("worker", 1)
        job.start("worker", 0)
        job.end()
        printed = job.printed("worker", 0)
        assert f"resuming at step {step} of {step + 20}" in printed
        assert printed.count(MADE_UP) == 1
        assert validation(printed)[0] == step + 20


def mnist_files(folder: Path, count: int, compress: bool) -> np.ndarray:
    """The four files; the first pixels of each training image say its number."""
    images = np.zeros((count, 784), np.uint8)
    images[:, 0], images[:, 1] = np.arange(count) // 256, np.arange(count) % 256
    for name, magic, rows in (
        ("train-images-idx3-ubyte", 2051, images),
        ("train-labels-idx1-ubyte", 2049, np.arange(count) % 10),
    ):
        header = np.array([magic, count, 28, 28] if magic == 2051 else [magic, count], ">u4").tobytes()
        for each in (name, name.replace("train", "t10k")):
            content = header + rows.astype(np.uint8).tobytes()
            (folder / (each + (".gz" if compress else ""))).write_bytes(
                gzip.compress(content) if compress else content
            )
    return images


@pytest.mark.parametrize("compress", [False, True])
def test_workers_have_each_a_part_of_mnist(tmp_path, modern, compress):
    """Of 5040 images 5000 are for validation; two workers share the other 40, as the legacy loader has them."""
    import tensorflow as tf
    import trainer_data

    mnist_files(tmp_path, 5040, compress)
    theirs = trainer_data.read_data_sets(str(tmp_path))
    ours = modern.model.load(str(tmp_path))
    for arrays, their in zip(ours, theirs[:2], strict=True):
        images, labels = modern.model.prepared(*arrays)
        np.testing.assert_array_equal(images, their.images)
        np.testing.assert_array_equal(labels, their.labels)
    train, numbers = theirs.train, []
    for worker in (0, 1):
        context = tf.distribute.InputContext(2, worker, 2)
        batches = modern.synchronous.training_batches(ours[0], 10, 0, 0, context)
        assert batches.element_spec[0].shape == (10, 784)
        seen = [(images.numpy(), labels.numpy()) for images, labels in batches.take(5)]
        images, labels = (np.concatenate(arrays) for arrays in zip(*seen, strict=True))
        rows = np.rint(images[:, 0] * 255 * 256 + images[:, 1] * 255).astype(int) - 5000
        np.testing.assert_array_equal(images, train.images[rows])
        np.testing.assert_array_equal(labels, train.labels[rows])
        numbers.append(set(rows[:20]))
        assert numbers[-1] == set(rows[20:40]) and list(rows[:20]) != list(rows[20:40])
        for first in (1, 3):
            again = modern.synchronous.training_batches(ours[0], 10, 0, first, context)
            np.testing.assert_array_equal(next(iter(again))[0], seen[first][0])
    assert numbers[0] | numbers[1] == set(range(40)) and not numbers[0] & numbers[1]
    (tmp_path / ("train-labels-idx1-ubyte" + ".gz" * compress)).unlink()
    with pytest.raises(SystemExit, match="has no train-labels-idx1-ubyte, with or without"):
        modern.model.load(str(tmp_path))


def test_several_gpus_a_worker_are_refused():
    """Simulated: workers that say they have two, on this machine's CPU."""
    program = """
import sys
sys.path.insert(0, 'modern')
import mnist_parameter_server as trainer, tensorflow as tf
trainer.mnist_training.define_flags(log_dir='')
from types import SimpleNamespace
from tensorflow.python.framework import config
names = ['/job:worker/replica:0/task:0/device:GPU:%d' % number for number in (0, 1)]
config.list_logical_devices = lambda kind=None: [SimpleNamespace(name=name, device_type='GPU') for name in names]
ports = sys.argv[1:]
jobs = {'ps': ports[:1], 'worker': ports[1:2], 'chief': ports[2:]}
servers = [tf.distribute.Server(tf.train.ClusterSpec(jobs), job, 0, protocol='grpc') for job in ('ps', 'worker')]
trainer.flags.FLAGS(sys.argv[:1])
trainer.coordinate(trainer.mnist_cluster.Cluster(jobs, 'chief', 0))
"""
    _, errors = run_python("-c", program, *free_ports(3), folder=ROOT, status=1, TF_CPP_MIN_LOG_LEVEL="3")
    why = "several GPUs a worker: start a worker for each, by CUDA_VISIBLE_DEVICES"
    assert errors.splitlines()[-1] == why


JOBS = {"ps": ["p:1"], "worker": ["w:1", "w:2"]}


@pytest.mark.parametrize(
    "config",
    [
        None, "no JSON", "{}", [], {"cluster": JOBS}, {"cluster": JOBS, "task": {"type": "wroker", "index": 0}},
        {"cluster": JOBS, "task": {"type": "worker", "index": 2}}, {"cluster": JOBS, "task": {"type": "worker"}},
        {"cluster": {"ps": ["p:1"]}, "task": {"type": "ps", "index": 0}},
    ],
)  # fmt: skip
def test_a_wrong_tf_config_is_a_sentence(modern, monkeypatch, config):
    monkeypatch.setenv("TF_CONFIG", config if isinstance(config, str) else json.dumps(config))
    if config is None:
        monkeypatch.delenv("TF_CONFIG")
    with pytest.raises(SystemExit, match="TF_CONFIG has to name the cluster, and this task of it"):
        modern.cluster.from_environment()


def test_a_task_is_read_from_tf_config(modern, monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": JOBS, "task": {"type": "worker", "index": "1"}}))
    assert modern.cluster.from_environment() == (JOBS, "worker", 1)


@pytest.mark.parametrize(
    ("jit", "jobs", "message"),
    [
        (True, JOBS, "XLA compiles for one device, and the variables are on the parameter servers"),
        (False, {"worker": ["w:1", "w:2"]}, "a worker and a parameter server are needed"),
        (
            False,
            {"ps": ["p:1"], "worker": ["w:1"]},
            "a worker and a parameter server are needed beside the chief",
        ),
    ],
)
def test_what_the_parameter_server_refuses(modern, monkeypatch, jit, jobs, message):
    monkeypatch.setattr(modern.asynchronous, "FLAGS", SimpleNamespace(jit=jit))
    with pytest.raises(SystemExit, match=message):
        modern.asynchronous.train(modern.cluster.Cluster(jobs, "worker", 0))


def test_port_in_use_and_host_that_does_not_answer(modern):
    silent, *_ = free_ports(1)
    with socket.create_server(("localhost", 0)) as other:
        address = f"localhost:{other.getsockname()[1]}"
        with pytest.raises(SystemExit, match=rf"{address}, address of worker 0: .*in use"):
            modern.cluster.Cluster({"worker": [address]}, "worker", 0).claim_port()
        modern.cluster.Cluster({"worker": [silent]}, "worker", 0).claim_port().close()
        with pytest.raises(SystemExit, match=rf"no answer in 1 s \(--host_wait\) from {silent}$"):
            modern.cluster.wait_for([address, silent], 1)
    modern.cluster.wait_for([], 1)


def test_a_lost_task_is_named_and_so_is_what_comes_next(modern, monkeypatch, capsys, tmp_path):
    """The sentence names the task, and the checkpoint only where there is one."""
    import tensorflow as tf

    def lost(_: object) -> None:
        why = "Additional GRPC error information from remote target /job:worker/replica:0/task:1:"
        raise tf.errors.UnavailableError(
            None, None, f"Collective ops is aborted by:\n{why}\nfailed to connect"
        )

    def leave(status: int) -> None:
        raise SystemExit(status)

    flags = SimpleNamespace(log_dir=str(tmp_path), precision="float32", seed=0)
    config = {"cluster": JOBS, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    monkeypatch.setattr(modern.training, "FLAGS", flags)
    monkeypatch.setattr(modern.training.os, "_exit", leave)
    for then in (f"it begins anew: {tmp_path} has no checkpoint", f"it goes on from {tmp_path / 'ckpt-1'}"):
        with pytest.raises(SystemExit):
            modern.training.run(lost)
        said = capsys.readouterr().err
        assert said.startswith(
            "another task of the cluster is gone or does not answer (Additional GRPC error"
        )
        assert "/job:worker/replica:0/task:1" in said and said.rstrip().endswith(then)
        tf.train.Checkpoint(x=tf.Variable(0)).save(str(tmp_path / "ckpt"))
