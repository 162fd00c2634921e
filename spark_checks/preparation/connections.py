"""The calls of each connection in their own order: tighter times, and the end of each unit of work.

A call takes effect between `start_us` and `end_us`, and the calls of a connection take effect in the order of `seq`. So
none takes effect before the latest start of the calls before it (`lo`), nor after the earliest end of the calls after
it (`hi`). With these bounds, call A surely precedes call B of another connection, directly or through other calls,
exactly if `A.hi + 2 * clock_us < B.lo`.
"""

from __future__ import annotations

from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQGMO, MQPER, MQPMO, MQRC
from oracle.mqi.conversion_reasons import NOT_CONVERTED
from oracle.mqi.unknown_effect import UNKNOWN_EFFECT
from spark_checks.frames import Column, Frame, Window, WindowSpec
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, unknown_or
from spark_checks.times import NEVER

REF_FIELDS = ("conn", "seq", "call")
"""The fields by which one call refers to another. Its time and place in the log are looked up for findings only."""

COMMITTED, BACKED_OUT, UNKNOWN = "committed", "backed out", "unknown"
"""The outcomes of a unit of work. A connection without an end may have died or continued: unknown."""

EXPLICIT_ENDS = ("MQCMIT", "MQBACK")
"""The calls that end a unit of work and before which no transaction manager can have ended it."""

BEFORE_THE_LOG = -NEVER
"""A time earlier than all times."""

CARRIED = "carried"
"""The column that says how a call of an earlier log takes part in the audit of a later one; null for other calls."""

IN_CONTEXT, SETTLED, ASKS = "context", "settled", "asks"
"""The values of CARRIED: a call in the context of others, a settled call, and one that is judged again.

A call in the context of others moves nothing. All findings that a settled call decides by itself were reported.
"""

_CONNECTION = ("qmgr", "conn")
_CONTENT = "content"
IN_OPEN_UNIT = "in_open_unit"
"""The column that says whether the connection of a call had a unit of work open before it."""
APART = (
    *_CONNECTION, "seq", "start_us", "end_us", "call", "comp_code", "reason", "hobj", "options", "length",
    "buffer_length", CARRIED, _CONTENT,
)  # fmt: skip  # names
"""The columns that determine the order of a connection's calls, here and in spark_checks.preparation.locks."""


def _window(order: Column, *of: str) -> WindowSpec:
    return Window.partition_by(*_CONNECTION, *of).order_by(order).range_between(Window.unbounded, -1)


def _outcome(complete: bool) -> Column:
    """Return the call's effect on the unit of work that is open when it begins.

    Programs seldom leave their commits to MQDISC. Where calls may be missing, an MQCMIT or MQBACK before it may be, and
    captures without these calls are common.
    """
    ok, backed_out = fn.col("comp_code") == MQCC.OK, fn.col("reason") == MQRC.BACKED_OUT
    commits = fn.col("call").is_in("MQCMIT", "MQDISC")
    shown = fn.lit(complete) | (fn.col("call") == "MQCMIT")
    return (
        fn.when(commits & ok & shown, COMMITTED)
        .when(commits & backed_out, BACKED_OUT)
        .when((fn.col("call") == "MQBACK") & ok, BACKED_OUT)
        .when(commits | (fn.col("call") == "MQBACK") | ((fn.col("call") == "MQCONN") & ok), UNKNOWN)
    )


def _with_outcomes(calls: Frame) -> Frame:
    """Add what CompCode and Reason say of each other: MQCC_OK goes with MQRC_NONE, and with no other reason."""
    comp_code, reason = fn.col("comp_code"), fn.col("reason")
    return calls.with_columns(
        {
            "comp_code": fn.coalesce(comp_code, fn.when(reason == MQRC.NONE, int(MQCC.OK))),
            "reason": fn.coalesce(reason, fn.when(comp_code == MQCC.OK, int(MQRC.NONE))),
        }
    )


def completed() -> Column:
    """Return whether a call completed, with or without a warning."""
    return fn.col("comp_code").is_in(MQCC.OK, MQCC.WARNING)


def unit_by_options(platform: str, gets: Column) -> Column:
    """Return whether a call is within a unit of work by its options; null if it is not known.

    `gets` are the calls with the option SYNCPOINT_IF_PERSISTENT that returned the message.
    """
    persistence = fn.col("persistence")
    if_persistent = fn.when(persistence == MQPER.PERSISTENT, True).when(persistence == MQPER.NOT_PERSISTENT, False)
    return (
        fn.when(has("options", MQPMO.SYNCPOINT), True)
        .when(has("options", MQPMO.NO_SYNCPOINT), False)
        .when(gets & has("options", MQGMO.SYNCPOINT_IF_PERSISTENT), if_persistent)
        .when(fn.col("options").is_not_null(), platform == "zos")
    )


def cut_short() -> Column:
    """Return whether an MQGET left its message where it was because the buffer was too small (TRN-04, TRN-05).

    Only one of several warnings is returned, so another reason may hide the truncation. Null if it is not known. Data
    that were converted may have had another length; data that could not be converted have the length of the put.
    """
    longer = fn.col("length") > fn.col("buffer_length")
    as_put = ~has("options", MQGMO.CONVERT) | (fn.col("reason").is_in(*NOT_CONVERTED) & ~longer)
    short = fn.when(as_put, longer)
    hidden = ~has("options", MQGMO.ACCEPT_TRUNCATED_MSG) & short
    return (
        fn.when(fn.col("reason") == MQRC.TRUNCATED_MSG_FAILED, True)
        .when((fn.col("comp_code") != MQCC.WARNING) | (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED), False)
        .otherwise(hidden)
    )


def _unless_undone(end: Column, undone_at: Column) -> Column:
    """Return the end of a unit of work; its outcome is unknown if it was to commit what was undone before."""
    doomed = (undone_at < end["seq"]) & (end["outcome"] == COMMITTED)
    return fn.when(holds(doomed), end.with_field("outcome", fn.lit(UNKNOWN))).otherwise(end)


def alive() -> Column:
    """Return whether a call shows that its connection and all that it held were alive."""
    return completed() | (fn.col("reason") == MQRC.NO_MSG_AVAILABLE)


def call_row(call: str | None = None) -> Column:
    """Return the value by which moves refer to a call: of a row, or one that a column of it names; null if none."""
    if call is None:
        return fn.hashed("qmgr", "conn", "seq")
    return fn.when(fn.col(call).is_not_null(), fn.hashed("qmgr", f"{call}.conn", f"{call}.seq"))


def is_own() -> Column:
    """Return whether a call belongs to the log itself and is not a carried one."""
    return fn.col(CARRIED).is_null()


def judged_now() -> Column:
    """Return whether a call is judged in this audit: one of the log, or a carried one that is judged again."""
    return is_own() | (fn.col(CARRIED) == ASKS)


def opens_unseen() -> Column:
    """Return whether a call may have opened a handle of unknown number."""
    failed = holds(fn.col("comp_code") == MQCC.FAILED)
    return (fn.col("call") == "MQOPEN") & ~failed & (fn.col("comp_code").is_null() | fn.col("hobj").is_null())


def puts_unseen() -> Column:
    """Return whether a call put with a handle of unknown number."""
    return (fn.col("call") == "MQPUT") & fn.col("hobj").is_null()


def with_content(calls: Frame) -> Frame:
    """Add to each call a value that distinguishes it from others, wherever it was read."""
    return calls.with_column(_CONTENT, fn.hashed(*(name for name in calls.columns if name not in {"source", "line"})))


def has_unknown_effect() -> Column:
    """Return whether a call failed and may have taken effect all the same (oracle.mqi.unknown_effect)."""
    return holds(fn.col("comp_code") == MQCC.FAILED) & unknown_or(fn.col("reason").is_in(*UNKNOWN_EFFECT))


def undoes() -> Column:
    """Return whether a call shows that a unit of work was backed out, or may have been."""
    return (fn.col("call") == "MQBACK") | (fn.col("reason") == MQRC.BACKED_OUT) | has_unknown_effect()


def with_open_units(calls: Frame, platform: str) -> Frame:
    """Add to each call whether a call before it has begun a unit of work that no call has ended since (UOW-06)."""
    gets = fn.col("call").is_in("MQGET", "CALLBACK")
    moves = fn.col("call").is_in("MQPUT", "MQPUT1") | (gets & ~holds(has("options", BROWSE)))
    inside = unknown_or(unit_by_options(platform, gets))
    begins = fn.when(moves & completed() & inside, fn.col("seq"))
    ends = fn.when(fn.col("call").is_in("MQCONN", "MQDISC", *EXPLICIT_ENDS) | undoes(), fn.col("seq"))
    before = _window(fn.col("seq").asc())
    since_begun, since_ended = fn.max(begins).over(before), fn.max(ends).over(before)
    return calls.with_column(IN_OPEN_UNIT, holds(since_begun > fn.coalesce(since_ended, fn.lit(-1))))


def later_in_connection() -> WindowSpec:
    """Return the window over the later calls of the connection, the next one last.

    In the opposite order it would begin at the current row, and Spark computes such a window anew for each row.
    """
    return _window(fn.col("seq").desc())


def later_of_handle() -> WindowSpec:
    """Return the window over the later calls with the same handle, the next one last."""
    return _window(fn.col("seq").desc(), "hobj")


def next_(where: Column, value: Column, later: WindowSpec) -> Column:
    """Return a value of the next call that meets a condition; null if there is none."""
    return fn.last(fn.when(where, value), ignorenulls=True).over(later)


def without_copies(calls: Frame) -> Frame:
    """Remove records that are in the log twice, as when a file is given in two forms; see `with_content`.

    A carried call is identified by its name, because its times may have been narrowed.
    """
    previous = Window.partition_by(*_CONNECTION).order_by("seq", is_own(), _CONTENT)
    marked = calls.with_column("before", fn.lag(fn.struct("seq", CARRIED, _CONTENT)).over(previous))
    carried = (fn.col("seq") == fn.col("before.seq")) & fn.col(f"before.{CARRIED}").is_not_null()
    copy = carried | (fn.col(_CONTENT) == fn.col(f"before.{_CONTENT}"))
    return marked.where(~holds(copy)).drop(_CONTENT, "before")


def by_connection(calls: Frame, clock_us: int, *, complete: bool) -> Frame:
    """Add to each call the facts that the calls before and after it in its connection show.

    The columns are those of spark_checks.preparation.schemas.calls.OfConnection, and `alive_lo` for `with_locks`.
    """
    calls = _with_outcomes(calls)
    forward, backward = _window(fn.col("seq").asc()), later_in_connection()
    disconnects = (fn.col("call") == "MQDISC") & completed()
    connects = fn.col("call") == "MQCONN"
    begins = connects | has_unknown_effect()
    begun_at = fn.when(begins, fn.col("start_us"))
    margin = 2 * clock_us
    looking_back = calls.select(
        "*",
        fn.greatest("start_us", fn.max("start_us").over(forward)).alias("late"),
        fn.coalesce(begun_at, fn.last(begun_at, ignorenulls=True).over(forward)).alias("since"),
        (connects | holds(fn.max(connects).over(forward))).alias("connected"),
        holds(fn.max(connects | _outcome(complete).is_in(COMMITTED, BACKED_OUT)).over(forward)).alias("unit_begun"),
        holds(fn.max("end_us").over(forward) + margin >= fn.col("start_us")).alias("meets_earlier"),
        fn.max(fn.when(undoes(), fn.col("seq"))).over(forward).alias("undone_before"),
        fn.max(fn.when(opens_unseen(), fn.col("seq"))).over(forward).alias("unseen_before"),
        fn.max(fn.when(puts_unseen(), fn.col("seq"))).over(forward).alias("put_unseen_before"),
        holds(fn.last(disconnects).over(forward)).alias("gone"),
    )
    looking_ahead = looking_back.select(
        "*",
        fn.least("end_us", fn.min("end_us").over(backward)).alias("early"),
        fn.min(fn.when(begins, fn.col("seq"))).over(backward).alias("begins_again"),
        fn.max(fn.when(alive(), fn.col("seq"))).over(backward).alias("alive_seq"),
        fn.max(fn.when(alive(), fn.col("start_us"))).over(backward).alias("alive_lo"),
        fn.min(fn.when((fn.col("reason") == MQRC.BACKED_OUT) | has_unknown_effect(), fn.col("seq")))
        .over(backward)
        .alias("undone_at"),
        holds(fn.min("start_us").over(backward) <= fn.col("end_us") + margin).alias("meets_later"),
    )
    lasts = unknown_or(fn.col("alive_seq") < fn.col("begins_again"))
    bounded = looking_ahead.select(
        *calls.columns,
        fn.least("late", "early").alias("lo"),
        fn.greatest("late", "early").alias("hi"),
        (fn.col("meets_earlier") | fn.col("meets_later")).alias("loose"),
        fn.coalesce("since", fn.lit(BEFORE_THE_LOG)).alias("since"),
        fn.greatest("start_us", fn.when(lasts, fn.col("alive_lo"))).alias("until_lo"),
        *("connected", "unit_begun", "undone_before", "unseen_before", "put_unseen_before", "gone", "alive_lo"),
        "undone_at",
    )
    outcome = _outcome(complete)
    ending = fn.when(outcome.is_not_null(), fn.struct(*REF_FIELDS, "lo", "hi", "loose", outcome.alias("outcome")))
    ended = bounded.with_column("unit_end", fn.last(ending, ignorenulls=True).over(backward))
    with_end = ended.with_column("unit_end", _unless_undone(fn.col("unit_end"), fn.col("undone_at")))
    end, undone_at = fn.col("unit_end"), fn.col("undone_at")
    undone = (undone_at.is_not_null() & unknown_or(undone_at <= end["seq"])) | has_unknown_effect()
    open_until = fn.when(undone, None).when(end.is_null() & complete, fn.col("alive_lo"))
    return with_end.with_column("open_until", open_until.when(end["outcome"] != UNKNOWN, end["lo"])).drop("undone_at")
