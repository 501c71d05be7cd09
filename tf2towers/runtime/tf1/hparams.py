"""`tf.contrib.training.HParams`: named hyperparameters, each of one type."""

import json
import numbers
import re
from collections.abc import Mapping
from typing import Any

_ASSIGNMENT = re.compile(
    r"(?P<name>[A-Za-z][\w.]*)\s*=\s*(?:\[(?P<several>[^\[\]]*)\]|(?P<one>[^,\[\]]*))(?:,\s*|$)"
)
_FLAGS = {"true": 1, "True": 1, "false": 0, "False": 0}


def _cast(kind: Any, value: Any) -> Any:
    """The value as that type, where nothing is lost; a ValueError where it is of another type."""
    if kind is type(None) or (isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)):
        return value
    number = next((each for each in (numbers.Integral, numbers.Real) if issubclass(kind, each)), None)
    wanted = (str, bytes) if kind is str else number
    if kind is bool or wanted is None or isinstance(value, bool) or not isinstance(value, wanted):
        raise ValueError(f"{value!r} is not of {kind}")
    return kind(value)


class HParams:
    """Hyperparameters as attributes. A list stands for several values of its first element's type.

    Args:
        hparam_def: not served, its protocol buffer ended with `tf.contrib`: a NotImplementedError.
        model_structure: anything, kept for `get_model_structure`.

    A name that this class has itself, or an empty list, is a ValueError.
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
        several = isinstance(value, list | tuple)
        if getattr(self, name, None) is not None or (several and not value):
            raise ValueError(f"HParams cannot have {name}={value!r}: the name is taken, or the list empty")
        self._hparam_types[name] = (type(value[0] if several else value), several)
        setattr(self, name, value)

    def _checked(self, name: str, value: Any) -> Any:
        """The value in the parameter's type: a KeyError without one, a ValueError of another."""
        kind, several = self._hparam_types[name]
        if several != isinstance(value, list):
            raise ValueError(f"{name} takes {'a list' if several else 'one value'}, and this is {value!r}")
        return [_cast(kind, one) for one in value] if several else _cast(kind, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives a parameter another value, of its type, see `_checked`."""
        setattr(self, name, self._checked(name, value))

    def del_hparam(self, name: str) -> None:
        """Removes a parameter, where there is one of that name."""
        if self._hparam_types.pop(name, None) is not None:
            delattr(self, name)

    def parse(self, values: str) -> "HParams":
        """Sets what a text assigns, `rate=0.1,sizes=[1,2]`; nothing in it is quoted.

        Raises:
            ValueError: malformed text, two assignments to one name, an unknown name, or a value of
                another type.
        """
        found: dict[str, Any] = {}
        position = 0
        while position < len(values):
            there = _ASSIGNMENT.match(values, position)
            if there is None or there["name"] not in self or there["name"] in found:
                raise ValueError(f"no hyperparameter is assigned, or one twice, in {values[position:]!r}")
            (kind, _), one, several = self._hparam_types[there["name"]], there["one"], there["several"]
            texts = (several or "").replace(",", " ").split() if one is None else [one]
            parsed = [bool(int(_FLAGS.get(text, text))) if kind is bool else kind(text) for text in texts]
            found[there["name"]] = parsed if one is None else parsed[0]
            position = there.end()
        return self.override_from_dict(found)

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> "HParams":
        """Sets the values of a dictionary."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def parse_json(self, values_json: str) -> "HParams":
        """Sets the values of a JSON object."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The values as a JSON object."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter's value; `default`, which has to be of its type, where there is none."""
        if key not in self:
            return default
        if default is not None:
            self._checked(key, default)
        return getattr(self, key)

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
