"""Where TensorFlow and Keras are patched, so that an unedited script can be watched: for all who record or compare.

wrapping           a function or method with another one around it: what all patches are made of
session_runs       `Session.run` of TF1, and the settings that sessions are made with
gradients          `compute_gradients`, `tf.gradients`
optimizer_calls    `apply_gradients` and `minimize`, TF1's and every Keras's
function_calls     calls of `tf.function`s and of concrete functions, and which of them train
imports            what is to happen when a script imports a module

Runs on Python 3.6 and TensorFlow 1.12 or later, and imports nothing else of tf2towers.
"""
