"""The facts of each queue from the whole log, which an argument from absence needs.

A message that was never got in the log proves nothing while a call may be missing. These facts say for which queues
nothing is missing, and what else could have taken a message away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import (
    INPUT_OPTIONS,
    MQCC,
    MQCO,
    MQEI,
    MQFMT,
    MQGMO,
    MQMF,
    MQMT,
    MQOO,
    MQPER,
    MQPMO,
    MQRC,
    MQRO,
)
from spark_checks.frames import Column, Engine, Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.frames.described import schema_of
from spark_checks.preparation.columns import has, holds, unknown_or
from spark_checks.preparation.connections import BACKED_OUT, completed, is_own, unlearnt
from spark_checks.preparation.facts import PERMANENT, TEMPORARY, LogFacts, QueueFacts
from spark_checks.preparation.messages import own_rank
from spark_checks.preparation.moves import (
    BY_BOTH,
    BY_CORREL_ID,
    BY_MSG_ID,
    EMPTY,
    GLANCE,
    NEXT_WHOLE,
    OTHERWISE,
    PUT,
    PUTS,
    RETURNS,
    SUITED_BY_SEVERAL,
    TAKE,
    TOUCH,
    goes_on,
    tells_its_message,
    wanted,
)
from spark_checks.preparation.schemas.queues import OfQueue
from spark_checks.times import NEVER

QUEUE = ("qmgr", "queue")
ANY_MESSAGE = "?"
_REPORTS = MQRO.COA | MQRO.COD | MQRO.EXPIRATION | MQRO.EXCEPTION | MQRO.ACTIVITY | MQRO.PAN | MQRO.NAN
_GROUPED = GROUP_FLAGS | SEGMENT_FLAGS

_FACTS = schema_of(OfQueue)


def _for_input(done: Column) -> Column:
    """Return whether a call shows that the queue may be open for input. `done` is whether it succeeded."""
    opens = (fn.col("call") == "MQOPEN") & done & unknown_or(has("options", INPUT_OPTIONS))
    gets = fn.col("call").is_in("MQGET", "CALLBACK") & unknown_or(~has("options", BROWSE))
    return opens | gets


def from_calls(calls: Frame) -> Frame:
    """Gather the facts of all calls by queue: GatheredOfCalls."""
    own = is_own()
    done = unknown_or(fn.col("comp_code") != MQCC.FAILED) | unlearnt()
    deleted = (fn.col("call") == "MQCLOSE") & fn.coalesce(
        has("options", MQCO.DELETE | MQCO.DELETE_PURGE), fn.col("queue").is_not_null()
    )
    gets = fn.col("call").is_in("MQGET", "CALLBACK")
    opened = (fn.col("call") == "MQOPEN") & completed()
    closed = (fn.col("call") == "MQCLOSE") & (fn.col("comp_code") == MQCC.OK)
    renamed = (fn.col("call") == "MQOPEN") & (fn.col("object_name") != fn.col("queue"))
    # a refused MQCO_DELETE_PURGE may purge the messages (CLO-06), as if the queue had been made anew
    purged = (fn.col("call") == "MQCLOSE") & ~done & has("options", MQCO.DELETE_PURGE)
    opened_anew = (fn.col("call") == "MQOPEN") & done & unknown_or(fn.col("object_name") != fn.col("queue"))
    made = holds(purged) | opened_anew
    return calls.group_by(*QUEUE).agg(
        fn.min("hi").alias("logged_us"),
        fn.max(holds(purged | (done & (deleted | renamed)))).alias("may_vanish"),
        fn.coalesce(fn.min(fn.when(made, fn.col("lo"))), fn.lit(NEVER)).alias("made_us"),
        fn.coalesce(fn.max(fn.when(made, fn.col("hi"))), fn.lit(-NEVER)).alias("made_until_us"),
        fn.collect_set(fn.when(renamed & completed(), fn.col("object_name"))).alias("opened_as"),
        fn.max(holds(done & (fn.col("call") == "MQSET"))).alias("was_set"),
        fn.coalesce(fn.min(fn.when(_for_input(done), fn.col("lo"))), fn.lit(NEVER)).alias("input_us"),
        fn.max(gets & unknown_or(has("options", MQGMO.COMPLETE_MSG))).alias("reassembles"),
        fn.count(fn.when(own & opened & has("options", INPUT_OPTIONS), 1)).alias("inputs"),
        fn.max(holds(opened & has("options", MQOO.INPUT_EXCLUSIVE))).alias("exclusive"),
        fn.count(fn.when(own & closed & has("options", MQCO.DELETE | MQCO.DELETE_PURGE), 1)).alias("deletions"),
        fn.count(fn.when(own & (fn.col("reason") == MQRC.Q_FULL), 1)).alias("full"),
    )


class Use(Enum):
    """A use of MQ that a log must have for a check to find anything; the check is left out without it."""

    BROWSE_NEXT = "browses that go on"
    BROWSE_NEXT_BY_CORREL_ID = "browses that go on to the next message with a CorrelId"
    WHOLES = "gets for whole groups or logical messages"
    REPORTS = "report messages"
    GENERATED = "puts that had their MsgId or CorrelId generated"
    LIMITS = "queues to which as many messages were put as they may hold"
    MARKS = "browses that mark messages for a handle"
    SIDE_WORK = "puts and gets outside a unit of work that need one, and gets that skip backout"
    SPLITS = "segments that no application put"
    GIVEN_BACK = "messages that were got or locked and came back"
    WHOLES_MISSED = "gets for whole groups or logical messages that found none"
    GOES_ON = "calls that may have looked from where their handle was before"


USES = "uses_"
"""The prefix of the columns for a queue's uses: an engine may not distinguish names by their case."""


def _uses() -> dict[Use, Column]:
    marks, skips = MQGMO.MARK_BROWSE_HANDLE, MQGMO.MARK_SKIP_BACKOUT
    wholes = MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE | MQGMO.COMPLETE_MSG
    returned, put, take = fn.col("role").is_in(*RETURNS), fn.col("role") == PUT, fn.col("role") == TAKE
    long_put = put & has("msg_flags", MQMF.SEGMENTATION_ALLOWED)
    whole_get = take & has("options", MQGMO.COMPLETE_MSG) & (fn.col("persistence") == MQPER.PERSISTENT)
    split = returned & has("msg_flags", SEGMENT_FLAGS) & (fn.col("n_puts") == 0)
    return {
        Use.BROWSE_NEXT: (returned | (fn.col("role") == EMPTY)) & has("options", MQGMO.BROWSE_NEXT),
        Use.BROWSE_NEXT_BY_CORREL_ID: (returned | (fn.col("role") == EMPTY))
        & has("options", MQGMO.BROWSE_NEXT)
        & (fn.col("selection") == BY_CORREL_ID),
        Use.WHOLES: returned & has("options", wholes),
        Use.REPORTS: returned & (fn.col("msg_type") == MQMT.REPORT),
        Use.GENERATED: put & has("options", MQPMO.NEW_MSG_ID | MQPMO.NEW_CORREL_ID),
        Use.MARKS: returned & has("options", marks),
        Use.SIDE_WORK: ((long_put | whole_get) & ~fn.col("in_unit")) | (take & has("options", skips)),
        Use.SPLITS: split,
        Use.WHOLES_MISSED: (fn.col("role") == EMPTY)
        & ((fn.col("selection") == NEXT_WHOLE) | has("options", MQGMO.COMPLETE_MSG)),
        Use.GOES_ON: goes_on() & (fn.col("selection") != OTHERWISE),
        Use.GIVEN_BACK: fn.col("gap_from").is_not_null() & ~fn.col("gap_first"),
    }


def _unlearnt_get() -> Column:
    """Return whether a row is a get that may have taken a message without showing which."""
    return holds((fn.col("role") == TOUCH) & unlearnt() & fn.col("msg_id").is_null())


def surely_restored() -> Column:
    """Return whether a message that an unlearnt get may have taken is back when its unit of work is backed out.

    After an unexpected error the connection is still the same; after the other reasons it may be another one.
    """
    backed_out = fn.col("unit_end.outcome") == BACKED_OUT
    same_connection = (fn.col("reason") == MQRC.UNEXPECTED_ERROR) & ~has("options", MQGMO.MARK_SKIP_BACKOUT)
    return holds(fn.col("in_unit") & backed_out & same_connection)


def _asked_by_id() -> Column:
    """Return the identifiers that a get asked for, as one text; ANY_MESSAGE if other messages may suit it."""
    by_id = fn.col("selection").is_in(BY_MSG_ID, BY_CORREL_ID, BY_BOTH)
    asked = wanted(fn.col("selection"), fn.col("sel_msg_id"), fn.col("sel_correl_id"))
    return fn.coalesce(fn.when(by_id, asked), fn.lit(ANY_MESSAGE))


def from_moves(moves: Frame, clock_us: int) -> Frame:
    """Gather the facts of puts and gets by queue: GatheredOfMoves."""
    returned = fn.col("role").is_in(*RETURNS)
    put_later = holds(fn.col("hi") + 2 * clock_us < fn.col("first_put.lo"))
    unexplained = returned & ((fn.col("n_puts") == 0) | put_later)
    flags = fn.col("msg_flags")
    unnumbered = fn.col("group_id").is_null() | fn.col("msg_seq_number").is_null() | flags.is_null()
    grouped = unknown_or(flags.bit_and(_GROUPED) != 0) & unnumbered
    extended = holds(fn.rtrim("format") == MQFMT.MD_EXTENSION)
    part = unknown_or(flags.bit_and(_GROUPED) != 0)
    as_passed = unlearnt() & unknown_or(has("options", MQPMO.LOGICAL_ORDER)) & part
    nameless = ~fn.col("role").is_in(EMPTY, GLANCE) & fn.col("msg_id").is_null()
    restored = surely_restored()
    own = is_own()
    first = tells_its_message() & fn.col("selection").is_in(*SUITED_BY_SEVERAL)
    return moves.group_by(*QUEUE).agg(
        fn.count(fn.when(own, 1)).alias("moves"),
        fn.min("start_us").alias("first_us"),
        fn.max(nameless).alias("blind"),
        fn.max(nameless & ~_unlearnt_get()).alias("nearly_blind"),
        fn.collect_set(fn.when(_unlearnt_get() & ~restored, _asked_by_id())).alias("unlearnt_asks"),
        fn.collect_set(fn.when(_unlearnt_get() & restored, fn.col("unit_end.hi"))).alias("restored_us"),
        fn.max(unexplained).alias("unmatched"),
        fn.coalesce(fn.max(fn.when(returned, fn.col("hi"))), fn.lit(-NEVER)).alias("returned_us"),
        fn.max(holds(fn.rtrim("format") == MQFMT.XMIT_Q_HEADER)).alias("transmission"),
        *(fn.max(holds(condition)).alias(f"{USES}{use.name}") for use, condition in _uses().items()),
        fn.count(fn.when(own & (fn.col("role") == PUT), 1)).alias("puts"),
        fn.max(fn.col("role").is_in(*PUTS) & unknown_or(fn.col("expiry") != MQEI.UNLIMITED)).alias("expires"),
        fn.max(fn.col("role").is_in(*PUTS) & (grouped | extended | as_passed)).alias("ungrouped"),
        fn.max(fn.col("role").is_in(*PUTS) & unknown_or(has("report", _REPORTS))).alias("asks"),
        fn.max(fn.col("role").is_in(*PUTS) & unknown_or(has("msg_flags", MQMF.SEGMENTATION_ALLOWED))).alias("splits"),
        fn.collect_set(fn.when(fn.col("role") == EMPTY, fn.col("selection"))).alias("asked"),
        fn.collect_set(fn.when(tells_its_message(), own_rank())).alias("taken_ranks"),
        fn.collect_set(fn.when(first, fn.col("selection"))).alias("taken_by"),
    )


_COUNTS = ("moves", "puts", "inputs", "deletions", "full")
"""The facts that are numbers of calls; carried calls are not counted again."""

_LATEST = ("returned_us", "made_until_us")
"""The facts that are times of a last call."""

_TOLD_ANEW = ("unlearnt_asks", "restored_us")
"""The facts that later calls may change; they are computed again from carried calls (spark_checks.days.carrying)."""

_EARLIER: dict[str, Any] = {"made_us": -NEVER, "made_until_us": NEVER, "opened_as": []}
"""The facts that a state of an earlier version lacks, as if nothing were known."""

Name = tuple[str, str | None]
"""A queue manager and a queue; a null queue stands for those that were not captured."""

_Told = tuple[Literal["calls", "moves"], str, str | None, dict[str, Any]]
"""The columns: what identifies a queue, its names, and its facts."""


@dataclass(frozen=True)
class Gathered:
    """The facts of each queue from the calls and moves of a log, in a form that can be kept.

    The facts of two parts of a log, the later with the calls carried from the earlier, can be merged into those of both
    (`merged`): each fact is a first or last time, whether something ever occurred, a set, or a number of calls, or it
    is computed anew.
    """

    calls: Mapping[Name, Mapping[str, Any]] = field(default_factory=dict)
    """The facts of all calls by queue manager and queue, with the columns of GatheredOfCalls."""
    moves: Mapping[Name, Mapping[str, Any]] = field(default_factory=dict)
    """The facts of puts and gets by queue manager and queue, with the columns of GatheredOfMoves."""

    def merged(self, other: Gathered) -> Gathered:
        """Return the facts of this part and a later one together."""
        return Gathered(_merged(self.calls, other.calls), _merged(self.moves, other.moves))

    def document(self) -> list[_Told]:
        """Return the facts as plain data for JSON."""
        calls: list[_Told] = [("calls", *name, dict(told)) for name, told in self.calls.items()]
        return calls + [("moves", *name, dict(told)) for name, told in self.moves.items()]

    @classmethod
    def of_document(cls, document: Iterable[_Told]) -> Gathered:
        """Return the facts from what `document` returned."""
        parts: dict[str, dict[Name, Mapping[str, Any]]] = {"calls": {}, "moves": {}}
        for kind, qmgr, queue, told in document:
            parts[kind][qmgr, queue] = told
        return cls(**parts)


def _merged(
    one: Mapping[Name, Mapping[str, Any]], other: Mapping[Name, Mapping[str, Any]]
) -> dict[Name, Mapping[str, Any]]:
    both = {**one, **other}
    return {
        name: {fact: _together(fact, one[name].get(fact, _EARLIER.get(fact)), other[name][fact]) for fact in told}
        if name in one and name in other
        else told
        for name, told in both.items()
    }


def _together(fact: str, one: Any, other: Any) -> Any:
    if fact in _COUNTS:
        return one + other
    if isinstance(one, bool):
        return one or other
    if fact in _LATEST:
        return max(one, other)
    if fact in _TOLD_ANEW:
        return other
    return sorted({*one, *other}) if isinstance(one, list) else min(one, other)


def _told(rows: list[Row]) -> dict[Name, Mapping[str, Any]]:
    found: dict[Name, Mapping[str, Any]] = {}
    for row in rows:
        told = row.as_dict()
        name = told.pop("qmgr"), told.pop("queue")
        found[name] = {
            fact.removeprefix(USES): sorted(value) if isinstance(value, list) else value for fact, value in told.items()
        }
    return found


def gather(calls: Frame, moves: Frame, clock_us: int) -> Gathered:
    """Gather the facts of each queue from the calls and the moves of a log, with clocks that differ by `clock_us`."""
    return Gathered(_told(from_calls(calls).collect()), _told(from_moves(moves, clock_us).collect()))


def _inhibited(attribute: int | None, *, was_set: bool) -> bool | None:
    return None if attribute is None or was_set else attribute == 1


def _limit(known: QueueFacts, puts: int) -> int | None:
    return known.max_depth if 0 < (known.max_depth or 0) <= puts else None


def uses_of(gathered: Gathered, facts: LogFacts) -> frozenset[Use]:
    """Return the uses of the log, so that checks that would find nothing can be left out."""
    found = {use for use in _uses() if any(told[use.name] for told in gathered.moves.values())}
    defined = {(known.qmgr, known.queue): known for known in facts.queues}
    if any(_limit(defined[name], told["puts"]) is not None for name, told in gathered.moves.items() if name in defined):
        found.add(Use.LIMITS)
    return frozenset(found)


def _perhaps_twice(gathered: Gathered) -> frozenset[Name]:
    """Return the queues that may be in the log a second time, as those of a queue manager known by its address only.

    A packet capture names a queue manager by its address if no channel shows its name, which has no colon.
    """
    managers: dict[str | None, set[str]] = {}
    for qmgr, queue in gathered.moves:
        managers.setdefault(queue, set()).add(qmgr)
    nameless = managers.get(None, set())
    found: set[Name] = set()
    for queue, of_queue in managers.items():
        of_any = of_queue | nameless
        by_address = {qmgr for qmgr in of_any if ":" in qmgr}
        if by_address and len(of_any) > 1:
            found |= {(qmgr, queue) for qmgr in of_queue if ":" in qmgr or by_address - {qmgr}}
    return frozenset(found)


def _models(gathered: Gathered, defined: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the names of model queues by queue manager: those defined, and those by which several were opened."""
    opened: dict[str, Counter[str]] = {}
    for (qmgr, queue), told in gathered.calls.items():
        if queue is not None:
            opened.setdefault(qmgr, Counter()).update(told.get("opened_as", ()))
    models = {qmgr: {name for name, queues in names.items() if queues > 1} for qmgr, names in opened.items()}
    for qmgr, name in defined:
        models.setdefault(qmgr, set()).add(name)
    return models


def _is_dynamic(known: QueueFacts, told: Mapping[str, Any] | None, models: Set[str]) -> bool:
    """Return whether a queue is surely dynamic: by its definition, an MQCLOSE that deleted it, or its model."""
    by_calls = told is not None and (told["deletions"] > 0 or not models.isdisjoint(told.get("opened_as", ())))
    return known.definition_type in (PERMANENT, TEMPORARY) or by_calls


def queue_facts(engine: Engine, gathered: Gathered, facts: LogFacts) -> Frame:
    """Return one row per queue that was put to or got from, with the columns of OfQueue."""
    margin = 2 * facts.clock_us
    defined = {(known.qmgr, known.queue): known for known in facts.queues}
    logged_us: dict[str, int] = {}
    for (qmgr, _), told in gathered.calls.items():
        logged_us[qmgr] = min(told["logged_us"], logged_us.get(qmgr, NEVER))
    twice, models = _perhaps_twice(gathered), _models(gathered, facts.models)
    rows: list[tuple[Any, ...]] = []
    for (qmgr, queue), told in gathered.moves.items():
        if queue is None:
            continue
        own, shared = gathered.calls.get((qmgr, queue)), gathered.calls.get((qmgr, None))
        model = facts.model_of(qmgr, own.get("opened_as", ())) if own is not None else None
        known = defined.get((qmgr, queue)) or replace(model or QueueFacts(qmgr, queue), queue=queue)
        vanish = any(other is not None and other["may_vanish"] for other in (own, shared))
        vanish &= known.definition_type != "PREDEFINED"
        made = [{**_EARLIER, **other} for other in (own, shared) if other is not None] if vanish else []
        was_set = any(other is not None and other["was_set"] for other in (own, shared))
        seen = facts.complete and (qmgr, None) not in gathered.moves and (qmgr, queue) not in twice
        row = {
            "qmgr": qmgr,
            "queue": queue,
            "whole": seen and not told["blind"],
            "but_for_unlearnt": seen and not told["nearly_blind"],
            "unlearnt_asks": told["unlearnt_asks"],
            "restored_us": max(told["restored_us"], default=None),
            "pinned": known.empty_at_us is not None and known.empty_at_us + margin <= told["first_us"],
            "sequence": known.sequence if known.sequence in {"PRIORITY", "FIFO"} else None,
            "index_type": known.index_type,
            "cap_expiry": known.cap_expiry,
            "transmission": told["transmission"] or known.usage == "TRANSMISSION",
            "ordinary": known.usage == "NORMAL",
            "unmatched": told["unmatched"],
            "split": told[Use.SPLITS.name],
            "reassembles": any(other is not None and other["reassembles"] for other in (own, shared)),
            "may_vanish": vanish,
            "made_us": min((other["made_us"] for other in made), default=NEVER),
            "made_until_us": max((other["made_until_us"] for other in made), default=-NEVER),
            "dynamic": vanish and _is_dynamic(known, own, models.get(qmgr, set())),
            "asked": told["asked"],
            "taken_ranks": told["taken_ranks"],
            "taken_by": told["taken_by"],
            "get_inhibited": _inhibited(known.inhibit_get, was_set=was_set),
            "put_inhibited": _inhibited(known.inhibit_put, was_set=was_set),
            "limit": _limit(known, told["puts"]),
            "ungrouped": told["ungrouped"],
            "max_msg_length": known.max_msg_length,
            "def_priority": known.def_priority,
            "def_persistence": known.def_persistence,
            "def_put_response": known.def_put_response,
            "logged_us": logged_us[qmgr],
        }
        rows.append(tuple(row[name] for name in _FACTS))
    return engine.frame(rows, _FACTS)
