# Copyright 2015 The TensorFlow Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# From tensorflow/contrib/slim/python/slim/queues.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D101
# mypy: ignore-errors
"""Contains a helper context for running queue runners."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import tensorflow.compat.v1 as tf

_queue_runner_lock = threading.Lock()


class NestedQueueRunnerError(Exception):
    pass


@contextmanager
def QueueRunners(session):
    """Creates a context manager that handles starting and stopping queue runners."""
    if not _queue_runner_lock.acquire(False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")

    coord = tf.train.Coordinator()
    threads = []
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(session, coord=coord, daemon=True, start=True))
    try:
        yield
    finally:
        coord.request_stop()
        try:
            coord.join(threads, stop_grace_period_secs=120)
        except RuntimeError:
            session.close()

        _queue_runner_lock.release()
