"""How a call that departs from the model is told: the rule, the calls that prove it, what else may explain it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.histories.event_log import Event
from oracle.judging.follow import Followed
from oracle.mqi.constants import MQCC, MQPER
from oracle.rules.catalogue import rule
from spark_checks.preparation.capture import GETS
from spark_checks.replay.certain import Placed
from spark_checks.replay.circumstances import Circumstances, awaited
from spark_checks.replay.naming import name_of

MOST_CALLS: Final = 4
"""The greatest number of calls that a finding names."""

NOT_AWAITED: Final = "the put of the other message was asynchronous, by DEFPRESP of the queue, and failed later"
RESTARTED: Final = "the queue manager was restarted in between and dropped nonpersistent messages"

_ENDS_A_WAIT: Final = "WAI-03"
"""The rule that a get broke too which waited in vain beside a message: it is followed as if it had not waited."""


@dataclass(frozen=True)
class Finding:
    """A call that fits no outcome that the oracle allows."""

    rule: str
    """The rule under which it is reported."""
    rules: tuple[str, ...]
    """All rules that may have been broken."""
    call: Placed
    """The call."""
    calls: tuple[Event, ...]
    """The calls that prove it, in their order. The wrong one is the last."""
    msg_id: str | None
    """The MsgId of the message that it is about. None if it is about none."""
    sentence: str
    """The explanation."""
    doubt: str | None
    """What else may explain it. None if nothing can."""


def finding_of(
    call: Placed, followed: Followed, way: Sequence[Placed], of_puts: Collection[str], circumstances: Circumstances
) -> Finding | None:
    """Return the finding about a call that departs; None if no rule is behind what was expected.

    `way` are the calls before it since the queue was at rest, and `of_puts` the rules that bore on the puts among them.
    """
    departure = followed.departure
    if departure is None or not departure.rules:
        return None
    event = call.event
    nearest = followed.allowed[0]
    fails = nearest.reply.comp_code == MQCC.FAILED
    broken = name_of(event, departure, set(of_puts).difference(nearest.rules), fails=fails)
    # A rule that only says when a call may fail so is not a suspect: a check must be sure of that (not_said_yet).
    needless = {broken} - {*departure.said, *nearest.rules} if not fails else set()
    of_wait = (_ENDS_A_WAIT,) if call.in_vain else ()
    title = f" ({rule(departure.rules[0]).title})."
    descriptor = nearest.reply.descriptor
    expected = None if descriptor is None or event.call not in GETS else descriptor.msg_id.hex()
    return Finding(
        broken,
        tuple(dict.fromkeys(each for each in (*departure.said, *departure.rules, *of_wait) if each not in needless)),
        call,
        _proof(event, {event.msg_id, expected} - {None}, way),
        event.msg_id or expected,
        f"{event.call} of connection {event.conn} differs from the model, on which the log was replayed: "
        f"{departure.sentence.removesuffix(title)} ({rule(broken).title})",
        _doubt(call, expected, way, circumstances),
    )


def _doubt(call: Placed, expected: str | None, way: Sequence[Placed], circumstances: Circumstances) -> str | None:
    """Return what else may explain a departure. `expected` is the MsgId of the message that a get had to return."""
    if not _ran_throughout(call, way):
        return RESTARTED
    puts = [each.event for each in way if each.event.call in ("MQPUT", "MQPUT1") and each.event.msg_id == expected]
    passed_over = expected is not None and expected != call.event.msg_id
    seen = any(each.event.call in GETS and each.event.msg_id == expected for each in way)
    if passed_over and not seen and not all(awaited(put, circumstances) for put in puts):
        return NOT_AWAITED
    return None


def _ran_throughout(call: Placed, way: Sequence[Placed]) -> bool:
    """Return whether the queue manager surely ran from the first put on, or a restart would have dropped nothing."""
    puts = [each for each in way if each.event.call in ("MQPUT", "MQPUT1") and each.event.comp_code != MQCC.FAILED]
    if all(put.event.persistence == MQPER.PERSISTENT for put in puts):
        return True
    return any(each.since <= puts[0].lo and each.until_lo >= call.lo for each in (*way, call))


def _proof(event: Event, msg_ids: Collection[str | None], way: Sequence[Placed]) -> tuple[Event, ...]:
    """Return the calls that prove a departure: what was done with the messages concerned, and the call itself."""
    about = [each.event for each in way if each.event.msg_id in msg_ids and each.event.comp_code != MQCC.FAILED]
    if not about:
        about = [each.event for each in way if (each.event.conn, each.event.hobj) == (event.conn, event.hobj)][-1:]
    first = MOST_CALLS - 2
    return (*about[:first], *about[first:][-1:], event)
