"""The words of definitions and opens of queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.checks.machines.vocabulary.word import NOTHING, Word, given
from oracle.mqi.constants import MQOO

_ALL: Final = MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET

OPENINGS: Final = (
    Word(_ALL, features=("browse", "inquire")),
    Word(_ALL, features=("browse", "inquire")),
    Word(MQOO.INPUT_SHARED | MQOO.OUTPUT),
    Word(MQOO.BROWSE | MQOO.INPUT_AS_Q_DEF, features=("browse",)),
    Word(MQOO.BROWSE | MQOO.OUTPUT, features=("browse",)),
    Word(MQOO.INPUT_EXCLUSIVE),
)
CO_OP_OPENINGS: Final = (
    Word(_ALL | MQOO.CO_OP, features=("browse", "inquire", "mark-browse")),
    Word(MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.CO_OP, features=("browse", "mark-browse")),
    Word(MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.OUTPUT, features=("browse",)),
    Word(MQOO.INPUT_SHARED | MQOO.OUTPUT),
)
"""Handles of a cooperating set, and others beside them."""

EXCLUSIVE_OPENINGS: Final = (
    Word(MQOO.INPUT_EXCLUSIVE | MQOO.OUTPUT),
    Word(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.FAIL_IF_QUIESCING, features=("quiesce",)),
)
CONTEXT_OPENINGS: Final = (
    Word(_ALL | MQOO.SET_ALL_CONTEXT | MQOO.SET_IDENTITY_CONTEXT, features=("browse", "inquire", "identity")),
    Word(
        MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.ALTERNATE_USER_AUTHORITY,
        (("AlternateUserId", "other"),),
        ("identity",),
    ),
)
"""Handles that may set the context of what they put, or that are another user's."""

SEQUENCES: Final = (NOTHING, given("fifo", MsgDeliverySequence="FIFO"))
FIFO: Final = (given("fifo", MsgDeliverySequence="FIFO"),)
GROUP_INDEX: Final = (given("zos", IndexType="GROUP_ID"),)
"""The index that logical order needs on z/OS (LOG-45)."""
INDEX_OR_NONE: Final = (*GROUP_INDEX * 2, NOTHING)
"""On z/OS the order of messages is defined only without an index by GroupId (VIS-12)."""
INDEXES: Final = (
    NOTHING,
    given("zos", IndexType="MSG_ID"),
    given("zos", IndexType="CORREL_ID"),
    given("zos", IndexType="GROUP_ID"),
    given("zos", IndexType="GROUP_ID"),
    given("zos", IndexType="MSG_TOKEN"),
)
DEFAULTS: Final = (NOTHING, given("priority", DefPriority=4), given("persistence", DefPersistence=1))
DEPTHS: Final = (NOTHING, given("limits", MaxQDepth=2), given("limits", MaxQDepth=3), given("limits", MaxQDepth=4))
MESSAGE_LIMITS: Final = (NOTHING, given("limits", MaxMsgLength=30))
SHAREABILITIES: Final = (NOTHING, NOTHING, given(Shareability=0))
CAPS: Final = (NOTHING, given("expiry", "capped-expiry", CAPEXPRY=50))
UNCOMMITTED_LIMITS: Final = (NOTHING, given("limits", "syncpoint", MaxUncommittedMsgs=2))
MANAGER_LIMITS: Final = (NOTHING, given("limits", MaxMsgLength=40))
PRIORITY_LIMITS: Final = (NOTHING, given("limits", "priority", MaxPriority=3))
MARK_INTERVALS: Final = (
    NOTHING,
    given("mark-browse", MarkBrowseInterval=2000),
    given("mark-browse", MarkBrowseInterval=-1),
)
EXPIRY_INTERVALS: Final = (NOTHING, given("zos", "expiry", ExpiryInterval=5))
PROPERTY_CONTROLS: Final = (
    NOTHING,
    *(given("properties", PropertyControl=control) for control in ("ALL", "COMPATIBILITY", "FORCE_MQRFH2", "NONE")),
)
SHORT: Final = (given(MaxMsgLength=32),)
ROOMY: Final = (NOTHING, NOTHING, given("limits", MaxQDepth=6))
TRIGGERS: Final = tuple(
    given("trigger", TriggerControl=control, TriggerType=kind, TriggerDepth=2, InitiationQName="I", ProcessName="P")
    for control, kind in ((1, 1), (1, 1), (1, 2), (1, 3), (1, 3), (0, 1), (0, 3))
)
"""Attributes of queues and of the queue manager."""

FIRST: Final = "*"
"""The target of an alias of the first local queue."""

DYNAMIC: Final = "D.1"
"""The name of a dynamic queue: a fixed one, so that others can open it."""

OBJECTS: Final[Sequence[tuple[Mapping[str, Any], Sequence[str]]]] = (
    ({"name": "L", "type": "alias", "target": FIRST}, ()),
    ({"name": "X", "Usage": "TRANSMISSION"}, ("transmission",)),
    (
        {"name": "R", "type": "remote", "rqmname": "QM2", "rname": "THERE", "xmitq": "X", "DefPriority": 4},
        ("transmission", "priority"),
    ),
    ({"name": "M", "type": "model"}, ("dynamic-queues",)),
    ({"name": "N", "type": "model", "DefinitionType": "PERMANENT_DYNAMIC"}, ("dynamic-queues",)),
    ({"name": "I"}, ("trigger",)),
    ({"name": "AI", "type": "alias", "target": "I"}, ("trigger",)),
    (
        {"name": "AD", "type": "alias", "target": DYNAMIC, "DefPersistence": 1},
        ("dynamic-queues", "persistence"),
    ),
    ({"name": "DEAD"}, ("dead-letter",)),
)
"""Every kind of object, with the features that each needs."""

QUEUE_CHANGES: Final = (
    given("limits", MaxQDepth=2),
    given("limits", MaxQDepth=3),
    given("limits", MaxQDepth=5),
    given("limits", MaxMsgLength=30),
    given("limits", MaxMsgLength=50),
    given("limits", "expiry", "capped-expiry", CAPEXPRY=50),
    given("limits", "expiry", "capped-expiry", CAPEXPRY=0),
    given("limits", "priority", DefPriority=2),
    given("limits", "persistence", DefPersistence=1),
)
"""The attributes of a queue that an administrator may change."""

WRITING_OPENINGS: Final = (Word(MQOO.OUTPUT), Word(MQOO.OUTPUT | MQOO.SET), Word(MQOO.OUTPUT | MQOO.SET))
"""Handles that do not read: a queue that nobody reads triggers."""

WATCHING: Final = (
    Word(MQOO.INPUT_SHARED),
    Word(MQOO.INPUT_SHARED),
    Word(MQOO.INPUT_SHARED | MQOO.BROWSE, features=("browse",)),
    Word(MQOO.BROWSE, features=("browse",)),
)
"""The words of MQOPEN of an initiation queue: only one who opens it for input is told."""

TRIGGER_CHANGES: Final = (
    given("trigger", TriggerControl=1),
    given("trigger", TriggerControl=1),
    given("trigger", TriggerControl=0),
    given("trigger", TriggerType=1),
    given("trigger", TriggerType=3),
    given("trigger", TriggerDepth=1),
    given("trigger", TriggerDepth=3),
    given("trigger", "priority", TriggerMsgPriority=2),
)
"""The attributes about triggers that an application or administrator may change."""

MANAGER_CHANGES: Final = (
    given("zos", "expiry", "expiry-scan", ExpiryInterval=0),
    given("zos", "expiry", "expiry-scan", ExpiryInterval=2),
    given("mark-browse", MarkBrowseInterval=2000),
    given("mark-browse", MarkBrowseInterval=-1),
    given("limits", "syncpoint", MaxUncommittedMsgs=3),
)
"""The attributes of the queue manager that an administrator may change."""

INQUIRIES: Final = (
    ("CurrentQDepth",),
    ("CurrentQDepth", "OpenInputCount", "OpenOutputCount"),
    ("InhibitGet", "InhibitPut"),
)
