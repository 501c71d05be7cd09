"""`tf.train.replica_device_setter` as the device that a `with` enters: its scope is a strategy of parameter servers."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod.certainty import is_certain
from tf2towers.codemod.nodes import is_name, is_plain, names_in, only_target
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.towers.loops import find_tower_loops
from tf2towers.codemod.towers.scopes import begins_a_line, find_withs_around

SETTER = "tf.train.replica_device_setter"


@dataclass(frozen=True)
class Setter:
    """A setter whose device is entered.

    Attributes:
        call: the call that makes it.
        devices: the calls of `tf.device` that are given it.
        target: the name that it has, if it has one.
    """

    call: cst.Call
    devices: tuple[cst.Call, ...]
    target: cst.Name | None = None


@found_once
def find_entered_setters(file: File) -> list[Setter]:
    """Each `tf.device(tf.train.replica_device_setter(...))`, and each setter with a name that is only entered."""
    return [*_find_inline_setters(file), *_find_named_setters(file)]


def setter_around(file: File, node: cst.CSTNode) -> tuple[Setter, cst.With] | None:
    """The setter whose device is entered around a node, in its function, and the innermost `with` that enters it.

    Its strategy has a name.
    """
    entered = {device: setter for setter in find_entered_setters(file) for device in setter.devices}
    for around in find_withs_around(file, node):
        for call in (item.item for item in around.items if isinstance(item.item, cst.Call)):
            setter = entered.get(call)
            if setter is not None and (setter.target or find_with_to_precede(file, call, setter.call)):
                return setter, around
    return None


@found_once
def find_devices(file: File) -> list[cst.Call]:
    """The calls of `tf.device` with one argument that are not those of towers."""
    # a setter in a loop is for the tower's GPU
    loops = {loop.node for loop in find_tower_loops(file)}
    return [
        call
        for call in file.all(cst.Call)
        if len(call.args) == 1
        and is_plain(call.args[0])
        and file.called(call) == "tf.device"
        and not loops & set(file.ancestors(call))
    ]


def find_with_to_precede(file: File, call: cst.Call, device: cst.Call) -> cst.With | None:
    """The `with` before which the strategy of a device can be made; None where it would not certainly be the same.

    It is the same if the device is the first that the `with` enters, or if its arguments mean the same before.

    Args:
        file: the file.
        call: the call of `tf.device`.
        device: what has the arguments: that call, or the setter in it.
    """
    item = file.parent(call)
    around = file.parent(item) if isinstance(item, cst.WithItem) else item
    if not isinstance(around, cst.With) or around.asynchronous or not begins_a_line(file, around):
        return None
    if around.items[0] is item:
        return around if isinstance(around.lpar, cst.MaybeSentinel) else None
    bound = names_in(*(each.asname for each in around.items if each.asname))
    names = names_in(*(given.value for given in device.args))
    first = file.text.first_line(device.args[0] if device.args else device)
    on_one_line = not device.args or first == file.text.last_line(device)
    certain = all(is_certain(file, given.value, value=True) for given in device.args)
    return around if certain and on_one_line and bound.isdisjoint(names) else None


def _find_inline_setters(file: File) -> list[Setter]:
    found = []
    for call in find_devices(file):
        setter = call.args[0].value
        if isinstance(setter, cst.Call) and file.called(setter) == SETTER:
            alone = setter.with_changes(args=[], whitespace_before_args=cst.SimpleWhitespace(""))
            if not m.findall(call.deep_replace(setter, alone), m.Comment()):
                found.append(Setter(setter, (call,)))
    return found


def _find_named_setters(file: File) -> list[Setter]:
    by_use = {
        call.args[0].value: call for call in find_devices(file) if isinstance(file.parent(call), cst.WithItem)
    }
    found = []
    for statement in file.all(cst.Assign):
        target, setter = only_target(statement), statement.value
        if not is_name(target) or not isinstance(setter, cst.Call) or file.called(setter) != SETTER:
            continue
        home = file.meanings.home_of(target)
        if not setter.args or file.meanings.values(target) != [setter]:
            continue
        if home is file.meanings.module and not file.main:
            continue
        uses = [use for use in file.meanings.uses(target) if use is not target]
        if uses and all(use in by_use for use in uses):
            found.append(Setter(setter, tuple(by_use[use] for use in uses), target))
    return found
