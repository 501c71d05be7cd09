"""Writes lost_attributes.tsv: attributes that graphs, operations, tensors and variables had in TF1, and lack in TF 2.

    /opt/tf115/bin/python tables/make_lost_attributes.py > tf115.json
    python tables/make_lost_attributes.py tf115.json > lost_attributes.tsv

The first command runs under TensorFlow 1.15, the second under the newest TensorFlow 2 (2.15 lacks
the same). A row has an attribute of an object in TF 1.15 that none of these objects has in a
migrated program. Its replacement is written by hand, and kept from the old table. The script is
written for Python 3.7.
"""

import json
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

TABLE = Path(__file__).parents[1] / "tf2towers" / "codemod" / "data" / "lost_attributes.tsv"
#: names that many other classes have, too, or that only TensorFlow itself uses
LEFT_OUT = {"_graph", "_lock", "_seed", "_version", "_variable", "_thread_local", "_container", "_functions"}

#: attributes that TensorFlow 1 itself had removed before 1.15
OLDER = {"_parse_flags": "FLAGS", "get_clean_up_op": "a SyncReplicasOptimizer"}


def objects():
    """Description of an object -> the object."""
    if len(sys.argv) == 1:
        import tensorflow as tf
    else:
        import tensorflow.compat.v1 as tf

        from tf2towers.runtime.graph_session.mode import graph_mode

        graph_mode()
    with tf.Graph().as_default() as graph:
        inputs = tf.placeholder(tf.float32, [None, 4])
        variable = tf.get_variable("weights", [4, 2])
        loss = tf.reduce_mean(tf.matmul(inputs, variable))
        optimizer = tf.train.AdamOptimizer(0.1)
        step = optimizer.minimize(loss)
        return {
            "a graph": graph,
            "an operation": step,
            "a tensor": loss,
            "a variable": variable,
            "an optimizer": optimizer,
            "a saver": tf.train.Saver(),
            "a session": tf.Session(),
        }


def has(value, name):
    """True if an attribute can be read; `dir` does not list all attributes of C++ objects."""
    try:
        getattr(value, name)
    except Exception:
        return False
    return True


def main():
    """Prints the attributes as JSON, or the table."""
    if len(sys.argv) == 1:
        found = {
            words: [name for name in dir(value) if has(value, name)] for words, value in objects().items()
        }
        print(json.dumps(found))
        return
    before, migrated = json.loads(Path(sys.argv[1]).read_text()), list(objects().values())
    decided = {}
    if TABLE.exists():
        decided = {
            row[0]: row[2] for row in (line.split("\t") for line in TABLE.read_text().splitlines()[1:])
        }
    rows = {
        name: words
        for words, names in reversed(list(before.items()))
        for name in names
        if not any(has(value, name) for value in migrated)
        and name not in LEFT_OUT
        and not name.startswith(("__", "_tf_api", "_keras_api", "_estimator_api", "_abc"))
        and "serialization" not in name
        and not any(part in name for part in ("restor", "disallow", "auto_cast"))
    }
    print("attribute\towner\ttoday")
    for name, words in sorted({**rows, **OLDER}.items()):
        print(f"{name}\t{words}\t{decided.get(name, '')}")


if __name__ == "__main__":
    main()
