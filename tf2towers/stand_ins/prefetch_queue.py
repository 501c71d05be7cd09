"""`tf.contrib.slim.prefetch_queue`: the runtime's."""

from tf2towers.runtime.slim.prefetch_queue import prefetch_queue

__all__ = ["prefetch_queue"]
