"""The images of these trainers in NumPy: scikit-learn's handwritten digits, CIFAR-10 or MNIST from files.

    images, labels = load('')                              # the digits, in the shape of CIFAR-10
    images, labels = load('/data/cifar-10-batches-bin')    # CIFAR-10, the binary version
    for batch_images, batch_labels in batches(images, labels, batch_size=64, seed=0): ...

    mnist = read_data_sets('/data/mnist', seed=0)          # '': the digits, in the shape of MNIST
    images, labels = mnist.train.next_batch(100)           # float32 [100, 784] in 0..1, float32 [100, 10] one-hot
"""
import collections
import functools
import gzip
import os

import numpy as np

IMAGE_SIZE = 24   # what the CIFAR-10 network takes of an image of 32 x 32
NUM_CLASSES = 10
RECORD_BYTES = 1 + 3 * 32 * 32   # of CIFAR-10: a label, then three planes
VALIDATION_SIZE = 5000   # of MNIST's 60000 training images the first ones

DataSets = collections.namedtuple('DataSets', ['train', 'validation', 'test'])


@functools.lru_cache(maxsize=None)
def _levels_and_labels():
    """Grey levels from 0 to 16, [1797, 8, 8], and labels. Without scikit-learn: ten patterns, with noise."""
    try:
        from sklearn import datasets
    except ImportError:
        print('scikit-learn is not installed: training on made-up images (--data_dir names real ones)', flush=True)
        random = np.random.RandomState(0)
        labels, patterns = random.randint(0, 10, 1797), random.randint(0, 17, (10, 8, 8))
        return np.clip(patterns[labels] + random.randint(-6, 7, (1797, 8, 8)), 0, 16), labels
    digits = datasets.load_digits()
    return digits.images, digits.target


def load_digits(split='train'):
    """Images uint8 [n, 32, 32, 3] and labels int32 [n]: 1500 for training, 297 for tests.

    Each pixel of 8x8 is one of 3x3, with a black border of 4: the network's crop is the digit.
    """
    levels, labels = _levels_and_labels()
    grey = np.rint(levels * (255.0 / 16.0)).astype(np.uint8)
    grey = grey.repeat(3, axis=1).repeat(3, axis=2)
    grey = np.pad(grey, ((0, 0), (4, 4), (4, 4)), mode='constant')
    images = np.repeat(grey[..., np.newaxis], 3, axis=3)
    rows = slice(1500) if split == 'train' else slice(1500, None)
    return images[rows], labels[rows].astype(np.int32)


def find_cifar10(data_dir, split='train'):
    """The paths of a split's files."""
    names = ['data_batch_%d.bin' % i for i in range(1, 6)] if split == 'train' else ['test_batch.bin']
    paths = [os.path.join(data_dir, name) for name in names]
    for path in paths:
        if not os.path.isfile(path) or os.path.getsize(path) % RECORD_BYTES:
            raise ValueError('%s is missing or damaged: the binary version of CIFAR-10 is needed' % path)
    return paths


def load(data_dir='', split='train'):
    """CIFAR-10, or the digits: images uint8 [n, 32, 32, 3] and labels int32 [n]; split is 'train' or 'test'."""
    if not data_dir:
        return load_digits(split)
    records = [np.fromfile(path, np.uint8).reshape(-1, RECORD_BYTES) for path in find_cifar10(data_dir, split)]
    records = np.concatenate(records)
    planes = records[:, 1:].reshape(-1, 3, 32, 32)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), records[:, 0].astype(np.int32)


def standardise(images):
    """uint8 [n, 32, 32, 3] to float32 [n, 24, 24, 3]: the middle, as tf.image.per_image_standardization makes it.

    Sums are of integers, hence exact: every release of NumPy makes the same bits.
    """
    crop = images[:, 4:28, 4:28].astype(np.int64)
    count = crop[0].size
    total = crop.sum(axis=(1, 2, 3), keepdims=True)
    squares = (crop * crop).sum(axis=(1, 2, 3), keepdims=True)
    deviation = np.sqrt((count * squares - total * total) / (count * count))
    return ((crop - total / count) / np.maximum(deviation, 1.0 / np.sqrt(count))).astype(np.float32)


def batches(images, labels, batch_size, seed, raw=False):
    """Pairs of images and labels without end, reshuffled each epoch; what is less than a batch is left out.

    The images are float32 [batch_size, 24, 24, 3]; raw: uint8 [batch_size, 32, 32, 3].
    """
    if not 0 < batch_size <= len(images):
        raise ValueError('a batch of %d, of %d images' % (batch_size, len(images)))
    random = np.random.RandomState(seed)
    while True:
        order = random.permutation(len(images))
        for end in range(batch_size, len(images) + 1, batch_size):
            rows = order[end - batch_size:end]
            yield images[rows] if raw else standardise(images[rows]), labels[rows]


class DataSet(object):
    """Images and labels, handed out in shuffled batches that follow from the seed."""

    def __init__(self, images, labels, seed=0):
        self.images = images
        self.labels = labels
        self.num_examples = len(images)
        self._random = np.random.RandomState(seed)
        self._rows = np.zeros(0, np.int64)   # of this epoch, those still to come

    def next_batch(self, batch_size):
        """Always full: a batch that meets the end of an epoch is filled from the next one."""
        if not 0 < batch_size <= self.num_examples:
            raise ValueError('a batch of %d, of %d images' % (batch_size, self.num_examples))
        if len(self._rows) < batch_size:
            self._rows = np.concatenate([self._rows, self._random.permutation(self.num_examples)])
        rows, self._rows = self._rows[:batch_size], self._rows[batch_size:]
        return self.images[rows], self.labels[rows]


def _read_idx(data_dir, name, header):
    """The bytes after the header of one of MNIST's files, gzipped or not."""
    for path in (os.path.join(data_dir, name + '.gz'), os.path.join(data_dir, name)):
        if os.path.isfile(path):
            with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as f:
                return np.frombuffer(f.read(), np.uint8, offset=header)
    raise ValueError('%s has no %s, with or without .gz' % (data_dir, name))


def _read_mnist(data_dir, split):
    """Images uint8 [n, 784] and labels uint8 [n]; split is 'train' or 't10k'."""
    images = _read_idx(data_dir, split + '-images-idx3-ubyte', 16)
    labels = _read_idx(data_dir, split + '-labels-idx1-ubyte', 8)
    if images.size != labels.size * 784 or labels.max() >= NUM_CLASSES:
        raise ValueError('the %s files of %s are damaged, fetch them again' % (split, data_dir))
    return images.reshape(-1, 784), labels


def _digits_as_mnist(split):
    """The same of the digits, which are in the middle 24x24 of 28x28."""
    images, labels = load_digits(split)
    return images[:, 2:30, 2:30, 0].reshape(-1, 784), labels


def read_data_sets(data_dir='', seed=0):
    """MNIST: 55000 images, 5000 for validation, 10000 for tests. The digits: 1500, 150 and 147.

    Workers that are to see different batches pass different seeds: seed + task_index.
    """
    if data_dir:
        (images, labels), test = _read_mnist(data_dir, 'train'), _read_mnist(data_dir, 't10k')
        cut = VALIDATION_SIZE
        parts = [(images[cut:], labels[cut:]), (images[:cut], labels[:cut]), test]
    else:
        train, (images, labels) = _digits_as_mnist('train'), _digits_as_mnist('test')
        parts = [train, (images[:150], labels[:150]), (images[150:], labels[150:])]
    one_hot = np.eye(NUM_CLASSES, dtype=np.float32)
    return DataSets(*[DataSet(images.astype(np.float32) / np.float32(255), one_hot[labels], seed)
                      for images, labels in parts])
