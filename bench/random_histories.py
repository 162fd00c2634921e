"""Random histories in the notation: all kinds of calls, options and attributes, over few names so that they meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQPMO
from oracle.mqi.profile import PLATFORMS, PlatformName

SHORTEST: Final = 6
LONGEST: Final = 20

_MESSAGES: Final = ("m1", "m2", "m3", "m4")
_HANDLES: Final = ("h", "h", "h", "i", "g", "g", "r", "s")

_GET_WORDS: Final = (
    "", "", "", "SYNCPOINT", "SYNCPOINT", "NO_SYNCPOINT", "SYNCPOINT_IF_PERSISTENT", "BROWSE_FIRST", "BROWSE_NEXT",
    "BROWSE_NEXT", "BROWSE_FIRST+LOCK", "BROWSE_NEXT+LOCK", "BROWSE_MSG_UNDER_CURSOR", "BROWSE_MSG_UNDER_CURSOR+LOCK",
    "MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR+SYNCPOINT", "UNLOCK", "LOGICAL_ORDER", "LOGICAL_ORDER+SYNCPOINT",
    "BROWSE_FIRST+LOGICAL_ORDER", "BROWSE_NEXT+LOGICAL_ORDER", "COMPLETE_MSG", "COMPLETE_MSG+SYNCPOINT",
    "BROWSE_FIRST+COMPLETE_MSG+LOCK", "ALL_MSGS_AVAILABLE", "ALL_MSGS_AVAILABLE+LOGICAL_ORDER",
    "ALL_SEGMENTS_AVAILABLE", "COMPLETE_MSG+LOGICAL_ORDER", "BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_HANDLE",
    "BROWSE_NEXT+UNMARKED_BROWSE_MSG", "BROWSE_FIRST+MARK_BROWSE_CO_OP", "BROWSE_NEXT+UNMARK_BROWSE_CO_OP",
    "MARK_SKIP_BACKOUT+SYNCPOINT", "ACCEPT_TRUNCATED_MSG", "CONVERT", "FAIL_IF_QUIESCING", "WAIT", "WAIT",
    "WAIT+SYNCPOINT", "BROWSE_NEXT+WAIT", "BROWSE_NEXT+WAIT+UNMARKED_BROWSE_MSG", "SET_SIGNAL",
    "SET_SIGNAL+BROWSE_NEXT",
)  # fmt: skip  # each as often as it is drawn
_GET_BITS: Final = tuple(name for name, value in MQGMO.members().items() if value)
_MATCH_BITS: Final = tuple(name for name, value in MQMO.members().items() if value)
_PUT_WORDS: Final = (
    "", "", "", "SYNCPOINT", "SYNCPOINT", "NO_SYNCPOINT", "LOGICAL_ORDER", "LOGICAL_ORDER", "LOGICAL_ORDER+SYNCPOINT",
    "NEW_MSG_ID", "NEW_CORREL_ID", "FAIL_IF_QUIESCING", "NO_CONTEXT", "SET_ALL_CONTEXT",
)  # fmt: skip  # each as often as it is drawn
_PUT_BITS: Final = tuple(name for name, value in MQPMO.members().items() if value)
_FLAG_BITS: Final = tuple(name for name, value in MQMF.members().items() if value and not name.endswith("MASK"))
_MATCHES: Final = (
    "",
    "",
    "MatchOptions=NONE",
    "MatchOptions=NONE",
    "MatchOptions=MATCH_MSG_ID MsgId=@{m}",
    "MatchOptions=MATCH_CORREL_ID CorrelId=@{m}",
    "MsgId=@{m}",
    "MatchOptions=MATCH_GROUP_ID GroupId=@{m}",
    "MatchOptions=MATCH_MSG_SEQ_NUMBER MsgSeqNumber=2",
    "MatchOptions=MATCH_OFFSET Offset=2",
    "MatchOptions=MATCH_MSG_ID+MATCH_CORREL_ID MsgId=@{m} CorrelId=@{m}",
    "MatchOptions=MATCH_MSG_TOKEN MsgToken=@{m}",
)
_PUT_MEMBERS: Final = (
    "", "", "", "", "Priority=0", "Priority=5", "Priority=9", "Priority=12", "Persistence=1", "Persistence=0",
    "Expiry=30",
    "Expiry=100", "Expiry=0", "Version=1", "MsgId=@{m}", "CorrelId=@{m}", "MsgId=aa", "CorrelId=bb", "GroupId=cc",
    "MsgType=1 ReplyToQ=R", "MsgType=1", "MsgType=2", "MsgType=70000", "MsgType=5", "Format=MQSTR",
    "MsgSeqNumber=2 MsgFlags=MSG_IN_GROUP GroupId=cc", "Offset=2 MsgFlags=SEGMENT GroupId=cc", "Length=0", "Length=30",
    "Report=EXPIRATION ReplyToQ=R Expiry=20", "Report=COA+PASS_MSG_ID ReplyToQ=R",
    "Report=COD_WITH_FULL_DATA ReplyToQ=R",
    "Report=EXPIRATION_WITH_DATA+PASS_DISCARD_AND_EXPIRY ReplyToQ=R Expiry=30", "Report=COA+COD ReplyToQ=NOWHERE",
    "MsgType=4 Feedback=259 OriginalLength=4", "UserIdentifier=someone", "CodedCharSetId=819", "PutApplName=x",
)  # fmt: skip  # each as often as it is drawn
_GET_MEMBERS: Final = (
    "", "", "", "", "", "BufferLength=0", "BufferLength=1", "BufferLength=3", "Version=1", "MQGMO.Version=1",
    "MQGMO.Version=2", "MQGMO.Version=3", "WaitInterval=2000", "WaitInterval=-1", "WaitInterval=500", "WaitInterval=-2",
    "Expiry=7", "BufferLength=-1", "CodedCharSetId=500",
)  # fmt: skip  # each as often as it is drawn
_OTHERS: Final = (
    "cmit", "cmit", "cmit", "cmit B", "back", "back", "back B", "inq h CurrentQDepth", "inq r CurrentQDepth",
    "advance 1s", "advance 25t", "advance 5s", "advance 9s", "close i", "close g", "close h",
    "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE+SET", "i = open Q BROWSE+INPUT_SHARED", "i = open Q OUTPUT",
    "g = B.open Q BROWSE+INPUT_SHARED+OUTPUT+CO_OP", "g = B.open Q INPUT_EXCLUSIVE",
    "i = open A BROWSE+INPUT_AS_Q_DEF+OUTPUT",
    "set h InhibitGet=1", "set h InhibitGet=0", "alter Q InhibitPut=1", "alter Q InhibitPut=0", "alter Q MaxQDepth=3",
    "alter Q MsgDeliverySequence=FIFO", "alter Q MaxMsgLength=2", "fail B", "disc B", "quiesce", "scan",
)  # fmt: skip  # each as often as it is drawn
_OPENS: Final = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE+SET
i = open A BROWSE+INPUT_SHARED+OUTPUT
g = B.open Q BROWSE+INPUT_SHARED+OUTPUT+CO_OP+SET_ALL_CONTEXT
r = open R BROWSE+INPUT_SHARED+INQUIRE+OUTPUT
s = B.open R BROWSE+INPUT_SHARED
put h m1
put g m2 SYNCPOINT
put h m3 Priority=3
put r m4
"""

_OF_QUEUE: Final[tuple[dict[str, Any], ...]] = (
    {}, {}, {}, {"MsgDeliverySequence": "FIFO"}, {"DefPriority": 4}, {"MaxQDepth": 3}, {"MaxMsgLength": 4},
    {"CAPEXPRY": 60}, {"IndexType": "GROUP_ID"}, {"IndexType": "MSG_ID"}, {"IndexType": "MSG_TOKEN"},
    {"DefPersistence": 1}, {"Usage": "TRANSMISSION"}, {"QSGDISP": "SHARED"},
    {"TriggerControl": 1, "TriggerType": 2, "InitiationQName": "R", "ProcessName": "P"},
)  # fmt: skip  # each as often as it is drawn
_OF_MANAGER: Final[tuple[dict[str, Any], ...]] = (
    {},
    {},
    {},
    {"ExpiryInterval": 5},
    {"MaxPriority": 6},
    {"MaxUncommittedMsgs": 2},
    {"DeadLetterQName": "R"},
    {"EnforceMaxExpiryError": True},
    {"MarkBrowseInterval": 2000},
    {"MaxMsgLength": 8},
)


@dataclass(frozen=True)
class Drawn:
    """A history: the members of its `setup`, its platform, and its lines in the notation."""

    setup: Mapping[str, Any]
    platform: PlatformName
    text: str


def draw(random: Random) -> Drawn:
    """Return a random history."""
    queue: dict[str, Any] = {"name": "Q"}
    for attributes in random.sample(_OF_QUEUE, random.randint(0, 2)):
        queue |= attributes
    alias = {"name": "A", "type": "alias", "target": "Q", "DefPriority": random.choice((0, 0, 7))}
    setup = {"queues": [queue, alias, {"name": "R"}], "qmgr": dict(random.choice(_OF_MANAGER))}
    lines = [_line(random) for _ in range(random.randint(SHORTEST, LONGEST))]
    return Drawn(setup, random.choice((PLATFORMS[0], *PLATFORMS)), _OPENS + "\n".join(lines))


def _line(random: Random) -> str:
    kind = random.random()
    if kind < 0.36:
        return _put(random)
    return _get(random) if kind < 0.8 else random.choice(_OTHERS)


def _put(random: Random) -> str:
    flags = _some(random, _FLAG_BITS, 3) if random.random() < 0.3 else ""
    members = f"{random.choice(_PUT_MEMBERS)} {random.choice(_PUT_MEMBERS) if random.random() < 0.3 else ''}"
    if flags and "MsgFlags" not in members:
        members += f" MsgFlags={flags}"
    options = _word(random, _PUT_WORDS, _PUT_BITS)
    verb = (
        f"put1 {random.choice(('Q', 'A', 'R', 'NONE'))}" if random.random() < 0.1 else f"put {random.choice(_HANDLES)}"
    )
    return _filled(random, f"{verb} {random.choice(_MESSAGES)} {options} {_distinct(members)}")


def _get(random: Random) -> str:
    options = _word(random, _GET_WORDS, _GET_BITS)
    matches = random.choice(_MATCHES) if random.random() < 0.9 else f"MatchOptions={_some(random, _MATCH_BITS, 3)}"
    members = f"{matches} {random.choice(_GET_MEMBERS)}"
    if "WAIT" in options and "WaitInterval" not in members:
        members += " WaitInterval=3000"
    return _filled(random, f"get {random.choice(_HANDLES)} {options} {_distinct(members)}")


def _word(random: Random, plain: Sequence[str], bits: Sequence[str]) -> str:
    """Return options: mostly common ones, sometimes any."""
    return random.choice(plain) if random.random() < 0.85 else _some(random, bits, 3)


def _some(random: Random, names: Sequence[str], most: int) -> str:
    return "+".join(random.sample(names, random.randint(1, most)))


def _distinct(members: str) -> str:
    """Return members without repetitions: the first counts."""
    found: dict[str, str] = {}
    for member in members.split():
        found.setdefault(member.partition("=")[0], member)
    return " ".join(found.values())


def _filled(random: Random, line: str) -> str:
    """Return a line with messages in place of `{m}`; a line must not refer to the message that it puts."""
    message = random.choice(_MESSAGES)
    return (
        line.replace("{m}", message) if not line.startswith("put") or "{m}" not in line else line.replace("@{m}", "dd")
    )
