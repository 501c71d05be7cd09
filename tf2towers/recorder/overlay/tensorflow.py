"""Puts the overlay under the files that TensorFlow opens in C++."""

from .paths import Overlay
from .swap import Swaps
from .tf_checkpoints import patch_checkpoints
from .tf_data import patch_data
from .tf_files import patch_files


def patch_tensorflow(overlay: Overlay) -> None:
    """Patch TensorFlow 1.12 to 1.15 or 2.21, after it is imported; a name that a version does not have is skipped.

    Writing to a remote path (gs://, hdfs://, s3://) raises `OverlayError` from then on; reading one goes through.
    So does writing a file whose name is computed in the graph (`tf.io.write_file` of a tensor that is no constant).
    """
    swaps = Swaps()
    patch_files(overlay)
    patch_checkpoints(overlay, swaps)
    patch_data(overlay, swaps)
    swaps.everywhere()
