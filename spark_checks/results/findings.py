"""Findings: what a check reports about a few calls, and how sure it is.

A finding is a violation unless one of the check's doubts applies. A doubt is a way in which a conforming queue manager
could have produced the log. The finding is then a suspicion, and names the doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from oracle.judging.verdicts import FindingKind
from spark_checks.frames import Column, Frame, Row, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, each_of, looked_up, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.keeping import kept

REPORTED_FIELDS = (*REF_FIELDS, "start_us", "end_us", "source", "line")
"""The fields of a call in a report."""
REPLAY_RANK = 9
"""The rank of findings of the oracle's replay: checks can say more about them."""
SHAPE_RANK = -1
"""The rank of findings that one call and its handle decide (spark_checks.shapes). It counts like 0."""
BY_ITSELF = "by_itself"
"""The column for such findings: no call of another connection, and no later one, can explain them."""
FROM_REPLAY = "from_replay"
"""The column for findings of the oracle's replay."""
_NAME = ("qmgr", "conn", "seq")
_MARKS_OF_A_WORD = 62
"""The number of bits used of a word: the sign bit is not used."""


@dataclass(frozen=True)
class Statement:
    """A statement about the rows of a frame.

    If findings of a queue have the same `once`, only one is kept: the one with the lowest rank, and then with the
    earliest call.
    """

    rule: str | Column
    """The rule that is broken."""
    where: Column
    """The rows that it applies to."""
    call: Column
    """The call that is wrong."""
    msg_id: Column
    """The MsgId of the message that it is about. Null if it is about none."""
    calls: Sequence[Column]
    """The calls that prove it, in their order. Null ones are left out."""
    sentence: Column
    """The explanation without its full stop."""
    doubts: Sequence[Doubt] = ()
    """What else may explain it. The first that applies is reported."""
    once: Column | None = None
    """The key that findings share; only one of those that share it is kept. None: the rule and the call."""
    rank: int = 0
    """The rank: the finding with the lowest is kept."""


def ref(call: Column) -> Column:
    """Return a reference to a call, from a struct that has at least those fields."""
    return fn.struct(*(call[name].alias(name) for name in REF_FIELDS))


def this_call() -> Column:
    """Return a reference to the call of a row of the log's moves, with its earliest time."""
    return fn.struct(*REF_FIELDS, "lo")


def committed_by(put: Column) -> Column:
    """Return the call that committed a put; null if the put was visible by itself."""
    return fn.when(put["visible"]["seq"] != put["seq"], ref(put["visible"]))


def _doubt(doubts: Sequence[Doubt]) -> Column:
    unless: Column = fn.lit(None).cast("string")
    for doubt in reversed(doubts):
        unless = fn.when(unknown_or(doubt.applies), fn.lit(doubt.unless)).otherwise(unless)
    return unless


def _found(statement: Statement) -> Column:
    """Return the candidate that a statement makes of a row."""
    rule = fn.lit(statement.rule) if isinstance(statement.rule, str) else statement.rule
    call = statement.call
    itself = fn.concat_ws("|", rule, call["conn"], call["seq"].cast("string"))
    proof = fn.array(*(ref(each) for each in statement.calls))
    return fn.struct(
        rule.alias("rule"),
        statement.msg_id.alias("msg_id"),
        call["conn"].alias("conn"),
        call["seq"].alias("seq"),
        call["lo"].alias("lo"),
        fn.filter(proof, lambda each: each["call"].is_not_null()).alias("calls"),
        statement.sentence.alias("sentence"),
        _doubt(statement.doubts).alias("doubt"),
        (itself if statement.once is None else statement.once).alias("once"),
        fn.lit(statement.rank).alias("rank"),
    )


def candidates(rows: Frame, statements: Sequence[Statement]) -> Frame:
    """Return what the statements find in the rows of a frame that has `qmgr` and `queue`: the columns of Candidate.

    Few rows match, and few statements. So the rows that match some statement are kept first, with a mark for each such
    statement. Sentences are made only for the statements that match something, because an engine takes longer to plan a
    sentence than to compute it.
    """
    marks = [_Mark(*divmod(number, _MARKS_OF_A_WORD)) for number in range(len(statements))]
    marked = kept(_marked(rows, statements, marks))
    words = marked.select(*dict.fromkeys(mark.name for mark in marks)).distinct().collect()
    found = [number for number, mark in enumerate(marks) if any(mark.of(row) for row in words)]
    choices = [(marks[number].there(), _found(statements[number])) for number in found or (0,)]
    return each_of(marked, QUEUE, *choices).select(*QUEUE, "chosen.*")


@dataclass(frozen=True)
class _Mark:
    """The place among the marks of a row that shows whether a statement matches: a bit of one of some words."""

    word: int
    bit: int

    @property
    def name(self) -> str:
        """The name of the column that has the word."""
        return f"found_{self.word}"

    def of(self, row: Row) -> bool:
        """Return whether a row has the mark."""
        return bool(int(row[self.name]) >> self.bit & 1)

    def there(self) -> Column:
        """Return whether a row has the mark, as a column."""
        return fn.col(self.name).bit_and(fn.lit(1 << self.bit)) != 0


def _marked(rows: Frame, statements: Sequence[Statement], marks: Sequence[_Mark]) -> Frame:
    """Return the rows that match some statement, with their marks."""
    words: dict[str, Column] = {}
    for statement, mark in zip(statements, marks, strict=True):
        bit = fn.when(statement.where, 1 << mark.bit).otherwise(0).cast("long")
        words[mark.name] = words[mark.name].bit_or(bit) if mark.name in words else bit
    return rows.with_columns(words).where(reduce(or_, [fn.col(name) != 0 for name in words]))


def findings(found: Frame) -> Frame:
    """Return the findings from candidates, without those that repeat another one.

    Of two about one call the surer one is kept. The order is total, so the choice does not depend on the engine. The
    columns are those of the report: `rule`, `verdict`, `qmgr`, `queue`, `msg_id`, `conn`, `calls` and `explanation`;
    and BY_ITSELF and FROM_REPLAY. The calls have only their names so far: see `located`.
    """
    sure = fn.col("doubt").is_null()
    order = (fn.greatest("rank", fn.lit(0)), "lo", "conn", "seq", "msg_id", ~sure, "sentence")
    first = Window.partition_by(*QUEUE, "once").order_by(*order)
    ending = fn.when(sure, ".").otherwise(text(", unless ", fn.col("doubt"), "."))
    firsts = found.with_column("nth", fn.row_number().over(first)).where("nth = 1")
    return firsts.select(
        "rule",
        fn.when(sure, FindingKind.VIOLATION.value).otherwise(FindingKind.SUSPICION.value).alias("verdict"),
        *QUEUE,
        "msg_id",
        "conn",
        "calls",
        fn.concat("sentence", ending).alias("explanation"),
        (fn.col("rank") == SHAPE_RANK).alias(BY_ITSELF),
        (fn.col("rank") == REPLAY_RANK).alias(FROM_REPLAY),
    )


def located(found: Frame, calls: Frame, number: int) -> Frame:
    """Return `count` findings with the times and sources of the calls that they name."""
    numbered = found.with_column("id", fn.numbered())
    of_finding = fn.struct(*(name for name in numbered.columns if name != "calls")).alias("finding")
    each = numbered.select(of_finding, fn.posexplode("calls").alias("place", "one"))
    named = each.select("finding", "place", "finding.qmgr", "one.conn", "one.seq")
    rows = looked_up(calls.select(*_NAME, fn.struct(*REPORTED_FIELDS).alias("call")), named, _NAME, number)
    one_each = rows.group_by("finding", "place").agg(
        fn.min("call").alias("call")
    )  # a damaged log may have two of one name
    placed = fn.array_sort(fn.collect_list(fn.struct("place", "call"))).alias("placed")
    gathered = one_each.group_by("finding").agg(placed)
    in_order = fn.transform("placed", lambda one: one["call"]).alias("calls")
    return gathered.select(*(in_order if name == "calls" else f"finding.{name}" for name in found.columns))
