"""The call that a question is about: by its connection and place, or by a time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from fnmatch import fnmatchcase

from oracle.errors import UsageError
from oracle.histories.event_log import Event
from spark_checks.frames import functions as fn
from spark_checks.questions.evidence import Conn, Evidence, event_of
from spark_checks.times import moment

_DAY_US = 86_400_000_000
_TIME_OF_DAY = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?")


def time_of(text: str, evidence: Evidence) -> int:
    """Return a time in microseconds since 1970 UTC: a number, `2026-01-31 17:45:57.5`, or a time of a day of the log.

    Raises UsageError for anything else, and for a time of day that the log has on several days.
    """
    given = text.strip().removesuffix("UTC").removesuffix("Z").strip()
    if re.fullmatch(r"-?\d{6,}", given):
        return int(given)
    if _TIME_OF_DAY.fullmatch(given):
        return _on_its_day(given, text, evidence)
    try:
        at = datetime.fromisoformat(given)
    except ValueError:
        raise UsageError(f"{text}: a time is like 2026-01-31 17:45:57.123456, 17:45:57 or microseconds") from None
    at = at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)
    return (at - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


def _on_its_day(given: str, text: str, evidence: Evidence) -> int:
    hours, minutes, seconds = (*given.split(":"), "0")[:3]
    within = (int(hours) * 60 + int(minutes)) * 60_000_000 + round(float(seconds) * 1_000_000)
    first_us, last_us = evidence.span
    days = range(first_us // _DAY_US, last_us // _DAY_US + 1)
    found = [day * _DAY_US + within for day in days if first_us <= day * _DAY_US + within <= last_us]
    if len(found) != 1:
        many = "on no day" if not found else f"on {len(found)} days"
        raise UsageError(f"{text}: the log has this time {many}: give the date too")
    return found[0]


def connection_of(name: str, evidence: Evidence) -> Conn:
    """Return the connection with a name, in which `*` stands for any text, or the only one whose name ends so.

    Raises UsageError if there is none, or several.
    """
    conns = sorted(evidence.connections)
    for fits in (str.__eq__, fnmatchcase, str.endswith):
        found = [each for each in conns if fits(each[1], name)]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(f"{conn} of {qmgr}" for qmgr, conn in found[:3])
            raise UsageError(f"{len(found)} connections are called {name}: {names}")
    known = ", ".join(conn for _, conn in conns[:5])
    more = f" and {len(conns) - 5} more" if len(conns) > 5 else ""
    raise UsageError(f"no connection of the log is called {name}; it has {known}{more}")


def call_named(name: str, evidence: Evidence) -> Event:
    """Return the call `CONN:SEQ`. Raises UsageError if there is none."""
    conn_name, _, number = name.rpartition(":")
    if not conn_name or not re.fullmatch(r"-?\d+", number):
        raise UsageError(f"{name}: a call is named by its connection and its place in it, as in till:17")
    found = evidence.where((fn.col("conn") == conn_name) & (fn.col("seq") == int(number)))
    if len(found) == 1:
        return found[0]
    qmgr, conn = connection_of(conn_name, evidence)
    found = evidence.named([(qmgr, conn, int(number))])
    if not found:
        known = evidence.connections[qmgr, conn]
        between = f"{known['first_seq']} to {known['last_seq']}"
        raise UsageError(f"connection {conn} has no call {number}; its calls are {between}")
    return found[0]


def call_at(time: str, conn_name: str, evidence: Evidence) -> Event:
    """Return the call that a connection was making at a time, or the last one that it had begun before.

    Raises UsageError if it had begun none.
    """
    at_us = time_of(time, evidence)
    qmgr, conn = connection_of(conn_name, evidence)
    own = (fn.col("qmgr") == qmgr) & (fn.col("conn") == conn) & (fn.col("start_us") <= at_us)
    row = evidence.calls.where(own).order_by(fn.desc("seq")).limit(1).collect()
    if not row:
        first = evidence.connections[qmgr, conn]["first_us"]
        raise UsageError(f"connection {conn} began its first call only at {moment(first)}")
    return event_of(row[0])
