# ruff: noqa: F401 - a face
"""`tf.contrib.seq2seq`: attention, decoders, helpers, beam search and the loss of sequences."""

from tf2towers.runtime.tf1.seq2seq.attention import (
    AttentionMechanism,
    AttentionWrapper,
    AttentionWrapperState,
    BahdanauAttention,
    LuongAttention,
)
from tf2towers.runtime.tf1.seq2seq.beam_search import (
    BeamSearchDecoder,
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
    gather_tree,
    tile_batch,
)
from tf2towers.runtime.tf1.seq2seq.decoding import (
    BasicDecoder,
    BasicDecoderOutput,
    Decoder,
    GreedyEmbeddingHelper,
    Helper,
    TrainingHelper,
    dynamic_decode,
    sequence_loss,
)
