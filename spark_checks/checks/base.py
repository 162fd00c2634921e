"""What a check is: what it finds in a prepared log, and the records that it speaks of.

A rule speaks of some records; those that lack what it needs it does not judge, and they are counted and
named. Coverage and findings are data, so that one pass over the log serves all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.log import Log
from spark_checks.preparation.sweep import Pass
from spark_checks.results.findings import Statement
from spark_checks.results.rule_results import Covered


@dataclass(frozen=True)
class Concern:
    """The records of `Log.moves` that a rule speaks of, and by name what it needs but a record may lack.

    `missing` maps the name of a column, or of what a header tells, to the condition that it is missing. A null
    condition does not hold.
    """

    rule: str
    records: Column
    missing: Mapping[str, Column] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """A check of one family of rules.

    `concerns` says what its rules speak of, and `of_moves` what it finds in the rows of the log's moves.
    `of_frames` gives frames of its own making, which have `qmgr` and `queue`, with what it finds in them.
    `of_queues` gives the coverage of rules about calls that are no moves, from what was gathered of the queues.
    `passes` says what it wants to know from the sweep that all checks share, and `columns` what its passes ask for
    beside the moves; `families` are those of its passes, the preferred first, and `of_answers` is what it finds in the
    answers; a query appears there once, with its best answer, as `family`, `asker` and `answer`.
    """

    name: str
    concerns: Callable[[Log], Sequence[Concern]]
    of_moves: Callable[[Log], Sequence[Statement]] = lambda _: ()
    of_frames: Callable[[Log], Sequence[tuple[Frame, Sequence[Statement]]]] = lambda _: ()
    of_queues: Callable[[Log], Mapping[str, Covered]] = lambda _: {}
    passes: Callable[[Log], Sequence[Pass]] = lambda _: ()
    columns: Mapping[str, Callable[[], Column]] = field(default_factory=dict)
    families: tuple[str, ...] = ()
    of_answers: Callable[[Log], Sequence[Statement]] = lambda _: ()


def absent(*columns: str) -> dict[str, Column]:
    """Return the needs of a rule that needs these columns."""
    return {name: fn.col(name).is_null() for name in columns}
