"""TF1's recurrent cells (`tf.nn.rnn_cell`, `tf.contrib.rnn`) and the loops that run them, for model code in TF2.

Every name here stands for the symbol of the same name in TensorFlow 1.15: same arguments in the same order, same
variable names, same kernels. They are built on TensorFlow's public API only.
"""

from importlib import import_module
from typing import Any

from tf2towers.runtime.rnn.basic import BasicRNNCell, GRUCell
from tf2towers.runtime.rnn.cell import LayerRNNCell, RNNCell
from tf2towers.runtime.rnn.contrib import LayerNormBasicLSTMCell, LSTMBlockCell
from tf2towers.runtime.rnn.loops import (
    bidirectional_dynamic_rnn,
    dynamic_rnn,
    raw_rnn,
    static_bidirectional_rnn,
    static_rnn,
)
from tf2towers.runtime.rnn.lstm import BasicLSTMCell, LSTMCell, LSTMStateTuple
from tf2towers.runtime.rnn.multi import MultiRNNCell
from tf2towers.runtime.rnn.wrappers import DeviceWrapper, DropoutWrapper, ResidualWrapper

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "GRUCell",
    "LSTMBlockCell",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "LayerRNNCell",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
    "bidirectional_dynamic_rnn",
    "dynamic_rnn",
    "raw_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
]

#: what few scripts need: name -> module
_LATER = {
    **dict.fromkeys(
        ("EmbeddingWrapper", "InputProjectionWrapper", "OutputProjectionWrapper"), "core_rnn_cell"
    ),
    **dict.fromkeys(("LSTMBlockFusedCell", "LSTMBlockWrapper"), "block_lstm"),
    **dict.fromkeys(("AttentionCellWrapper", "HighwayWrapper", "NASCell", "UGRNNCell"), "contrib_cells"),
    **dict.fromkeys(("Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell", "ConvLSTMCell"), "convolutional"),
    **dict.fromkeys(("FusedRNNCell", "FusedRNNCellAdaptor", "TimeReversedFusedRNN"), "fused_rnn_cell"),
    **dict.fromkeys(("stack_bidirectional_dynamic_rnn", "stack_bidirectional_rnn"), "stacked"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
