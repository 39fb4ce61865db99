"""A JSON Schema from a tree of dataclasses."""

import enum
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import pytest

from primus.core.config.dataclass_schema import schema_from_dataclass


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Inner:
    size: int = 3


@dataclass
class Outer:
    required: int
    count: int = 1
    rate: float = 0.5
    name: str = "x"
    flag: bool = False
    either: float | int = 1.0
    maybe: str | None = None
    old_maybe: Optional[int] = None  # noqa: UP045 - frameworks write it so
    mode: Literal["a", "b"] = "a"
    maybe_mode: Literal["a", "b"] | None = None
    names: list[str] = field(default_factory=lambda: ["p"])
    nested: list[list[str]] | None = None
    list_or_text: list[str] | str = field(default_factory=list)
    pair: tuple[int, int] = (1, 2)
    many: tuple[str, ...] = ()
    table: dict[str, int] = field(default_factory=dict)
    anything: Any = None
    noted: Annotated[int, "unit"] = 4
    path: Path = Path("/x")
    colour: Colour = Colour.RED
    inner: Inner = field(default_factory=Inner)
    opaque: Any = field(default_factory=object)
    hidden: int = field(default=1, init=False)


def test_every_kind_of_field_has_its_form():
    document = schema_from_dataclass(Outer)
    assert document["type"] == "object" and document["additionalProperties"] is False
    assert document["properties"] == {
        "required": {"type": "integer"},
        "count": {"type": "integer", "default": 1},
        "rate": {"type": "number", "default": 0.5},
        "name": {"type": "string", "default": "x"},
        "flag": {"type": "boolean", "default": False},
        "either": {"type": "number", "default": 1.0},
        "maybe": {"type": ["string", "null"], "default": None},
        "old_maybe": {"type": ["integer", "null"], "default": None},
        "mode": {"enum": ["a", "b"], "default": "a"},
        "maybe_mode": {"enum": ["a", "b", None], "default": None},
        "names": {"type": "array", "items": {"type": "string"}, "default": ["p"]},
        "nested": {
            "anyOf": [
                {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
                {"type": "null"},
            ],
            "default": None,
        },
        "list_or_text": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}], "default": []},
        "pair": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "default": [1, 2]},
        "many": {"type": "array", "items": {"type": "string"}, "default": []},
        "table": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}},
        "anything": {"default": None},
        "noted": {"type": "integer", "default": 4},
        "path": {"type": "string", "default": "/x"},
        "colour": {"enum": ["red", "blue"], "default": "red"},
        "inner": {
            "type": "object",
            "properties": {"size": {"type": "integer", "default": 3}},
            "additionalProperties": False,
        },
        "opaque": {},
    }


def test_a_type_without_a_form_is_refused_with_its_field():
    @dataclass
    class Odd:
        number: complex = 1j

    with pytest.raises(TypeError, match="Odd.number: no JSON Schema for <class 'complex'>"):
        schema_from_dataclass(Odd)


def test_what_is_no_dataclass_is_refused():
    with pytest.raises(TypeError, match="is no dataclass"):
        schema_from_dataclass(int)
