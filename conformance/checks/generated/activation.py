"""Table 1: the waiting calls that a message activates, by the numbers of them with and without a browse option."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from conformance.checks.check import Check
from conformance.checks.generated.rows import row


@dataclass(frozen=True, slots=True)
class ActivationRow:
    """A row of Table 1."""

    number: int
    """Its number in the table."""
    rules: tuple[str, ...]
    """The rules of the row."""
    browsing: tuple[int, ...]
    """The numbers of calls that wait with a browse option: each is tried."""
    removing: tuple[int, ...]
    """The numbers of calls that wait without a browse option: each is tried."""


TABLE_1: Final = (
    ActivationRow(1, ("ACT-01",), (0,), (1, 2)),
    ActivationRow(2, ("ACT-02",), (1, 2), (0,)),
    ActivationRow(3, ("ACT-03", "ACT-04"), (1, 2), (1, 2)),
)
"""The rows, with numbers that stand for none, one and several calls."""


def checks() -> Iterator[Check]:
    """Yield a check for each row."""
    for entry in TABLE_1:
        texts = (_history(*counts) for counts in product(entry.browsing, entry.removing))
        yield row(f"table-1-row-{entry.number}", f"Table 1, row {entry.number}", entry.rules, texts, {"name": "Q"})


def _history(browsing: int, removing: int) -> str:
    """Return a history in which calls wait, two messages arrive, and a browse shows what is left."""
    lines = ["p = open Q OUTPUT+BROWSE"]
    for number in range(browsing):
        lines += [
            f"b{number} = B{number}.open Q BROWSE",
            f"v{number} = get b{number} WAIT+BROWSE_NEXT WaitInterval=-1",
        ]
    for number in range(removing):
        lines += [
            f"r{number} = R{number}.open Q INPUT_SHARED",
            f"w{number} = get r{number} WAIT+NO_SYNCPOINT WaitInterval=-1",
        ]
    lines += [
        "put p m1 NO_SYNCPOINT",
        "get p BROWSE_FIRST",
        "put p m2 NO_SYNCPOINT",
        "get p BROWSE_FIRST",
        "put p m3 NO_SYNCPOINT",
        "get p BROWSE_FIRST",
    ]
    return "\n".join(lines)
