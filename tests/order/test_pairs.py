"""Each rule of the order on a graph that would be ordered otherwise without it."""

from __future__ import annotations

import pytest

from tests.order.graphs import accesses_of, decided, operations_of, waits
from tf2towers.order.pairs import decide


def test_writes_come_in_built_order() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        first: AssignAddVariableOp v x
        second: AssignVariableOp v x
    """
    assert waits(graph) == {"first > second"}


def test_a_read_that_waits_for_nothing_comes_before_the_writes() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        write: AssignVariableOp v x
        read: ReadVariableOp v
    """
    assert waits(graph) == {"read > write"}


def test_a_read_that_waits_for_something_comes_where_it_was_built() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        first: AssignVariableOp v x
        read: ReadVariableOp v ^x
        second: AssignVariableOp v x
    """
    assert waits(graph) == {"first > read", "read > second"}


def test_a_read_that_waits_for_a_write_comes_where_it_was_built() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        first: AssignVariableOp v x
        second: AssignVariableOp v x
        third: AssignVariableOp v x
        y: Identity x ^second
        read: ResourceGather v y
    """
    assert waits(graph) == {"first > second", "second > third", "third > read"}


def test_a_read_that_belongs_to_a_write_comes_after_the_writes_before_it() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        read0: ReadVariableOp v
        new0: Mul read0 x
        write0: AssignVariableOp v new0
        read1: ReadVariableOp v
        new1: Mul read1 x
        write1: AssignVariableOp v new1
    """
    assert waits(graph) == {"write0 > read1"}


@pytest.mark.parametrize(
    ("by", "write"), [("gradients/new", "AssignVariableOp"), ("new", "ResourceApplyGradientDescent")]
)
def test_a_read_belongs_to_no_update_by_a_gradient(by: str, write: str) -> None:
    graph = f"""
        v: VarHandleOp
        x: Const
        write0: AssignVariableOp v x
        read: ReadVariableOp v
        {by}: Mul read x
        write1: {write} v {by}
    """
    assert waits(graph) == {"read > write0", "write0 > write1"}


def test_what_is_fetched_is_read_last() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        read: ReadVariableOp v
        first: AssignVariableOp v x
        second: AssignVariableOp v x
    """
    assert waits(graph, read={"last": True}) == {"first > second", "second > read"}


def test_a_parameter_server_sends_before_the_writes_whatever_a_read_waits_for() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        write: AssignVariableOp v x
        read: ReadVariableOp v ^x
    """
    assert waits(graph, read={"sent": True}) == {"read > write"}


def test_what_a_parameter_server_sends_is_sent_before_a_worker_waits_for_others() -> None:
    """Also where a write is computed from it: a moving average reads its old value at the start of the run."""
    graph = """
        v: VarHandleOp
        x: Const
        tf2towers_order/held: AssignVariableOp v x
        read: ReadVariableOp v
        write: AssignSubVariableOp v read
    """
    held = "tf2towers_order/held"
    assert waits(graph, read={"sent": True}) == {f"read > {held}", f"{held} > write"}
    assert waits(graph) == {f"{held} > read"}


def test_what_was_sent_is_used_after_a_write_that_the_user_waits_for() -> None:
    """`with tf.control_dependencies([train_op]): v.assign(tf.clip_by_value(v, ..))` clips the value before it."""
    graph = """
        v: VarHandleOp
        x: Const
        copy: DeepCopy v
        first: AssignVariableOp v x
        clipped: Minimum copy ^first
        write: AssignVariableOp v clipped
    """
    assert waits(graph, copy={"sent": True, "at": "clipped"}) == {"copy > first"}


def test_only_what_waits_itself_waits_for_the_initial_value() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        begin: AssignVariableOp v x
        early: ReadVariableOp v
        waiting: ReadVariableOp v ^x
    """
    assert waits(graph, begin={"begins": True}) == {"begin > waiting"}


def test_an_op_that_waits_for_a_write_sees_it_by_an_earlier_identity() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        identity: Identity v
        first: AssignVariableOp v x
        second: AssignVariableOp v x
        free: Mul identity x
        bound: Mul identity x ^first
    """
    found = waits(graph, free={"at": "identity"}, bound={"at": "identity"})
    assert found == {"first > second", "free > first", "second > bound"}


def test_takings_come_in_built_order_and_additions_among_themselves() -> None:
    graph = """
        q: FIFOQueueV2
        x: Const
        take0: QueueDequeueV2 q
        add0: QueueEnqueueV2 q x
        take1: QueueDequeueManyV2 q x
        add1: QueueEnqueueV2 q x
    """
    assert waits(graph) == {"take0 > take1", "add0 > add1"}


def test_an_accumulator_adds_up_gradients_in_built_order() -> None:
    graph = """
        sums: ConditionalAccumulator
        x: Const
        first: AccumulatorApplyGradient sums x x
        second: AccumulatorApplyGradient sums x x
    """
    assert waits(graph) == {"first > second"}


def test_what_the_graph_orders_stays() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        write: AssignVariableOp v x
        read: ReadVariableOp v ^write
    """
    assert waits(graph) == set()


def test_no_pair_closes_a_circle() -> None:
    """`a` would come before `to_a`, on which it depends by `b`'s order: `to_a`, `of_b`, `to_b`."""
    graph = """
        va: VarHandleOp
        vb: VarHandleOp
        x: Const
        to_a: AssignVariableOp va x
        y: Identity x ^to_a
        of_b: ReadVariableOp vb ^y
        to_b: AssignVariableOp vb x
        z: Identity x ^to_b
        a: ResourceGather va z
    """
    assert waits(graph) == {"of_b > to_b"}


def test_pairs_that_others_imply_are_left_out_of_a_run() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        read: ReadVariableOp v
        a: AssignVariableOp v x
        b: AssignVariableOp v x
        c: AssignVariableOp v x
    """
    assert waits(graph) == {"read > a", "a > b", "b > c"}
    assert waits(graph, whole=True) == {"read > a", "read > b", "read > c", "a > b", "a > c", "b > c"}


def test_an_operation_that_has_run_waits_no_more() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        first: AssignVariableOp v x
        second: AssignVariableOp v x
    """
    operations = operations_of(graph)
    accesses = accesses_of(operations)
    assert [
        pair.later for pair in decide(operations, accesses, may_wait=lambda name: name != "first").pairs
    ] == ["second"]
    assert decide(operations, accesses, may_wait=lambda name: name != "second").pairs == []


# -- branches --------------------------------------------------------------------------------------

COND = """
        v: VarHandleOp
        x: Const
        p: Placeholder
        same: Identity p
        v_if: Switch v same
        x_if: Switch x p
"""


def test_a_later_write_waits_for_the_branch_of_an_earlier_one() -> None:
    graph = (
        COND
        + """
        in_branch: AssignVariableOp v_if:1 x_if:1
        after: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"in_branch /p:1 > after"}


def test_writes_in_one_branch_wait_for_each_other() -> None:
    graph = (
        COND
        + """
        first: AssignVariableOp v_if:1 x_if:1
        second: AssignVariableOp v_if:1 x_if:1
    """
    )
    assert waits(graph) == {"first > second"}


def test_two_branches_never_run_together() -> None:
    graph = (
        COND
        + """
        if_so: AssignVariableOp v_if:1 x_if:1
        if_not: AssignVariableOp v_if:0 x_if:0
    """
    )
    assert waits(graph) == set()


def test_what_may_be_dead_implies_nothing() -> None:
    graph = (
        COND
        + """
        first: AssignVariableOp v x
        perhaps: AssignVariableOp v_if:1 x_if:1
        last: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"first > perhaps", "perhaps /p:1 > last", "first > last"}


def test_an_operation_of_a_gradient_is_in_the_branch_of_its_inputs() -> None:
    """It has no control-flow context in TensorFlow: a batch norm's gradient takes the variable by a `Switch`."""
    graph = (
        COND
        + """
        gradients/norm: FusedBatchNormGrad v_if:1 x_if:1
        write: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"gradients/norm /p:1 > write"}


def test_a_control_input_may_be_dead_too() -> None:
    graph = (
        COND
        + """
        pivot: Identity x_if:0
        value: Const ^pivot
        first: AssignVariableOp v value
        second: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"first /p:0 > second"}


def test_after_a_merge_nothing_is_dead() -> None:
    graph = (
        COND
        + """
        either: Merge x_if:0 x_if:1
        first: AssignVariableOp v either
        second: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"first > second"}


INNER = (
    COND
    + """
        q: Placeholder
        q_if: Switch q p
        v_in: Switch v_if:1 q_if:1
        x_in: Switch x_if:1 q_if:1
"""
)


def test_a_write_waits_only_for_branches_that_it_is_not_in_itself() -> None:
    graph = (
        INNER
        + """
        deep: AssignVariableOp v_in:0 x_in:0
        middle: AssignVariableOp v_if:1 x_if:1
        outside: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"deep /q:0 > middle", "middle /p:1 > outside", "deep /p:1 /q:0 > outside"}


def test_the_merge_of_an_inner_cond_is_in_the_outer_branch() -> None:
    graph = (
        INNER
        + """
        either: Merge x_in:0 x_in:1
        first: AssignVariableOp v either
        second: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"first /p:1 > second"}


def test_nothing_waits_where_it_is_not_certain_what_is_dead() -> None:
    graph = (
        INNER
        + """
        odd: Merge x_in:0 x_if:0
        first: AssignVariableOp v odd
        second: AssignVariableOp v x
    """
    )
    found = decided(graph)
    assert found.pairs == []
    assert [(pair.earlier, pair.later) for pair in found.left] == [("first", "second")]


def test_what_may_be_dead_waits_for_what_is_certain() -> None:
    graph = (
        INNER
        + """
        first: AssignVariableOp v x
        odd: Merge x_in:0 x_if:0
        second: AssignVariableOp v odd
    """
    )
    assert waits(graph) == {"first > second"}


def test_loops_keep_their_order() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        v_in: Enter v
        x_in: Enter x
        round: Merge x_in next
        goes_on: LoopCond round
        body: Switch round goes_on
        in_loop: AssignVariableOp v_in body:1
        next: NextIteration body:1
        done: Exit body:0
        first: AssignVariableOp v done
        second: AssignVariableOp v x
    """
    assert waits(graph) == {"first > second"}


LOOP = """
        v: VarHandleOp
        x: Const
        {first}
        v_in: Enter v
        x_in: Enter x
        round: Merge x_in next
        goes_on: LoopCond round
        body: Switch round goes_on
        in_loop: ReadVariableOp v_in ^body
        sum: Add body:1 in_loop
        next: NextIteration sum
        done: Exit body:0
        {last}
    """


def test_what_a_loop_reads_is_read_where_the_loop_is() -> None:
    first, last = "first: AssignVariableOp v x", "last: AssignVariableOp v x"
    assert waits(LOOP.format(first="", last=last)) == {"done > last"}
    ordered = {"first > x_in", "done > last", "first > last"}
    assert waits(LOOP.format(first=first, last=last)) == ordered


def test_what_a_loop_writes_is_written_where_the_loop_is() -> None:
    loop = LOOP.replace("in_loop: ReadVariableOp v_in ^body", "in_loop: AssignVariableOp v_in body:1")
    loop = loop.replace("sum: Add body:1 in_loop", "sum: Add body:1 x_in ^in_loop")
    last = "read: ReadVariableOp v"
    assert waits(loop.format(first="", last=last), read={"last": True}) == {"done > read"}
    first = "read: ReadVariableOp v ^x"
    assert waits(loop.format(first=first, last="")) == {"read > x_in"}
    writes = loop.format(first="first: AssignVariableOp v x", last="last: AssignVariableOp v x")
    assert waits(writes) == {"first > x_in", "done > last", "first > last"}


def test_the_outer_loop_stands_for_what_an_inner_one_writes() -> None:
    graph = """
        v: VarHandleOp
        x: Const
        x_in: Enter x
        v_in: Enter v
        round: Merge x_in next
        goes_on: LoopCond round
        body: Switch round goes_on
        x_inner: Enter body:1
        v_inner: Enter v_in
        inner_round: Merge x_inner inner_next
        inner_goes_on: LoopCond inner_round
        inner_body: Switch inner_round inner_goes_on
        in_loop: AssignVariableOp v_inner inner_body:1
        inner_next: NextIteration inner_body:1 ^in_loop
        inner_done: Exit inner_body:0
        next: NextIteration inner_done
        done: Exit body:0
        read: ReadVariableOp v
    """
    assert waits(graph, read={"last": True}) == {"done > read"}
    assert waits(graph, read={"waits": True}) == {"done > read"}


def test_an_update_is_not_ordered_with_loops() -> None:
    assert waits(LOOP.format(first="", last="last: ResourceApplyAdam v x")) == set()


def test_a_loop_in_a_loop_stays_as_it_is() -> None:
    graph = LOOP.format(first="", last="last: AssignVariableOp v x").replace(
        "x: Const", "c: Const\n        x: Enter c"
    )
    assert waits(graph) == set()


def test_a_loop_in_a_branch_ends_in_it() -> None:
    graph = (
        COND
        + """
        x_in: Enter x_if:1
        round: Merge x_in next
        goes_on: LoopCond round
        body: Switch round goes_on
        next: NextIteration body:1
        done: Exit body:0
        first: AssignVariableOp v done
        second: AssignVariableOp v x
    """
    )
    assert waits(graph) == {"first /p:1 > second"}


# -- the graph -------------------------------------------------------------------------------------


def test_an_operation_comes_after_what_it_depends_on() -> None:
    """A control input that was added later is an operation built later; what depends on it comes later, too."""
    graph = """
        x: Const
        early: Identity x ^late
        uses: Identity early
        middle: Identity x
        late: Identity x
    """
    assert [operation.name for operation in operations_of(graph)] == ["x", "middle", "late", "early", "uses"]
