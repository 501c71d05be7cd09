"""Each session call as a tf.function around `strategy.run`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from tf2towers.names.old_names import is_of_summaries
from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.python_code.backward_slices import Slice
from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import code_of, find_all
from tf2towers.program.sessions.steps import has_update
from tf2towers.program.statements.trainer_statement import TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import OPTIMIZER, SCHEDULE, STATE, TENSOR
from tf2towers.program.training import Step, placeholders_of
from tf2towers.rewrites.expressions.fed_types import converts_what_is_fed
from tf2towers.rewrites.files.file_context import parse_statement
from tf2towers.rewrites.functions.moved_statements import without_empty_lines
from tf2towers.rewrites.functions.shared_model import SharedModel, common_beginning, read_after
from tf2towers.rewrites.functions.tower_function import TowerFunctions
from tf2towers.rewrites.statements.unread_names import without_unread_results

#: characters of a list of specs in one line: a decorator's beginning and its place take the rest of a line
LONGEST = 60


class ReplicaBuilder(TowerFunctions):
    """Builds the functions of the migrated program out of the statements of the TF1 graph."""

    _model: SharedModel | None = None

    def name_optimizers(self) -> None:
        """`tf.train.AdamOptimizer(1e-4).minimize(loss)`: an optimizer is state, so each gets a name."""
        self._optimizers: dict[TrainerStatement, list[tuple[str, cst.Call]]] = {}
        for statement in self.training.statements:
            if statement.kind != TENSOR:
                continue
            for call in find_all(statement.node, cst.Call):
                inner = call.func.value if isinstance(call.func, cst.Attribute) else None
                if isinstance(inner, cst.Call) and self.training.value_kinds.of(inner) == OPTIMIZER:
                    name = self.context.fresh("optimizer")
                    self._optimizers.setdefault(statement, []).append((name, inner))
                    self.replaced[inner] = cst.Name(name)

    def optimizers_of(
        self, statement: TrainerStatement, in_place: Callable[[cst.CSTNode], cst.CSTNode]
    ) -> list[cst.BaseStatement]:
        """The statements that make the optimizers of a statement that moves into the steps."""
        made: list[cst.BaseStatement] = []
        for name, call in self._optimizers.get(statement, []):
            kept = self.replaced.pop(call)
            made.append(parse_statement(f"{name} = {code_of(in_place(call))}"))
            self.replaced[call] = kept
        return made

    @property
    def makes_variables(self) -> bool:
        """Whether the program has variables, or anything that comes from them: else it needs no store."""
        training = self.training
        return not training.tower.is_of_devices or any(
            statement.kind == STATE for statement in training.every
        )

    def parameters(self, step: Step) -> list[str]:
        """The parameters of a step: its inputs, and the learning rates it is fed."""
        fed = [input_.names[0] for input_ in step.inputs if input_ in self.training.fed_rates]
        return [
            *self._names_of(step.inputs),
            *(name for name in fed if name not in self._names_of(step.inputs)),
        ]

    def _fed(self, name: str) -> str:
        """The parameter's name; a fed rate gets another one, since it would hide the rate itself."""
        return f"{name}_value" if any(name in rate.names for rate in self.training.fed_rates) else name

    def _split_parameters(self, step: Step, extra: list[str]) -> tuple[list[str], list[str]]:
        """A step's parameters, and those that are values of rates."""
        names = dict.fromkeys([*self.parameters(step), *extra])
        values = [f"{name}_value" for name in names if self._fed(name) != name]
        return [name for name in names if self._fed(name) == name], values

    def share_signatures(self, steps: list[tuple[Step, list[str]]]) -> list[cst.BaseStatement]:
        """Statements that name the signatures of several steps; each step is given with its further parameters."""
        found: dict[tuple[str, ...], int] = {}
        for step, extra in steps:
            params, fed = self._split_parameters(step, extra)
            specs = tuple(self.signature(step, [*params, *fed]) or ())
            found[specs] = found.get(specs, 0) + 1
        shared = [specs for specs, count in found.items() if specs and count > 1]
        self._signatures = {specs: self.context.fresh("signature") for specs in shared}
        return [parse_statement(f"{name} = {_listed(specs)}") for specs, name in self._signatures.items()]

    def share_model(self, steps: list[tuple[Step, list[str]]]) -> list[cst.BaseStatement]:
        """The function of what the steps begin with alike, if they do: it stands before them."""
        statements = common_beginning([step for step, _ in steps])
        if not statements or any(self._split_parameters(*step)[1] for step in steps):
            return []
        body = self._lines_without_towers(statements)
        named = {name.value for line in body for name in find_all(line, cst.Name)}
        parameters = [name for name in self._split_parameters(*steps[0])[0] if name in named]
        bound = {name for statement in statements for name in statement.flow.writes}
        results = sorted(bound & read_after([step for step, _ in steps], statements))
        if not results:
            return []
        self._model = SharedModel(self.context.fresh("model"), statements, parameters, results)
        body[0] = without_empty_lines(body[0])
        doc = parse_statement(f'"""What the steps compute alike: returns {", ".join(results)}."""')
        end = parse_statement(f"return {', '.join(results)}")
        return [self._definition(self._model.name, parameters, [doc, *body, end], [])]

    def _own_statements(self, step: Step) -> list[TrainerStatement]:
        return (
            step.slice.statements[len(self._model.statements) :]
            if self._model is not None
            else step.slice.statements
        )

    def _model_call(self, step: Step) -> list[cst.BaseStatement]:
        if self._model is None:
            return []
        call = f"{self._model.name}({', '.join(self._model.parameters)})"
        return [parse_statement(f"{', '.join(self._model.results)} = {call}")]

    def step_function(
        self, step: Step, returned: list[cst.BaseExpression | None], extra: list[str]
    ) -> cst.FunctionDef:
        """The tf.function of one kind of session call. `returned` holds None where an op was fetched."""
        training = self.training
        rates = self._rates_before_update(step)
        self._now = {name: self.context.fresh(f"{name}_now") for name in rates}
        self._without_towers = not step.uses_towers and training.tower.cluster is None
        params, fed = self._split_parameters(step, extra)
        outer = [*params, *fed]
        feeds = [parse_statement(f"{name.removesuffix('_value')}.feed({name})") for name in fed]
        state_before = self._state_before_update(step, returned)
        values = [
            state_before.get(value) or self._fetched(value)
            for value in returned
            if value is not None or len(returned) > 1
        ]
        result = ", ".join(values)
        end = [parse_statement(f"return {result}")] if result else []
        scope = f"{self.given['variables']}.scope({'' if step.trains else 'update=False'})"
        if not step.uses_towers:
            first = [
                parse_statement(f"{name} = {self._fetched(value)}") for value, name in state_before.items()
            ]
            own = self._lines_without_towers(self._own_statements(step))
            body = without_unread_results([*first, *self._model_call(step), *own, *end])
            if training.tower.cluster is not None:
                decorators = [self._cluster_step(training.tower.cluster, step, outer)]
            else:
                decorators = [self._tf_function(step, outer), *([scope] if self.makes_variables else [])]
                body[0] = body[0] if feeds else without_empty_lines(body[0])
            return self._definition(step.name, outer, [*feeds, *body], decorators)
        inner: list[cst.BaseStatement] = []
        arguments = ", ".join(self._names_of(self.tower_inputs(step.part)))
        needed = step.part.slice_before if step.part is not None else training.tower_needs
        for statement in step.slice.statements:
            if training.stands_before_towers(statement) and self._stands_in_step(statement, step, needed):
                inner.extend(self._in_contexts(statement, self.moved(statement)))
        live = ", ".join(self.live_names(step.part))
        tower = step.part.name if step.part is not None else self.tower_name
        inner.append(parse_statement(f"{live} = {tower}({arguments})" if live else f"{tower}({arguments})"))
        inner.extend(self._gathers(step))
        inner.extend(parse_statement(f"{now} = {name}()") for name, now in self._now.items())
        keep = self.given.get("keep_statistics")
        for statement in training.behind_towers(step.slice.statements):
            moved = self.moved(statement)
            if (
                keep
                and step.trains
                and any(f"{self.context.need('apply_gradients')}(" in code_of(line) for line in moved)
            ):
                inner.append(parse_statement(f"{self.context.need('keep_statistics')}({keep!r})"))
                keep = None
            inner.extend(self._in_contexts(statement, moved))
        replica = self._definition("replica_step", params, without_unread_results([*inner, *end]), [scope])
        self._now = {}
        firsts = [self._is_first(value, step) for value in returned if value is not None or len(returned) > 1]
        lasts = self._run_of_replicas(params, firsts if result else [])
        return self._definition(
            step.name,
            outer,
            [*feeds, replica, lasts[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)]), *lasts[1:]],
            [self._tf_function(step, outer)],
        )

    def _lines_without_towers(self, statements: Sequence[TrainerStatement]) -> list[cst.BaseStatement]:
        """Statements as they stand in a step that runs no tower; a worker's in the blocks that were around them."""
        in_blocks = self.training.tower.cluster is not None
        return [
            line
            for statement in statements
            for line in (
                self._in_contexts(statement, self.moved(statement)) if in_blocks else self.moved(statement)
            )
        ]

    def _run_of_replicas(self, params: list[str], firsts: list[bool]) -> list[cst.BaseStatement]:
        """`strategy.run`, and the return of its results: of each, whether the first tower's or the last one's."""
        args = f"({', '.join(params)}{',' if len(params) == 1 else ''})"
        run = (
            f"{self.given['strategy']}.run(replica_step, args={args})"
            if params
            else f"{self.given['strategy']}.run(replica_step)"
        )
        if not firsts:
            return [parse_statement(run)]
        if len(set(firsts)) == 1:
            return [parse_statement(f"return {self._pick(firsts[0])}({run})")]
        parts = [f"{self._pick(first)}(results[{place}])" for place, first in enumerate(firsts)]
        return [parse_statement(f"results = {run}"), parse_statement(f"return {', '.join(parts)}")]

    def _state_before_update(
        self, step: Step, returned: list[cst.BaseExpression | None]
    ) -> dict[cst.BaseExpression | None, str]:
        """Names for the variables that a worker fetches with the update: TF1 sent it their values first."""
        if self.training.tower.cluster is None or not step.trains:
            return {}
        return {
            value: self.context.fresh(f"{value.value}_before")
            for value in returned
            if isinstance(value, cst.Name) and self.training.value_kinds.of(value) in (STATE, SCHEDULE)
        }

    def _rates_before_update(self, step: Step) -> list[str]:
        """The schedules that the step reads after the update: in TF1 one run had one rate, the update's."""
        after: list[TrainerStatement] | None = None
        for statement in step.slice.statements:
            if after is not None:
                after.append(statement)
            elif statement.kind != TOWERS and has_update(self.training, statement):
                after = []
        if after is None or not step.uses_towers:
            return []
        read = {name for statement in after for name in statement.flow.reads}
        read |= {name for fetch in step.fetches for name in flow_of(fetch).reads}
        return sorted(name for name in read if self.training.value_kinds.names.get(name) == SCHEDULE)

    def _in_contexts(
        self, statement: TrainerStatement, moved: list[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        for block in reversed(statement.contexts):
            if moved:
                moved = [self._rewritten(block).with_changes(body=cst.IndentedBlock(moved), leading_lines=[])]
        return moved

    def _stands_in_step(self, statement: TrainerStatement, step: Step, needed: Slice) -> bool:
        """Whether a statement before the loop belongs to the step: it is used after the loop, or in it not at all."""
        if step.part is not None:
            return self._used_after(statement, step)
        return statement not in needed.statements or self._used_after(statement, step)

    def _used_after(self, statement: TrainerStatement, step: Step) -> bool:
        after = self.training.behind_towers(step.slice.statements)
        wanted = {name for other in after for name in self._reads_after(other)}
        wanted |= {name for fetch in step.fetches for name in flow_of(fetch).reads}
        return bool(statement.flow.writes & wanted)

    def _gathers(self, step: Step) -> list[cst.BaseStatement]:
        read = {
            name
            for statement in step.slice.statements
            if statement.kind != TOWERS
            for name in statement.flow.reads
        }
        read |= {name for fetch in step.fetches for name in flow_of(fetch).reads}
        made = []
        for name in sorted(self.training.gathered & read):
            gather = self.context.need("gather_towers")
            source = self._single_append.get(name)
            if source is not None:
                value = f"{gather}({source.value})"
            else:  # a list that every tower appended to
                value = f"sum({gather}({name}), [])"
            made.append(parse_statement(f"{name} = {value}"))
        return made

    def _pick(self, first: bool) -> str:
        return self.context.need("first_tower" if first else "last_tower")

    def _is_first(self, value: cst.BaseExpression | None, step: Step) -> bool:
        """Whether a fetched value is the first tower's: computed there alone, or a summary."""
        if value is None:
            return False
        names = flow_of(value).reads
        if names & self.training.body.of_first_tower:
            return True
        for statement in reversed(self.training.behind_towers(step.slice.statements)):
            if statement.flow.binds & names:
                if any(map(is_of_summaries, self.training.effects[statement].symbols)):
                    return True
                names = names | statement.flow.reads
        return False

    def _fetched(self, value: cst.BaseExpression | None) -> str:
        if value is None:
            return "None"
        kind = self.training.value_kinds.of(value)
        code = code_of(self._rewritten(value))
        return f"tf.identity({code})" if kind == STATE else code

    def _tf_function(self, step: Step, params: list[str]) -> str:
        specs = self.signature(step, params)
        if specs is None:
            return "tf.function(autograph=False)"
        return f"tf.function(autograph=False, input_signature={self._signature_text(specs)})"

    def _cluster_step(self, cluster: Cluster, step: Step, params: list[str]) -> str:
        """`server.step(variables, input_signature=[...])`: a step of a worker."""
        parts = [self.given["variables"]]
        specs = self.signature(step, params)
        if specs is not None:
            parts.append(f"input_signature={self._signature_text(specs)}")
        if not step.trains:
            parts.append("update=False")
        return f"{cluster.name}.step({', '.join(parts)})"

    def _signature_text(self, specs: list[str]) -> str:
        """The name that several steps' signature has, or the list."""
        return self._signatures.get(tuple(specs)) or _listed(specs)

    def signature(self, step: Step, params: list[str]) -> list[str] | None:
        """The spec of every parameter, where placeholders gave them all; None otherwise."""
        specs: list[str] = []
        for name in params:
            rate = name.removesuffix("_value")
            own = rate if self._fed(rate) == name else name
            found = [
                placeholder
                for placeholder in placeholders_of(step, own, self.training)
                if placeholder.dtype is not None
            ]
            if len(found) != 1:
                return None
            shape = code_of(self._rewritten(found[0].shape)) if found[0].shape is not None else "None"
            assert found[0].dtype is not None
            dtype = code_of(self._rewritten(found[0].dtype))
            # steps of a cluster convert what they are given
            converts = self.training.tower.cluster is None and converts_what_is_fed(dtype)
            kind = self.context.need("FedTensorSpec") if converts else "tf.TensorSpec"
            specs.append(f"{kind}({shape}, {dtype})")
        return specs if specs else None


def _listed(specs: Sequence[str]) -> str:
    """A list of specs, in rows where it is long."""
    line = f"[{', '.join(specs)}]"
    return line if len(line) <= LONGEST else "[" + "".join(f"\n    {spec}," for spec in specs) + "\n]"
