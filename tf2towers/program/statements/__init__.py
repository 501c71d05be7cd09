"""The trainer's statements, and what the values in them are: state, tensors, inputs, session."""
