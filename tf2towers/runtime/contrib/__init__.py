"""What is left here goes: layers of Keras to tf_keras (runtime/tf1/keras.py), `not_served` to the runtime."""
