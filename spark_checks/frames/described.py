"""Columns with their types and their meanings: a class has an annotation for each, and a sentence beside it."""

from __future__ import annotations

from typing import Annotated, TypeAlias, get_args, get_origin, get_type_hints

String: TypeAlias = Annotated[str, "string"]
Int: TypeAlias = Annotated[int, "int"]
"""A number of 32 bits."""
Long: TypeAlias = Annotated[int, "long"]
"""A number of 64 bits."""
Boolean: TypeAlias = Annotated[bool, "boolean"]


class Columns:
    """Columns of a frame, or the members of a struct, which is a column whose annotation is such a class.

    The annotation of an array is a list of what it holds.

    Each of them may be null: not captured, or not known. If null means something else, the sentence of the column says
    so.
    """


def schema_of(columns: type[Columns]) -> dict[str, str]:
    """Return the types of columns by their names (see spark_checks.frames.types), those of a base class first."""
    return {name: _type(hint) for name, hint in get_type_hints(columns, include_extras=True).items()}


def _type(hint: object) -> str:
    if get_origin(hint) is Annotated:
        return str(get_args(hint)[1])
    if get_origin(hint) is list:
        return f"array<{_type(get_args(hint)[0])}>"
    assert isinstance(hint, type)  # else it is no column
    assert issubclass(hint, Columns)  # likewise
    return f"struct<{', '.join(f'{name}: {kind}' for name, kind in schema_of(hint).items())}>"
