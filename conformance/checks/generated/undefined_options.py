"""Undefined options: each bit that belongs to no constant is passed once to each call that takes options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conformance.checks.check import Check
from conformance.checks.generated.rows import row
from oracle.mqi.constants import MQCO, MQGMO, MQMO, MQOO, MQPMO

BITS: Final = tuple(1 << number for number in range(31))
"""Every bit of an MQLONG but the highest: languages differ in how they write the number that has it."""


@dataclass(frozen=True, slots=True)
class UndefinedOptions:
    """A field of a call that holds options."""

    name: str
    """The name of the check."""
    field: str
    """The field, in words."""
    constants: type[MQCO | MQGMO | MQMO | MQOO | MQPMO]
    """The constants of the field."""
    rule: str
    """The rule by which an undefined bit is refused."""
    call: str
    """The line of the call, with a place for the bit."""
    before: str = ""
    """What comes before all calls."""
    after: str = ""
    """What comes after all calls; it shows whether one of them was carried out."""

    @property
    def undefined(self) -> tuple[int, ...]:
        """The bits that belong to no constant."""
        return tuple(bit for bit in BITS if not bit & self.constants.bits())


_HANDLE: Final = "h = open Q BROWSE+INPUT_SHARED+OUTPUT\n"
_MESSAGE: Final = f"{_HANDLE}put h m1 NO_SYNCPOINT\n"
_ONE_LEFT: Final = "get h NO_SYNCPOINT MatchOptions=0\nget h NO_SYNCPOINT MatchOptions=0\n"

TABLE: Final = (
    UndefinedOptions(
        "mqopen", "Options of MQOPEN", MQOO, "OPN-09", "o = open Q INPUT_SHARED+{bit:#x}",
        after="h = open Q INPUT_EXCLUSIVE\n",
    ),
    UndefinedOptions("mqclose", "Options of MQCLOSE", MQCO, "CLO-10", "close h {bit:#x}", _MESSAGE, _ONE_LEFT),
    UndefinedOptions(
        "mqput", "MQPMO.Options of MQPUT", MQPMO, "PUT-06", "put h m1 NO_SYNCPOINT+{bit:#x}", _HANDLE, _ONE_LEFT,
    ),
    UndefinedOptions(
        "mqput1", "MQPMO.Options of MQPUT1", MQPMO, "PUT-06", "put1 Q m1 NO_SYNCPOINT+{bit:#x}", _HANDLE, _ONE_LEFT,
    ),
    UndefinedOptions(
        "mqget", "MQGMO.Options of MQGET", MQGMO, "CHK-07", "get h NO_SYNCPOINT+{bit:#x}", _MESSAGE, _ONE_LEFT,
    ),
    UndefinedOptions(
        "browse", "MQGMO.Options of an MQGET that browses", MQGMO, "CHK-07", "get h BROWSE_FIRST+{bit:#x}", _MESSAGE,
        "get h BROWSE_NEXT MatchOptions=0\n",
    ),
    UndefinedOptions(
        "match", "MQGMO.MatchOptions", MQMO, "MTC-10", "get h NO_SYNCPOINT MatchOptions={bit:#x}", _MESSAGE, _ONE_LEFT,
    ),
)  # fmt: skip  # rows
"""The fields that hold options."""


def checks() -> Iterator[Check]:
    """Yield a check for each field."""
    for entry in TABLE:
        lines = "".join(f"{entry.call.format(bit=bit)}\n" for bit in entry.undefined)
        title = f"{entry.field} with each bit that no constant defines"
        yield row(f"undefined-{entry.name}", title, (entry.rule,), [f"{entry.before}{lines}{entry.after}"])
