"""Random traffic that the oracle carries out, recorded with intervals that may tell little.

It covers the model: units of work, groups and segments, browses and locks, expiry, waits, truncation, selection,
applications that die. Where the documents leave a choice, the choice is random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from oracle.errors import MqOracleError
from oracle.histories.event_log import Event
from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import parse
from oracle.histories.recording import Interval, Recorder
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.mqi import calls
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from oracle.protocol import ObservedReply
from tests.spark_checks.histories import Record

QUEUES: Final[tuple[dict[str, Any], ...]] = (
    {"name": "Q", "IndexType": "NONE"},
    {"name": "R", "MsgDeliverySequence": "FIFO", "MaxQDepth": 6},
)
_ASIDE: Final[dict[str, Any]] = {"name": "S", "DefPriority": 2, "DefPersistence": 1}

WITH_PROPERTIES: Final = (
    "52464820020000004800000011010000330300004d5153545220202000000000b8040000"
    "200000003c7573723e3c636f6c6f75723e7265643c2f636f6c6f75723e3c2f7573723e206869"
)
"""An MQRFH2 with the property usr.colour, and two bytes behind it, in hexadecimal."""

_PUTS: Final = (
    "",
    "",
    "",
    "SYNCPOINT",
    "SYNCPOINT",
    "LOGICAL_ORDER MsgFlags=MSG_IN_GROUP",
    "LOGICAL_ORDER MsgFlags=LAST_MSG_IN_GROUP",
    "LOGICAL_ORDER MsgFlags=SEGMENT",
    "LOGICAL_ORDER MsgFlags=LAST_SEGMENT",
    "MsgFlags=SEGMENTATION_ALLOWED",
    "SYNCPOINT+LOGICAL_ORDER MsgFlags=MSG_IN_GROUP",
    "MsgFlags=LAST_MSG_IN_GROUP GroupId=cc MsgSeqNumber=2",
)
_DESCRIPTORS: Final = ("", "", "Priority=3", "Priority=1", "Expiry=30", "Persistence=0", "CorrelId=c1", "MsgId=ab")
_MORE_PUTS: Final = ("NEW_CORREL_ID",)
_MORE_DESCRIPTORS: Final = (
    "Priority=-1 Persistence=2",
    "Report=COA ReplyToQ=S Priority=4",
    "Report=COD_WITH_DATA ReplyToQ=S",
    "Report=EXPIRATION_WITH_FULL_DATA+COD ReplyToQ=S Expiry=20",
    "Format=MQSTR",
    f"Format=MQHRF2 CodedCharSetId=1208 Data={WITH_PROPERTIES}",
)
_MORE_GETS: Final = (
    "BROWSE_NEXT+MARK_BROWSE_HANDLE MatchOptions=0",
    "BROWSE_FIRST+UNMARKED_BROWSE_MSG MatchOptions=0",
    "BROWSE_FIRST+UNMARK_BROWSE_HANDLE MatchOptions=0",
    "BROWSE_NEXT+MARK_BROWSE_HANDLE+UNMARKED_BROWSE_MSG MatchOptions=0",
    "CONVERT MatchOptions=0 CodedCharSetId=1200",
    "CONVERT+ACCEPT_TRUNCATED_MSG MatchOptions=0 CodedCharSetId=1200 BufferLength=3",
    "NO_PROPERTIES MatchOptions=0",
    "PROPERTIES_FORCE_MQRFH2+BROWSE_FIRST MatchOptions=0",
    "COMPLETE_MSG+BROWSE_NEXT MatchOptions=0",
    "COMPLETE_MSG+LOGICAL_ORDER+SYNCPOINT MatchOptions=0",
)
_GETS: Final = (
    "", "", "MatchOptions=0", "MatchOptions=0", "SYNCPOINT MatchOptions=0", "SYNCPOINT MatchOptions=0",
    "NO_SYNCPOINT MatchOptions=0", "SYNCPOINT_IF_PERSISTENT MatchOptions=0", "BROWSE_FIRST MatchOptions=0",
    "BROWSE_NEXT MatchOptions=0", "BROWSE_FIRST+LOCK MatchOptions=0", "BROWSE_NEXT+LOCK MatchOptions=0", "UNLOCK",
    "MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR+SYNCPOINT", "LOGICAL_ORDER MatchOptions=0", "COMPLETE_MSG MatchOptions=0",
    "LOGICAL_ORDER+SYNCPOINT MatchOptions=0", "ALL_MSGS_AVAILABLE MatchOptions=0", "MARK_SKIP_BACKOUT+SYNCPOINT",
    "MatchOptions=0 BufferLength=0", "ACCEPT_TRUNCATED_MSG MatchOptions=0 BufferLength=1",
    "MatchOptions=MATCH_CORREL_ID CorrelId=c1", "MatchOptions=MATCH_MSG_ID MsgId=ab",
    "WAIT MatchOptions=0 WaitInterval=2000",
    "WAIT+SYNCPOINT MatchOptions=0 WaitInterval=500",
)  # fmt: skip  # each as often as it is drawn
_OPTIONS: Final = "BROWSE+INPUT_SHARED+OUTPUT+INQUIRE"


@dataclass
class Traffic:
    """Traffic on one queue manager; `made` are the records with the moments, in microseconds, of their effects.

    With `aside` there are reports, marks, defaults of the queue, conversion, properties, and a queue S that is opened
    exclusively now and then: what the oracle follows in part, or not at all, in a log.
    """

    chance: Random
    platform: PlatformName = "distributed"
    aside: bool = False
    state: State = field(init=False)
    made: list[tuple[int, Record]] = field(default_factory=list)
    _bindings: Bindings = field(default_factory=Bindings)
    _recorder: Recorder = field(default_factory=lambda: Recorder(""))
    _waiting: dict[int, tuple[calls.Get, int]] = field(default_factory=dict)
    _number: int = 0
    _names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state = new_state(queues(aside=self.aside), profile=Profile(platform=self.platform))

    def run(self, length: int, conns: int) -> Traffic:
        """Let random calls happen."""
        for place in range(conns):
            self._arrive(f"c{place}")
        while len(self.made) < length:
            self._act(self.chance.choice(sorted(self._names)))
        return self

    def _arrive(self, place: str) -> None:
        """Connect an application and open the queues."""
        self._number += 1
        self._names[place] = name = f"{place}n{self._number}"
        for queue in ("Q", "R"):
            self._do(f"{name}{queue} = {name}.open {queue} {_OPTIONS}")

    def _act(self, place: str) -> None:
        name, chance = self._names[place], self.chance
        handle = f"{name}{chance.choice('QQR')}"
        kind = chance.choices(
            ("put", "get", "cmit", "back", "put1", "close", "disc", "fail", "advance", "aside"),
            (34, 44, 10, 6, 2, 1, 2, 2, 6, 6 if self.aside else 0),
        )[0]
        if kind == "put":
            self._number += 1
            how = f"{self._one_of(_PUTS, _MORE_PUTS)} {self._one_of(_DESCRIPTORS, _MORE_DESCRIPTORS)}"
            self._do(f"put {handle} m{self._number} {how}")
        elif kind == "get":
            self._do(f"get {handle} {self._one_of(_GETS, _MORE_GETS)}")
        elif kind == "put1":
            self._number += 1
            self._do(f"{name}.put1 {handle[-1]} m{self._number}")
        elif kind == "aside":
            self._aside(f"{name}S", name)
        elif kind == "close":
            self._do(f"close {handle}")
            self._do(f"{handle} = {name}.open {handle[-1]} {_OPTIONS}")
        elif kind == "advance":
            self._do(f"advance {chance.choice((1, 2, 4))}s")
        else:
            self._do(f"{kind} {name}")
            if kind in ("disc", "fail"):
                self._arrive(place)

    def _one_of(self, usual: tuple[str, ...], more: tuple[str, ...]) -> str:
        return self.chance.choice((*usual, *more) if self.aside else usual)

    def _aside(self, handle: str, name: str) -> None:
        """Use the queue for reports, which is sometimes opened exclusively."""
        options = self.chance.choice(("INPUT_SHARED", "INPUT_EXCLUSIVE"))
        self._do(f"{handle} = {name}.open S {options}+OUTPUT")
        for _ in range(self.chance.randrange(3)):
            self._do(self.chance.choice((f"get {handle} MatchOptions=0", f"put {handle} a{self._number} Priority=-1")))
        if self.chance.random() < 0.8:
            self._do(f"close {handle}")

    def _do(self, text: str) -> None:
        """Carry out a line of the notation, unless its connection waits or the model lacks what it needs."""
        for line in with_connections(parse(text)):
            self._number += 1
            try:
                call = self._bindings.call(line, self._number)
                if self._is_out_of_place(call):
                    continue
                outcome = self.chance.choice(list(outcomes(self.state, call)))
            except MqOracleError:
                continue
            observed = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
            self._bindings.bind(line, call, observed)
            moment = self._moment()
            self.state = outcome.state
            self._record(call, observed, moment)

    def _moment(self) -> int:
        """Return the time of day in microseconds; each call has one of its own."""
        return (self.state.epoch_ms + self.state.now_ms) * 1000 + len(self.made)

    def _is_out_of_place(self, call: calls.Call) -> bool:
        """Return whether a connection that waits makes a call, or one that is there connects."""
        if isinstance(call, calls.Connect):
            return call.conn in self.state.connections
        waiting = {get.conn for get, _ in self._waiting.values()}
        return isinstance(call, calls.MqiCall) and call.conn in waiting

    def _record(self, call: calls.Call, observed: ObservedReply, moment: int) -> None:
        if isinstance(call, calls.Fail):
            self._waiting = {key: wait for key, wait in self._waiting.items() if wait[0].conn != call.conn}
        if observed.pending and isinstance(call, calls.Get):
            self._waiting[call.identity] = call, moment
        elif isinstance(call, calls.MqiCall):
            self._keep(self._recorder.record(call, observed, Interval(moment, moment)), moment)
        for identity, done in observed.completed.items():
            get, since = self._waiting.pop(identity)
            ended = max(moment, self._moment())
            self._keep(self._recorder.record(get, done, Interval(since, ended)), ended)

    def _keep(self, event: Event, moment: int) -> None:
        record = event.model_dump(exclude_none=True)
        self.made.append((moment, {**record, "conn": event.conn}))

    def recorded(self, qmgr: str, width_us: int, clock_us: int) -> Iterator[Record]:
        """Yield the records of the calls, with intervals of random width, as clocks in doubt show them."""
        for _, record in self.made:
            skew = self.chance.randint(-clock_us, clock_us)
            yield {
                **record,
                "qmgr": qmgr,
                "conn": f"{qmgr}/{record['conn']}",
                "start_us": record["start_us"] - self.chance.randint(0, width_us) + skew,
                "end_us": record["end_us"] + self.chance.randint(0, width_us) + skew,
            }


def queues(*, aside: bool = False) -> list[QueueDefinition]:
    """Return the queues of the traffic."""
    return [define(QueueDefinition, attributes) for attributes in (*QUEUES, *((_ASIDE,) if aside else ()))]


def headers(qmgr: str, at_us: int | None, *, aside: bool = False) -> Iterator[Record]:
    """Yield the headers of the queues; they were empty at a time, if one is given."""
    for queue in queues(aside=aside):
        known = {name: value for name, value in queue.attributes().items() if value is not None}
        yield {"header": "queue", "qmgr": qmgr, "queue": queue.name, **known}
        if at_us is not None:
            yield {"header": "depth", "qmgr": qmgr, "queue": queue.name, "at_us": at_us, "depth": 0}
