"""What `graph_mode` changes in TensorFlow, so that a script builds the graph that it built in TF1."""
