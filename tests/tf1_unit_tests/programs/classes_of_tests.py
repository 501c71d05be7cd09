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


class CheckedThread:
    """A thread whose exception is the test's."""

    def __init__(self, target, args, kwargs):
        self._target, self._args, self._kwargs = target, args, kwargs
        self._error = None
        self._thread = threading.Thread(target=self._run)
        self._thread.daemon = True
        self.start, self.is_alive = self._thread.start, self._thread.is_alive

    def _run(self):
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:
            self._error = error

    def join(self):
        self._thread.join(30)
        if self._error is not None:
            raise AssertionError(str(self._error))


class TestCase(absltest.TestCase):
    """`tf.test.TestCase` as its tests use it."""

    _cached = None
    _folder = None

    def setUp(self):
        super().setUp()
        random.seed(87654321)
        np.random.seed(87654321)
        tf.reset_default_graph()
        tf.set_random_seed(87654321)

    def tearDown(self):
        if self._cached is not None:
            self._cached.close()
            self._cached = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        super().tearDown()

    def get_temp_dir(self):
        if not self._folder or not os.path.isdir(self._folder):
            self._folder = tempfile.mkdtemp()
        return self._folder

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

    def checkedThread(self, target, args=None, kwargs=None):
        return CheckedThread(target, args or (), kwargs or {})

    def _array(self, value):
        return np.asarray(self.evaluate(value) if isinstance(value, (tf.Tensor, tf.Variable)) else value)

    _GetNdArray = _array

    def assertNear(self, f1, f2, err, msg=None):
        self.assertTrue(f1 == f2 or math.fabs(f1 - f2) <= err, "{} is not {} +- {}".format(f1, f2, err))

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        self.assertEqual(len(farray1), len(farray2))
        for first, second in zip(farray1, farray2):
            self.assertNear(float(first), float(second), err)

    def assertNDArrayNear(self, a, b, err, msg=None):
        self.assertTrue(np.linalg.norm(np.asarray(a) - np.asarray(b)) < err)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        a, b = (value._asdict() if hasattr(value, "_asdict") else value for value in (a, b))
        if isinstance(a, dict):
            self.assertItemsEqual(a.keys(), b.keys())
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol)
            return
        try:
            first, second = self._array(a), self._array(b)
            ragged = first.dtype == object or second.dtype == object
        except (TypeError, ValueError):
            ragged = True
        if ragged and isinstance(a, (list, tuple)):
            self.assertEqual(len(a), len(b))
            for one, other in zip(a, b):
                self.assertAllClose(one, other, rtol, atol)
            return
        self.assertEqual(first.shape, second.shape)
        np.testing.assert_allclose(first, second, rtol=rtol, atol=atol)

    def assertAllCloseAccordingToType(
        self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3,
        bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None,
    ):  # fmt: skip
        a, b = self._array(a), self._array(b)
        kinds = {str(a.dtype), str(b.dtype)}
        of_kinds = (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        )
        for names, relative, absolute in of_kinds:
            if kinds & names:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        if "bfloat16" in kinds:
            a, b = a.astype(np.float32), b.astype(np.float32)
        self.assertAllClose(a, b, rtol, atol)

    def assertNotAllClose(self, a, b, **options):
        with self.assertRaises(AssertionError):
            self.assertAllClose(a, b, **options)

    def assertAllEqual(self, a, b, msg=None):
        a, b = self._array(a), self._array(b)
        if object in (a.dtype, b.dtype):
            a, b = a.astype(object), b.astype(object)
        else:
            self.assertEqual(a.shape, b.shape)
        np.testing.assert_array_equal(a, b)

    def assertNotAllEqual(self, a, b, msg=None):
        with self.assertRaises(AssertionError):
            self.assertAllEqual(a, b)

    def assertAllGreater(self, a, v):
        self.assertTrue((self._array(a) > v).all())

    def assertAllLess(self, a, v):
        self.assertTrue((self._array(a) < v).all())

    def assertAllGreaterEqual(self, a, v):
        self.assertTrue((self._array(a) >= v).all())

    def assertAllLessEqual(self, a, v):
        self.assertTrue((self._array(a) <= v).all())

    def assertAllInRange(
        self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False
    ):
        found = self._array(target)
        self.assertTrue(((found > lower_bound) if open_lower_bound else (found >= lower_bound)).all())
        self.assertTrue(((found < upper_bound) if open_upper_bound else (found <= upper_bound)).all())

    def assertAllInSet(self, target, expected_set):
        self.assertTrue(set(np.unique(self._array(target))) <= set(expected_set))

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list())

    def assertDeviceEqual(self, device1, device2, msg=None):
        self.assertEqual(str(device1), str(device2))

    def assertStartsWith(self, actual, expected_start, msg=None):
        self.assertTrue(actual.startswith(expected_start), msg)

    def assertProtoEquals(self, expected, message, msg=None):
        from google.protobuf import text_format

        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, type(message)())
        self.assertEqual(str(expected), str(message))

    def assertProtoEqualsVersion(self, *_, **__):
        self.skipTest("versions")

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return self.assertRaisesWithPredicateMatch(tf.errors.OpError, expected_err_re_or_predicate)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        try:
            yield
        except exception_type as error:
            if callable(expected_err_re_or_predicate):
                self.assertTrue(expected_err_re_or_predicate(error), str(error))
            else:
                is_ops = isinstance(error, tf.errors.OpError)
                names = "\nCaused by: " + error.op.name if is_ops and error.op is not None else ""
                text = (error.message if is_ops else str(error)) + names
                self.assertTrue(re.search(expected_err_re_or_predicate, text), text)
        else:
            raise AssertionError("{} not raised".format(exception_type))

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
