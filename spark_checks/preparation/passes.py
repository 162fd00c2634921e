"""The passes of the sweep: the ways in which a call can be known to lie within a gap.

Offers are the rows that end a gap (see spark_checks.preparation.messages), and queries the rows of calls. Each pass
allows for the margin of the clocks. If times show the order, `seq` need not: rows that are not `loose` stay out of the
passes by `seq`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.mqi.constants import MQMT
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import Of, has, holds, unknown_or
from spark_checks.preparation.moves import ANY, BY_MSG_ID, IN_PIECES, NEXT_GROUP, NEXT_WHOLE, PUT, wanted
from spark_checks.preparation.sweep import Pass, Spot
from spark_checks.times import NEVER

_BY_MSG_ID_ALONE: Final = (ANY, BY_MSG_ID)
"""The selections that look at nothing of a message but its MsgId."""


def gap() -> Column:
    """Return whether a row ends a gap, or stands for one that ends at an unknown time.

    Calls for whole logical messages hold a segment without naming it. So none of its gaps is sure, whether the
    application put it or the queue manager split a message. A message without a put may be another one with the same
    identifier, if a call may be missing or it is a report. A segment without a put may come from an uncommitted message
    that the queue manager split.
    """
    put_as_one = unknown_or(put_of_gap("msg_flags").bit_and(SEGMENT_FLAGS) != 0)
    segment = put_as_one | holds(has("msg_flags", SEGMENT_FLAGS))
    known = fn.col("put").is_not_null() | (fn.col("whole") & holds(fn.col("msg_type") != MQMT.REPORT) & ~segment)
    return fn.col("gap_from").is_not_null() & known & ~(segment & fn.col("reassembles"))


def put_of_gap(name: str, of: Of = fn.col) -> Column:
    """Return a member of the message of a gap: as put, or as returned if the log has no put."""
    return fn.coalesce(of("put")[name], of(name))


def _is_known_to_suit(selection: str) -> Column:
    """Return whether what a selection looks at is the same in all messages with the MsgId of a gap, and suits it."""
    return suits_groups(selection) if selection in _BY_MSG_ID_ALONE else suits_groups(selection) & fn.col("alike")


def suits_groups(selection: str) -> Column:
    """Return whether the message of a gap suits a selection as far as groups and segments are concerned.

    A message in no group and in one piece suits all; the first one of a group may be got in logical order.
    """
    alone = holds(put_of_gap("msg_flags").bit_and(fn.lit(int(GROUP_FLAGS | IN_PIECES))) == 0)
    suiting = {NEXT_WHOLE: alone, NEXT_GROUP: alone | begins_group()}
    return ~fn.col("ungrouped") & suiting[selection] if selection in suiting else fn.lit(True)


def begins_group(of: Of = fn.col) -> Column:
    """Return whether the message of a gap is surely the first of its group or in no group."""
    return holds((put_of_gap("msg_seq_number", of) == 1) & (put_of_gap("offset", of) == 0))


def asked_for() -> Column:
    """Return what a get asks its queue for, as one text."""
    return wanted(fn.col("selection"), fn.col("sel_msg_id"), fn.col("sel_correl_id"))


def suited(asked: str, selections: Iterable[str]) -> list[Column]:
    """Return the selections that the message of a gap suits, each as the text of a get that asks for it.

    `asked` is the column of what some call on the queue selected by; any other selection is left out.
    """
    return [
        fn.when(
            fn.array_contains(asked, selection) & _is_known_to_suit(selection),
            wanted(fn.lit(selection), fn.col("msg_id"), put_of_gap("correl_id")),
        )
        for selection in selections
    ]


def unseen() -> Column:
    """Return whether a row stands for a gap after which the message is not seen again."""
    return fn.col("role") == PUT


def open_spot(where: Column, *same: Column, each: Column | None = None) -> Spot:
    """Return a spot with its place and value still open."""
    return Spot(where, fn.lit(None), fn.lit(None), same, each)


def begun_by_time(
    family: str, offers: Spot, queries: Spot, margin: int, *, at: Column | None = None, since: Column | None = None
) -> Pass:
    """Return the pass in which a call starts after the beginning of a gap by their times; see begun."""
    begins = fn.col("gap_from") + margin
    return Pass(
        family,
        "after by time",
        replace(offers, at=begins if since is None else fn.greatest(begins, since)),
        replace(queries, at=fn.col("lo") if at is None else at),
    )


def begun(
    family: str, offers: Spot, queries: Spot, margin: int, *, at: Column | None = None, since: Column | None = None
) -> list[Pass]:
    """Return the passes in which a call starts after the beginning of a gap: by time, or by `seq` after the put.

    The values of the spots stay open. `at` is the time of a call that matters, if it is not its start. `since` is a
    time before which the calls in a gap do not matter; null if all matter.
    """
    from_put = fn.col("gap_first") & fn.col("put.visible.loose")
    return [
        begun_by_time(family, offers, queries, margin, at=at, since=since),
        Pass(
            family,
            "after by seq",
            replace(
                offers,
                where=offers.where & (from_put if since is None else from_put & since.is_null()),
                at=fn.col("put.visible.seq"),
                same=(*offers.same, fn.col("put.conn")),
            ),
            replace(
                queries,
                where=queries.where & fn.col("loose"),
                at=fn.col("seq"),
                same=(*queries.same, fn.col("conn")),
            ),
        ),
    ]


def ended(passes: Iterable[Pass], margin: int) -> list[Pass]:
    """Complete passes: a call ends before the gap's end, by time or by `seq`.

    `seq` shows this if one connection made the call and all calls that returned the gap's message. A gap after which
    the message is not seen again is an endless offer; the latest of those is the best.
    """
    conn = fn.col("conn")
    complete = []
    for one in passes:
        by_seq = Pass(
            one.family,
            f"{one.way}, before by seq",
            replace(
                one.offers,
                where=one.offers.where & ~unseen() & fn.col("alone") & fn.col("loose"),
                value=fn.col("seq"),
                same=(*one.offers.same, conn),
            ),
            replace(
                one.queries,
                where=one.queries.where & fn.col("loose"),
                value=fn.col("seq"),
                same=(*one.queries.same, conn),
            ),
        )
        complete += [ended_by_time(one, margin), by_seq]
    return complete


def ended_by_time(one: Pass, margin: int) -> Pass:
    """Complete a pass: a call ends before the gap's end by their times; see ended."""
    return Pass(
        one.family,
        f"{one.way}, before by time",
        replace(one.offers, value=fn.when(unseen(), fn.col("gap_from")).otherwise(fn.col("lo")), endless=unseen()),
        replace(one.queries, value=fn.col("hi") + margin),
    )


def reversed_(passes: Iterable[Pass]) -> list[Pass]:
    """Reverse passes: find for each gap the first call after it, instead of a gap before each call."""
    return [
        Pass(
            one.family,
            one.way,
            offers=replace(one.queries, at=-one.queries.at, value=-one.queries.at),
            queries=replace(one.offers, at=-one.offers.at, value=fn.lit(-NEVER)),
        )
        for one in passes
    ]
