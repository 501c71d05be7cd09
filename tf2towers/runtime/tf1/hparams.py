"""`HParams` and `parse_values` of `tf.contrib.training`: named hyperparameters, each of one type."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Mapping
from typing import Any

_NAME = re.compile(r"([A-Za-z][\w.]*)(?:\[\s*(\d+)\s*\])?\s*=\s*")
_VALUE = re.compile(r"(?:\[(?P<several>[^\[\]]*)\]|(?P<one>[^,\[\]]*))(?:,|$)")
_FLAGS = {"true": True, "True": True, "false": False, "False": False}


def parse_values(values: str, type_map: Mapping[str, Any], ignore_unknown: bool = False) -> dict[str, Any]:
    """The assignments in a text: `rate=0.1,sizes=[1,2],size[3]=5`.

    Args:
        values: the text; nothing in it is quoted.
        type_map: the type of each name.
        ignore_unknown: whether a name that has no type is left out.

    Returns:
        By name a value, a list of them, or for `name[index]=value` a dictionary by index.

    Raises:
        ValueError: malformed text, two assignments to one name, a name without a type, or a value of another type.
    """
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        name_there = _NAME.match(values, position)
        value_there = name_there and _VALUE.match(values, name_there.end())
        if not name_there or not value_there:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = value_there.end()
        name, index = name_there.groups()
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        several = value_there["several"]
        texts = [value_there["one"]] if several is None else several.replace(",", " ").split()
        parsed = [_parse(name, type_map[name], text, values) for text in texts]
        value = parsed[0] if several is None else parsed
        places: Any
        place: str | int
        places, place = (found, name) if index is None else (found.setdefault(name, {}), int(index))
        if not isinstance(places, dict) or place in places:
            twice = f"{name}[{index}]" if isinstance(places, dict) and index is not None else name
            raise ValueError(f"Multiple assignments to variable '{twice}' in {values}")
        places[place] = value
    return found


def _parse(name: str, kind: Any, text: str, values: str) -> Any:
    try:
        if kind is bool:
            return _FLAGS[text] if text in _FLAGS else bool(int(text))
        return kind(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}' in {values}"
        ) from None


def _cast(name: str, kind: Any, value: Any) -> Any:
    """The value as the parameter's type, where nothing is lost.

    Raises:
        ValueError: it is of another type.
    """
    if kind is type(None) or (isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)):
        return value
    number = next((each for each in (numbers.Integral, numbers.Real) if issubclass(kind, each)), None)
    wanted = (str, bytes) if kind is str else number
    if kind is bool or wanted is None or isinstance(value, bool) or not isinstance(value, wanted):
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)


class HParams:
    """Hyperparameters as attributes. A list stands for several values of its first element's type.

    Args:
        hparam_def: not served, its protocol buffer ended with `tf.contrib`.
        model_structure: anything, kept for `get_model_structure`.
        kwargs: the parameters and their values.

    Raises:
        NotImplementedError: `hparam_def` is given.
        ValueError: a name that this class has itself, or an empty list.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise NotImplementedError("tf2towers: HParams(hparam_def=...), a protocol buffer of tf.contrib")
        self._hparam_types: dict[str, tuple[Any, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a parameter."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        several = isinstance(value, list | tuple)
        if several and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0] if several else value), several)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives a parameter another value, of its type.

        Raises:
            KeyError: there is no such parameter.
            ValueError: the value is of another type.
        """
        kind, several = self._hparam_types[name]
        if several and not isinstance(value, list):
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        if isinstance(value, list) and not several:
            raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
        setattr(
            self, name, [_cast(name, kind, one) for one in value] if several else _cast(name, kind, value)
        )

    def del_hparam(self, name: str) -> None:
        """Removes a parameter, where there is one of that name."""
        if name in self:
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets what a text assigns, see `parse_values`."""
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets the values of a dictionary."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def parse_json(self, values_json: str) -> HParams:
        """Sets the values of a JSON object."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The values as a JSON object."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter's value; `default` where there is none.

        Raises:
            ValueError: the default is of another type than the parameter.
        """
        if key not in self:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key: str, default: Any) -> None:
        kind, several = self._hparam_types[key]
        text = f"list<{kind}>" if several else str(kind)
        message = f"Hparam '{key}' of type '{text}' is incompatible with default={default}"
        if several != isinstance(default, list):
            raise ValueError(message)
        try:
            for value in default if several else [default]:
                _cast(key, kind, value)
        except ValueError as error:
            raise ValueError(f"{message}. {error}") from error

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps something beside the parameters."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """What `set_model_structure` kept."""
        return self._model_structure

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"HParams({sorted(self.values().items())})"
