"""The shape of each call: small values computed from its columns and from what its handle did before."""

from __future__ import annotations

from oracle.model.put.checks import KNOWN_REPORT
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.mqi.constants import MAX_EXPIRY, MAX_MSG_SEQ_NUMBER, MQCC, MQEI, MQFMT, MQGMO, MQMF, MQMO, MQMT, MQRC, MQRO
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.preparation.columns import has, holds, is_null_id, unknown_or
from spark_checks.preparation.connections import IN_OPEN_UNIT
from spark_checks.preparation.facts import ASYNCHRONOUS
from spark_checks.preparation.handles import BROWSED, CURSOR, GOT, LOCK, OPENED, PUT
from spark_checks.shapes.shape import MEMBERS, Duration, Expiry, Identity, OffsetPlace

_FLAGS = (
    MQMF.SEGMENTATION_ALLOWED
    | MQMF.MSG_IN_GROUP
    | MQMF.LAST_MSG_IN_GROUP
    | MQMF.SEGMENT
    | MQMF.LAST_SEGMENT
    | MQMF.REJECT_UNSUP_MASK
)
EARLY_US = 100_000
"""How much a wait may end before its interval, in microseconds; a twentieth of the interval is allowed too."""
_ON_ITS_WAY = MQRO.ACCEPT_UNSUP_IF_XMIT_MASK & ~KNOWN_REPORT
"""Unknown bits of Report with which a put is accepted if its message leaves for another queue manager (PUT-16), which a
log need not show."""


def _get() -> Column:
    return fn.col("call").is_in(*GETS)


def _sign(column: str) -> Column:
    return fn.signum(fn.col(column).cast("double")).cast("int")


def _expiry() -> Column:
    expiry = fn.col("expiry")
    return (
        fn.when(expiry < MQEI.UNLIMITED, Expiry.BELOW.value)
        .when(expiry == MQEI.UNLIMITED, Expiry.UNLIMITED.value)
        .when(expiry == 0, Expiry.ZERO.value)
        .when(expiry <= MAX_EXPIRY, Expiry.LIMITED.value)
        .when(expiry.is_not_null(), Expiry.ABOVE.value)
    )


def _compared(asked: str, came: str | Column) -> Column:
    """Return how the selection of a get compares with what it returned."""
    value = fn.col(came) if isinstance(came, str) else came
    return fn.when(is_null_id(asked), Identity.NULL.value).when(
        fn.col(asked).is_not_null() & value.is_not_null(),
        fn.when(fn.col(asked) == value, Identity.SAME.value).otherwise(Identity.OTHER.value),
    )


def _nullness(column: str) -> Column:
    return fn.when(fn.col(column).is_not_null(), fn.when(is_null_id(column), Identity.NULL.value).otherwise("given"))


def _cut(value: Column, low: int, high: int) -> Column:
    """Return a value limited to a range; null if it is null."""
    return fn.when(value.is_not_null(), fn.greatest(fn.lit(low), fn.least(value, fn.lit(high)))).cast("int")


def _duration(margin: int) -> Column:
    """Return the duration of a call compared with its wait interval."""
    interval = fn.col("wait_ms").cast("long") * 1000
    longest = fn.col("end_us") - fn.col("start_us") + margin
    tolerated = fn.greatest(fn.lit(EARLY_US), interval / 20)
    return fn.when(
        _get() & (interval > 0),
        fn.when(longest + tolerated < interval, Duration.SHORT.value).otherwise(Duration.OPEN.value),
    )


def _original_length() -> Column:
    """Return how OriginalLength compares with the length of the data: `undefined`, `short` or `enough`."""
    original = fn.col("original_length")
    return fn.when(original < 0, "undefined").when(
        fn.col("length").is_not_null(), fn.when(original < fn.col("length"), "short").otherwise("enough")
    )


def _flags_of(call: str) -> Column:
    """Return the flags of the handle's last message of a kind; -1 if there was none.

    Null for a message that COMPLETE_MSG returned of segments: the last of them may tell its group (AMB-124).
    """
    flags = fn.col(f"{call}.msg_flags").bit_and(fn.lit(_FLAGS)).cast("int")
    reassembled = has(f"{call}.msg_flags", MQMF.SEGMENT) & has(f"{call}.options", MQGMO.COMPLETE_MSG)
    shown = flags if call == PUT else fn.when(~unknown_or(reassembled), flags)
    return fn.when(fn.col("known"), fn.when(fn.col(call).is_null(), -1).otherwise(shown))


def _previous() -> Column:
    """Return the last message of the kind that a call returns or puts."""
    return fn.when(_get() & has("options", BROWSE), fn.col(BROWSED)).when(_get(), fn.col(GOT)).otherwise(fn.col(PUT))


def _hides_its_end(message: Column) -> Column:
    """Return whether the end of a message's data may not show where the next segment begins.

    It may have been stored with more or less than a call returned or put. A report stands for its segment, and may have
    less than all of its data (RPM-07). And what z/OS accepts as a segment without data ends where it began.
    """
    converted = _get() & (message["options"].bit_and(fn.lit(int(MQGMO.CONVERT))) != 0)
    with_properties = _get() & (fn.rtrim(message["format"]) == MQFMT.RF_HEADER_2.strip())
    empty_segment = (message["msg_flags"].bit_and(int(MQMF.SEGMENT)) != 0) & (message["length"] == 0)
    return converted | with_properties | (message["msg_type"] == MQMT.REPORT) | empty_segment


def _place() -> Column:
    before, offset = _previous(), fn.col("offset")
    behind = fn.when(~unknown_or(_hides_its_end(before)), before["offset"] + before["length"])
    return fn.when(
        fn.col("known") & behind.is_not_null() & offset.is_not_null(),
        fn.when((offset == behind) & (behind > 0), OffsetPlace.NEXT.value)
        .when(offset == 0, OffsetPlace.ZERO.value)
        .otherwise(OffsetPlace.ELSEWHERE.value),
    )


def _cursor() -> Column:
    at = fn.col(CURSOR)
    compared = fn.when(at["msg_id"] == fn.col("msg_id"), Identity.SAME.value).when(
        at["msg_id"] != fn.col("msg_id"), Identity.OTHER.value
    )
    return fn.when(fn.col("known"), fn.when(at.is_null(), Identity.NULL.value).otherwise(compared))


def _relevance() -> list[tuple[tuple[str, ...], Column]]:
    """Return the calls that each member is kept for: fewer shapes are less to judge."""
    call, browses = fn.col("call"), holds(has("options", BROWSE))
    under_cursor = holds(has("options", UNDER_CURSOR))
    closes, gets, puts = call == "MQCLOSE", _get(), call.is_in(*PUTS)
    tells = gets & ~holds(fn.col("comp_code") == MQCC.FAILED)
    logical = gets & holds(has("options", MQGMO.LOGICAL_ORDER))
    matches = tells & holds(fn.col("match_options") != 0)
    return [
        (("got", "got_logical", "got_unit"), closes | (gets & ~browses)),
        (("browsed", "browsed_logical"), closes | (gets & browses)),
        (("put", "put_logical", "put_unit", "put_persistence"), closes | (call == "MQPUT")),
        (("first_order", "last_order"), gets & browses),
        (("cursor", "cursor_offset"), gets & under_cursor),
        (("by_msg_id", "by_correl_id", "by_group_id", "by_seq_number", "by_offset"), matches),
        (("same_group", "seq_step", "place", "in_unit"), logical | (gets & ~browses) | puts),
        (
            ("expiry", "priority", "persistence", "msg_flags", "group_id", "seq_valid", "offset_sign", "empty"),
            tells | puts,
        ),
        (("first_in_group",), tells | puts),
        (("fits", "backout_count_sign"), tells),
        (("msg_type", "original_length", "too_long"), puts),
        (("may_hold_lock",), gets & holds(has("options", MQGMO.UNLOCK))),
        (("holds_lock",), gets & holds(has("options", MQGMO.UNLOCK | UNDER_CURSOR))),
        (("duration",), gets & holds(fn.col("reason") == MQRC.NO_MSG_AVAILABLE)),
        (("sel_seq_valid",), holds(fn.col("match_options").bit_and(fn.lit(MQMO.MATCH_MSG_SEQ_NUMBER)) != 0)),
        (("transmission",), tells | puts),
    ]


def _may_miss_what_it_locked() -> Column:
    """Return whether a call under the cursor may find nothing there though its handle holds a lock.

    A get outside an open unit of work may miss a message of that unit (AMB-130). And a browse that returned 2080 since
    then may have moved the cursor.
    """
    removes, under_cursor = has("options", MQGMO.MSG_UNDER_CURSOR), has("options", UNDER_CURSOR)
    of_unit = holds(removes) & ~holds(fn.col("unit")) & fn.col(IN_OPEN_UNIT)
    return of_unit | (holds(under_cursor) & fn.col("cut_since"))


def _columns(margin: int) -> dict[str, Column]:
    known, before = fn.col("known"), _previous()
    group, number = fn.col("group_id"), fn.col("msg_seq_number")
    with_header = fn.rtrim("format") == MQFMT.XMIT_Q_HEADER.strip()
    columns: dict[str, Column] = {
        "opened": fn.col(f"{OPENED}.options").cast("int"),
        "in_unit": fn.col("unit"),
        "wait": fn.when(_get(), _cut(fn.col("wait_ms"), -2, 1)),
        "duration": _duration(margin),
        "fits": fn.when(_get(), fn.col("length") <= fn.col("buffer_length")),
        "empty": fn.col("length") == 0,
        "short_buffer": fn.when(_get(), fn.col("buffer_length") < 0),
        "priority": _cut(fn.col("priority"), -4, 10),
        "persistence": _cut(fn.col("persistence"), -1, 3),
        "expiry": _expiry(),
        "msg_flags": fn.col("msg_flags").bit_and(fn.lit(_FLAGS)).cast("int"),
        "report": fn.when(fn.col("call").is_in(*PUTS) & ~has("report", _ON_ITS_WAY), fn.col("report").cast("int")),
        "transmission": fn.when(with_header | ~holds(fn.col("usage") == "TRANSMISSION"), with_header),
        "reply_to_q": fn.when(fn.col("call").is_in(*PUTS), fn.trim("reply_to_q") != ""),
        "group_id": _nullness("group_id"),
        "first_in_group": number == 1,
        "seq_valid": number.between(1, MAX_MSG_SEQ_NUMBER),
        "offset_sign": _sign("offset"),
        "msg_type": fn.col("msg_type").cast("int"),
        "original_length": _original_length(),
        "too_long": fn.when(fn.col("max_msg_length") > 0, fn.col("length") > fn.col("max_msg_length")),
        "sel_seq_valid": fn.when(_get(), fn.col("sel_seq_number").between(1, MAX_MSG_SEQ_NUMBER)),
        "null_msg_id": fn.when(fn.col("call").is_in(*PUTS) & fn.col("queue").is_not_null(), is_null_id("msg_id")),
        "may_hold_lock": fn.when(known, fn.col("may_hold_lock")),
        "holds_lock": fn.when(fn.col("hobj").is_not_null() & ~_may_miss_what_it_locked(), fn.col(LOCK).is_not_null()),
        "backout_count_sign": _sign("backout_count"),
        "by_msg_id": _compared("sel_msg_id", "msg_id"),
        "by_correl_id": _compared("sel_correl_id", "correl_id"),
        "by_group_id": _compared("sel_group_id", "group_id"),
        "by_seq_number": fn.col("sel_seq_number") == number,
        "by_offset": fn.col("sel_offset") == fn.col("offset"),
        "cursor": _cursor(),
        "cursor_offset": fn.when(known, fn.col(f"{CURSOR}.offset") != 0),
        "first_order": fn.when(known, fn.col("first_order")),
        "last_order": fn.when(known, fn.col("last_order")),
        "put_persistence": fn.when(known, fn.col(f"{PUT}.persistence")),
        "same_group": fn.when(known, before["group_id"] == group),
        "seq_step": fn.when(known, _cut(number - before["msg_seq_number"], -1, 2)),
        "place": _place(),
    }
    for call in (GOT, BROWSED, PUT):
        columns[call] = _flags_of(call)
        columns[f"{call}_logical"] = fn.when(known, fn.col(f"{call}.logical"))
    for call in (GOT, PUT):
        columns[f"{call}_unit"] = fn.when(known, fn.col(f"{call}.unit"))
    for names, where in _relevance():
        for name in names:
            columns[name] = fn.when(where, columns[name])
    return columns


def shape_of(margin: int) -> Column:
    """Return the shape of a call as a struct. The row has the columns of with_handles and the facts of its queue."""
    columns = _columns(margin)
    whole = {
        "call": fn.col("call"),
        "comp_code": fn.col("comp_code"),
        "reason": fn.col("reason"),
        "options": fn.col("options").cast("int"),
        "match_options": fn.when(_get(), fn.col("match_options")),
        "index_type": fn.col("index_type"),
        "by_default_asynchronous": fn.when(
            fn.col("call") == "MQPUT", holds(fn.col("def_put_response") == ASYNCHRONOUS)
        ),
        "definition_type": fn.col("definition_type"),
        "handle": fn.col("handle"),
        "group_status": fn.col("group_status"),
        "segment_status": fn.col("segment_status"),
        "known": fn.col("known"),
        **columns,
    }
    return fn.struct(*(whole[name].alias(name) for name in MEMBERS))


def with_shapes(rows: Frame, margin: int) -> Frame:
    """Add `shape`, and `shape_id`, which identifies a shape."""
    return rows.with_column("shape", shape_of(margin)).with_column("shape_id", fn.hashed("shape"))
