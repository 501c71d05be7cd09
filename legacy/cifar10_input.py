"""The images of cifar10_multi_gpu_train.py and cifar10_eval.py, by queues and the threads that fill them.

    images, labels = distorted_inputs(data_dir, batch_size)   # for training; each call makes queues of its own
    images, labels = inputs(data_dir, batch_size)             # for evaluation, each image once

Without a directory of CIFAR-10 they are scikit-learn's digits, which are not distorted: a flipped 2 is not a 2.
"""
import tensorflow.compat.v1 as tf

import trainer_data

IMAGE_SIZE = trainer_data.IMAGE_SIZE


def _read(data_dir, split, shuffle):
    """One image, uint8 [32, 32, 3], and its label."""
    if not data_dir:
        images, labels = trainer_data.load_digits(split)
        return tf.train.slice_input_producer([images, labels], num_epochs=None if shuffle else 1, shuffle=shuffle)
    filenames = [str(path) for path in trainer_data.find_cifar10(data_dir, split)]
    queue = tf.train.string_input_producer(filenames, num_epochs=None if shuffle else 1, shuffle=shuffle)
    _, value = tf.FixedLengthRecordReader(trainer_data.RECORD_BYTES).read(queue)
    record = tf.decode_raw(value, tf.uint8)
    image = tf.reshape(tf.slice(record, [1], [3 * 32 * 32]), [3, 32, 32])
    return tf.transpose(image, [1, 2, 0]), tf.cast(record[0], tf.int32)


def distorted_inputs(data_dir, batch_size):
    """Batches for training, without end, in an order that the threads make.

    Returns:
      Images, float32 [batch_size, 24, 24, 3], and labels, int32 [batch_size].
    """
    image, label = _read(data_dir, 'train', shuffle=True)
    image = tf.cast(image, tf.float32)
    if data_dir:
        image = tf.random_crop(image, [IMAGE_SIZE, IMAGE_SIZE, 3])
        image = tf.image.random_flip_left_right(image)
        # These two do not commute: the brightness first.
        image = tf.image.random_brightness(image, max_delta=63)
        image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    else:
        image = tf.image.resize_image_with_crop_or_pad(image, IMAGE_SIZE, IMAGE_SIZE)
    image = tf.image.per_image_standardization(image)
    image.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    return tf.train.shuffle_batch(
        [image, label], batch_size, num_threads=4, capacity=1000 + 3 * batch_size, min_after_dequeue=1000)


def inputs(data_dir, batch_size):
    """Batches of the images for tests, each once; the last batch may be smaller."""
    image, label = _read(data_dir, 'test', shuffle=False)
    image = tf.image.resize_image_with_crop_or_pad(tf.cast(image, tf.float32), IMAGE_SIZE, IMAGE_SIZE)
    image = tf.image.per_image_standardization(image)
    image.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
    return tf.train.batch([image, label], batch_size, allow_smaller_final_batch=True)
