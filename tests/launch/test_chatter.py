"""TensorFlow's own lines go; the program's stay."""

import pytest

from tf2towers.launch.chatter import LEVEL, Chatter, without_chatter
from tf2towers.launch.cluster import Task
from tf2towers.launch.member import Member

STARTS = """\
WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
I0000 00:00:1795330898.019905   11706 port.cc:153] oneDNN custom operations are on. You may see slightly different
I0000 00:00:1795330898.342439   11706 cpu_feature_guard.cc:227] This TensorFlow binary is optimized to use
To enable the following instructions: AVX2 AVX512F, in other operations, rebuild TensorFlow with the appropriate flags.
2024-05-01 10:00:00.123456: I tensorflow/core/util/port.cc:113] oneDNN custom operations are on.
2024-05-01 10:00:00.123456: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN \
factory: Attempting to register factory for plugin cuDNN when one has already been registered
2024-05-01 10:00:00.123456: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: no TensorRT
E0000 00:00:1795330908.498564   11707 cuda_platform.cc:52] failed call to cuInit: INTERNAL: CUDA error
WARNING:tensorflow:From /a/train.py:119: Supervisor.__init__ (from tensorflow.x) is deprecated and will be removed in a
Instructions for updating:
Please switch to tf.train.MonitoredTrainingSession
W1122 07:01:48.929249 140128777841536 deprecation.py:50] From /a/train.py:119: x (from y) is deprecated and will be \
removed in a future version.
Instructions for updating:
tf.py_func is deprecated in TF V2. Instead, there are two
    options available in V2.
    - tf.py_function takes a python function which manipulates tf eager
INFO:tensorflow:ParameterServerStrategyV2 is now connecting to cluster with cluster_spec: ClusterSpec({})
I1122 07:01:49.017107 140128777841536 parameter_server_strategy_v2.py:546] ParameterServerStrategyV2 is now connecting
I1122 07:01:49.017793 140128777841536 remote.py:225] default session config: device_count {
  key: "GPU"
  value: 0
}

INFO:tensorflow:Graph was finalized.
/x/site-packages/tensorflow/python/framework/dtypes.py:516: FutureWarning: Passing (type, 1) or '1type' is deprecated
  _np_qint8 = np.dtype([("qint8", np.int8, 1)])
WARNING:tensorflow:
The TensorFlow contrib module will not be included in TensorFlow 2.0.
For more information, please see:
  * https://github.com/tensorflow/community/blob/master/rfcs/20180907-contrib-sunset.md
If you depend on functionality not listed there, please file an issue.
"""
PROGRAM = """\
step 1: loss 2.3
INFO:tensorflow:loss = 2.3, step = 100
I1122 07:02:04.812030 140120453806976 train.py:12] the program's own line
WARNING:tensorflow:my own warning
    an indented line
value: 3
}
2024-05-01 10:00:00.123456: E tensorflow/core/common_runtime/executor.cc:1] Resource exhausted: OOM
E0000 00:00:1795330908.498564   11707 rpc.cc:52] connection refused
I think that this is a line
Traceback (most recent call last):
tensorflow.errors.InvalidArgumentError: no
"""


def test_only_tensorflows_own_lines_are_hidden() -> None:
    assert Chatter().without(STARTS.splitlines()) == []
    assert Chatter().without(PROGRAM.splitlines()) == PROGRAM.splitlines()


def test_a_line_that_is_logged_twice_is_printed_once() -> None:
    line, logged = "INFO:tensorflow:Saving", "I1122 07:02:04.8 1401 hooks.py:557] "
    assert Chatter().without([line, logged + "Saving", logged + "x"]) == [line, logged + "x"]


def test_lines_of_tasks_are_distinguished() -> None:
    lines = ["[ps 0] Instructions for updating:", "[worker 0] loss 3", "[ps 0] Use x"]
    assert without_chatter(lines) == ["[worker 0] loss 3"]


def test_chatter_is_shown_at_a_low_log_level(monkeypatch: pytest.MonkeyPatch) -> None:
    line = STARTS.splitlines()[0]
    monkeypatch.delenv(LEVEL, raising=False)
    assert Member(Task("worker", 0))._take([line, "x"]) == ["x"]
    monkeypatch.setenv(LEVEL, "0")
    assert Member(Task("worker", 0))._take([line]) == [line]
