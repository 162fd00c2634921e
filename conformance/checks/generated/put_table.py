"""The put table: the GroupId, MsgSeqNumber and Offset that a put uses, for every combination of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from conformance.checks.check import Check
from conformance.checks.generated.rows import row
from oracle.model.groups.put_groups import PUT_TABLE

INCONSISTENT: Final = "PTB-13"
"""The rule by which an ordered put without a row is refused."""

_CURRENT: Final = {
    (False, False): "",
    (True, False): "put h a1 LOGICAL_ORDER+NO_SYNCPOINT MsgFlags=MSG_IN_GROUP",
    (False, True): "put h a1 LOGICAL_ORDER+NO_SYNCPOINT MsgFlags=SEGMENT",
    (True, True): "put h a1 LOGICAL_ORDER+NO_SYNCPOINT MsgFlags=MSG_IN_GROUP+SEGMENT",
}
"""The put after which a group, a logical message, both or none are current on the handle."""

_FIELDS: Final = ("", " GroupId=ee", " GroupId=ee MsgSeqNumber=7 Offset=5")


@dataclass(frozen=True, slots=True)
class PutCase:
    """A combination of the columns of the put table."""

    logical_order: bool
    """Whether the put has MQPMO_LOGICAL_ORDER."""
    group: bool
    """Whether its flags put the message in a group."""
    segment: bool
    """Whether its flags make the message a segment."""
    segmentation_allowed: bool
    """Whether it has MQMF_SEGMENTATION_ALLOWED."""
    current_group: bool
    """Whether the handle is within a group before the put."""
    current_message: bool
    """Whether the handle is within a logical message before the put."""

    @property
    def facts(self) -> tuple[bool, ...]:
        """The combination, as a row compares it."""
        current = (self.current_group, self.current_message)
        return (self.logical_order, self.group, self.segment, self.segmentation_allowed, *current)


CASES: Final = tuple(PutCase(*facts) for facts in product((True, False), repeat=6))
"""Every combination."""


def checks() -> Iterator[Check]:
    """Yield a check for each row, and one for the combinations without a row."""
    for number, entry in enumerate(PUT_TABLE, start=1):
        texts = (text for case in CASES if entry.fits(case.facts) for text in histories(case))
        yield row(f"put-table-row-{number}", f"The put table, row {number}", (entry.rule,), texts)
    others = [case for case in CASES if not any(entry.fits(case.facts) for entry in PUT_TABLE)]
    texts = (text for case in others for text in histories(case))
    yield row("put-table-no-row", "Ordered puts that no row of the put table is about", (INCONSISTENT,), texts)


def histories(case: PutCase) -> Iterator[str]:
    """Yield histories in which such a put is made, with other values in its fields each time, and all is read back."""
    begun = _CURRENT[case.current_group, case.current_message]
    words = ["MSG_IN_GROUP"] * case.group + ["SEGMENT"] * case.segment
    words += ["SEGMENTATION_ALLOWED"] * case.segmentation_allowed
    flags = f" MsgFlags={'+'.join(words)}" if words else ""
    order = "LOGICAL_ORDER+NO_SYNCPOINT" if case.logical_order else "NO_SYNCPOINT"
    read = "get r NO_SYNCPOINT MatchOptions=0\n" * 3
    for fields in _FIELDS:
        yield f"h = open Q OUTPUT\nr = open Q INPUT_SHARED\n{begun}\nput h b1 {order}{flags}{fields}\n{read}"
