"""`migrate`: one LibCST codemod that turns a TF1 program into one for TF 2's strategies. It imports no TensorFlow."""
