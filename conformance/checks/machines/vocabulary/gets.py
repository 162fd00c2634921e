"""The words of MQGET."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.checks.machines.vocabulary.word import NOTHING, Word, given
from oracle.histories.notation import Reference, Value
from oracle.mqi.constants import MQGMO, MQMO

GET_SYNCPOINTS: Final = (
    NOTHING,
    Word(MQGMO.NO_SYNCPOINT, features=("syncpoint",)),
    Word(MQGMO.SYNCPOINT, features=("syncpoint",)),
    Word(MQGMO.SYNCPOINT, features=("syncpoint",)),
    Word(MQGMO.SYNCPOINT_IF_PERSISTENT, features=("syncpoint", "persistence")),
)
WORKING_GETS: Final = (
    *GET_SYNCPOINTS[1:],
    Word(MQGMO.SYNCPOINT | MQGMO.MARK_SKIP_BACKOUT, features=("syncpoint", "skip-backout", "zos")),
    Word(MQGMO.SYNCPOINT | MQGMO.MARK_SKIP_BACKOUT, features=("syncpoint", "skip-backout", "zos")),
)
"""Mostly within a unit of work."""

REMOVALS: Final = (
    NOTHING,
    NOTHING,
    NOTHING,
    Word(MQGMO.MSG_UNDER_CURSOR, features=("browse", "under-cursor")),
    Word(MQGMO.LOGICAL_ORDER, features=("logical-order",)),
    Word(MQGMO.LOGICAL_ORDER, (("MatchOptions", MQMO.NONE),), features=("logical-order", "match")),
)
WHOLES: Final = (
    NOTHING,
    Word(MQGMO.COMPLETE_MSG, features=("complete-msg",)),
    Word(MQGMO.COMPLETE_MSG, features=("complete-msg",)),
    Word(MQGMO.ALL_SEGMENTS_AVAILABLE, features=("complete-msg",)),
    Word(MQGMO.ALL_MSGS_AVAILABLE, features=("complete-msg",)),
    Word(MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE, features=("complete-msg",)),
)
ORDERS: Final = (NOTHING, Word(MQGMO.LOGICAL_ORDER, features=("logical-order",)))
WAYS: Final = (
    NOTHING,
    NOTHING,
    Word(MQGMO.BROWSE_FIRST, features=("browse",)),
    Word(MQGMO.BROWSE_NEXT, features=("browse",)),
)
"""Whether a call removes or browses what it finds."""

BROWSES: Final = (
    Word(MQGMO.BROWSE_FIRST),
    Word(MQGMO.BROWSE_NEXT),
    Word(MQGMO.BROWSE_NEXT),
    Word(MQGMO.BROWSE_MSG_UNDER_CURSOR, features=("under-cursor",)),
    Word(MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER, features=("logical-order",)),
    Word(MQGMO.BROWSE_NEXT | MQGMO.LOGICAL_ORDER, features=("logical-order",)),
)
PLAIN_BROWSES: Final = BROWSES[:3]
UNMARKED_BROWSES: Final = (
    Word(MQGMO.BROWSE_FIRST | MQGMO.UNMARKED_BROWSE_MSG),
    Word(MQGMO.BROWSE_NEXT | MQGMO.UNMARKED_BROWSE_MSG),
)
LOCKS: Final = (NOTHING, Word(MQGMO.LOCK, features=("lock",)))
MARKS: Final = (
    Word(MQGMO.MARK_BROWSE_HANDLE),
    Word(MQGMO.MARK_BROWSE_CO_OP),
    Word(MQGMO.UNMARKED_BROWSE_MSG),
    Word(MQGMO.UNMARKED_BROWSE_MSG | MQGMO.MARK_BROWSE_HANDLE),
    Word(MQGMO.UNMARKED_BROWSE_MSG | MQGMO.MARK_BROWSE_CO_OP),
    Word(MQGMO.UNMARK_BROWSE_HANDLE),
    Word(MQGMO.UNMARK_BROWSE_CO_OP),
    Word(MQGMO.UNMARK_BROWSE_HANDLE | MQGMO.UNMARK_BROWSE_CO_OP),
)
TRUNCATIONS: Final = (
    NOTHING,
    NOTHING,
    given("truncation", "refused-length", BufferLength=10),
    Word(MQGMO.ACCEPT_TRUNCATED_MSG, (("BufferLength", 10),), ("truncation",)),
)
WHOLE_TRUNCATIONS: Final = (
    given("truncation", "refused-length", BufferLength=25),
    Word(MQGMO.ACCEPT_TRUNCATED_MSG, (("BufferLength", 10),), ("truncation",)),
    Word(MQGMO.ACCEPT_TRUNCATED_MSG, (("BufferLength", 25),), ("truncation",)),
)
"""Buffers that hold a part of the first segment, or of the second."""
DESCRIPTORS: Final = (*[NOTHING] * 3, given("groups", "version-2-members", Version=1))
"""To a version 1 MQMD what it lacks is returned in an MQMDE."""
MATCHES: Final = (
    NOTHING,
    NOTHING,
    NOTHING,
    given("match", CorrelId="c1"),
    given("match", MatchOptions=MQMO.MATCH_CORREL_ID, CorrelId="c2"),
    given("match", MatchOptions=MQMO.MATCH_MSG_ID, CorrelId="c2"),
    given("match", MatchOptions=MQMO.MATCH_MSG_ID, MsgId="e1"),
    given("match", "groups", MatchOptions=MQMO.MATCH_GROUP_ID, GroupId="aa"),
    given("match", "groups", MatchOptions=MQMO.MATCH_MSG_SEQ_NUMBER, MsgSeqNumber=2),
    given(
        "match",
        "groups",
        MatchOptions=MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER,
        GroupId="aa",
        MsgSeqNumber=2,
    ),
    given("match", "segments", MatchOptions=MQMO.MATCH_OFFSET, Offset=20),
)
PROPERTIES: Final = (
    NOTHING,
    Word(MQGMO.NO_PROPERTIES, features=("properties",)),
    Word(MQGMO.PROPERTIES_FORCE_MQRFH2, features=("properties",)),
    Word(MQGMO.PROPERTIES_COMPATIBILITY, features=("properties",)),
    Word(MQGMO.PROPERTIES_AS_Q_DEF, features=("properties",)),
)
WAITED_FOR: Final = (NOTHING, given("match", CorrelId="c1"), given("match", CorrelId="c2"))
"""The selection of a waiting get: mostly something in particular, because it would otherwise end at once."""

CONVERSIONS: Final = (
    NOTHING,
    Word(MQGMO.CONVERT, (("CodedCharSetId", 500),), ("convert",)),
    Word(MQGMO.CONVERT, (("CodedCharSetId", 1208),), ("convert",)),
)
VERSIONS: Final = (*[NOTHING] * 5, given("match", **{"MQGMO.Version": 1}))
"""A version 1 of MQGMO has no MatchOptions: the identifiers select."""

QUIESCINGS: Final = (NOTHING, Word(MQGMO.FAIL_IF_QUIESCING, features=("quiesce",)))

REMOVAL_WORDS: Final = (REMOVALS, GET_SYNCPOINTS, TRUNCATIONS, MATCHES)
"""The groups of a removing get; one word of each is used."""

BROWSE_WORDS: Final = (BROWSES, LOCKS, TRUNCATIONS, MATCHES)
"""The groups of a browse; one word of each is used."""

WHOLE_WORDS: Final = (WHOLES, ORDERS)
"""The groups of a get of groups and whole messages; one word of each is used."""

WAITS: Final = (
    Word(MQGMO.WAIT, (("WaitInterval", -1),)),
    Word(MQGMO.WAIT, (("WaitInterval", 2000),), ("clock",)),
    Word(MQGMO.WAIT, (("WaitInterval", 5000),), ("clock",)),
)
"""The words of a get that waits; the finite ones if the suite can move the clock."""

SIGNALS: Final = tuple(Word(MQGMO.SET_SIGNAL, word.members, word.features) for word in WAITS)
"""The words of a get that sets a signal."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A member by which a message can be selected."""

    member: str
    """The member."""
    match: int
    """Its match option."""
    null: Value
    """The value that a call has which does not care."""
    wrong: Value
    """A value that no message has."""
    features: tuple[str, ...] = ()
    """The features that it needs besides `match`."""


AIMS: Final = (
    Aim("MsgId", MQMO.MATCH_MSG_ID, "00", "f1"),
    Aim("CorrelId", MQMO.MATCH_CORREL_ID, "00", "f2"),
    Aim("GroupId", MQMO.MATCH_GROUP_ID, "00", "f3", ("groups",)),
    Aim("MsgSeqNumber", MQMO.MATCH_MSG_SEQ_NUMBER, 1, 9, ("groups",)),
    Aim("Offset", MQMO.MATCH_OFFSET, 0, 90, ("segments",)),
)
"""The members by which a message of the history is selected."""


def by_token(message: str) -> Word:
    """Return the word that selects a message by the token that an earlier get has returned."""
    return given("match", MatchOptions=MQMO.MATCH_MSG_TOKEN, MsgToken=Reference(message))


ADVANCES_MS: Final = (3000, 7000)
"""Times that are clear of every interval and expiry above, with any tolerance."""
