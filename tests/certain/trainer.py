"""A trainer in parts, for the rules' examples: each of them writes other lines in a part's place."""

from __future__ import annotations

PARTS = {
    "head": "import numpy as np\nimport tensorflow as tf\n\nN = 2",
    "before": "",
    "inputs": (
        "x = tf.placeholder(tf.float32, [4, 3])\nopt = tf.train.GradientDescentOptimizer(0.1)\n"
        "xs = tf.split(x, N)\ngrads = []\ntower_losses = []\ntotal = 0.0\nseen = {}"
    ),
    "loop": (
        "for i in range(N):\n    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:\n"
        "        with tf.variable_scope('model', reuse=i > 0):"
    ),
    "variable": "w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())",
    "model": "y = tf.matmul(xs[i], w)",
    "loss": "loss = tf.reduce_mean(tf.square(y))",
    "losses": "tower_losses.append(loss)",
    "grads": "grads.append(opt.compute_gradients(loss))",
    "average": (
        "mean = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*grads)]\n"
        "train_op = opt.apply_gradients(mean)"
    ),
    "after": "",
    "session": (
        "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\nrng = np.random.RandomState(0)\n"
        "for step in range(3):\n    batch = rng.randn(4, 3)"
    ),
    "train": "print(sess.run([train_op, loss], {x: batch})[1])",
    "end": "",
}
_DEPTH = {"variable": 12, "model": 12, "loss": 12, "losses": 8, "grads": 8, "train": 4}


def trainer(example: str = "") -> str:
    """The trainer with the parts that an example gives; `before: x = ...` comes after the inputs are made.

    `; ` parts lines of an example, `;; ` statements of one line.
    """
    parts = dict(PARTS)
    for line in filter(None, example.split("\n")):
        name, _, text = line.partition(": ")
        parts[name] = text.replace(";; ", "\0").replace("; ", "\n").replace("\0", "; ")
    parts["inputs"], parts["before"] = f"{parts['inputs']}\n{parts['before']}", ""
    if example.startswith("before: x ="):  # what the batch becomes is split, not what it was
        parts["inputs"] = parts["inputs"].replace("xs = tf.split(x, N)\n", "") + "\nxs = tf.split(x, N)"
    return "\n".join(
        " " * _DEPTH.get(name, 0) + line for name, text in parts.items() for line in text.split("\n") if line
    )
