"""The meaning of a field stands beside it, as a string of its own, and not in the docstring of its class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("oracle", "conformance", "spark_checks")


def _is_text(statement: ast.stmt | None) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def fields(made: ast.ClassDef) -> dict[str, bool]:
    """Return the fields of a class, and of each whether a string stands beside it.

    A bare `ClassVar` gives another value to what a class above explains, and is left out.
    """
    following = [*made.body[1:], None]
    return {
        statement.target.id: _is_text(after)
        for statement, after in zip(made.body, following, strict=True)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and ast.unparse(statement.annotation) != "ClassVar"
    }


def unexplained(source: str) -> Iterator[str]:
    """Yield the fields of public classes that have no string beside them."""
    for made in ast.walk(ast.parse(source)):
        if isinstance(made, ast.ClassDef) and not made.name.startswith("_"):
            yield from (f"{made.name}.{name}" for name, beside in fields(made).items() if not beside)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_fields_meaning_stands_beside_it(package: str) -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in sorted((ROOT / package).rglob("*.py"))
        if (names := list(unexplained(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_a_field_without_a_meaning_is_seen() -> None:
    bare = 'class Seen:\n    """A sight."""\n\n    at: int\n'
    assert list(unexplained(bare)) == ["Seen.at"]
    assert list(unexplained(bare + '    """When."""\n')) == []


def test_a_meaning_that_stands_above_is_not_enough() -> None:
    above = 'class Seen:\n    """`at` is when."""\n\n    at: int\n'
    assert list(unexplained(above)) == ["Seen.at"]
    assert list(unexplained(above + '    """When."""\n')) == []


def test_another_value_of_what_a_class_above_explains_needs_no_meaning() -> None:
    assert list(unexplained("class Seen:\n    MOST: ClassVar[int] = 3\n")) == ["Seen.MOST"]
    assert list(unexplained("class Seen(Sight):\n    MOST: ClassVar = 4\n")) == []
