"""The puts and gets of each message matched, and the times in which the message was surely available.

A message is identified by queue manager, queue and MsgId. Identifiers may repeat: a conclusion that needs *the* put of
a message requires `n_puts` to be 1. A message that was returned before any put of the log began was put before the log,
or by a call that it lacks. That counts as a put too, as when an application gets a message and puts it again with the
same MsgId. So does a report that may have the MsgId of its original (MQRO_PASS_MSG_ID). If parts of groups or logical
messages share a MsgId, each returned part may have been another one.
"""

from __future__ import annotations

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.mqi.constants import MQEI, MQGMO, MQMF, MQMT, MQPER, MQPMO, MQPRI, MQRC
from spark_checks.frames import Column, Frame, Window, WindowSpec
from spark_checks.frames import functions as fn
from spark_checks.frames.described import schema_of
from spark_checks.preparation.columns import Of, has, holds, listed, packed, unknown_or, unpacked
from spark_checks.preparation.connections import REF_FIELDS, completed
from spark_checks.preparation.moves import EMPTY, PUT, PUTS, RETURNS, SIGHT, TAKE, TOUCH
from spark_checks.preparation.schemas.messages import PutCall
from spark_checks.times import NEVER, PUT_TIME_US

MESSAGE = ("qmgr", "queue", "msg_id")
_MESSAGE = ("qmgr", "queue", "key")
_ORDER = ("lo", "hi", "conn", "seq")
LONGEST_EXPIRY = 999_999_999
"""Expiry in tenths of a second above which queue managers differ: such a message counts as unlimited."""
HIGHEST_PRIORITY = 9
_LISTED_LATE = 10
"""By how many tenths of a second what a listing showed of an Expiry may be less than a later get shows (EXP-08)."""

_PUT_FIELDS = tuple(name for name in schema_of(PutCall) if name != "visible")


def capped_priority(priority: Column) -> Column:
    """Return the priority at which a message stands in the queue; null if it is unknown."""
    return fn.when(priority > HIGHEST_PRIORITY, HIGHEST_PRIORITY).otherwise(priority)


def own_rank(of: Of = fn.col) -> Column:
    """Return the rank of the message that a call returned; each of several with one identifier has its own."""
    own = fn.coalesce(capped_priority(of("priority")), fn.when(of("n_puts") == 1, of("rank")))
    return fn.when(of("rank").is_not_null(), own)


def rank_with_default() -> Column:
    """Return the rank of a row's message, also if it was put with the queue's default and never got.

    The record of such a put does not show the default. The queue's definition does if the put named the queue itself,
    and it holds throughout a complete log; an alias may have another default.
    """
    put = fn.col("put")
    left_to_queue = (put["priority"] == MQPRI.PRIORITY_AS_Q_DEF) & (put["object_name"] == fn.col("queue"))
    by_default = fn.when(fn.col("whole") & (fn.col("n_puts") == 1) & left_to_queue, fn.col("def_priority"))
    return fn.coalesce("rank", by_default)


def _latest_put_us(clock_us: int) -> Column:
    """Return the latest time at which a put can have happened; the descriptor's put time may be narrower than `hi`.

    A put time that the application set itself is ignored, and so is one outside the call.
    """
    own = has("options", MQPMO.SET_ALL_CONTEXT | MQPMO.PASS_ALL_CONTEXT)
    within = (fn.col("put_us") >= fn.col("lo") - PUT_TIME_US) & (fn.col("put_us") <= fn.col("hi"))
    by_put_time = fn.col("put_us") + PUT_TIME_US + 2 * clock_us
    return fn.when(~own & within, fn.least(by_put_time, "hi")).otherwise(fn.col("hi"))


def _limited_below() -> Column:
    """Return whether a put reported a highest priority below that of IBM MQ, so that its priority is not known."""
    return holds((fn.col("reason") == MQRC.PRIORITY_EXCEEDS_MAXIMUM) & (fn.col("priority") <= HIGHEST_PRIORITY))


def _facts_of_moves(clock_us: int) -> dict[str, Column]:
    """Return the facts of each move about its message, under the names by which windows use them."""
    role, expiry = fn.col("role"), fn.col("expiry")
    is_put, returned = role.is_in(*PUTS), role.is_in(*RETURNS)
    kind, by = fn.col("effect.kind"), fn.col("effect.by")
    final = (kind == "final") & ~holds(fn.col("msg_type") == MQMT.REPORT)
    put = fn.struct(*_PUT_FIELDS, fn.when(kind == "visible", by).alias("visible"))
    limited = (expiry > 0) & (expiry <= LONGEST_EXPIRY)
    longest = expiry.cast("long") + fn.when(listed(), _LISTED_LATE).otherwise(0)
    lifetime = fn.when(limited, longest).otherwise(fn.lit(NEVER))
    in_time = limited & ~holds(has("options", MQPMO.ASYNC_RESPONSE))  # such a put may take effect later than its call
    expires = fn.when(in_time, _latest_put_us(clock_us) + expiry.cast("long") * 100_000).otherwise(fn.lit(NEVER))
    earliest_final = fn.struct(
        by["hi"].alias("hi"),
        by["seq"].alias("at_seq"),
        by.alias("by"),
        fn.struct(*REF_FIELDS).alias("take"),
        *(fn.col(name).alias(name) for name in ("in_unit", "options", "reason", "wait_ms", "lo", "put_us")),
    )
    at = fn.when(kind == "released", by["hi"]).otherwise(fn.lit(NEVER)).alias("at")
    free = fn.struct(at, fn.col("why_released").alias("why"), by.alias("by"))
    return {
        "is_put": is_put,
        "returned": returned,
        "own_put": fn.when(role == PUT, put),
        "own_place": fn.when(is_put, fn.struct("lo", *REF_FIELDS)),
        "own_backouts": fn.when(is_put & listed(), fn.col("backout_count")),
        "own_expires": fn.when(is_put, expires),
        "own_lifetime": fn.when(is_put, lifetime),
        "own_unlimited": fn.when(is_put, holds(expiry == MQEI.UNLIMITED)),
        "own_visible_hi": fn.when((role == PUT) & _surely_stays(), by["hi"]),
        "own_public_hi": fn.col("public_hi"),
        "own_endless_hi": fn.when(returned & fn.col("endless"), fn.col("hi")),
        "own_deadline": fn.when(
            returned & limited, fn.struct((fn.col("hi") + expiry.cast("long") * 100_000).alias("us"), *REF_FIELDS)
        ),
        "own_count": fn.when(returned & (fn.col("backout_count") > 0), fn.struct("backout_count", "hi", *REF_FIELDS)),
        "own_persistent": fn.when(is_put, fn.coalesce(fn.col("persistence") == MQPER.PERSISTENT, fn.lit(False))),
        "own_until": fn.when(is_put, fn.col("until_lo")),
        "own_awaited": fn.when(is_put, holds(has("options", MQPMO.SYNC_RESPONSE))),
        "own_priority": fn.when(returned, fn.col("priority")),
        "own_limited": is_put & _limited_below(),
        "own_put_us": fn.when(returned, fn.col("put_us")),
        "own_report": returned & holds(fn.col("msg_type") == MQMT.REPORT),
        "own_part": fn.when(
            returned & has("msg_flags", GROUP_FLAGS | SEGMENT_FLAGS), fn.struct("msg_seq_number", "offset")
        ),
        "own_kind": fn.when(is_put, fn.struct("correl_id", "group_id", "msg_flags")),
        "own_mark": returned & unknown_or(has("options", MQGMO.MARK_BROWSE_HANDLE | MQGMO.MARK_BROWSE_CO_OP)),
        "own_final": fn.when(final, earliest_final),
        "release": fn.when(role.is_in(TAKE, TOUCH), free),
        "sight": fn.when(role == SIGHT, free),
        "backed_out": _backed_out(),
        "perhaps_backed_out": _perhaps_backed_out(),
    }


def _with_puts(moves: Frame) -> Frame:
    """Add the facts of a message from all of its moves."""
    message = Window.partition_by(*_MESSAGE)
    conn = fn.when(fn.col("returned"), fn.col("conn"))
    return moves.select(
        "*",
        fn.count(fn.when(fn.col("is_put"), 1)).over(message).alias("n_puts"),
        fn.count(fn.when(fn.col("returned"), 1)).over(message).alias("n_returned"),
        fn.max("own_put").over(message).alias("any_put"),
        fn.min("own_place").over(message).alias("first_put"),
        fn.min(fn.when(fn.col("returned"), fn.col("hi"))).over(message).alias("first_returned_hi"),
        fn.max("own_expires").over(message).alias("expires_us"),
        fn.max("own_lifetime").over(message).alias("largest_expiry"),
        fn.min("own_unlimited").over(message).alias("put_unlimited"),
        fn.count("own_visible_hi").over(message).alias("n_staying"),
        fn.max("own_visible_hi").over(message).alias("all_visible_hi"),
        fn.min("own_deadline").over(message).alias("deadline"),
        fn.max("own_count").over(message).alias("highest_count"),
        (fn.count(fn.when(fn.col("backed_out"), 1)).over(message) + _before(message)).alias("all_backouts"),
        fn.coalesce(fn.sum("perhaps_backed_out").over(message), fn.lit(0)).alias("all_perhaps_backouts"),
        fn.min("own_persistent").over(message).alias("all_persistent"),
        fn.min("own_until").over(message).alias("all_until"),
        fn.min("own_awaited").over(message).alias("all_awaited"),
        fn.count(fn.when(fn.col("role").is_in(TAKE, TOUCH), 1)).over(message).alias("n_held"),
        fn.max("own_priority").over(message).alias("seen_priority"),
        holds(fn.min("own_priority").over(message) < fn.max("own_priority").over(message)).alias("priorities_differ"),
        fn.max("own_limited").over(message).alias("limited"),
        fn.max("own_report").over(message).alias("was_report"),
        (fn.min("own_part").over(message) < fn.max("own_part").over(message)).alias("in_parts"),
        (fn.min("own_put_us").over(message) < fn.max("own_put_us").over(message)).alias("put_times_differ"),
        (~holds(fn.min("own_kind").over(message) < fn.max("own_kind").over(message))).alias("alike"),
        fn.count("own_final").over(message).alias("n_final"),
        fn.min("own_final").over(message).alias("first_final"),
        fn.max("release").over(message).alias("all_releases"),
        fn.max("sight").over(message).alias("all_sights"),
        fn.min("own_public_hi").over(message).alias("least_public_hi"),
        fn.min("own_endless_hi").over(message).alias("least_endless_hi"),
        (fn.min(conn).over(message) == fn.max(conn).over(message)).alias("alone"),
    )


def _with_earlier(moves: Frame) -> Frame:
    """Add the facts from earlier moves of the message, the facts of the put from all moves, and the next move."""
    message = Window.partition_by(*_MESSAGE)
    place = message.order_by(*_ORDER)
    earlier = place.rows_between(Window.unbounded, -1)
    return moves.select(
        "*",
        *(
            fn.when(fn.col("returned"), fn.max(one).over(earlier)).otherwise(fn.col(f"all_{one}s")).alias(f"{one}s")
            for one in ("release", "sight")
        ),
        (fn.count(fn.when(fn.col("backed_out"), 1)).over(earlier) + _before(message)).alias("backouts"),
        fn.coalesce(fn.sum("perhaps_backed_out").over(earlier), fn.lit(0)).alias("perhaps_backouts"),
        fn.when(fn.col("returned"), fn.max("own_mark").over(earlier))
        .otherwise(fn.max("own_mark").over(message))
        .alias("perhaps_marked"),
        fn.min(fn.when(fn.col("returned") & _shows_commit(), fn.col("hi"))).over(message).alias("committed_hi"),
        fn.lead("lo").over(place).alias("next_lo"),
    )


def _before(message: WindowSpec) -> Column:
    """Return how often a message had been backed out before the log, as a listing tells."""
    return fn.coalesce(fn.max("own_backouts").over(message), fn.lit(0))


def _backed_out() -> Column:
    """Return whether a row is a get that was backed out with its unit of work."""
    return (fn.col("role") == TAKE) & (fn.col("effect.kind") == "released")


def _perhaps_backed_out() -> Column:
    """Return how often a get may have been backed out, though that is not known.

    A message that skips a backout may be backed out again, and the backout that it skips may count as well (BOC-01).
    """
    kind = fn.coalesce("effect.kind", fn.lit("unknown"))
    locked = holds(has("options", MQGMO.LOCK)) & holds(completed())
    perhaps = ((fn.col("role") == TAKE) & (kind == "unknown")) | ((fn.col("role") == TOUCH) & ~locked)
    return fn.when(perhaps, fn.when(holds(has("options", MQGMO.MARK_SKIP_BACKOUT)), 2).otherwise(1)).otherwise(0)


def _shows_commit() -> Column:
    """Return whether a returned message shows that the commit of its put, then in progress, had taken effect.

    The message may be visible earlier to the connection that put it.
    """
    put = fn.col("any_put")
    return put["in_unit"] & (fn.col("conn") != put["conn"]) & (fn.col("hi") >= put["visible"]["lo"])


def _surely_stays() -> Column:
    """Return whether a put became visible to all, and its message stays until a call removes it under its name."""
    whole = holds(~has("msg_flags", SEGMENT_FLAGS))
    return (fn.col("effect.kind") == "visible") & whole & holds(fn.col("expiry") == MQEI.UNLIMITED)


def _one_stays() -> Column:
    """Return whether a row, one of several puts with one MsgId, stands for a message that no call ever held.

    This holds if there were more puts than calls that took such a message from the view of others.
    """
    several = (fn.col("n_puts") > 1) & (fn.col("n_staying") == fn.col("n_puts")) & (fn.col("n_held") < fn.col("n_puts"))
    last = (fn.col("conn") == fn.col("any_put.conn")) & (fn.col("seq") == fn.col("any_put.seq"))
    return holds(several & last & (fn.col("role") == PUT) & ~fn.col("nameless"))


def _any_of_several() -> Column:
    """Return the put of one of several messages, with the values that decide whether a restart can have dropped it.

    It counts as persistent if all of them are, as there since the first of them was put, and as a put that asked to
    await its outcome if all did.
    """
    put = fn.col("any_put")
    persistence = fn.when(fn.col("all_persistent"), put["persistence"]).otherwise(int(MQPER.NOT_PERSISTENT))
    unasked = put["options"].bit_and(fn.lit(int(~MQPMO.SYNC_RESPONSE & 0x7FFFFFFF)))
    options = fn.when(fn.col("all_awaited"), put["options"]).otherwise(unasked)
    unstamped = put.with_field("persistence", persistence.cast("int")).with_field("options", options.cast("int"))
    with_persistence = unstamped.with_field("put_us", fn.lit(None).cast("long"))
    return with_persistence.with_field("lo", fn.col("first_put.lo")).with_field("until_lo", fn.col("all_until"))


def _passed_to_report() -> Column:
    """Return whether a message was put as no report and returned as a report.

    The report has the MsgId of its original (MQRO_PASS_MSG_ID), which may be another message, on another queue.
    """
    return fn.col("was_report") & holds(fn.col("any_put.msg_type") != MQMT.REPORT)


def _under_one_id() -> Column:
    """Return whether a MsgId was returned with several parts, and no put of one part in the log shows whose it is.

    The queue manager chooses the MsgIds of segments that it makes, also of those that it makes of a segment, and an
    application may use one for a whole group.
    """
    may_be_split = unknown_or(fn.col("any_put.msg_flags").bit_and(int(MQMF.SEGMENTATION_ALLOWED)) != 0)
    return holds(fn.col("in_parts")) & may_be_split


def _several(*, complete: bool) -> Column:
    """Return whether several messages were returned under a MsgId, as their put times show.

    An application that puts with the descriptor of its last put gives both the same MsgId (PUT-26).
    """
    unseen = (fn.col("n_puts") == 0) | ~fn.lit(complete)
    return unseen & holds(fn.col("put_times_differ"))


def _returned_before(clock_us: int) -> Column:
    """Return whether a message with the MsgId was returned before the first put with it began."""
    return holds(fn.col("first_returned_hi") + 2 * clock_us < fn.col("first_put.lo"))


def _another_put(clock_us: int) -> Column:
    """Return whether a MsgId was returned with a message that no put of the log explains and may explain others."""
    return _returned_before(clock_us) | _passed_to_report()


def _public_hi() -> Column:
    """Return the time by which a message without a put in the log was visible to all, as its moves show.

    If two connections returned it, one that ends no unit of work later cannot have put it in one.
    """
    return fn.least("least_public_hi", fn.when(~fn.col("alone"), fn.col("least_endless_hi")))


def _gap_begins() -> Column:
    """Return the time from which on the message of a row was surely available, after the calls before the row."""
    # A message that was returned was there, whatever the call that put it was still busy with.
    put = fn.col("its_put")
    returned_hi = fn.when(put["in_unit"], fn.col("committed_hi")).otherwise(fn.col("first_returned_hi"))
    visible_hi = fn.least(put["visible"]["hi"], fn.when(put["in_unit"].is_not_null(), returned_hi))
    in_gap = fn.col("role").is_in(PUT, *RETURNS) & visible_hi.is_not_null()
    stayed, public_hi = fn.greatest("releases.at", "sights.at"), _public_hi()
    known = stayed.is_not_null() & public_hi.is_not_null()
    return (
        fn.when(fn.col("one_stays"), fn.col("all_visible_hi"))
        .when(in_gap, fn.greatest(visible_hi, "releases.at"))
        .when(fn.col("returned") & (fn.col("n_all_puts") == 0) & known, fn.greatest(stayed, public_hi))
    )


def _rank() -> Column:
    """Return the priority at which the message of a row stands in the queue; null if it is not certain."""
    put, seen = fn.col("its_put"), fn.col("seen_priority")
    priority = fn.coalesce(seen, fn.when(put["priority"] >= 0, put["priority"]))
    other = capped_priority(put["priority"]) != capped_priority(seen)
    differ = fn.col("priorities_differ") | holds((put["priority"] >= 0) & other)
    one_of_two = differ & (fn.col("n_all_puts") <= 1)  # there was another one, from before the log
    return fn.when(~fn.col("one_stays") & ~fn.col("limited") & ~one_of_two, capped_priority(priority))


def _with_its_put(moves: Frame, clock_us: int, *, complete: bool) -> Frame:
    """Add which put is that of a row's message, and what that depends on.

    Each column is selected before another uses it: written out in every place, the selection would be planned for a
    fifth of the time that a small log takes.
    """
    several = _under_one_id() | _several(complete=complete)
    others = fn.when(several, fn.col("n_returned")).otherwise(0)
    n_puts = fn.col("n_puts") + fn.col("another_put").cast("int") + others
    put = fn.when(fn.col("one_stays"), _any_of_several()).when(
        (fn.col("n_all_puts") == 1) & ~fn.col("nameless"), fn.col("any_put")
    )
    return (
        moves.with_columns({"one_stays": _one_stays(), "another_put": _another_put(clock_us)})
        .with_column("n_all_puts", n_puts)
        .with_column("its_put", put)
        .with_column("begins", _gap_begins())
    )


def matched(moves: Frame, clock_us: int, *, complete: bool) -> Frame:
    """Match the moves of each message, and find the times in which it was surely available.

    Every row gets the columns of spark_checks.preparation.schemas.messages.OfMessage, which says what a gap is.
    """
    own_key = fn.concat_ws("/", "conn", fn.col("seq").cast("string"))
    nameless = (fn.col("role") == EMPTY) | fn.col("queue").is_null() | fn.col("msg_id").is_null()
    key = fn.when(nameless, own_key).otherwise(fn.col("msg_id"))
    keyed = moves.with_columns({"nameless": nameless, "key": key})
    in_order = keyed.arranged(_MESSAGE, *_ORDER)  # once, for all windows
    facts = _facts_of_moves(clock_us)
    of_message = packed(in_order.with_columns(facts), (*_MESSAGE, *_ORDER, "role", "nameless", *facts))
    together = _with_its_put(unpacked(_with_earlier(_with_puts(of_message))), clock_us, complete=complete)
    another_put, begins = fn.col("another_put"), fn.col("begins")
    return together.select(
        *moves.columns,
        fn.when((fn.col("role") != PUT) | (begins < NEVER), fn.col("its_put")).alias("put"),
        fn.col("n_all_puts").alias("n_puts"),
        *("alike", "n_returned", "n_held", "first_put", "n_final", "alone"),
        fn.when(~_returned_before(clock_us), fn.col("first_put.lo")).alias("put_since"),
        *("all_backouts", "all_perhaps_backouts"),
        fn.when(fn.col("n_all_puts") == 0, fn.col("deadline")).alias("deadline"),
        fn.when(fn.col("n_returned") > 1, fn.col("highest_count")).alias("highest_count"),
        *(fn.when(another_put, NEVER).otherwise(fn.col(name)).alias(name) for name in ("expires_us", "largest_expiry")),
        (fn.col("put_unlimited") & ~another_put).alias("put_unlimited"),
        fn.when(fn.col("n_returned") > 1, fn.col("first_final")).alias("first_final"),
        _rank().alias("rank"),
        fn.when(begins < NEVER, begins).alias("gap_from"),
        (fn.col("releases").is_null() & ~fn.col("one_stays")).alias("gap_first"),
        fn.when(fn.col("releases.at") < NEVER, fn.col("releases")).alias("given_back"),
        fn.col("sights").alias("shown"),
        *("backouts", "perhaps_backouts", "next_lo"),
        holds(fn.col("perhaps_marked")).alias("perhaps_marked"),
    )
