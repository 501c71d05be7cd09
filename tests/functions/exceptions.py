"""Where a case differs from its golden because TensorFlow 2 does, whatever a program says, and why."""

from __future__ import annotations

COUNTED_SEED = (
    "without a seed of its own, an operation takes one from the graph's seed and the number of operations before it, "
    "and TensorFlow 2 builds other operations"
)
FUSED = (
    "TensorFlow 1.15 makes one dataset of shuffle and repeat, whose buffer takes from the next epoch before the last "
    "one ends; TensorFlow 2 has the operation, and shuffles each epoch by itself"
)
NAME = "TensorFlow 2 builds it under another name"
KNOWN_SHAPE = "TensorFlow 2 knows more of the shape"

RESOURCE = "variables are resources, whose reads and initializers have other names"

#: case -> fact -> reason
EXCEPTIONS: dict[str, dict[str, str]] = {
    "arrays.sequences": {"names": NAME},
    "contrib.conditional_random_fields": {"names": NAME},
    "control_flow.arrays_of_tensors": {"shapes": KNOWN_SHAPE},
    "datasets.another_order": {"runs": FUSED},
    "datasets.contrib_shuffled": {"runs": FUSED},
    "datasets.shuffled_and_repeated": {"runs": FUSED},
    "datasets.sparse": {"shapes": KNOWN_SHAPE},
    "datasets.the_order_of_the_graphs_seed": {"runs": COUNTED_SEED},
    "effects.loops_over_arrays": {"shapes": KNOWN_SHAPE},
    "effects.queues_of_variables": {
        "runs": "a reference variable's memory stood in the queue itself, and changed there with the variable"
    },
    "images.boxes_suppressed_softly": {
        "runs": "TensorFlow 1.15's kernel drops boxes by their overlap as well, where they are to lose score alone"
    },
    "images.encoded": {"shapes": KNOWN_SHAPE},
    "images.measures": {"names": NAME},
    "images.turned_by_the_seed_of_the_graph": {"runs": COUNTED_SEED, "gradients": COUNTED_SEED},
    "initial_values.without_a_seed": {"runs": COUNTED_SEED, "after": COUNTED_SEED},
    "keras_models.the_backend": {"names": NAME},
    "layers.dense_of_the_default_initializer": {
        "runs": COUNTED_SEED,
        "gradients": COUNTED_SEED,
        "after": COUNTED_SEED,
    },
    "mathematics.functions": {"names": NAME},
    "mathematics.matrices": {"names": NAME},
    "mathematics.quotient_of_numbers": {
        "names": "TensorFlow 2 makes a tensor of what TensorFlow 1.15 divides as Python does",
        "shapes": "it is a tensor",
        "runs": "it is a tensor",
    },
    "mathematics.special_functions": {"names": NAME},
    "neural_networks.layers_in_one_call": {"names": NAME},
    "neural_networks.losses_with_samples_of_no_seed": {"runs": COUNTED_SEED, "gradients": COUNTED_SEED},
    "neural_networks.pools": {"names": NAME},
    "neural_networks.temporal_classification_of_dense_labels": {
        "gradients": "TensorFlow 1.15 has gradients of the steps after the end of a sequence; TensorFlow 2 has zeros"
    },
    "probability.normals_of_vectors": dict.fromkeys(
        ("names", "shapes", "runs"),
        "TensorFlow Probability names operations otherwise, and gives a scale of one for each row of the batch",
    ),
    "rare_contrib.helpers_of_functions": {"shapes": KNOWN_SHAPE},
    "scopes.variables_as_they_print": {"names": RESOURCE, "shapes": RESOURCE},
    "operations.second_names": {"names": NAME, "shapes": "TensorFlow 2 knows less of a ragged shape"},
    "sparse.changed": {"names": NAME},
    "sparse.serialized": {"shapes": KNOWN_SHAPE},
    "training.clipping_of_infinity": {
        "gradients": "TensorFlow 2 multiplies by a NaN, where TensorFlow 1.15 puts NaN in the place of the numbers"
    },
    "training.gradient_of_products_at_zero": {
        "runs": "TensorFlow 1.15 divides by the product; TensorFlow 2's gradient has no such quotient"
    },
}
