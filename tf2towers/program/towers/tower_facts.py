"""What is certain of the loop's body, for the rewrites to read."""

from __future__ import annotations

from tf2towers.certain.building import Building
from tf2towers.certain.placements import placements
from tf2towers.certain.queues import queued
from tf2towers.certain.tower_body import tower_bodies
from tf2towers.exact.program import Program
from tf2towers.program.training import TowerFacts


def tower_facts(source: Program) -> TowerFacts:
    """The facts of the program's one tower loop, or of its worker; none where it has several."""
    building = Building(source)
    batches = queued(building)
    maker = building.functions_named(batches.file, batches.function)[0][1] if batches is not None else None
    bodies = [body for file, _, body in tower_bodies(building) if file is source.main]
    if len(bodies) != 1:
        return TowerFacts(batches=None if building.loops else maker)
    (body,) = bodies
    return TowerFacts(
        frozenset(body.flags),
        frozenset(body.lists_bound_again),
        frozenset(body.optimizers),
        frozenset(name for names in body.of_first_tower.values() for name in names),
        frozenset(function.name for function in placements(building)),
        maker,
        batches is not None and batches.prefetched is not None,
    )
