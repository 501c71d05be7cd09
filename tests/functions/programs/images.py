"""tf.image."""

from functools import partial

import numpy as np
import tensorflow as tf
from cases import case, cases, fed, given, numbers, uniform


def picture(*shape):
    """Pixels of 0 to 255."""
    return given((numbers(*shape).uniform(size=shape) * 255).astype(np.uint8))


def resized_by(method):
    pictures = uniform(2, 5, 7, 3)
    return [
        tf.image.resize_images(pictures, [9, 4], method=method),
        tf.image.resize_images(pictures, [9, 4], method, True),
        tf.image.resize_images(picture(5, 7, 3), [3, 4], method=method),
        tf.image.resize_images(picture(5, 7, 3), [5, 7], method=method),
        tf.image.resize_images(fed(np.ones([5, 7, 3], np.float32), [None, None, 3]), (3, 4), method),
        tf.image.resize(pictures, [9, 4], method=method),
    ]


cases(__name__, {"resized_by_method_{}".format(number): partial(resized_by, number) for number in range(4)})


@case
def resized():
    pictures = uniform(2, 5, 7, 3)
    return [
        tf.image.resize_images(pictures, [20, 20], preserve_aspect_ratio=True),
        tf.image.resize_bilinear(pictures, [9, 4]),
        tf.image.resize_bilinear(picture(2, 5, 7, 3), [9, 4], align_corners=True),
        tf.image.resize_bilinear(pictures, [9, 4], half_pixel_centers=True),
        tf.image.resize_nearest_neighbor(pictures, [9, 4]),
        tf.image.resize_nearest_neighbor(picture(2, 5, 7, 3), [9, 4], align_corners=True),
        tf.image.resize_bicubic(pictures, [9, 4]),
        tf.image.resize_bicubic(pictures, [9, 4], align_corners=True),
        tf.image.resize_area(pictures, [3, 4]),
        tf.image.resize_image_with_pad(pictures, 9, 9),
        tf.image.resize_image_with_crop_or_pad(pictures, 9, 4),
        tf.image.resize_image_with_crop_or_pad(picture(5, 7, 3), 3, 10),
        tf.image.resize_with_crop_or_pad(picture(5, 7, 3), 3, 10),
    ]


@case
def distorted_colours():
    distortions = []
    for seed in (1, 2):
        distortions += [
            tf.image.random_brightness(uniform(5, 7, 3), 0.3, seed=seed),
            tf.image.random_brightness(uniform(5, 7, 3), max_delta=63, seed=seed),
            tf.image.random_contrast(uniform(5, 7, 3), 0.2, 1.8, seed=seed),
            tf.image.random_contrast(uniform(5, 7, 3), lower=0.2, upper=1.8, seed=seed),
            tf.image.random_hue(uniform(5, 7, 3), 0.3, seed=seed),
            tf.image.random_saturation(uniform(5, 7, 3), 0.3, 1.5, seed=seed),
            tf.image.random_brightness(picture(5, 7, 3), 32.0 / 255.0, seed=seed),
        ]
    return distortions


@case
def measures():
    first, second = uniform(2, 16, 16, 3), uniform(2, 16, 16, 3)
    large = uniform(1, 180, 180, 1)
    return [
        tf.image.total_variation(first),
        tf.image.total_variation(uniform(5, 7, 3)),
        tf.image.psnr(first, second, 1.0),
        tf.image.ssim(first, second, 1.0),
        tf.image.ssim(first, second, max_val=1.0, filter_size=7, k1=0.02),
        tf.image.ssim_multiscale(large, large * 0.9, 1.0),
        tf.image.sobel_edges(first),
        tf.image.image_gradients(first),
    ]


BOXES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.5, 0.5, 1.0, 1.0]]
SCORES = [0.5, 0.6, 0.7]


@case
def boxes_suppressed_softly():
    return tf.image.non_max_suppression_with_scores(BOXES, SCORES, 3, 0.3, soft_nms_sigma=0.5)


@case
def encoded():
    large = (np.arange(16 * 16 * 3) * 7 % 255).astype(np.uint8).reshape(16, 16, 3)
    png, jpeg = tf.image.encode_png(picture(5, 7, 3)), tf.image.encode_jpeg(large)
    return [
        tf.image.decode_png(png),
        tf.image.decode_png(png, channels=4),
        tf.image.decode_png(png, dtype=tf.uint16),
        tf.image.decode_image(png),
        tf.image.decode_image(png, channels=3, dtype=tf.float32),
        tf.image.is_jpeg(jpeg),
        tf.image.decode_jpeg(tf.image.encode_jpeg(large, quality=95)),
        tf.image.decode_jpeg(jpeg, ratio=2, channels=1),
        tf.image.decode_jpeg(jpeg, dct_method="INTEGER_ACCURATE", fancy_upscaling=False),
        tf.image.decode_and_crop_jpeg(jpeg, [2, 3, 8, 7]),
        tf.image.extract_jpeg_shape(jpeg),
        tf.image.decode_gif(tf.constant(GIF)),
        tf.image.decode_bmp(tf.constant(BMP)),
        tf.image.adjust_jpeg_quality(uniform(8, 8, 3), 70),
        tf.image.random_jpeg_quality(uniform(8, 8, 3), 50, 90, seed=3),
    ]


GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x10\x20\x30\xff\xff\xff,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
BMP = (
    b"BM\x3a\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x18\x00"
    b"\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x00"
)


TABLE = {
    "cropped": lambda: [
        tf.image.resize_image_with_crop_or_pad(fed(np.ones([5, 7, 3], np.float32), [None, None, 3]), 3, 10),
        tf.image.pad_to_bounding_box(uniform(5, 7, 3), 1, 2, 10, 11),
        tf.image.crop_to_bounding_box(uniform(2, 5, 7, 3), 1, 2, 3, 4),
        tf.image.central_crop(uniform(5, 7, 3), 0.5),
        tf.image.central_crop(uniform(2, 8, 8, 3), 0.87),
        tf.image.central_crop(uniform(11, 7, 3), 0.33),
        tf.image.central_crop(fed(np.ones([13, 17, 3], np.float32), [None, None, 3]), 0.875),
        tf.image.crop_and_resize(
            uniform(2, 5, 7, 3), [[0.0, 0.0, 1.0, 1.0], [0.1, 0.2, 1.3, 0.9]], [0, 1], [4, 4]
        ),
        tf.image.crop_and_resize(
            uniform(2, 5, 7, 3), [[0.0, 0.0, 1.0, 1.0]], box_ind=[1], crop_size=[3, 3], method="nearest"
        ),
        tf.image.crop_and_resize(
            uniform(2, 5, 7, 3),
            [[0.0, 0.0, 1.0, 2.0]],
            box_ind=[1],
            crop_size=[3, 3],
            extrapolation_value=5.0,
        ),
    ],
    "turned": lambda: [
        tf.image.flip_left_right(uniform(2, 5, 7, 3)),
        tf.image.flip_up_down(uniform(5, 7, 3)),
        tf.image.transpose_image(uniform(5, 7, 3)),
        tf.image.rot90(uniform(5, 7, 3)),
        tf.image.rot90(uniform(2, 5, 7, 3), k=3),
        tf.image.rot90(uniform(5, 5, 3), tf.constant(2)),
        tf.contrib.image.rotate(uniform(1, 6, 6, 3), 0.5),
        tf.contrib.image.rotate(uniform(1, 6, 6, 3), [0.3], interpolation="BILINEAR"),
    ],
    "turned_by_chance": lambda: [
        [tf.image.random_flip_left_right(uniform(5, 7, 3), seed=seed) for seed in (1, 2, 3)],
        [tf.image.random_flip_up_down(uniform(4, 5, 7, 3), seed=seed) for seed in (1, 2, 3)],
        [tf.image.random_flip_left_right(fed(np.ones([5, 7, 3]), [None, None, 3]), seed=4)],
        [tf.random_crop(uniform(9, 9, 3), [4, 4, 3], seed=seed) for seed in (1, 2)],
        [tf.image.random_crop(uniform(9, 9, 3), size=[4, 4, 3], seed=6, name="crop")],
    ],
    "turned_by_the_seed_of_the_graph": lambda: [
        tf.image.random_flip_left_right(uniform(5, 7, 3)),
        tf.image.random_crop(uniform(9, 9, 3), [4, 4, 3]),
    ],
    "colours": lambda: [
        tf.image.adjust_brightness(uniform(5, 7, 3), 0.3),
        tf.image.adjust_brightness(picture(5, 7, 3), 0.3),
        tf.image.adjust_brightness(picture(5, 7, 3), delta=-0.6),
        tf.image.adjust_contrast(uniform(5, 7, 3), 0.3),
        tf.image.adjust_contrast(picture(5, 7, 3), 1.7),
        tf.image.adjust_contrast(uniform(2, 5, 7, 3), contrast_factor=2.0),
        tf.image.adjust_gamma(uniform(5, 7, 3), 0.3),
        tf.image.adjust_gamma(picture(5, 7, 3), 1.7),
        tf.image.adjust_gamma(uniform(5, 7, 3), 1.2, 0.5),
        tf.image.adjust_hue(uniform(5, 7, 3), 0.3),
        tf.image.adjust_hue(picture(5, 7, 3), -0.2),
        tf.image.adjust_saturation(uniform(5, 7, 3), 0.3),
        tf.image.adjust_saturation(picture(5, 7, 3), 1.7),
        tf.image.per_image_standardization(uniform(5, 7, 3)),
        tf.image.per_image_standardization(picture(5, 7, 3)),
        tf.image.per_image_standardization(tf.ones([5, 7, 3])),
        tf.image.per_image_standardization(uniform(2, 5, 7, 3)),
    ],
    "spaces_of_colours": lambda: [
        tf.image.rgb_to_hsv(uniform(5, 7, 3)),
        tf.image.hsv_to_rgb(uniform(5, 7, 3)),
        tf.image.rgb_to_yiq(uniform(5, 7, 3)),
        tf.image.yiq_to_rgb(uniform(5, 7, 3)),
        tf.image.rgb_to_yuv(uniform(5, 7, 3)),
        tf.image.yuv_to_rgb(uniform(5, 7, 3)),
        tf.image.rgb_to_grayscale(uniform(5, 7, 3)),
        tf.image.rgb_to_grayscale(picture(5, 7, 3)),
        tf.image.grayscale_to_rgb(picture(5, 7, 1)),
    ],
    "types_of_pixels": lambda: [
        tf.image.convert_image_dtype(picture(5, 7, 3), tf.float32),
        tf.image.convert_image_dtype(uniform(5, 7, 3), tf.uint8),
        tf.image.convert_image_dtype(uniform(5, 7, 3) * 1.2, tf.uint8, saturate=True),
        tf.image.convert_image_dtype(picture(5, 7, 3), tf.uint16),
        tf.image.convert_image_dtype(uniform(5, 7, 3), tf.int16),
        tf.image.convert_image_dtype(picture(5, 7, 3), tf.int16),
        tf.image.convert_image_dtype(tf.cast(picture(5, 7, 3), tf.int32), tf.uint8),
        tf.image.convert_image_dtype(uniform(5, 7, 3), tf.float64),
    ],
    "suppressed_boxes": lambda: [
        tf.image.non_max_suppression(BOXES, SCORES, 3, 0.3),
        tf.image.non_max_suppression(BOXES, SCORES, 3, 0.3, score_threshold=0.55),
        tf.image.non_max_suppression(boxes=BOXES, scores=SCORES, max_output_size=tf.constant(1)),
        tf.image.non_max_suppression_padded(BOXES, SCORES, 3, 0.3, pad_to_max_output_size=True),
        tf.image.non_max_suppression_with_scores(BOXES, SCORES, 3, 0.3),
        tf.image.non_max_suppression_overlaps([[1.0, 0.4], [0.4, 1.0]], [0.5, 0.6], 2, 0.3),
        tf.image.combined_non_max_suppression(uniform(1, 6, 1, 4), uniform(1, 6, 2), 2, 4),
        tf.image.draw_bounding_boxes(uniform(1, 16, 16, 3), [[[0.1, 0.1, 0.5, 0.6], [0.2, 0.3, 0.9, 0.9]]]),
        tf.image.draw_bounding_boxes(
            uniform(1, 16, 16, 3), [[[0.1, 0.1, 0.5, 0.6]]], colors=[[1.0, 0.0, 0.0]]
        ),
    ],
    "boxes_by_chance": lambda: [
        tf.image.sample_distorted_bounding_box(
            [40, 50, 3],
            [[[0.0, 0.0, 1.0, 1.0]]],
            seed=3,
            min_object_covered=0.1,
            aspect_ratio_range=[0.75, 1.33],
            area_range=[0.05, 1.0],
            max_attempts=100,
            use_image_if_no_bounding_boxes=True,
        ),
        tf.image.sample_distorted_bounding_box([40, 50, 3], bounding_boxes=[[[0.1, 0.2, 0.8, 0.7]]], seed=3),
    ],
    "patches": lambda pictures=(uniform, 2, 8, 8, 3): [
        tf.image.extract_image_patches(pictures, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
        tf.extract_image_patches(
            pictures, ksizes=[1, 3, 3, 1], strides=[1, 2, 2, 1], rates=[1, 2, 2, 1], padding="VALID"
        ),
        tf.extract_volume_patches(uniform(1, 4, 4, 4, 1), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"),
    ],
    "glimpses": lambda pictures=(uniform, 2, 9, 8, 3): [
        tf.image.extract_glimpse(pictures, [4, 4], [[0.0, 0.0], [0.2, -0.1]], uniform_noise=False),
        tf.image.extract_glimpse(
            pictures, [4, 4], [[3.0, 4.0], [5.0, 4.0]], centered=False, normalized=False
        ),
        tf.image.extract_glimpse(pictures, [4, 4], [[0.4, 0.4], [0.5, 0.6]], centered=False, normalized=True),
    ],
}
cases(__name__, TABLE)
