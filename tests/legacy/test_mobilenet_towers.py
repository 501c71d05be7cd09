"""The batches of legacy/mobilenet_towers.py from a folder of JPEG files, a class after the other."""

from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: prints the part of the second class in each batch of 100, of 1200 images of each class
PROGRAM = """
import os, sys
sys.argv = ['x', '--data_dir=' + sys.argv[1], '--image_size=8']
import mobilenet_towers as trainer
tf = trainer.tf
tf.app.flags.FLAGS(sys.argv)
with tf.Session() as sess:
    jpeg = sess.run(tf.image.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8)))
for kind in ('cats', 'dogs'):
    os.makedirs(os.path.join(trainer.FLAGS.data_dir, kind))
    for number in range(1200):
        with open(os.path.join(trainer.FLAGS.data_dir, kind, '%d.jpg' % number), 'wb') as file:
            file.write(jpeg)
dataset, _, classes = trainer.input_dataset(100, 0)
images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
print(classes, images.shape)
with tf.Session() as sess:
    for _ in range(24):
        print(sess.run(labels).mean())
"""


def test_batches_of_files_that_are_listed_class_by_class_are_mixed(tmp_path):
    out, _ = run_python(
        "-c", PROGRAM, tmp_path, folder=Path(__file__).parents[2] / "legacy", TF_CPP_MIN_LOG_LEVEL="3"
    )
    said, *parts = out.splitlines()
    assert said == "2 (100, 8, 8, 3)"
    assert len(parts) == 24 and all(0.3 < float(part) < 0.7 for part in parts), parts
