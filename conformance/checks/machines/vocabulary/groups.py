"""The words of puts of groups and segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.checks.machines.vocabulary.puts import PUT_SYNCPOINTS
from conformance.checks.machines.vocabulary.word import NOTHING, Word, given
from oracle.mqi.constants import MQMF


def _flags(flags: int, *features: str) -> Word:
    return Word(members=(("MsgFlags", flags),), features=features)


_IN, _LAST, _SEGMENT, _LAST_SEGMENT = MQMF.MSG_IN_GROUP, MQMF.LAST_MSG_IN_GROUP, MQMF.SEGMENT, MQMF.LAST_SEGMENT

GROUP_FLAGS: Final = (
    _flags(_IN),
    _flags(_IN),
    _flags(_LAST),
    _flags(_SEGMENT, "segments"),
    _flags(_LAST_SEGMENT, "segments"),
)
GROUP_IDS: Final = (NOTHING, given(GroupId="aa"), given(GroupId="bb"))
GROUP_NUMBERS: Final = (NOTHING, given(MsgSeqNumber=2), given(MsgSeqNumber=3))
OFFSETS: Final = (NOTHING, NOTHING, given("segments", Offset=20))
GROUP_SYNCPOINTS: Final = (NOTHING, *PUT_SYNCPOINTS[-1:] * 2)
GROUP_WORDS: Final = (GROUP_FLAGS, GROUP_IDS, GROUP_NUMBERS, OFFSETS, PUT_SYNCPOINTS)
"""The groups of a put with its place in a group set explicitly; one word of each is used."""

SPLITTING: Final = (
    _flags(MQMF.SEGMENTATION_ALLOWED, "segments"),
    _flags(MQMF.SEGMENTATION_ALLOWED, "segments"),
    NOTHING,
)
SPLIT_LENGTHS: Final = (NOTHING, given(Length=33), given(Length=50), given(Length=70))


@dataclass(frozen=True, slots=True)
class Run:
    """Puts in logical order, one after the other."""

    flags: tuple[int, ...]
    """The MsgFlags of each."""
    features: tuple[str, ...] = ("groups",)
    """The features that they need."""


GROUP_RUNS: Final = (
    Run((_IN,)),
    Run((_IN, _IN)),
    Run((_IN, _LAST)),
    Run((_IN, _IN, _LAST)),
    Run((_LAST,)),
    Run((_SEGMENT,), ("segments",)),
    Run((_SEGMENT, _LAST_SEGMENT), ("segments",)),
    Run((_IN | _SEGMENT, _IN | _LAST_SEGMENT, _LAST), ("groups", "segments")),
)
"""Whole groups and parts of them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A whole group or segmented message."""

    parts: tuple[tuple[int, int, int], ...]
    """MsgFlags, MsgSeqNumber and Offset of each part."""
    features: tuple[str, ...] = ("groups",)
    """The features that it needs."""


PART_LENGTH: Final = 20
"""The number of bytes of each part of a shape."""

SHAPES: Final = (
    Shape(((_IN, 1, 0), (_LAST, 2, 0))),
    Shape(((_IN, 1, 0), (_IN, 2, 0), (_LAST, 3, 0))),
    Shape(((_IN, 1, 0), (_IN, 2, 0), (_IN, 3, 0), (_LAST, 4, 0))),
    Shape(((_LAST_SEGMENT, 1, 0),), ("segments",)),
    Shape(((_SEGMENT, 1, 0), (_LAST_SEGMENT, 1, 20)), ("segments",)),
    Shape(((_SEGMENT, 1, 0), (_SEGMENT, 1, 20), (_LAST_SEGMENT, 1, 40)), ("segments",)),
    Shape(
        ((_IN | _SEGMENT, 1, 0), (_IN | _LAST_SEGMENT, 1, 20), (_LAST, 2, 0)),
        ("groups", "segments"),
    ),
    Shape(
        ((_IN, 1, 0), (_LAST | _SEGMENT, 2, 0), (_LAST | _LAST_SEGMENT, 2, 20)),
        ("groups", "segments"),
    ),
)
"""Groups that are put in any order, or with a part left out."""


def part(group: str, at: tuple[int, int, int]) -> Word:
    """Return the word for one part of a shape in a group."""
    flags, number, offset = at
    members = (("MsgFlags", flags), ("GroupId", group), ("MsgSeqNumber", number), ("Offset", offset))
    return Word(members=(*members, ("Length", PART_LENGTH)))
