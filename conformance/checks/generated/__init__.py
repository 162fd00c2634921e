"""Checks generated from tables: those of the documents, so that every cell is visited, and those of meetings.

Those of circumstances are generated from the histories of all other checks.
"""

from __future__ import annotations

from functools import cache

from conformance.checks.check import Check
from conformance.checks.generated import (
    activation,
    circumstances,
    inconsistent_calls,
    meetings,
    option_pairs,
    put_table,
    search_values,
    undefined_options,
)


@cache
def generated_checks() -> tuple[Check, ...]:
    """Return the checks made from the tables, table by table."""
    return (
        *activation.checks(),
        *search_values.checks(),
        *inconsistent_calls.checks(),
        *put_table.checks(),
        *option_pairs.checks(),
        *undefined_options.checks(),
        *meetings.checks(),
        *circumstances.checks(),
    )
