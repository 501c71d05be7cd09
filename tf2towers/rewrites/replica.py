"""The tower loop's body as the replica function, and each session call as a tf.function (T2T102, T2T105)."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import libcst.matchers as m

from tf2towers.program import kinds as k
from tf2towers.program.flow import flow_of, names_in, target_names, upward_exposed
from tf2towers.program.inputs import Input
from tf2towers.program.slices import Slice
from tf2towers.program.towers import range_count
from tf2towers.program.trainer import INPUT, MIXED, TOWERS, Leaf, is_current_scope
from tf2towers.program.training import Step, TowerPart, Training, has_update
from tf2towers.rewrites.context import FileContext, code_of, statement, unwrapped
from tf2towers.rewrites.training_calls import TrainingRewriter


class ReplicaBuilder:
    """Builds the functions of the migrated program out of the statements of the TF1 graph."""

    def __init__(self, context: FileContext, training: Training, given: dict[str, str]) -> None:
        self.context = context
        self.training = training
        self.given = given
        self.replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
        self.tower_name = context.fresh("tower")
        self.live: list[str] = []
        self.first_names: set[str] = set()
        self.hoisted: list[Leaf] = []
        self._single_append: dict[str, cst.Name] = {}
        self._part: TowerPart | None = None
        self._now: dict[str, str] = {}  # schedule -> the name that holds its value in the step being built
        self._index_names = self._loop_index_names()
        for node, name in training.renamed.items():
            self.replaced[node] = cst.Name(name)
        self._prepare()

    # -- what is known before anything is built -----------------------------------------------------------------------

    def _prepare(self) -> None:
        towers = self.training.towers_leaf
        for leaf in self._tower_leaves():
            if leaf.detail == k.OPTIMIZER and not leaf.inner:
                self.hoisted.append(leaf)
        self._find_appends()
        for average in self.training.averages:
            name = self._average_argument(average.accumulator)
            self.replaced[average.call] = cst.Call(
                cst.Name(self.context.need("average_gradients")), [cst.Arg(name)]
            )
        self._lift_inputs()
        self._find_guarded(towers)
        self._find_live()

    def _tower_leaves(self) -> list[Leaf]:
        return [leaf for inner in self.training.towers_leaf.inner for leaf in inner.every()]

    def _loop_index_names(self) -> set[str]:
        loop = self.training.tower.loop
        if range_count(loop.iter, self.training.kinds.resolver) is not None and isinstance(
            loop.target, cst.Name
        ):
            return {loop.target.value}
        if _is_enumerate(loop, self.training) and isinstance(loop.target, cst.Tuple):
            return target_names(loop.target.elements[0].value)
        return set()

    def _find_appends(self) -> None:
        """Lists that one `xs.append(name)` fills: the list itself is not needed, the name is."""
        found: dict[str, list[cst.Call]] = {}
        for leaf in self._tower_leaves():
            if leaf.inner:
                continue
            for name in leaf.flow.mutates:
                call = _append_call(leaf.node, name)
                found.setdefault(name, []).append(
                    call if call is not None else cst.Call(cst.Name("not_an_append"))
                )
        for name, calls in found.items():
            if len(calls) == 1 and calls[0].args and isinstance(calls[0].args[0].value, cst.Name):
                if self._never_read_inside(name):
                    self._single_append[name] = calls[0].args[0].value

    def _never_read_inside(self, name: str) -> bool:
        reads = 0
        for leaf in self._tower_leaves():
            if not leaf.inner and name in leaf.flow.reads:
                reads += 1
        return reads == 1

    def _collected(self) -> set[str]:
        return {a.accumulator for a in self.training.averages} | self.training.gathered

    def _average_argument(self, accumulator: str) -> cst.BaseExpression:
        if accumulator in self._single_append:
            return self._single_append[accumulator]
        if self._is_indexed(accumulator):
            return cst.parse_expression(f"{accumulator}[{self.context.need('tower_index')}()]")
        return cst.parse_expression(f"{accumulator}[0]")

    def _is_indexed(self, accumulator: str) -> bool:
        return any(
            accumulator in leaf.flow.mutates and _append_call(leaf.node, accumulator) is None
            for leaf in self._tower_leaves()
            if not leaf.inner
        )

    def _lift_inputs(self) -> None:
        """The batch that a model's function took itself is handed to it."""
        for lift in self.training.lifts:
            call = self._rewritten(lift.call)
            extra = [cst.Arg(cst.Name(name), keyword=None) for name in lift.names]
            keywords = any(arg.keyword is not None for arg in call.args)
            if keywords:
                extra = [
                    cst.Arg(
                        cst.Name(n),
                        keyword=cst.Name(n),
                        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
                    )
                    for n in lift.names
                ]
            args = [
                a.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))) for a in call.args
            ]
            self.replaced[lift.call] = call.with_changes(args=[*args, *extra])

    def _find_guarded(self, towers: Leaf) -> None:
        for leaf in self._tower_leaves():
            if isinstance(leaf.node, cst.If) and self.is_first_tower_guard(leaf.node):
                self.first_names |= flow_of(leaf.node.body).binds

    def is_first_tower_guard(self, node: cst.If) -> bool:
        """`if i == 0:` without an else, in the loop."""
        test = node.test
        return (
            node.orelse is None
            and isinstance(test, cst.Comparison)
            and isinstance(test.left, cst.Name)
            and test.left.value in self._index_names
            and len(test.comparisons) == 1
            and isinstance(test.comparisons[0].operator, cst.Equal)
            and isinstance(test.comparisons[0].comparator, cst.Integer)
            and test.comparisons[0].comparator.value == "0"
        )

    def _find_live(self) -> None:
        """Names bound by the loop's body that a step reads after it, in the order of binding."""
        wanted: set[str] = set()
        for step in self.training.steps:
            if not step.uses_towers:
                continue
            for leaf in step.slice.leaves:
                if leaf.kind != TOWERS:
                    wanted |= self._reads_after(leaf)
            for fetch in step.fetches:
                wanted |= flow_of(fetch).reads
        for name, appended in self._single_append.items():
            if name in wanted:
                wanted.add(appended.value)
                wanted.discard(name)
        for average in self.training.averages:
            wanted |= names_in(self._average_argument(average.accumulator)) - {"tower_index"}
        order: list[str] = []
        for leaf in self._tower_leaves():
            if leaf in self.hoisted:
                continue
            for name in sorted(leaf.flow.writes, key=lambda n: code_of(leaf.node).find(n)):
                if name not in order:
                    order.append(name)
        rebinding = {name for leaf in self.training.graph if leaf.kind != TOWERS for name in leaf.flow.binds}
        hoisted = {name for leaf in self.hoisted for name in leaf.flow.binds}
        self.live = [
            n for n in order if n in wanted and n not in hoisted and not self._made_after(n, rebinding)
        ]

    def _reads_after(self, leaf: Leaf) -> set[str]:
        return leaf.flow.reads | {n for c in leaf.contexts for n in flow_of(*c.items).reads}

    def _made_after(self, name: str, rebinding: set[str]) -> bool:
        return False

    # -- the tower ------------------------------------------------------------------------------------------------------

    def tower_function(self, part: TowerPart | None = None) -> cst.FunctionDef:
        """`def tower(images, labels)`: the loop's body, once for the tower that runs it; or the part a step needs."""
        training = self.training
        loop = training.tower.loop
        self._part = part
        live = self.live_names(part)
        before = part.before if part is not None else training.tower_needs
        body: list[cst.BaseStatement] = [
            statement(
                f'"""What the loop built on each {_device_text(training)}: returns {", ".join(live) or "nothing"}."""'
            )
        ]
        reads = flow_of(loop.body).reads
        body.extend(self._list_heads())
        for leaf in before.leaves:
            body.extend(self.moved(leaf))
        body.extend(self._index_statements(loop, reads))
        for name, formula in training.carried.items():
            if "tower_index" in code_of(formula):
                self.context.need("tower_index")
            body.append(statement(f"{name} = {code_of(formula)}"))
        inner: list[cst.BaseStatement] = []
        for leaf in training.towers_leaf.inner:
            inner.extend(self.moved(leaf))
        for block in reversed(training.towers_leaf.contexts):
            inner = [self._rewritten(block).with_changes(body=cst.IndentedBlock(inner), leading_lines=[])]
        body.extend(inner)
        body.append(statement(f"return {', '.join(live)}" if live else "return None"))
        params = self._names_of(self.tower_inputs(part))
        self._part = None
        name = part.name if part is not None else self.tower_name
        head = self._definition(name, params, body, [f"{self.given['variables']}.scope()"])
        if part is not None:
            return head
        return head.with_changes(leading_lines=[cst.EmptyLine(indent=False), *loop.leading_lines])

    def live_names(self, part: TowerPart | None) -> list[str]:
        """What the tower, or a part of it, returns."""
        if part is None:
            return self.live
        bound = {name for leaf in part.keep for name in leaf.flow.writes}
        return [name for name in self.live if name in bound]

    def tower_inputs(self, part: TowerPart | None = None) -> list[Input]:
        """The inputs the tower takes."""
        if part is not None:
            return part.inputs
        needs = self.training.tower_needs.needs | upward_exposed(self.training.tower.loop.body.body)
        return [i for i in self.training.inputs if i.each_tower or set(i.names) & needs]

    def _index_statements(self, loop: cst.For, reads: set[str]) -> list[cst.BaseStatement]:
        names = self.training.kinds.resolver
        target = unwrapped(loop.target)
        if not target_names(loop.target) & reads:
            return []
        own = self.context.need("tower_index")
        if range_count(loop.iter, names) is not None:
            return [statement(f"{target} = {own}()")]
        if _is_enumerate(loop, self.training) and isinstance(loop.target, cst.Tuple):
            assert isinstance(loop.iter, cst.Call)
            index = code_of(loop.target.elements[0].value)
            item = code_of(loop.target.elements[1].value)
            made = [statement(f"{index} = {own}()")]
            if target_names(loop.target.elements[1].value) & reads:
                source = self._rewritten(loop.iter.args[0].value)
                made.append(statement(f"{item} = {_indexable(source)}[{index}]"))
            return made
        return [statement(f"{target} = {_indexable(self._rewritten(loop.iter))}[{own}()]")]

    def _list_heads(self) -> list[cst.BaseStatement]:
        """The lists a tower still fills: empty, as the loop met them."""
        heads: list[cst.BaseStatement] = []
        for name in sorted(self._collected() - set(self._single_append)):
            for leaf in self.training.leaves:
                if leaf.assign is not None and name in leaf.flow.binds and leaf.kind != TOWERS:
                    heads.append(self._rewritten(leaf.node).with_changes(leading_lines=[]))
                    break
        return heads

    # -- statements on the move -------------------------------------------------------------------------------------------

    def moved(self, leaf: Leaf) -> list[cst.BaseStatement]:
        """A statement as it stands in a function: rewritten, and without what TF2 has no use for."""
        if leaf in self.hoisted or self._vanishes(leaf):
            return []
        if self._part is not None and self._is_left_out(leaf):
            return []
        if leaf.inner and (isinstance(leaf.node, cst.If | cst.With)):
            return self._moved_block(leaf)
        return [self._rewritten(leaf.node)]

    def _is_left_out(self, leaf: Leaf) -> bool:
        """Whether a statement of the tower is not in the part being built."""
        assert self._part is not None
        if isinstance(leaf.node, cst.With) and leaf.inner:
            return False  # its statements are asked one by one
        inside = any(leaf is unit for unit in self._tower_leaves())
        return inside and not any(leaf in kept.every() for kept in self._part.keep)

    def _vanishes(self, leaf: Leaf) -> bool:
        if leaf.kind in (INPUT, "dropped") and not leaf.inner:
            return True
        if any(leaf is one.queue_leaf for one in self.training.inputs):
            return True
        if is_reuse_call(leaf.node):
            return True
        for name in leaf.flow.mutates & set(self._single_append) & self._collected():
            if _append_call(leaf.node, name) is not None:
                return True
        return False

    def _moved_block(self, leaf: Leaf) -> list[cst.BaseStatement]:
        node = leaf.node
        if isinstance(node, cst.If) and self.is_first_tower_guard(node):
            return [s for inner in leaf.inner for s in self.moved(inner)]
        if isinstance(node, cst.With):
            body = [s for inner in leaf.inner for s in self.moved(inner)]
            if not body:
                return []
            items = self._kept_items(node)
            if not items:
                return body
            rewritten = self._rewritten(node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()])), node)
            return [rewritten.with_changes(body=node.body.with_changes(body=body))]
        assert isinstance(node, cst.If)
        kept = self._project(node, leaf, every=leaf.kind != MIXED)
        return [kept] if kept is not None else []

    def _kept_items(self, node: cst.With) -> list[cst.WithItem]:
        return [item for item in node.items if not _is_tower_stage(item, self.training)]

    def _project(self, node: cst.If, leaf: Leaf, every: bool) -> cst.If | None:
        """An `if` with what vanishes left out, and, unless `every`, the state that is made elsewhere."""
        by_node = {inner.node: inner for inner in leaf.inner}

        def block(suite: cst.BaseSuite) -> list[cst.BaseStatement]:
            made: list[cst.BaseStatement] = []
            for inner in suite.body:
                found = by_node.get(inner)
                if found is not None and (every or found.kind in (k.TENSOR, MIXED)):
                    made.extend(self.moved(found))
            return made

        body = block(node.body)
        orelse = node.orelse
        other: cst.If | cst.Else | None = None
        if isinstance(orelse, cst.If):
            other = self._project(orelse, leaf, every)
        elif orelse is not None:
            statements = block(orelse.body)
            other = orelse.with_changes(body=cst.IndentedBlock(statements)) if statements else None
        if not body and other is None:
            return None
        test = self._rewritten(node.test)
        return node.with_changes(test=test, body=cst.IndentedBlock(body or [statement("pass")]), orelse=other)

    def _rewritten(self, node, original=None):  # type: ignore[no-untyped-def]
        if original is not None:  # a with block whose body is built already: its items only
            items = [self._rewritten(item) for item in self._kept_items(original)]
            items = [
                item.with_changes(comma=cst.MaybeSentinel.DEFAULT) if place == len(items) - 1 else item
                for place, item in enumerate(items)
            ]
            return original.with_changes(items=items)
        rewriter = TrainingRewriter(self.context, self.training, self.replaced, True, self.given)
        rewriter.now = self._now
        return node.visit(rewriter)

    def rate_function(self, name: str) -> cst.FunctionDef:
        """A learning rate worked out from the step, as the function of nothing that an optimizer takes."""
        body: list[cst.BaseStatement] = []
        for leaf in self.training.rates[name].leaves:
            body.append(self._rewritten(leaf.node))
        small = body[-1].body[0] if isinstance(body[-1], cst.SimpleStatementLine) else None
        if isinstance(small, cst.Assign):
            body[-1] = cst.SimpleStatementLine(
                [cst.Return(small.value)], leading_lines=body[-1].leading_lines
            )  # type: ignore[attr-defined]
        else:
            body.append(statement(f"return {name}"))
        return self._definition(name, [], body, [])

    def plain(self, node: cst.CSTNode) -> cst.BaseStatement:
        """A statement moved into a function as it is, its names brought up to date."""
        made = self._rewritten(node)
        assert isinstance(made, cst.BaseStatement)
        return made

    # -- steps ------------------------------------------------------------------------------------------------------------

    def _names_of(self, inputs: Sequence[Input]) -> list[str]:
        names: list[str] = []
        for one in inputs:
            if one not in self.training.fed_rates:
                names.extend(name for name in one.names if name not in names)
        return names

    def parameters(self, step: Step) -> list[str]:
        """The parameters of a step: its inputs, and the learning rates it is fed."""
        fed = [one.names[0] for one in step.inputs if one in self.training.fed_rates]
        return [
            *self._names_of(step.inputs),
            *(name for name in fed if name not in self._names_of(step.inputs)),
        ]

    def _fed(self, name: str) -> str:
        """The parameter's name: a fed rate hides the rate itself otherwise."""
        return f"{name}_value" if any(name in one.names for one in self.training.fed_rates) else name

    def step_function(
        self, step: Step, returned: list[cst.BaseExpression | None], extra: list[str]
    ) -> cst.FunctionDef:
        """The tf.function of one kind of session call. `returned` holds None where an op was fetched."""
        training = self.training
        rates = self._rates_before_update(step)
        self._now = {name: self.context.fresh(f"{name}_now") for name in rates}
        own = self.parameters(step)
        fed = [f"{n}_value" for n in [*own, *extra] if self._fed(n) != n]
        params = [n for n in dict.fromkeys([*own, *extra]) if self._fed(n) == n]
        outer = [*params, *dict.fromkeys(fed)]
        feeds = [statement(f"{name.removesuffix('_value')}.feed({name})") for name in dict.fromkeys(fed)]
        values = [self._fetched(value) for value in returned if value is not None or len(returned) > 1]
        result = ", ".join(values)
        scope = f"{self.given['variables']}.scope({'' if step.trains else 'update=False'})"
        if not step.uses_towers:
            body = [s for leaf in step.slice.leaves for s in self.moved(leaf)]
            body.append(statement(f"return {result}" if result else "return None"))
            return self._definition(
                step.name, outer, [*feeds, *body], [self._tf_function(step, outer), scope]
            )
        inner: list[cst.BaseStatement] = []
        arguments = ", ".join(self._names_of(self.tower_inputs(step.part)))
        needed = step.part.before if step.part is not None else training.tower_needs
        order = training.leaves
        for leaf in step.slice.leaves:
            if order.index(leaf) < order.index(training.towers_leaf) and self._stands_in_step(
                leaf, step, needed
            ):
                inner.extend(self._in_contexts(leaf, self.moved(leaf)))
        live = ", ".join(self.live_names(step.part))
        tower = step.part.name if step.part is not None else self.tower_name
        inner.append(statement(f"{live} = {tower}({arguments})" if live else f"{tower}({arguments})"))
        inner.extend(self._gathers(step))
        inner.extend(statement(f"{now} = {name}()") for name, now in self._now.items())
        keep = self.given.get("keep_statistics")
        for leaf in step.slice.leaves:
            if order.index(leaf) <= order.index(training.towers_leaf):
                continue
            moved = self.moved(leaf)
            if (
                keep
                and step.trains
                and any(f"{self.context.need('apply_gradients')}(" in code_of(s) for s in moved)
            ):
                inner.append(statement(f"{self.context.need('keep_statistics')}({keep!r})"))
                keep = None
            inner.extend(self._in_contexts(leaf, moved))
        inner.append(statement(f"return {result}" if result else "return None"))
        replica = self._definition("replica_step", params, inner, [scope])
        self._now = {}
        firsts = [self._is_first(value, step) for value in returned if value is not None or len(returned) > 1]
        args = f"({', '.join(params)}{',' if len(params) == 1 else ''})"
        run = (
            f"{self.given['strategy']}.run(replica_step, args={args})"
            if params
            else f"{self.given['strategy']}.run(replica_step)"
        )
        if not result:
            lasts = [statement(run)]
        elif len(set(firsts)) == 1:
            lasts = [statement(f"return {self._pick(firsts[0])}({run})")]
        else:
            parts = [f"{self._pick(first)}(results[{place}])" for place, first in enumerate(firsts)]
            lasts = [statement(f"results = {run}"), statement(f"return {', '.join(parts)}")]
        return self._definition(
            step.name,
            outer,
            [*feeds, replica, lasts[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)]), *lasts[1:]],
            [self._tf_function(step, outer)],
        )

    def _rates_before_update(self, step: Step) -> list[str]:
        """The schedules that the step reads after the update: in TF1 one run had one rate, the update's."""
        after: list[Leaf] | None = None
        for leaf in step.slice.leaves:
            if after is not None:
                after.append(leaf)
            elif leaf.kind != TOWERS and has_update(self.training, leaf):
                after = []
        if after is None or not step.uses_towers:
            return []
        read = {name for leaf in after for name in leaf.flow.reads}
        read |= {name for fetch in step.fetches for name in flow_of(fetch).reads}
        return sorted(name for name in read if self.training.kinds.names.get(name) == k.SCHEDULE)

    def _in_contexts(self, leaf: Leaf, moved: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
        for block in reversed(leaf.contexts):
            if moved:
                moved = [self._rewritten(block).with_changes(body=cst.IndentedBlock(moved), leading_lines=[])]
        return moved

    def _stands_in_step(self, leaf: Leaf, step: Step, needed: Slice) -> bool:
        """Whether a statement before the loop belongs to the step: it is used after the loop, or in it not at all."""
        if step.part is not None:
            return self._used_after(leaf, step)
        return leaf not in needed.leaves or self._used_after(leaf, step)

    def _used_after(self, leaf: Leaf, step: Step) -> bool:
        place = self.training.leaves.index(self.training.towers_leaf)
        after = [other for other in step.slice.leaves if self.training.leaves.index(other) > place]
        wanted = {n for other in after for n in self._reads_after(other)}
        wanted |= {n for fetch in step.fetches for n in flow_of(fetch).reads}
        return bool(leaf.flow.writes & wanted)

    def _gathers(self, step: Step) -> list[cst.BaseStatement]:
        read = {n for leaf in step.slice.leaves if leaf.kind != TOWERS for n in leaf.flow.reads}
        read |= {n for fetch in step.fetches for n in flow_of(fetch).reads}
        made = []
        for name in sorted(self.training.gathered & read):
            gather = self.context.need("gather_towers")
            source = self._single_append.get(name)
            if source is not None:
                value = f"{gather}({source.value})"
            elif self._is_indexed(name):
                value = f"{gather}({name}[{self.context.need('tower_index')}()])"
            else:  # a list that every tower appended to
                value = f"sum({gather}({name}), [])"
            made.append(statement(f"{name} = {value}"))
        return made

    def _pick(self, first: bool) -> str:
        return self.context.need("first_tower" if first else "last_tower")

    def _is_first(self, value: cst.BaseExpression | None, step: Step) -> bool:
        """Whether a fetched value is the first tower's: a summary, or what stood under `if i == 0`."""
        if value is None:
            return False
        names = flow_of(value).reads
        place = self.training.leaves.index(self.training.towers_leaf)
        after = [leaf for leaf in step.slice.leaves if self.training.leaves.index(leaf) > place]
        for leaf in reversed(after):
            if leaf.flow.binds & names:
                if any(
                    s.startswith("tf.summary.") or "merge" in s for s in self.training.effects[leaf].symbols
                ):
                    return True
                names = names | leaf.flow.reads
        return bool(names & self.first_names)

    def _fetched(self, value: cst.BaseExpression | None) -> str:
        if value is None:
            return "None"
        kind = self.training.kinds.of(value)
        code = code_of(self._rewritten(value))
        return f"tf.identity({code})" if kind == k.STATE else code

    def _tf_function(self, step: Step, params: list[str]) -> str:
        specs = self.signature(step, params)
        if specs is None:
            return "tf.function(autograph=False)"
        return f"tf.function(autograph=False, input_signature=[{', '.join(specs)}])"

    def signature(self, step: Step, params: list[str]) -> list[str] | None:
        """The `tf.TensorSpec` of every parameter, where placeholders gave them all; None otherwise."""
        specs: list[str] = []
        for name in params:
            name = name.removesuffix("_value") if self._fed(name.removesuffix("_value")) == name else name
            found = [
                i for i in self.training.inputs if i.kind == k.PLACEHOLDER and i.names == [name] and i.dtype
            ]
            if len(found) != 1:
                return None
            shape = code_of(self._rewritten(found[0].shape)) if found[0].shape is not None else "None"
            assert found[0].dtype is not None
            specs.append(f"tf.TensorSpec({shape}, {code_of(self._rewritten(found[0].dtype))})")
        return specs if specs else None

    def _definition(
        self, name: str, params: Sequence[str], body: Sequence[cst.BaseStatement], decorators: Sequence[str]
    ) -> cst.FunctionDef:
        head = statement(f"def {name}({', '.join(params)}):\n    pass")
        assert isinstance(head, cst.FunctionDef)
        return head.with_changes(
            body=cst.IndentedBlock(list(body)),
            decorators=[cst.Decorator(cst.parse_expression(code)) for code in decorators],
            leading_lines=[cst.EmptyLine(indent=False)],
        )


def _append_call(node: cst.CSTNode, name: str) -> cst.Call | None:
    if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
        return None
    small = node.body[0]
    if m.matches(
        small, m.Expr(m.Call(func=m.Attribute(value=m.Name(name), attr=m.Name("append")), args=[m.Arg()]))
    ):
        assert isinstance(small, cst.Expr) and isinstance(small.value, cst.Call)
        return small.value
    return None


def is_reuse_call(node: cst.CSTNode) -> bool:
    """`tf.get_variable_scope().reuse_variables()` or `scope.reuse_variables()` as a statement."""
    return m.matches(
        node,
        m.SimpleStatementLine(
            body=[m.Expr(m.Call(func=m.Attribute(attr=m.Name("reuse_variables")), args=[]))]
        ),
    )


def _is_enumerate(loop: cst.For, training: Training) -> bool:
    return (
        isinstance(loop.iter, cst.Call)
        and training.kinds.resolver.canonical(loop.iter.func) == "builtins.enumerate"
        and len(loop.iter.args) == 1
    )


def _indexable(node: cst.BaseExpression) -> str:
    code = code_of(node)
    return f"list({code})" if isinstance(node, cst.Call) else code


def _is_tower_stage(item: cst.WithItem, training: Training) -> bool:
    """A with item the strategy stands for: the tower's device, the variable scope in force."""
    call = item.item
    if not isinstance(call, cst.Call):
        return False
    canonical = training.kinds.resolver.canonical(call.func)
    if canonical == "tf.device":
        return any(item is own for own in training.tower.device_with.items)
    return (
        canonical in ("tf.variable_scope",) and is_current_scope(training.kinds, call) and item.asname is None
    )


def _device_text(training: Training) -> str:
    return code_of(training.tower.device).replace('"', "'").replace("\n", " ")
