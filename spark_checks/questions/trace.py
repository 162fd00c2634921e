"""The trace of messages: the lives of the messages that a selection finds, and of their replies, reports and copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, Final

from oracle.errors import UsageError
from oracle.histories.event_log import Event
from oracle.mqi.constants import MQFMT, MQMT
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import PUTS
from spark_checks.preparation.moves import PUT, TAKE
from spark_checks.questions.deeds import Deed, deeds_of, spans_around
from spark_checks.questions.deletions import deletions_on
from spark_checks.questions.evidence import Evidence, in_order
from spark_checks.questions.identifiers import Wanted
from spark_checks.questions.lives import NULL, Life, life_of
from spark_checks.questions.missing import hints
from spark_checks.questions.unseen import unseen_on
from spark_checks.questions.whereabouts import Ending

MOST_MESSAGES: Final = 50
"""The number of messages that are traced, the first ones; the others are counted."""
_MOST_CALLS: Final = 100_000
_WITH_MESSAGE: Final = ("MQPUT", "MQPUT1", "MQGET", "CALLBACK")


@dataclass(frozen=True)
class Selection:
    """The selection of a trace.

    A call must fit each kind that is given, in one of its values. At least one must be given.
    """

    msgs: tuple[Wanted, ...] = ()
    """Identifiers: MsgId or CorrelId of the message, or what a get selected by."""
    groups: tuple[Wanted, ...] = ()
    """Identifiers: GroupId of the message."""
    queues: tuple[str, ...] = ()
    """Names of queues. `*` stands for any characters."""
    conns: tuple[str, ...] = ()
    """Names of connections. `*` stands for any characters."""
    digests: tuple[str, ...] = ()
    """SHA-256 of the message's data, in hexadecimal."""

    def check(self) -> None:
        """Raise UsageError if nothing is asked for."""
        if not any((self.msgs, self.groups, self.queues, self.conns, self.digests)):
            raise UsageError("say which message: --msg, --group, --queue, --conn or --digest")

    @property
    def text(self) -> str:
        """The selection as the command line writes it."""
        parts = [("--msg", [one.given for one in self.msgs]), ("--group", [one.given for one in self.groups])]
        parts += [("--queue", list(self.queues)), ("--conn", list(self.conns)), ("--digest", list(self.digests))]
        return " ".join(f"{name} {value}" for name, values in parts for value in values)


@dataclass(frozen=True)
class Trace:
    """The result of a trace. Times are microseconds since 1970-01-01 UTC."""

    selection: Selection
    """What was asked for."""
    lives: tuple[Life, ...]
    """The lives of the messages, in the order of their beginnings."""
    left_out: int
    """The number of further messages."""
    first_us: int
    """The time at which the log's first call began."""
    last_us: int
    """The time at which the log's last call ended."""
    clock_us: int
    """The possible error of a time of the log, in microseconds."""
    complete: bool
    """Whether the log has every call of its time."""
    hints: tuple[str, ...] = ()
    """What the log lacks, and how to capture it: sentences."""


def trace(evidence: Evidence, selection: Selection) -> Trace:
    """Return the lives of the messages that calls of the selection put, returned or asked for.

    Raises UsageError if nothing is asked for.
    """
    selection.check()
    if selection.msgs or selection.groups or selection.digests:
        found = _found(evidence, selection)
        ids = _ids(found, selection)
        chosen, left_out = ids[:MOST_MESSAGES], len(ids[MOST_MESSAGES:])
    else:
        chosen, left_out = _by_names(evidence, selection)
        found = evidence.showing({"msg_id": chosen})
    related = _related(evidence, chosen, found)
    events = _distinct([*(event for event in found if _concerns(event, chosen)), *related])
    relations = _relations(chosen, events)
    deeds = deeds_of(evidence, spans_around(evidence, events))
    relations |= _moved_on(relations, deeds, _distinct([*found, *related]))
    first_us, last_us = evidence.span
    queues = {(deed.event.qmgr, deed.event.queue) for deed in deeds}
    unseen, deletions = unseen_on(evidence, queues), deletions_on(evidence, queues)
    ending = Ending(last_us, evidence.facts.complete, unseen, deletions, evidence.margin)
    lives = [life_of(msg_id, relation, deeds, ending, evidence.margin) for msg_id, relation in relations.items()]
    shown = [step.deed.event for life in lives for step in life.steps] or evidence.sample()
    needs = {"MQPUT"} if any(_lacks_put(life) for life in lives) else set()
    return Trace(
        selection,
        tuple(sorted((life for life in lives if life.steps), key=lambda life: life.first_us)),
        left_out,
        first_us,
        last_us,
        evidence.facts.clock_us,
        evidence.facts.complete,
        tuple(hints(evidence, shown, empty=not events, needs=needs)),
    )


def _lacks_put(life: Life) -> bool:
    """Return whether the log should have the put of a message, and has not: a queue manager puts reports itself."""
    put = any(step.kind in ("put", "maybe") for step in life.steps)
    return not put and not any(step.deed.event.msg_type == MQMT.REPORT for step in life.steps)


def _found(evidence: Evidence, selection: Selection) -> list[Event]:
    """Return the calls that fit the selection, found by its rarest part."""
    if selection.msgs:
        found = _by_ids(evidence, selection.msgs, ("msg_id", "correl_id", "sel_msg_id", "sel_correl_id"))
    elif selection.groups:
        found = _by_ids(evidence, selection.groups, ("group_id",))
    else:
        found = evidence.showing({"digest": [digest.lower() for digest in selection.digests]})
    return [event for event in found if _fits(event, selection)]


def _by_ids(evidence: Evidence, wanted: Iterable[Wanted], columns: Sequence[str]) -> list[Event]:
    exact = [value for one in wanted for value in one.exact]
    found = evidence.showing(dict.fromkeys(columns, exact))
    for one in wanted:
        if one.ending is not None:
            found += evidence.showing({}, ending=one.ending)
    return sorted(_distinct(found), key=in_order)


def _by_names(evidence: Evidence, selection: Selection) -> tuple[list[str], int]:
    """Return the MsgIds of the first messages on some queues, or of some connections, and how many more there are."""
    rows = evidence.by_queue if selection.queues else evidence.calls
    kinds = (
        ("queue", selection.queues, [queue for _, queue in evidence.queues]),
        ("conn", selection.conns, [conn for _, conn in evidence.connections]),
    )
    for column, patterns, names in kinds:
        if patterns:
            rows = rows.where(fn.col(column).is_in(*sorted({name for name in names if _like(name, patterns)}), ""))
    named = rows.where(fn.col("call").is_in(*_WITH_MESSAGE) & (fn.col("msg_id") != NULL))
    firsts = named.group_by("msg_id").agg(fn.min("start_us").alias("first_us")).kept()
    chosen = [row["msg_id"] for row in firsts.order_by("first_us", "msg_id").limit(MOST_MESSAGES).collect()]
    return chosen, firsts.count() - len(chosen)


def _like(name: str | None, patterns: Sequence[str]) -> bool:
    return name is not None and any(fnmatchcase(name.rstrip(" \0"), each.strip(" \0")) for each in patterns)


def _fits(event: Event, selection: Selection) -> bool:
    return (
        (not selection.queues or _like(event.queue, selection.queues) or _like(event.object_name, selection.queues))
        and (not selection.conns or _like(event.conn, selection.conns))
        and (not selection.groups or any(_is(event.group_id, one) for one in selection.groups))
        and (not selection.digests or event.digest in {digest.lower() for digest in selection.digests})
    )


def _is(identifier: str | None, wanted: Wanted) -> bool:
    if identifier is None:
        return False
    return identifier in wanted.exact or (wanted.ending is not None and identifier.endswith(wanted.ending))


def _ids(found: Iterable[Event], selection: Selection) -> list[str]:
    """Return the MsgIds of the messages that were asked for, in the order in which calls show them."""
    ids: dict[str, None] = {}
    for event in found:
        shown = [event.msg_id] if event.call in _WITH_MESSAGE else []
        if event.call == "MQGET" and event.sel_msg_id is not None:
            shown += [event.sel_msg_id for one in selection.msgs if _is(event.sel_msg_id, one)]
        ids |= dict.fromkeys(each for each in shown if each is not None and each != NULL)
    return list(ids)


def _concerns(event: Event, ids: Sequence[str]) -> bool:
    return event.msg_id in ids or event.sel_msg_id in ids or event.correl_id in ids


def _related(evidence: Evidence, ids: Sequence[str], found: Sequence[Event]) -> list[Event]:
    """Return the calls about the messages, about replies and reports to them, and puts of the same payloads."""
    if not ids:
        return []
    shown = {event.digest for event in found if event.msg_id in ids}
    digests = {digest for digest in shown if digest is not None and digest != _NO_DATA}
    about = evidence.showing({"msg_id": ids, "correl_id": ids, "sel_msg_id": ids, "digest": sorted(digests)[:_FEW]})
    answers = {event.msg_id for event in about if event.correl_id in ids and event.msg_id not in (None, NULL, *ids)}
    if answers:
        about += evidence.showing({"msg_id": sorted(str(each) for each in answers)[:MOST_MESSAGES]})
    return about[:_MOST_CALLS]


_FEW = 20
"""The number of payloads that are looked up, at most, for another put."""


def _distinct(events: Iterable[Event]) -> list[Event]:
    return list({(event.qmgr, event.conn, event.seq): event for event in events}.values())


def _relations(ids: Sequence[str], events: Iterable[Event]) -> dict[str, str]:
    """Return the relation of each message to those asked for."""
    relations = dict.fromkeys(ids, "asked for")
    puts: dict[str, Event] = {}
    for event in events:
        if event.correl_id in ids and event.msg_id not in (None, NULL) and event.call in _WITH_MESSAGE:
            puts.setdefault(str(event.msg_id), event)
    for msg_id, event in puts.items():
        if msg_id != event.correl_id:
            relations[msg_id] = _answer(event)
    return relations


def _answer(event: Event) -> str:
    if event.msg_type == MQMT.REPORT:
        return f"a report on message {event.correl_id} (feedback {event.feedback})"
    kind = "a reply to" if event.msg_type == MQMT.REPLY else "a message with the CorrelId of"
    return f"{kind} message {event.correl_id}"


def _moved_on(relations: Mapping[str, str], deeds: Sequence[Deed], events: Sequence[Event]) -> dict[str, str]:
    """Return the copies of messages that moved on: put with the same payload by the connection that had got them."""
    takes = [deed for deed in deeds if deed.role == TAKE and deed.event.msg_id in relations]
    moved: dict[str, str] = {}
    known = {(event.qmgr, event.conn, event.seq) for event in events}
    for deed in deeds:
        event = deed.event
        if event.call not in PUTS or event.msg_id in relations or event.digest is None or deed.key not in known:
            continue
        source = next((take for take in takes if _carried(take, deed)), None)
        if deed.role == PUT and source is not None and event.msg_id not in (None, NULL):
            as_what = "as a dead letter" if event.format == MQFMT.DEAD_LETTER_HEADER else "with another MsgId"
            moved[str(event.msg_id)] = f"message {source.event.msg_id}, moved on to {event.queue} {as_what}"
    return moved


def _carried(take: Deed, put: Deed) -> bool:
    same = (take.event.qmgr, take.event.conn) == (put.event.qmgr, put.event.conn)
    payload = take.event.digest if take.event.digest != _NO_DATA else None
    return same and payload == put.event.digest and take.event.seq < put.event.seq


_NO_DATA: Final = sha256(b"").hexdigest()
"""The digest of messages without data, which are alike and yet not one."""


def document_of(found: Trace) -> dict[str, Any]:
    """Return a trace as plain data for JSON."""
    return {
        "asked": found.selection.text,
        "log": {
            "first_us": found.first_us, "last_us": found.last_us, "clock_us": found.clock_us, "complete": found.complete
        },
        "messages": [
            {
                "msg_id": life.msg_id,
                "relation": life.relation,
                "steps": [
                    {
                        "kind": step.kind, "what": step.what, "then": step.then, "unsure": step.unsure,
                        "lo_us": step.deed.lo, "hi_us": step.deed.hi,
                        **step.deed.event.model_dump(
                            include={
                                "qmgr", "conn", "seq", "call", "queue", "comp_code", "reason", "start_us", "end_us",
                                "source", "line",
                            }
                        ),
                    }
                    for step in life.steps
                ],
                "now": [
                    {
                        "state": each.state, "sentence": each.sentence, "sure": each.sure, "since_us": each.since_us,
                        "queue": None if each.queue is None else each.queue[1], "conn": each.conn,
                    }
                    for each in life.now
                ],
            }
            for life in found.lives
        ],
        "left_out": found.left_out,
        "hints": list(found.hints),
    }  # fmt: skip  # pairs
