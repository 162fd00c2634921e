"""What the state machine may say, as data: few values of everything, so that calls meet often and shrink well.

Each word is drawn only if the target claims the feature that stands with it. Repeated values are drawn more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from oracle.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO
from oracle.notation import Value

Members = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Word:
    """Options and members that are said together, and the features without which they are not said."""

    options: int = 0
    members: Members = ()
    features: tuple[str, ...] = ()

    def __add__(self, other: Word) -> Word:
        return Word(self.options | other.options, self.members + other.members)


NOTHING: Final = Word()


def said(words: Sequence[Word], features: frozenset[str]) -> list[Word]:
    """Return the words that a target with these features may be told; saying nothing is always one of them."""
    return [word for word in words if features.issuperset(word.features)] or [NOTHING]


CONNECTIONS: Final = ("A", "B", "B", "C")
QUEUES: Final = ("Q", "Q", "F")
HANDLES_MOST: Final = 5
MESSAGES_MOST: Final = 8
"""How many handles and messages there are at most: few, so that they meet."""

_ALL: Final = MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET

OPENINGS: Final = (
    Word(_ALL, features=("browse", "inquire")),
    Word(_ALL, features=("browse", "inquire")),
    Word(MQOO.INPUT_SHARED | MQOO.OUTPUT),
    Word(MQOO.BROWSE | MQOO.INPUT_AS_Q_DEF, features=("browse",)),
    Word(MQOO.BROWSE | MQOO.OUTPUT, features=("browse",)),
    Word(MQOO.INPUT_EXCLUSIVE),
)

PUT_SYNCPOINTS: Final = (
    NOTHING,
    Word(MQPMO.NO_SYNCPOINT, features=("syncpoint",)),
    Word(MQPMO.SYNCPOINT, features=("syncpoint",)),
)
PRIORITIES: Final = (
    NOTHING,
    Word(members=(("Priority", 1),), features=("priority",)),
    Word(members=(("Priority", 5),), features=("priority",)),
)
PERSISTENCES: Final = (NOTHING, NOTHING, Word(members=(("Persistence", 1),), features=("persistence",)))
EXPIRIES: Final = (NOTHING, NOTHING, NOTHING, Word(members=(("Expiry", 50),), features=("expiry",)))
LENGTHS: Final = (NOTHING, Word(members=(("Length", 20),), features=("truncation",)))
CORREL_IDS: Final = (
    NOTHING,
    Word(members=(("CorrelId", "c1"),), features=("match",)),
    Word(members=(("CorrelId", "c2"),), features=("match",)),
)
MESSAGE_WORDS: Final = (PUT_SYNCPOINTS, PRIORITIES, PERSISTENCES, EXPIRIES, LENGTHS, CORREL_IDS)
"""One word of each is said with a put."""


def _flags(flags: int, *features: str) -> Word:
    return Word(members=(("MsgFlags", flags),), features=features)


GROUP_FLAGS: Final = (
    _flags(MQMF.MSG_IN_GROUP),
    _flags(MQMF.MSG_IN_GROUP),
    _flags(MQMF.LAST_MSG_IN_GROUP),
    _flags(MQMF.SEGMENT, "segments"),
    _flags(MQMF.LAST_SEGMENT, "segments"),
)
GROUP_IDS: Final = (NOTHING, Word(members=(("GroupId", "aa"),)), Word(members=(("GroupId", "bb"),)))
GROUP_NUMBERS: Final = (NOTHING, Word(members=(("MsgSeqNumber", 2),)), Word(members=(("MsgSeqNumber", 3),)))
OFFSETS: Final = (NOTHING, NOTHING, Word(members=(("Offset", 20),), features=("segments",)))
GROUP_SYNCPOINTS: Final = (NOTHING, *PUT_SYNCPOINTS[-1:] * 2)
GROUP_WORDS: Final = (GROUP_FLAGS, GROUP_IDS, GROUP_NUMBERS, OFFSETS, PUT_SYNCPOINTS)
"""One word of each is said with a put of a message whose place in a group is given by hand."""


@dataclass(frozen=True, slots=True)
class Run:
    """The MsgFlags of puts in logical order, one after the other."""

    flags: tuple[int, ...]
    features: tuple[str, ...] = ("groups",)


_IN, _LAST, _SEGMENT, _LAST_SEGMENT = MQMF.MSG_IN_GROUP, MQMF.LAST_MSG_IN_GROUP, MQMF.SEGMENT, MQMF.LAST_SEGMENT

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

GET_SYNCPOINTS: Final = (
    NOTHING,
    Word(MQGMO.NO_SYNCPOINT, features=("syncpoint",)),
    Word(MQGMO.SYNCPOINT, features=("syncpoint",)),
    Word(MQGMO.SYNCPOINT, features=("syncpoint",)),
    Word(MQGMO.SYNCPOINT_IF_PERSISTENT, features=("syncpoint", "persistence")),
)
REMOVALS: Final = (
    NOTHING,
    NOTHING,
    NOTHING,
    Word(MQGMO.MSG_UNDER_CURSOR, features=("browse",)),
    Word(MQGMO.LOGICAL_ORDER, features=("logical-order",)),
    Word(MQGMO.LOGICAL_ORDER, (("MatchOptions", MQMO.NONE),), features=("logical-order", "match")),
)
BROWSES: Final = (
    Word(MQGMO.BROWSE_FIRST),
    Word(MQGMO.BROWSE_NEXT),
    Word(MQGMO.BROWSE_NEXT),
    Word(MQGMO.BROWSE_MSG_UNDER_CURSOR),
    Word(MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER, features=("logical-order",)),
    Word(MQGMO.BROWSE_NEXT | MQGMO.LOGICAL_ORDER, features=("logical-order",)),
)
LOCKS: Final = (NOTHING, Word(MQGMO.LOCK, features=("lock",)))
TRUNCATIONS: Final = (
    NOTHING,
    NOTHING,
    Word(members=(("BufferLength", 10),), features=("truncation",)),
    Word(MQGMO.ACCEPT_TRUNCATED_MSG, (("BufferLength", 10),), ("truncation",)),
)
MATCHES: Final = (
    NOTHING,
    NOTHING,
    NOTHING,
    Word(members=(("CorrelId", "c1"),), features=("match",)),
    Word(members=(("MatchOptions", MQMO.MATCH_CORREL_ID), ("CorrelId", "c2")), features=("match",)),
    Word(members=(("MatchOptions", MQMO.MATCH_MSG_ID), ("CorrelId", "c2")), features=("match",)),
    Word(members=(("MatchOptions", MQMO.MATCH_GROUP_ID), ("GroupId", "aa")), features=("match", "groups")),
    Word(members=(("MatchOptions", MQMO.MATCH_MSG_SEQ_NUMBER), ("MsgSeqNumber", 2)), features=("match", "groups")),
    Word(
        members=(
            ("MatchOptions", MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER),
            ("GroupId", "aa"),
            ("MsgSeqNumber", 2),
        ),
        features=("match", "groups"),
    ),
    Word(members=(("MatchOptions", MQMO.MATCH_OFFSET), ("Offset", 20)), features=("match", "segments")),
)
WAITED_FOR: Final = (
    NOTHING,
    Word(members=(("CorrelId", "c1"),), features=("match",)),
    Word(members=(("CorrelId", "c2"),), features=("match",)),
)
"""What a waiting get looks for: mostly something in particular, or it would end at once."""

REMOVAL_WORDS: Final = (REMOVALS, GET_SYNCPOINTS, TRUNCATIONS, MATCHES)
"""One word of each is said with a get that removes."""

BROWSE_WORDS: Final = (BROWSES, LOCKS, TRUNCATIONS, MATCHES)
"""One word of each is said with a browse."""

WAITS: Final = (
    Word(MQGMO.WAIT, (("WaitInterval", -1),)),
    Word(MQGMO.WAIT, (("WaitInterval", 2000),), ("clock",)),
    Word(MQGMO.WAIT, (("WaitInterval", 5000),), ("clock",)),
)
"""One is said with a get that waits; the finite ones where the suite can move the clock."""

ADVANCES_MS: Final = (3000, 7000)
"""Times that fall clear of every interval and expiry above, whatever the tolerance."""

INHIBITS: Final = ((("InhibitGet", 1),), (("InhibitGet", 0),), (("InhibitPut", 1),), (("InhibitPut", 0),))
INQUIRIES: Final = (
    ("CurrentQDepth",),
    ("CurrentQDepth", "OpenInputCount", "OpenOutputCount"),
    ("InhibitGet", "InhibitPut"),
)
