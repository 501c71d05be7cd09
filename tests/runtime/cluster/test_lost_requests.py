"""Which errors of a step are a worker's failure, so that another worker makes it again."""

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

WORKER = "from remote target /job:worker/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize(
    ("error", "message", "failure"),
    [
        ("InternalError", f"{WORKER}: Unable to parse request", True),
        ("UnavailableError", f"{WORKER}: connection refused", True),  # TensorFlow's own list
        ("InternalError", f"{WORKER}: a kernel failed", False),
        ("InternalError", "/job:ps/replica:0/task:0: Unable to parse request", False),
        ("InvalidArgumentError", f"{WORKER}: Incompatible shapes", False),
    ],
)
def test_failures(error: str, message: str, failure: bool) -> None:
    from tf2towers.runtime.cluster.lost_requests import is_worker_failure

    assert is_worker_failure(getattr(tf.errors, error)(None, None, message)) is failure
