"""The facts of queues that are gathered from their calls, in a form that can be kept and merged.

An audit day after day keeps them, so that a later day knows what earlier days showed of a queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import INPUT_OPTIONS, MQCC, MQCO, MQEI, MQFMT, MQGMO, MQMF, MQOO, MQPMO, MQRC, MQRO
from spark_checks.frames import Column, Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, has, holds, unknown_or
from spark_checks.preparation.connections import BACKED_OUT, completed, has_unknown_effect, is_own
from spark_checks.preparation.messages import own_rank
from spark_checks.preparation.moves import (
    BY_BOTH,
    BY_CORREL_ID,
    BY_MSG_ID,
    EMPTY,
    GLANCE,
    PUT,
    PUTS,
    RETURNS,
    SUITED_BY_SEVERAL,
    TOUCH,
    tells_its_message,
    wanted,
)
from spark_checks.preparation.uses import USES, uses_of_moves
from spark_checks.times import NEVER

ANY_MESSAGE = "?"
"""The selection of a get that other messages than one with a known identifier may suit."""
_REPORTS = MQRO.COA | MQRO.COD | MQRO.EXPIRATION | MQRO.EXCEPTION | MQRO.ACTIVITY | MQRO.PAN | MQRO.NAN
_GROUPED = GROUP_FLAGS | SEGMENT_FLAGS


def _for_input(done: Column) -> Column:
    """Return whether a call shows that the queue may be open for input. `done` is whether it succeeded."""
    opens = (fn.col("call") == "MQOPEN") & done & unknown_or(has("options", INPUT_OPTIONS))
    gets = fn.col("call").is_in("MQGET", "CALLBACK") & unknown_or(~has("options", BROWSE))
    return opens | gets


def from_calls(calls: Frame) -> Frame:
    """Gather the facts of all calls by queue: GatheredOfCalls."""
    own = is_own()
    done = unknown_or(fn.col("comp_code") != MQCC.FAILED) | has_unknown_effect()
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


def _get_of_unknown_effect() -> Column:
    """Return whether a row is a get that may have taken a message without showing which."""
    return holds((fn.col("role") == TOUCH) & has_unknown_effect() & fn.col("msg_id").is_null())


def surely_restored() -> Column:
    """Return whether a message that a get of unknown effect may have taken is back when its unit of work is backed out.

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
    as_passed = has_unknown_effect() & unknown_or(has("options", MQPMO.LOGICAL_ORDER)) & part
    nameless = ~fn.col("role").is_in(EMPTY, GLANCE) & fn.col("msg_id").is_null()
    restored = surely_restored()
    own = is_own()
    first = tells_its_message() & fn.col("selection").is_in(*SUITED_BY_SEVERAL)
    return moves.group_by(*QUEUE).agg(
        fn.count(fn.when(own, 1)).alias("moves"),
        fn.min("start_us").alias("first_us"),
        fn.max(nameless).alias("blind"),
        fn.max(nameless & ~_get_of_unknown_effect()).alias("nearly_blind"),
        fn.collect_set(fn.when(_get_of_unknown_effect() & ~restored, _asked_by_id())).alias("asks_of_unknown_effect"),
        fn.collect_set(fn.when(_get_of_unknown_effect() & restored, fn.col("unit_end.hi"))).alias("restored_us"),
        fn.max(unexplained).alias("unmatched"),
        fn.coalesce(fn.max(fn.when(returned, fn.col("hi"))), fn.lit(-NEVER)).alias("returned_us"),
        fn.max(holds(fn.rtrim("format") == MQFMT.XMIT_Q_HEADER)).alias("transmission"),
        *(fn.max(holds(condition)).alias(f"{USES}{use.name}") for use, condition in uses_of_moves().items()),
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

_COMPUTED_ANEW = ("asks_of_unknown_effect", "restored_us")
"""The facts that later calls may change; they are computed again from carried calls (spark_checks.days.carrying)."""

UNKNOWN_EARLIER: dict[str, Any] = {"made_us": -NEVER, "made_until_us": NEVER, "opened_as": []}
"""The facts that a state of an earlier version lacks, as if nothing were known."""

Name = tuple[str, str | None]
"""A queue manager and a queue; a null queue stands for those that were not captured."""

_Entry = tuple[Literal["calls", "moves"], str, str | None, dict[str, Any]]
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

    def document(self) -> list[_Entry]:
        """Return the facts as plain data for JSON."""
        calls: list[_Entry] = [("calls", *name, dict(known)) for name, known in self.calls.items()]
        return calls + [("moves", *name, dict(known)) for name, known in self.moves.items()]

    @classmethod
    def of_document(cls, document: Iterable[_Entry]) -> Gathered:
        """Return the facts from what `document` returned."""
        parts: dict[str, dict[Name, Mapping[str, Any]]] = {"calls": {}, "moves": {}}
        for kind, qmgr, queue, known in document:
            parts[kind][qmgr, queue] = known
        return cls(**parts)


def _merged(
    one: Mapping[Name, Mapping[str, Any]], other: Mapping[Name, Mapping[str, Any]]
) -> dict[Name, Mapping[str, Any]]:
    both = {**one, **other}
    return {
        name: {
            fact: _together(fact, one[name].get(fact, UNKNOWN_EARLIER.get(fact)), other[name][fact]) for fact in known
        }
        if name in one and name in other
        else known
        for name, known in both.items()
    }


def _together(fact: str, one: Any, other: Any) -> Any:
    if fact in _COUNTS:
        return one + other
    if isinstance(one, bool):
        return one or other
    if fact in _LATEST:
        return max(one, other)
    if fact in _COMPUTED_ANEW:
        return other
    return sorted({*one, *other}) if isinstance(one, list) else min(one, other)


def _by_queue(rows: list[Row]) -> dict[Name, Mapping[str, Any]]:
    found: dict[Name, Mapping[str, Any]] = {}
    for row in rows:
        known = row.as_dict()
        name = known.pop("qmgr"), known.pop("queue")
        found[name] = {
            fact.removeprefix(USES): sorted(value) if isinstance(value, list) else value
            for fact, value in known.items()
        }
    return found


def gather(calls: Frame, moves: Frame, clock_us: int) -> Gathered:
    """Gather the facts of each queue from the calls and the moves of a log, with clocks that differ by `clock_us`."""
    return Gathered(_by_queue(from_calls(calls).collect()), _by_queue(from_moves(moves, clock_us).collect()))
