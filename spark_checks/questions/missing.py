"""Hints on what a log lacks to answer a question, and which setting of the capture would record it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from oracle.histories.event_log import Event, QueueHeader
from oracle.mqi.constants import MQCC, MQGMO
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.coverage.advice import advice
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.questions.evidence import Evidence

_OF_BOTH: Final = ("msg_id", "correl_id", "options", "comp_code", "queue", "priority", "persistence", "expiry")
_OF_GETS: Final = ("match_options", "buffer_length")
_OF_GROUPS: Final = ("group_id", "msg_seq_number", "msg_flags")

_ELSEWHERE: Final = (
    "no call of the log shows it: the message may have been put before the log began or on another queue manager, "
    "whose capture would show it, or by a program that the capture does not see (a packet capture sees client channels "
    "without TLS only, activity trace sees programs for which ActivityTrace is on in mqat.ini)"
)
_PAYLOAD: Final = (
    "the payloads were not captured, so a message that was put again under another MsgId is not recognised: a packet "
    "capture of whole packets, a Java trace of whole buffers, or `digest` in an event log shows it"
)
_SELECTION: Final = (
    "what a get selected by was not captured where match_options or the identifiers before the call are missing: "
    "activity trace shows them at TraceLevel=HIGH (mqat.ini), a packet capture and an event log always"
)
_DEFINITIONS: Final = (
    "the queues are not defined in the input: add the output of DISPLAY QLOCAL(*) ALL in runmqsc, what dmpmqcfg -a "
    "wrote, or configuration events"
)


_OUTCOMES: Final = (
    "how calls ended was not captured: capture both directions, with whole packets (tcpdump -s 0); in an event log it "
    "is `comp_code` and `reason`"
)
_IDENTIFIERS: Final = (
    "MsgIds were not captured, so it is not known which calls are about one message: activity trace shows them from "
    "TraceLevel=MEDIUM on (mqat.ini), a capture of whole packets always, an event log as `msg_id`"
)
_OPTIONS: Final = (
    "the options of puts and gets were not captured, so it is not known what was browsed, waited for, or in a unit of "
    "work: activity trace and captures show them with each call, an event log as `options`"
)
_QUEUES: Final = (
    "the queue of calls is not known where their MQOPEN is missing: begin the capture before the applications connect; "
    "in an event log it is `queue`"
)
_HANDLES: Final = (
    "handles were not captured, so browse cursors and locks of one connection cannot be distinguished: activity trace "
    "shows them as Hobj, captures with each call, an event log as `hobj`"
)
_BASICS: Final = (
    ("options", (*PUTS, *GETS), _OPTIONS),
    ("queue", (*PUTS, *GETS), _QUEUES),
    ("hobj", GETS, _HANDLES),
)
"""The columns that nearly every answer needs: the column, the calls that have it even if they fail, and its use."""


def hints(
    evidence: Evidence,
    events: Sequence[Event],
    *,
    empty: bool = False,
    needs: Collection[str] = (),
    defined: Collection[str] = (),
    payloads: bool = True,
) -> list[str]:
    """Return hints on what the log lacks about these calls, and how to capture it, the most useful first.

    `empty` says that nothing was found. `needs` names what else an answer lacked, in the terms of
    spark_checks.coverage.advice. `defined` are the queues whose definitions the answer needed. `payloads` says whether
    it would have used payloads.
    """
    found = _hints(evidence, events, needs, defined, empty=empty)
    return [hint for hint in dict.fromkeys(found) if payloads or hint != _PAYLOAD]


def _hints(
    evidence: Evidence, events: Sequence[Event], needs: Collection[str], defined: Collection[str], *, empty: bool
) -> Iterator[str]:
    if empty:
        yield _ELSEWHERE
    if any(event.comp_code is None for event in events if event.call in (*PUTS, *GETS)):
        yield _OUTCOMES
    done = [event for event in events if event.comp_code in (MQCC.OK, MQCC.WARNING)]
    if _shares(done, (*PUTS, *GETS), ("msg_id",)).get("msg_id", 1.0) < 1.0:
        yield _IDENTIFIERS
    for column, calls, hint in _BASICS:
        if any(getattr(event, column) is None for event in events if event.call in calls):
            yield hint
    columns = {
        **_shares(events, (*PUTS, *GETS), (*_OF_BOTH, *_OF_GROUPS)),
        **_shares(events, GETS, _OF_GETS),
    }
    missing = set(needs) | (set() if evidence.facts.complete else {"complete"})
    if _shares(events, GETS, ("match_options",)).get("match_options", 1.0) < 1.0:
        yield _SELECTION
    known = {header.queue for header in evidence.headers if isinstance(header, QueueHeader)}
    if set(defined) - known:
        yield _DEFINITIONS
    moved = [event for event in events if event.call in (*PUTS, *GETS) and event.comp_code != MQCC.FAILED]
    if moved and all(event.digest is None for event in moved):
        yield _PAYLOAD
    yield from advice(evidence.formats, columns, missing)


def _shows_a_message(event: Event) -> bool:
    """Return whether a call has the columns of a message: not if it failed, nor if it unlocked or set a signal."""
    unlocks = event.call in GETS and bool((event.options or 0) & MQGMO.UNLOCK)
    return event.comp_code != MQCC.FAILED and event.reason not in WITHOUT_OUTPUTS and not unlocks


def _shares(events: Sequence[Event], calls: Collection[str], names: Collection[str]) -> dict[str, float]:
    """Return by column the share of calls in which it was captured, among those that can have it."""
    concerned = [event for event in events if event.call in calls and _shows_a_message(event)]
    if not concerned:
        return {}
    return {name: sum(getattr(event, name) is not None for event in concerned) / len(concerned) for name in names}
