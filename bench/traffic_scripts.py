"""The traffic of the benchmark's queues, as scripts that are played repeatedly.

A script is one *block*: a few puts, gets and ends of units of work at places in time, each by a kind of connection.
The blocks of a queue follow each other, so that the whole is what a conforming queue manager did: that makes a log of
any size without playing the oracle. Steps of one connection lie at least two places apart, so that calls may last
longer than a place and overlap those of other connections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQPMO

PUT_PLAIN: Final = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
PUT_IN_UNIT: Final = MQPMO.SYNCPOINT | MQPMO.NEW_MSG_ID
GROUP_PUT: Final = PUT_IN_UNIT | MQPMO.LOGICAL_ORDER
GROUP_GET: Final = MQGMO.SYNCPOINT | MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE
WAIT_MS: Final = 30_000


@dataclass(frozen=True)
class Step:
    """A call of a script.

    `message` is the number of the message in its block, `lag` by how many blocks that block lies before this one.
    `empty` marks a get that finds nothing; `by` are its match options.
    """

    conn: str
    call: str
    at: int
    message: int = -1
    options: int | None = None
    by: int = MQMO.NONE
    lag: int = 0
    empty: bool = False
    backouts: int = 0


@dataclass(frozen=True)
class Message:
    """A message of a script: its priority, and its place in a group, from 1, if it is in one.

    `expires` says that it has an Expiry; a message that is got keeps some of it.
    """

    priority: int = 0
    member: int = 0
    last: bool = False
    expires: bool = False

    @property
    def flags(self) -> int:
        """MQMD.MsgFlags."""
        return (MQMF.MSG_IN_GROUP if self.member else 0) | (MQMF.LAST_MSG_IN_GROUP if self.last else 0)


@dataclass(frozen=True)
class Script:
    """A block: its messages, its steps and its number of places; `sequence` is MsgDeliverySequence."""

    name: str
    sequence: str
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]
    places: int


def _by_priority() -> Script:
    """Return ten messages of several priorities, half of them in a unit of work; one is backed out and got again."""
    messages = tuple(Message(priority) for priority in (4, 4, 7, 0, 9, 4, 2, 7, 4, 0))
    order = sorted(range(10), key=lambda number: (-messages[number].priority, number))
    first = order[0]
    steps = [
        *(Step("P", "MQPUT", 2 * number, number, PUT_PLAIN) for number in range(5)),
        *(Step("U", "MQPUT", 2 * number, number, PUT_IN_UNIT) for number in range(5, 10)),
        Step("U", "MQCMIT", 20),
        Step("B", "MQGET", 21, first, MQGMO.BROWSE_FIRST),
        Step("D", "MQGET", 22, first, MQGMO.SYNCPOINT),
        Step("D", "MQBACK", 24),
    ]
    for place, number in enumerate(order):
        conn, options = ("C", MQGMO.NO_SYNCPOINT | MQGMO.WAIT) if place % 2 == 0 else ("D", MQGMO.SYNCPOINT)
        steps.append(Step(conn, "MQGET", 26 + place, number, options, backouts=int(number == first)))
    steps += [Step("D", "MQCMIT", 37), Step("C", "MQGET", 38, options=MQGMO.NO_SYNCPOINT, empty=True)]
    return Script("priority", "PRIORITY", messages, tuple(steps), 40)


def _backlog() -> Script:
    """Return puts and gets by turns on a FIFO queue that always holds eighty messages."""
    steps = [
        *(Step("P", "MQPUT", 2 * number, number, PUT_PLAIN) for number in range(5)),
        *(Step("U", "MQPUT", 2 * number, number, PUT_IN_UNIT) for number in range(5, 10)),
        Step("U", "MQCMIT", 20),
        *(Step("C", "MQGET", 2 * number + 1, number, MQGMO.NO_SYNCPOINT, lag=8) for number in range(5)),
        *(Step("D", "MQGET", 2 * number + 1, number, MQGMO.SYNCPOINT, lag=8) for number in range(5, 10)),
        Step("D", "MQCMIT", 21),
    ]
    return Script("fifo", "FIFO", tuple(Message() for _ in range(10)), tuple(steps), 24)


def _replies() -> Script:
    """Return messages with an Expiry that are got by CorrelId or MsgId, in another order; one of them is never got."""
    wanted = (3, 0, 5, 1, 6, 2, 4)
    steps = [Step("P", "MQPUT", 2 * number, number, PUT_PLAIN) for number in range(8)]
    for place, number in enumerate(wanted):
        conn, by = ("C", MQMO.MATCH_CORREL_ID) if place % 2 else ("D", MQMO.MATCH_MSG_ID)
        steps.append(Step(conn, "MQGET", 2 * place + 1, number, MQGMO.NO_SYNCPOINT, by, lag=2))
    early = Step("C", "MQGET", 18, 0, MQGMO.NO_SYNCPOINT, MQMO.MATCH_CORREL_ID, lag=-1, empty=True)
    return Script("replies", "PRIORITY", tuple(Message(expires=True) for _ in range(8)), (*steps, early), 20)


def _groups() -> Script:
    """Return two groups of four messages, each put in one unit of work and got in another, in logical order."""
    messages = tuple(Message(member=number % 4 + 1, last=number % 4 == 3) for number in range(8))
    steps = [
        *(Step("P", "MQPUT", 2 * number, number, GROUP_PUT) for number in range(8)),
        Step("P", "MQCMIT", 16),
        *(Step("C", "MQGET", 2 * number + 19, number, GROUP_GET) for number in range(8)),
        Step("C", "MQCMIT", 35),
    ]
    return Script("groups", "PRIORITY", messages, tuple(steps), 38)


SCRIPTS: Final = (_by_priority(), _backlog(), _replies(), _groups())
