# ruff: noqa: F403 - a face
"""`tf.contrib.seq2seq`: attention, decoders, helpers, beam search and the loss of sequences."""

from tf2towers.runtime.tf1.seq2seq.attention import *
from tf2towers.runtime.tf1.seq2seq.beam_search import *
from tf2towers.runtime.tf1.seq2seq.decoding import *
