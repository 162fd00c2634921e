"""The parts of a check: what it finds in a prepared log, and the records that its rules apply to.

A rule applies to some records. It does not judge those that lack what it needs; they are counted and named. Coverage
and findings are data, so that one pass over the log serves all checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.frames.kinds import Kinds
from spark_checks.preparation.log import Log
from spark_checks.preparation.sweep import Pass
from spark_checks.results.findings import Statement
from spark_checks.results.rule_results import Covered


@dataclass(frozen=True)
class Concern:
    """The records that a rule applies to, and what it needs of them.

    A rule cannot judge a record that lacks what it needs.
    """

    rule: str
    """The id of the rule."""
    records: Column
    """The rows of `Log.moves` that the rule applies to."""
    missing: Mapping[str, Column] = field(default_factory=dict)
    """The condition under which a row lacks something, by its name: a column, or a fact that a header gives.

    Null counts as false: the row does not lack it.
    """

    def narrowed(self, kinds: Kinds) -> Concern:
        """Return the concern without the needs that no row of these kinds lacks."""
        return replace(self, missing={name: lacks for name, lacks in self.missing.items() if kinds.may_hold(lacks)})


@dataclass(frozen=True)
class Check:
    """A check of one family of rules. All of its functions except those of `columns` take the prepared log."""

    name: str
    """The name of the check."""
    concerns: Callable[[Log], Sequence[Concern]]
    """The records that its rules apply to."""
    of_moves: Callable[[Log], Sequence[Statement]] = lambda _: ()
    """Its findings in the rows of `Log.moves`."""
    of_frames: Callable[[Log], Sequence[tuple[Frame, Sequence[Statement]]]] = lambda _: ()
    """Frames that it makes itself, each with its findings in them. A frame has `qmgr` and `queue`."""
    of_queues: Callable[[Log], Mapping[str, Covered]] = lambda _: {}
    """By rule, the coverage of rules about calls that are no moves, computed from the facts gathered of the queues."""
    passes: Callable[[Log], Sequence[Pass]] = lambda _: ()
    """The passes that it adds to the shared sweep (spark_checks.preparation.sweep)."""
    columns: Mapping[str, Callable[[], Column]] = field(default_factory=dict)
    """The columns that its passes read besides those of `Log.moves`, by name."""
    families: tuple[str, ...] = ()
    """The families of its passes, the preferred first.

    A query that several of them answer keeps its best answer only.
    """
    of_answers: Callable[[Log], Sequence[Statement]] = lambda _: ()
    """Its findings in the answers of the sweep.

    A row has `family`, and the rows of query and offer as `asker` and `answer`.
    """


def absent(*columns: str) -> dict[str, Column]:
    """Return the needs of a rule that needs the given columns."""
    return {name: fn.col(name).is_null() for name in columns}
