"""An MQGET call, read once: the kind of get and its selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from oracle.model.groups.get_groups import Criteria
from oracle.model.handles import NOTHING_CURRENT, GroupInformation, Handle
from oracle.model.messages.messages import Message
from oracle.model.requests.option_matrix import BROWSE, GROUPING, SCANS, UNDER_CURSOR
from oracle.model.state import Queue, State
from oracle.mqi.calls import Get
from oracle.mqi.constants import MQGMO, MQMO, MQPER, NULL_ID
from oracle.values import replace

_WITHHOLDING: Final = GROUPING & ~MQGMO.LOGICAL_ORDER


@dataclass(slots=True)
class GetRequest:
    """An MQGET call on a handle that exists, with the meaning of its options.

    They are read once, because many decisions depend on them.
    """

    call: Get
    """The call."""
    handle: Handle
    """Its handle."""
    queue: Queue
    """The base queue."""
    zos: bool
    """Whether the platform is z/OS."""
    options: int = field(init=False)
    """The MQGMO options."""
    withholds: bool = field(init=False)
    """Whether it asks for complete groups or messages, so that more than a message itself decides about it."""
    browses: bool = field(init=False)
    """Whether it leaves the message on the queue (BRW-02)."""
    under_cursor: bool = field(init=False)
    """Whether it means the message under the browse cursor (CUR-01, CUR-02)."""
    scans: bool = field(init=False)
    """Whether it is BROWSE_FIRST or BROWSE_NEXT, which move the cursor (BRW-04)."""
    logical_order: bool = field(init=False)
    """Whether it specifies LOGICAL_ORDER (LOG-01)."""

    def __post_init__(self) -> None:
        self.options = options = self.call.options.options
        self.withholds = options & _WITHHOLDING != 0
        self.browses = options & BROWSE != 0
        self.under_cursor = options & UNDER_CURSOR != 0
        self.scans = options & SCANS != 0
        self.logical_order = options & MQGMO.LOGICAL_ORDER != 0

    def asks(self, option: int) -> bool:
        """Return whether the call specifies any of these MQGMO options."""
        return self.options & option != 0

    @property
    def waits(self) -> bool:
        """Whether the call waits if it finds nothing: not with an interval of 0, nor under the cursor (WAI-09)."""
        return self.asks(MQGMO.WAIT) and self.call.options.wait_interval != 0 and not self.under_cursor

    @property
    def sets_signal(self) -> bool:
        """Whether the call asks for a signal if it finds nothing, which is possible only on z/OS (SIG-17)."""
        return self.zos and self.asks(MQGMO.SET_SIGNAL)

    @property
    def competes(self) -> bool:
        """Whether the call counts as one without a browse option when waiters are activated (Table 1, ACT-05)."""
        return not self.browses or self.asks(MQGMO.LOCK)

    @property
    def information(self) -> GroupInformation:
        """The group information that the call starts from: BROWSE_FIRST ignores what is retained (BRW-16)."""
        if self.options & MQGMO.BROWSE_FIRST:
            return NOTHING_CURRENT
        return self.handle.browsing if self.browses else self.handle.removing

    @property
    def match_options(self) -> int:
        """The match options in force: a version 1 MQGMO has none and matches on MsgId and CorrelId (MTC-07)."""
        if self.call.options.version == 1:
            return MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID
        return self.call.options.match_options

    def matching(self) -> Criteria:
        """Return the selection of the match options; the null identifiers match anything (MTC-02 to MTC-05)."""
        md, gmo = self.call.descriptor, self.call.options
        identifiers = (md.msg_id, md.correl_id, md.group_id)
        return _criteria(self.match_options, identifiers, md.msg_seq_number, md.offset, gmo.msg_token)

    def in_unit_of_work(self, message: Message | None = None) -> bool:
        """Return whether the message is got within a unit of work.

        The option says so, or the message's persistence (SIP-01 to SIP-03), or the platform's default (SYN-04 to
        SYN-06). Browsing is always outside (SYN-09).
        """
        options = self.options
        if self.browses or options & MQGMO.NO_SYNCPOINT:
            return False
        if options & MQGMO.SYNCPOINT_IF_PERSISTENT:
            return message is not None and message.descriptor.persistence == MQPER.PERSISTENT
        return options & MQGMO.SYNCPOINT != 0 or self.zos

    def syncpoint_rules(self, message: Message) -> tuple[str, ...]:
        """Return the rules that decide whether this message is got within a unit of work."""
        options = self.options
        if self.browses:
            return ("SYN-09",)
        if options & MQGMO.SYNCPOINT:
            return ("SYN-01",)
        if options & MQGMO.NO_SYNCPOINT:
            return ("SYN-08",)
        if options & MQGMO.SYNCPOINT_IF_PERSISTENT:
            return ("SIP-01" if message.descriptor.persistence == MQPER.PERSISTENT else "SIP-02", "SIP-03")
        return ("SYN-04" if self.zos else "SYN-05", "SYN-06", "SYN-07")


def without_availability(request: GetRequest) -> GetRequest:
    """Return the request without the options that withhold incomplete groups and logical messages."""
    gmo = request.call.options
    left = gmo.options & ~(MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE)
    call = replace(request.call, options=replace(gmo, options=left))
    return GetRequest(call, request.handle, request.queue, request.zos)


@lru_cache(maxsize=1024)
def _criteria(
    options: int, identifiers: tuple[bytes, bytes, bytes], msg_seq_number: int, offset: int, msg_token: bytes
) -> Criteria:
    """Return the selection of match options. Cached, so that each distinct selection is read once."""
    msg_id, correl_id, group_id = identifiers

    def wanted(option: int, value: bytes) -> bytes | None:
        return value if options & option and value != NULL_ID else None

    return Criteria(
        msg_id=wanted(MQMO.MATCH_MSG_ID, msg_id),
        correl_id=wanted(MQMO.MATCH_CORREL_ID, correl_id),
        group_id=wanted(MQMO.MATCH_GROUP_ID, group_id),
        msg_seq_number=msg_seq_number if options & MQMO.MATCH_MSG_SEQ_NUMBER else None,
        offset=offset if options & MQMO.MATCH_OFFSET else None,
        msg_token=msg_token if options & MQMO.MATCH_MSG_TOKEN else None,
    )


def request_of(state: State, call: Get) -> GetRequest:
    """Read a call on a handle that exists."""
    handle = state.handles[call.conn, call.hobj]
    return GetRequest(call, handle, state.queues[handle.queue], state.profile.zos)
