"""The columns of findings: as checks find them, and as reports have them. Times are microseconds since 1970, UTC."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Int, Long, String
from spark_checks.preparation.schemas.calls import NamedCall


class Candidate(Columns):
    """A match of a statement in a row. If several say the same, one becomes a finding."""

    qmgr: String
    """The queue manager."""
    queue: String
    """The queue."""
    rule: String
    """The rule that is broken."""
    msg_id: String
    """The MsgId of the message that it is about. Null also if it is about none."""
    conn: String
    """The connection that made the wrong call."""
    seq: Long
    """The number of that call in the order of the connection's calls."""
    lo: Long
    """The earliest time at which that call can have taken effect."""
    calls: list[NamedCall]
    """The calls that prove it, in their order."""
    sentence: String
    """The explanation without its full stop."""
    doubt: String
    """What else may explain it. Null if nothing can: then it is a violation."""
    once: String
    """The key that findings on one queue share; only one of those with the same key is kept."""
    rank: Int
    """The rank: the one with the lowest is kept."""


class LocatedCall(NamedCall):
    """A call that a finding names, with its place in the input."""

    start_us: Long
    """The time at which it began."""
    end_us: Long
    """The time at which it ended."""
    source: String
    """The file that has its record."""
    line: Long
    """The line of that file, or the number of the record in it."""


class ReportedFinding(Columns):
    """A finding as in a line of `findings.jsonl` and in a row of the Parquet file beside it."""

    finding: Long
    """Its number, from 1."""
    rule: String
    """The rule that is broken."""
    verdict: String
    """Whether it is a violation or a suspicion: a value of FindingKind."""
    qmgr: String
    """The queue manager."""
    queue: String
    """The queue."""
    msg_id: String
    """The MsgId of the message that it is about. Null also if it is about none."""
    conn: String
    """The connection that made the wrong call."""
    calls: list[LocatedCall]
    """The calls that prove it, in their order."""
    explanation: String
    """What is wrong, in sentences."""
    known: Boolean
    """Whether a known deviation excuses it."""
