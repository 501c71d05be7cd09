"""Functions whose results or arguments TF 1.15 or TF 0.x had otherwise: images' values were printed by TF 1.15.5."""

import importlib
from collections.abc import Iterator

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
v1 = importlib.import_module(
    "tensorflow.compat.v1"
)  # as migrated scripts import it: `tf.compat.v1` keeps what it gave
pytestmark = pytest.mark.tensorflow

IMAGES = np.random.RandomState(0).randint(0, 255, (2, 4, 4, 3))


@pytest.fixture(autouse=True)
def patched() -> Iterator[None]:
    from tf2towers.runtime.patches import register as patches

    ours = (
        patches.transposed_convolutions_have_whole_shapes,
        patches.standardized_images_keep_their_type,
        patches.image_sizes_may_be_old,
        patches.sampled_losses_take_both_orders,
        patches.shards_are_scaled_as_the_whole,
        patches.tuples_wait_for_assignments,
        patches.sizes_of_padding_are_int32,
    )
    new = [patch for patch in ours if not patch.changes]
    for patch in new:
        patch()
    yield
    for patch in reversed(new):
        patch.undo()


@pytest.mark.parametrize(
    ("kind", "first", "total"),
    [
        ("uint8", [141, 0, 0, 210, 0, 255], 8701),
        ("int16", [280, -585, -100, 419, -447, 827], -5),
        ("float32", [0.55224484, -1.1530915, -0.19810317, 0.82509863, -0.8802377, 1.6300174], 0),
        ("float64", [0.55224484, -1.15309155, -0.19810317, 0.82509863, -0.8802377, 1.6300174], 0),
    ],
)
def test_an_image_keeps_its_type(kind: str, first: list[float], total: float) -> None:
    found = v1.image.per_image_standardization(tf.constant(IMAGES.astype(kind)))
    assert found.dtype == kind
    assert np.allclose(found.numpy().ravel()[:6], first, atol=1e-6)
    assert abs(found.numpy().astype("float64").sum() - total) < 1e-4


def test_less_than_an_image_is_refused() -> None:
    for kind in (tf.uint8, tf.float32):
        with pytest.raises(ValueError, match="three-dimensional"):
            v1.image.per_image_standardization(tf.zeros([2, 2], kind))


def test_static_shapes_of_transposed_convolutions() -> None:
    with tf.Graph().as_default():
        batch = v1.placeholder(tf.int32, [])
        images, row = v1.placeholder(tf.float32, [None, 4, 4, 8]), v1.placeholder(tf.float32, [None, 4, 8])
        filters = tf.zeros([3, 3, 2, 8])
        found = [
            v1.nn.conv2d_transpose(images, filters, [16, 8, 8, 2], [1, 2, 2, 1]),
            v1.nn.conv2d_transpose(images, filters, [batch, 8, 8, 2], [1, 2, 2, 1]),
            v1.nn.conv2d_transpose(images, filters, tf.stack([16, 8, 8, 2]), [1, 2, 2, 1]),
            v1.nn.conv_transpose(images, filters, [16, 8, 8, 2], 2),
            v1.nn.conv2d_backprop_input([16, 8, 8, 2], filters, images, [1, 2, 2, 1], "SAME"),
            v1.nn.conv1d_transpose(row, filters[0], [16, 8, 2], 2),
            v1.nn.atrous_conv2d_transpose(images, filters, [16, 4, 4, 2], 2, "SAME"),
        ]
    assert [each.shape.as_list() for each in found] == [
        [16, 8, 8, 2], [None, 8, 8, 2], [16, 8, 8, 2], [16, 8, 8, 2], [16, 8, 8, 2], [16, 8, 2], [16, 4, 4, 2],
    ]  # fmt: skip


def test_sizes_of_old_releases() -> None:
    with tf.Graph().as_default():
        images, size = tf.zeros([1, 2, 2, 1]), tf.constant(5)
        resized = [
            v1.image.resize_images(images, 5, 3),
            v1.image.resize_images(images, size, 6, 1, True),
            v1.image.resize_images(images, [5, 3], 1),
            v1.image.resize_images(images, [5, 3]),
        ]
        assert [each.shape.as_list() for each in resized] == [
            [1, 5, 3, 1],
            [1, 5, 6, 1],
            [1, 5, 3, 1],
            [1, 5, 3, 1],
        ]
        cropped = [
            v1.image.random_crop(images[0], [2, 1]),
            v1.random_crop(value=images[0], size=(2, 1), seed=1),
            v1.random_crop(images[0], [2, 1, 1]),
            v1.random_crop(images[0, 0], [2, 1]),
        ]
        assert [each.shape.as_list() for each in cropped] == [[2, 1, 1], [2, 1, 1], [2, 1, 1], [2, 1]]
        with pytest.raises(ValueError, match="must be a 1-D"):
            v1.image.resize_images(images, 5)


def test_losses_in_both_orders() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        weights, biases = tf.random.stateless_uniform([9, 4], [1, 2]), tf.zeros([9])
        inputs, labels = tf.ones([3, 4]), tf.constant([[1], [2], [3]])
        sampled = tf.constant([1, 5], tf.int64), tf.constant([[0.5]] * 3), tf.constant([0.5, 0.5])
        for function in (v1.nn.nce_loss, v1.nn.sampled_softmax_loss):
            expected = function.__wrapped__(weights, biases, labels, inputs, 2, 9, sampled_values=sampled)
            for order in ((inputs, labels), (labels, inputs)):
                found = function(weights, biases, *order, 2, 9, sampled_values=sampled)
                one, other = session.run([found, expected])
                assert one.tolist() == other.tolist()


def test_a_shard_is_scaled_as_the_whole() -> None:
    """max_val of TF 0.12: sqrt(3 / input_size), the product of all dimensions but the last of `full_shape`."""
    make = v1.uniform_unit_scaling_initializer
    with tf.Graph().as_default(), v1.Session() as session:
        shard = make(seed=3, full_shape=[300, 50])([3, 50])
        sharded, whole = session.run([shard, make(seed=3)([3, 50])])
        assert 0.09 < abs(sharded).max() <= 0.1
        assert 0.9 < abs(whole).max() <= 1.0


def test_a_tuple_waits_for_an_assignment() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", [], initializer=tf.zeros_initializer(), use_resource=True)
        (waited,) = v1.tuple([tf.constant(1.0)], control_inputs=[variable.assign(3.0)])
        session.run(variable.initializer)
        assert session.run(waited) == 1.0
        assert session.run(variable.value()) == 3.0


@pytest.mark.parametrize("form", ["an array", "a constant", "computed"])
def test_padding_by_int64_before_a_convolution(form: str) -> None:
    """Without the patch the graph optimizer ends the process here."""
    sizes = [[0, 0], [1, 1], [1, 1], [1, 1], [0, 0]]
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder_with_default(tf.constant(sizes, tf.int64), [5, 2])
        forms = {"an array": np.array(sizes), "a constant": tf.constant(sizes, tf.int64), "computed": given}
        image = v1.placeholder(tf.float32, [1, 4, 4, 4, 1])
        padded = v1.pad(image, forms[form])
        found = v1.nn.conv3d(padded, tf.ones([3, 3, 3, 1, 2]), [1, 1, 1, 1, 1], "VALID")
        assert session.run(found, {image: np.ones([1, 4, 4, 4, 1])})[0, 1, 1, 1].tolist() == [27, 27]
