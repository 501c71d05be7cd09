"""A whole program read: inputs, averages, runs, steps, slices."""

import libcst as cst
import pytest
from reading import TRAINER, training_of


def codes(nodes):
    return [cst.Module([]).code_for_node(node) for node in nodes]


def test_the_program():
    training = training_of(TRAINER)
    assert [input_.names for input_ in training.inputs] == [["x"]]
    assert [(average.accumulator, average.function) for average in training.averages] == [
        ("grads", "average_gradients")
    ]
    assert training.gathered == {"losses"}
    assert training.problems == []


def test_runs_and_feeds():
    runs = training_of(TRAINER).runs
    assert [codes(run.fetches) for run in runs] == [["train_op", "mean"], ["loss"]]
    assert [run.is_list for run in runs] == [True, False]
    assert [set(run.feeds) for run in runs] == [{"x"}, {"x"}]
    assert codes(runs[0].targets) == ["_", "value"]


def test_steps():
    train, evaluate = training_of(TRAINER).steps
    assert train.trains and train.uses_towers
    assert not evaluate.trains and evaluate.uses_towers
    assert [input_.names for input_ in train.inputs] == [["x"]]


def test_slices_hold_what_is_needed_and_no_more():
    train, evaluate = training_of(TRAINER).steps
    text = [cst.Module([]).code_for_node(statement.node).strip() for statement in train.slice.statements]
    assert "mean = tf.reduce_mean(losses)" in text
    assert not any(
        "apply_gradients" in cst.Module([]).code_for_node(statement.node)
        for statement in evaluate.slice.statements
    )


def test_initializers_are_no_runs():
    training = training_of(TRAINER)
    assert codes(training.dropped_runs) == ["sess.run(tf.global_variables_initializer())"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("losses.append(loss)", "loss = loss + before; before = loss", "T2T303"),
        ("sess.run(loss, {x: [[1., 2.]]})", "sess.run(loss, make(x))", "T2T401"),
        (
            "loss = tf.reduce_mean(parts[i] *",
            "y = tf.placeholder(tf.float32)\n            loss = tf.reduce_mean(y *",
            "T2T306",
        ),
    ],
)
def test_problems(old, new, code):
    assert old in TRAINER
    training = training_of(
        TRAINER.replace(old, new).replace(
            "    for i in range(2):", "    before = 0.\n    for i in range(2):", 1
        )
    )
    assert code in [problem.code for problem in training.problems]


def with_flag(after_each_tower: str) -> str:
    """The trainer whose towers hand on a flag."""
    return (
        TRAINER.replace("reuse=i > 0", "reuse=reuse")
        .replace(
            "            losses.append(loss)",
            f"            {after_each_tower}\n            losses.append(loss)",
        )
        .replace("    grads, losses = [], []", "    grads, losses = [], []\n    reuse = False")
    )


def test_carried_values_are_refused():
    training = training_of(with_flag("reuse = not reuse"))
    assert [(problem.code, problem.message) for problem in training.problems] == [
        ("T2T303", "'reuse' goes from one tower to the next")
    ]


def test_a_flag_of_the_first_tower_is_none_that_is_carried():
    training = training_of(with_flag("reuse = True"))
    assert (training.problems, training.body.flags) == ([], {"reuse"})
