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
    """The records that a rule speaks of, and what it needs of them.

    A rule cannot judge a record that lacks what it needs.
    """

    rule: str
    """The id of the rule."""
    records: Column
    """Which rows of `Log.moves` the rule speaks of."""
    missing: Mapping[str, Column] = field(default_factory=dict)
    """By name of a column, or of what a header tells: the condition under which a row lacks it.

    Null counts as false: the row does not lack it.
    """


@dataclass(frozen=True)
class Check:
    """A check of one family of rules. All its functions but those of `columns` are given the prepared log."""

    name: str
    """What the check is called."""
    concerns: Callable[[Log], Sequence[Concern]]
    """The records that its rules speak of."""
    of_moves: Callable[[Log], Sequence[Statement]] = lambda _: ()
    """What it finds in the rows of `Log.moves`."""
    of_frames: Callable[[Log], Sequence[tuple[Frame, Sequence[Statement]]]] = lambda _: ()
    """Frames of its own making, each with what it finds in it. A frame has `qmgr` and `queue`."""
    of_queues: Callable[[Log], Mapping[str, Covered]] = lambda _: {}
    """By rule, the coverage of rules about calls that are no moves, computed from what was gathered of the queues."""
    passes: Callable[[Log], Sequence[Pass]] = lambda _: ()
    """The passes that it adds to the sweep that all checks share (spark_checks.preparation.sweep)."""
    columns: Mapping[str, Callable[[], Column]] = field(default_factory=dict)
    """By name, the columns that its passes read beside those of `Log.moves`."""
    families: tuple[str, ...] = ()
    """The families of its passes, the preferred first.

    A query that several of them answer keeps its best answer only.
    """
    of_answers: Callable[[Log], Sequence[Statement]] = lambda _: ()
    """What it finds in the answers of the sweep.

    A row has `family`, and the rows of query and offer as `asker` and `answer`.
    """


def absent(*columns: str) -> dict[str, Column]:
    """Return the needs of a rule that needs these columns."""
    return {name: fn.col(name).is_null() for name in columns}
