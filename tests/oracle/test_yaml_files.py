"""YAML files of users: what cannot be a value is told with its line, and nothing else is raised."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from oracle.errors import BadInputError
from oracle.text.yaml_files import parse_yaml


class Document(BaseModel):
    """Two members of any kind."""

    first: Any = None
    second: Any = None


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2026-99-01", "2026-99-01: month must be in 1..12"),
        ("2026-01-01T99:00:00Z", "hour must be in 0..23"),
        ("9" * 5000, f"{'9' * 40}: Exceeds the limit"),
        ("!!int abc", "abc: invalid literal"),
        ("!!int ''", "'' is no int"),
        ("!!float ''", "'' is no float"),
        ("!!bool maybe", "'maybe' is no bool"),
        ("!!timestamp soon", "'soon' is no timestamp"),
        ("!!map [1]", "expected a mapping node"),
        ("!!int [1]", "expected a scalar node"),
        ("\ud800", "it has half a character"),
        ("{a: 1, a: 2}", "a is given twice"),
    ],
)
def test_a_value_that_cannot_be_is_told_with_its_line(value: str, told: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_yaml(f"first: 1\nsecond: {value}\n", "file.yaml", Document)
    assert str(caught.value).startswith("file.yaml:2: ")
    assert told in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_character_that_no_yaml_has_is_told() -> None:
    with pytest.raises(BadInputError, match=r"not YAML: .+"):
        parse_yaml("first: \0", "file.yaml", Document)
