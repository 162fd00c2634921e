"""The types of columns in schemas, and their types in Arrow.

A type is `string`, `int` (32 bits), `long` (64 bits), `boolean`, `double`, `array<type>` or `struct<name: type, ...>`.
A schema gives the types of columns by name, in the order of the columns.

>>> parsed("qmgr string, depths array<long>")
{'qmgr': 'string', 'depths': 'array<long>'}
>>> parts_of("struct<conn: string, calls: array<struct<seq: long>>>")
{'conn': 'string', 'calls': 'array<struct<seq: long>>'}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

Schema = Mapping[str, str]

_ARRAY: Final = "array<"
_STRUCT: Final = "struct<"


def parsed(schema: Schema | str) -> dict[str, str]:
    """Return a schema, which may be written as names and types with a blank between them."""
    if not isinstance(schema, str):
        return dict(schema)
    pairs = (part.split(" ", 1) for part in _split(schema))
    return {name: kind.strip() for name, kind in pairs}


def element_of(kind: str) -> str | None:
    """Return the type of the elements of an array; None for another type."""
    return kind[len(_ARRAY) : -1] if kind.startswith(_ARRAY) else None


def parts_of(kind: str) -> dict[str, str] | None:
    """Return the types of the members of a struct by name; None for another type."""
    if not kind.startswith(_STRUCT):
        return None
    pairs = (part.split(":", 1) for part in _split(kind[len(_STRUCT) : -1]))
    return {name.strip(): part.strip() for name, part in pairs}


def _split(text: str) -> list[str]:
    """Return the parts between the commas that are outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def arrow_type(kind: str) -> pa.DataType:
    """Return the Arrow type of a type."""
    import pyarrow as pa

    element, parts = element_of(kind), parts_of(kind)
    if element is not None:
        return pa.list_(arrow_type(element))
    if parts is not None:
        return pa.struct([(name, arrow_type(part)) for name, part in parts.items()])
    simple = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "boolean": pa.bool_(),
        "double": pa.float64(),
    }
    return simple[kind]


def arrow_schema(schema: Schema | str) -> pa.Schema:
    """Return the Arrow schema of a schema."""
    import pyarrow as pa

    return pa.schema([(name, arrow_type(kind)) for name, kind in parsed(schema).items()])
