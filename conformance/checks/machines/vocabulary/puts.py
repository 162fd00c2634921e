"""The words of puts."""

from __future__ import annotations

from typing import Final

from conformance.checks.machines.vocabulary.word import NOTHING, Members, Word, given
from oracle.mqi.constants import MQPMO, MQRO
from oracle.mqi.layouts import MQRFH2, Values

_USR: Final = "<usr><colour>red</colour></usr>"
_OWN: Final = "<own content='properties'><size>1</size></own>"
_PSC: Final = "<psc><Command>Publish</Command></psc>"


def _headed(*folders: str) -> bytes:
    """Return a body behind an MQRFH2 with folders, in encoding 546."""
    texts = [folder.encode().ljust(-(-len(folder) // 4) * 4) for folder in folders]
    pairs = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    fields: Values = {"StrucLength": 36 + len(pairs), "Encoding": 273, "CodedCharSetId": 819, "Format": "MQSTR"}
    return MQRFH2.encode(fields, "little") + pairs + b"body"


PUT_SYNCPOINTS: Final = (
    NOTHING,
    Word(MQPMO.NO_SYNCPOINT, features=("syncpoint",)),
    Word(MQPMO.SYNCPOINT, features=("syncpoint",)),
)
WORKING_PUTS: Final = (Word(MQPMO.NO_SYNCPOINT, features=("syncpoint",)), *PUT_SYNCPOINTS[-1:] * 3)
PRIORITIES: Final = (NOTHING, given("priority", Priority=1), given("priority", Priority=5))
PERSISTENCES: Final = (NOTHING, NOTHING, given("persistence", Persistence=1), given("persistence", Persistence=0))
EXPIRIES: Final = (NOTHING, NOTHING, NOTHING, given("expiry", Expiry=50), given("expiry", Expiry=100))
MOSTLY_EXPIRING: Final = (NOTHING, given("expiry", Expiry=50), given("expiry", Expiry=100))
LENGTHS: Final = (NOTHING, given("truncation", Length=20))
LIMITED_LENGTHS: Final = (NOTHING, given(Length=30), given(Length=31), given(Length=41))
CORREL_IDS: Final = (NOTHING, given("match", CorrelId="c1"), given("match", CorrelId="c2"))
OWN_IDS: Final = (NOTHING, NOTHING, given("match", MsgId="e1"), given("match", MsgId="e2"))
TEXTS: Final = (
    NOTHING,
    given("convert", Format="MQSTR", CodedCharSetId=819),
    given("convert", CodedCharSetId=819),
)
HEADERS: Final = (
    *[NOTHING] * 6,
    *(
        given("properties", Format="MQHRF2", CodedCharSetId=1208, Data=data.hex())
        for data in (_headed(_USR), _headed(_OWN), _headed(_PSC, _USR), _headed(_OWN, _USR))
    ),
)
"""Messages with properties in an MQRFH2: with a known prefix, without one, and both."""

MESSAGE_WORDS: Final = (PUT_SYNCPOINTS, PRIORITIES, PERSISTENCES, EXPIRIES, LENGTHS, CORREL_IDS)
"""The groups of a put; one word of each is used."""

_REPORTED: Final = (("ReplyToQ", "F"),)
_UNDELIVERABLE: Final = (("ReplyToQ", "NOWHERE"),)
_PASS: Final = MQRO.PASS_DISCARD_AND_EXPIRY


def _reported(report: int, *features: str, to: Members = _REPORTED) -> Word:
    return Word(members=(("Report", report), *to), features=("reports", *features))


REPORTS: Final = (
    NOTHING,
    NOTHING,
    *(
        _reported(report)
        for report in (
            MQRO.COA,
            MQRO.COD_WITH_DATA,
            MQRO.COA | MQRO.PASS_CORREL_ID,
            MQRO.COA_WITH_FULL_DATA | MQRO.COD | MQRO.PASS_MSG_ID | MQRO.PASS_CORREL_ID,
            MQRO.EXCEPTION | MQRO.COD | MQRO.DISCARD_MSG,
        )
    ),
    _reported(MQRO.COD, "dead-letter", to=_UNDELIVERABLE),
    _reported(MQRO.COA | _PASS, "expiry"),
    _reported(MQRO.COA_WITH_DATA | _PASS, "expiry", "dead-letter", to=_UNDELIVERABLE),
    *(Word(members=(("ReplyToQ", name),), features=("transmission",)) for name in ("R", "R")),
)
NEW_IDS: Final = (
    NOTHING,
    NOTHING,
    NOTHING,
    Word(MQPMO.NEW_CORREL_ID, (("CorrelId", "c1"),), ("match",)),
    Word(MQPMO.NEW_MSG_ID, (("MsgId", "e1"),), ("match",)),
)
"""Identifiers that the queue manager makes in place of those that are given."""
ALL_CONTEXTS: Final = (
    NOTHING,
    Word(MQPMO.SET_ALL_CONTEXT, (("PutDate", "20231231"), ("PutTime", "23595900"), ("UserIdentifier", "them"))),
    Word(MQPMO.SET_IDENTITY_CONTEXT, (("UserIdentifier", "them"),)),
    Word(MQPMO.NO_CONTEXT),
)
"""The words of a put with a handle that may set all of the context."""
EXPIRATION_REPORTS: Final = (
    NOTHING,
    NOTHING,
    Word(members=(("Report", MQRO.EXPIRATION), *_REPORTED), features=("reports", "expiry")),
    Word(
        members=(("Report", MQRO.EXPIRATION_WITH_FULL_DATA | MQRO.PASS_MSG_ID), *_REPORTED),
        features=("reports", "expiry"),
    ),
)
