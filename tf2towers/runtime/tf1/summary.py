"""`tf.contrib.summary`: summaries that operations write into a file, without FileWriter.

TensorFlow 2 has these functions under a private name: its own `tf.summary` stands on them. Nothing
is written until `always_record_summaries` or `record_summaries_every_n_global_steps` says so.
"""

from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.private import private

_summaries: Any = private("ops.summary_ops_v2", "tf.contrib.summary")

SummaryWriter = _summaries.SummaryWriter
all_summary_ops = tf.compat.v1.summary.all_v2_summary_ops
initialize = tf.compat.v1.summary.initialize
always_record_summaries = _summaries.always_record_summaries
audio = _summaries.audio
create_file_writer = _summaries.create_file_writer
create_summary_file_writer = _summaries.create_summary_file_writer
eval_dir = _summaries.eval_dir
flush = _summaries.legacy_raw_flush
generic = _summaries.generic
graph = _summaries.graph_v1
histogram = _summaries.histogram
image = _summaries.image
import_event = _summaries.import_event
never_record_summaries = _summaries.never_record_summaries
record_summaries_every_n_global_steps = _summaries.record_summaries_every_n_global_steps
scalar = _summaries.scalar
should_record_summaries = _summaries._legacy_contrib_should_record_summaries
summary_writer_initializer_op = _summaries.summary_writer_initializer_op
