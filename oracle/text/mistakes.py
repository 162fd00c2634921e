"""Mistakes in documents that do not fit their model, in the project's own words.

>>> from pydantic import BaseModel
>>> class Person(BaseModel):
...     age: int
>>> try:
...     Person.model_validate({"age": "old"})
... except ValidationError as error:
...     mistake = first_mistake(error)
>>> mistake.about(mistake.member)
'age must be a whole number'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

_WORDS: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "string_type": "must be text",
    "string_unicode": "must be text, and has half a character",
    "string_too_short": "must not be empty",
    "string_too_long": "must not be longer than {max_length} characters",
    "string_pattern_mismatch": "must be of the form {pattern}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "model_type": "must have members by name",
    "model_attributes_type": "must have members by name",
    "dict_type": "must have members by name",
    "mapping_type": "must have members by name",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "too_short": "must have at least {min_length} of its kind",
    "date_type": "must be a day, such as 2027-03-31",
    "date_parsing": "must be a day, such as 2027-03-31",
    "date_from_datetime_parsing": "must be a day, such as 2027-03-31",
    "date_from_datetime_inexact": "must be a day, such as 2027-03-31",
}
"""The words for a mistake, by pydantic's name for it."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake."""

    location: tuple[int | str, ...]
    """Its place: the members, and the numbers in lists, that lead to it."""
    kind: str
    """Pydantic's name for the mistake."""
    said: str
    """The text after the place in a message: a blank and a predicate, or a colon and a sentence."""

    @property
    def member(self) -> str:
        """The place in words, `deviations.0.rule`; empty for the document itself."""
        return ".".join(str(part) for part in self.location)

    def about(self, place: str) -> str:
        """Return the sentence about a place."""
        return f"{place}{self.said}"


def first_mistake(error: ValidationError) -> Mistake:
    """Return the first mistake in a document."""
    first = error.errors()[0]
    return Mistake(first["loc"], first["type"], _said(first))


def _said(first: Mapping[str, Any]) -> str:
    """Return the text after the name of a place: a predicate, or a colon and a sentence of its own."""
    context = first.get("ctx", {})
    if first["type"] in ("value_error", "assertion_error"):
        return f": {context['error']}"
    words = _WORDS.get(first["type"])
    return f": {first['msg']}" if words is None else f" {words.format_map(context)}"
