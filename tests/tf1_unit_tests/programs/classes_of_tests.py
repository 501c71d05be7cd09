"""What stands in for TF 1.15's test classes, on TF1's public names: it is migrated with the program that imports it."""

import contextlib
import functools
import itertools
import math
import os
import random
import re
import shutil
import tempfile
import threading
import unittest
from unittest import mock  # tests say test.mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

main = absltest.main


class AnyName:
    """Instead of an import that was taken out: classes can be derived from what it gives."""

    def __getattr__(self, name):
        return type(name, (object,), {})

    def __mro_entries__(self, bases):
        return ()


Missing = AnyName()
Benchmark = Missing.Benchmark


def false(*_, **__):
    return False


is_gpu_available = is_built_with_cuda = is_built_with_rocm = IsMklEnabled = GpuSupportsHalfMatMulAndConv = (
    false
)
forward_compatible = false


def gpu_device_name():
    return ""


def get_temp_dir():
    return tempfile.mkdtemp()


def plain(*given, **_):
    """A decorator that changes nothing, with arguments or without."""
    function = given[0] if given else None
    return function if callable(function) or isinstance(function, type) else lambda decorated: decorated


run_deprecated_v1 = run_v1_only = deprecated_graph_mode_only = run_all_in_deprecated_graph_mode_only = plain
disable_xla = disable_all_xla = no_xla_auto_jit = xla_allow_fallback = enable_tf_xla_constant_folding = plain
assert_no_new_pyobjects_executing_eagerly = assert_no_new_tensors = assert_no_garbage_created = plain
enable_control_flow_v2 = disable_control_flow_v2 = with_control_flow_v2 = enable_all_with_v1_and_v2 = plain
enable_output_all_intermediates = build_as_function_and_v1_graph = also_run_as_tf_function = plain
for_all_test_methods = use_deterministic_cudnn = plain


def left_out(function):
    return lambda self, *_, **__: self.skipTest("eager, or for GPUs")


run_v2_only = run_in_v2 = run_gpu_only = run_cuda_only = left_out


def in_graph(function):
    @functools.wraps(function)
    def decorated(self, *given, **options):
        with self.test_session():
            return function(self, *given, **options)

    return decorated


def run_in_graph_and_eager_modes(func=None, **_):
    return in_graph if func is None else in_graph(func)


def run_all_in_graph_and_eager_modes(tests):
    for name in dir(tests):
        if name.startswith("test") and name != "test_session" and callable(getattr(tests, name)):
            setattr(tests, name, in_graph(getattr(tests, name)))
    return tests


class context:
    """Graph mode alone."""

    executing_eagerly = in_eager_mode = staticmethod(false)
    num_gpus = staticmethod(lambda: 0)
    device = staticmethod(tf.device)

    @staticmethod
    @contextlib.contextmanager
    def graph_mode():
        with tf.Graph().as_default():
            yield

    @staticmethod
    def eager_mode():
        raise unittest.SkipTest("eager")


@contextlib.contextmanager
def nothing(*_, **__):
    yield


use_gpu = device = forward_compatibility_horizon = nothing


@contextlib.contextmanager
def force_cpu():
    with tf.device("/cpu:0"):
        yield


def compute_gradient(*given, **options):
    return tf.test.compute_gradient(*given, **options)


def compute_gradient_error(*given, **options):
    return tf.test.compute_gradient_error(*given, **options)


class TestCase(tf.test.TestCase):
    """`tf.test.TestCase`, whose sessions are those of the program."""

    _cached = None

    def tearDown(self):
        if self._cached is not None:
            self._cached.close()
            self._cached = None
        super().tearDown()

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        with tf.Session(graph=graph, config=config) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        if self._cached is None:
            self._cached = tf.Session(graph=None, config=config)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        with self.cached_session(None, config) if graph is None else self.session(graph, config) as session:
            yield session

    def evaluate(self, tensors):
        session = tf.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as session:
            return session.run(tensors)

    def assertProtoEqualsVersion(self, *_, **__):
        self.skipTest("versions")

    def assertItemsEqual(self, a, b, msg=None):
        self.assertCountEqual(a, b, msg)

    assertRaisesRegexp = absltest.TestCase.assertRaisesRegex
    assertRegexpMatches = absltest.TestCase.assertRegex
    assertNotRegexpMatches = absltest.TestCase.assertNotRegex
    assertEquals = absltest.TestCase.assertEqual


TensorFlowTestCase = TestCase


# -- data sets --


class combinations:
    """All combinations of arguments run in one test."""

    NamedObject = staticmethod(lambda name, obj: obj)

    @staticmethod
    def combine(tf_api_version=None, mode=None, **values):
        names = sorted(values)
        lists = [
            values[name] if isinstance(values[name], (list, tuple)) else [values[name]] for name in names
        ]
        return [dict(zip(names, chosen)) for chosen in itertools.product(*lists)]

    @staticmethod
    def times(*lists):
        found = [{}]
        for options in lists:
            found = [dict(first, **second) for first in found for second in options]
        return found

    @staticmethod
    def generate(combined):
        def decorate(function):
            @functools.wraps(function)
            def run(self):
                for options in combined:
                    with tf.Graph().as_default(), tf.Session():
                        function(self, **options)

            del run.__wrapped__
            return run

        return decorate


def default_test_combinations():
    return [{}]


def eager_only_combinations():
    return []


graph_only_combinations = v1_only_combinations = default_test_combinations
v2_only_combinations = v2_eager_only_combinations = eager_only_combinations


class DatasetTestBase(TestCase, parameterized.TestCase):
    """The base of `tensorflow/python/data`'s tests."""

    def evaluate(self, tensors):
        return tf.get_default_session().run(tensors)

    def getNext(self, dataset, requires_initialization=False, shared_name=None):
        try:
            if requires_initialization:
                raise ValueError("it has to be initialized")
            iterator = tf.data.make_one_shot_iterator(dataset)
        except ValueError:
            iterator = tf.data.make_initializable_iterator(dataset)
            self.evaluate(iterator.initializer)
        element = iterator.get_next()
        return lambda: element

    def assertValuesEqual(self, expected, actual):
        if isinstance(expected, tf.SparseTensorValue):
            for first, second in zip(expected, actual):
                self.assertAllEqual(first, second)
        else:
            self.assertAllEqual(expected, actual)

    def assertDatasetProduces(
        self, dataset, expected_output=None, expected_shapes=None, expected_error=None,
        requires_initialization=False, num_test_iterations=1, assert_items_equal=False, expected_error_iter=1,
    ):  # fmt: skip
        for _ in range(expected_error_iter if expected_error else num_test_iterations):
            element = self.getNext(dataset, requires_initialization)
            if expected_error:
                with self.assertRaises(expected_error[0]):
                    self.evaluate(element())
                continue
            found = [self.evaluate(element()) for _ in expected_output]
            with self.assertRaises(tf.errors.OutOfRangeError):
                self.evaluate(element())
            if assert_items_equal:
                self.assertEqual(sorted(found), sorted(expected_output))
                continue
            for actual, expected in zip(found, expected_output):
                is_one = isinstance(actual, (np.ndarray, np.generic, bytes))
                actuals, expecteds = (
                    ([actual], [expected]) if is_one else map(tf.nest.flatten, (actual, expected))
                )
                self.assertEqual(len(actuals), len(expecteds))
                for one, other in zip(actuals, expecteds):
                    self.assertValuesEqual(other, one)
