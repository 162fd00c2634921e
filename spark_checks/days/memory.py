"""The state that an audit leaves for the next day: a directory that is replaced as a whole.

| file | what |
| --- | --- |
| `calls/` | the calls that may still matter (spark_checks.days.carrying), as Parquet |
| `headers.jsonl` | the headers of all days |
| `reported/` | the findings that were reported, as Parquet |
| `withdrawn.jsonl` | findings of earlier days that the last day's calls explain |
| `seen/` | the numbers of all calls that were read (spark_checks.days.seen), as Parquet |
| `begun.json` | the unfinished parts of captures (spark_checks.readers.begun_captures) |
| `state.json` | the facts gathered of the queues, the inputs read, and counts |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import COLUMNS, Event, Header, parse_line, to_line
from spark_checks.days.seen import RUN
from spark_checks.days.state_files import (
    BEGUN,
    CALLS,
    HEADERS,
    REPORTED,
    SEEN,
    STATE,
    WITHDRAWN,
    State,
    begun_of,
    damaged,
    read_state,
)
from spark_checks.frames import Engine, Frame
from spark_checks.frames import functions as fn
from spark_checks.output.whole_directories import whole_directory
from spark_checks.preparation.connections import CARRIED
from spark_checks.preparation.gathering import Gathered
from spark_checks.readers.kept_objects import digest_of
from spark_checks.replay.rests import Rests
from spark_checks.shapes.judging import SHAPE_RULES
from spark_checks.times import NEVER

DIGEST = "digest"
"""The column that distinguishes findings."""
MARK = "="
"""The first character of a digest if one call and its handle decide the finding: such a finding is never withdrawn."""
_MARKED_FROM = 12
"""The first version of a state whose findings have marks."""
_SEEN_FROM = 14
"""The first version of a state that has the numbers of the calls that were read."""


@dataclass(frozen=True)
class Memory:
    """The state of earlier days. Times are microseconds since 1970-01-01 UTC."""

    calls: Frame | None = None
    """The calls that may still matter, with the columns of an event log and CARRIED. None before the first day."""
    reported: Frame | None = None
    """The reported findings that still hold. None before the first day."""
    seen: Frame | None = None
    """The numbers of the calls of all days. None before the first day, and if they were not kept then."""
    headers: tuple[Header, ...] = ()
    """The headers of all days, each once."""
    gathered: Gathered | None = None
    """The facts gathered of the queues. None before the first day."""
    unreadable: int = 0
    """The number of records of all days that could not be read."""
    days: int = 0
    """The number of days that were audited."""
    inputs: frozenset[str] = frozenset()
    """The fingerprints of the files that were read; a file that is given again is refused by them."""
    horizon_us: int = -NEVER
    """The time from which on all calls are kept, by their ends."""
    told_us: int = -NEVER
    """The time up to which everything has been reported."""
    rests: Rests | None = field(default_factory=Rests)
    """The places from which the oracle can continue to follow queues.

    None if there are none, because a day was audited without it.
    """
    begun: str = ""
    """The unfinished parts of captures, as text. Empty if there are none; see spark_checks.readers.begun_captures."""


def recall(engine: Engine, directory: Path) -> Memory:
    """Return the contents of a state directory; nothing if it does not exist yet or is empty.

    Raises UsageError if the directory holds other things, and BadInputError if it is damaged or of another version.
    """
    state = read_state(directory)
    if state is None:
        return Memory()
    try:
        lines = (directory / HEADERS).read_text(encoding="utf-8").splitlines()
        read = [parse_line(line, Place(str(directory / HEADERS), n)) for n, line in enumerate(lines, 1)]
        return Memory(
            calls=_kept(engine, directory / CALLS, (*COLUMNS, CARRIED)),
            reported=_reported(engine, directory, state.version),
            seen=_kept(engine, directory / SEEN, RUN) if state.version >= _SEEN_FROM else None,
            headers=tuple(header for header in read if not isinstance(header, Event)),
            gathered=Gathered.of_document(state.gathered),
            unreadable=state.unreadable,
            days=state.days,
            inputs=frozenset(state.inputs),
            horizon_us=state.horizon_us,
            told_us=state.told_us,
            rests=None if state.rests is None else Rests.of_document(state.rests),
            begun=begun_of(directory, state),
        )
    except RecursionError as error:
        raise damaged(directory / STATE, "its values are nested too deeply") from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise damaged(directory / STATE, next(iter(str(error).splitlines()), type(error).__name__)) from error


def _reported(engine: Engine, directory: Path, version: int) -> Frame:
    """Return the reported findings, with marks, which those of earlier versions lack."""
    found = _kept(engine, directory / REPORTED, ("rule", "explanation", "calls", DIGEST))
    if version >= _MARKED_FROM:
        return found
    marked = fn.when(fn.col("rule").is_in(*SHAPE_RULES), fn.concat(fn.lit(MARK), fn.col(DIGEST)))
    return found.with_column(DIGEST, marked.otherwise(fn.col(DIGEST)))


def _kept(engine: Engine, directory: Path, columns: Sequence[str]) -> Frame:
    """Return kept rows. Raises BadInputError if they are not Parquet with these columns."""
    try:
        rows = engine.parquet([str(directory)])
    except BadInputError as error:
        why = str(error).removeprefix(f"{error.place}: ")
        raise damaged(directory, why) from error
    missing = [name for name in columns if name not in rows.columns]
    if missing:
        raise damaged(directory, f"it lacks {', '.join(missing)}")
    return rows


def remember(memory: Memory, withdrawn: Frame, directory: Path) -> None:
    """Write the state for the next day in place of the present one. Raises BadInputError if it cannot be written."""
    assert memory.calls is not None  # a day was audited
    assert memory.reported is not None  # likewise
    assert memory.seen is not None  # likewise
    assert memory.gathered is not None  # likewise
    with whole_directory(directory) as new:
        memory.calls.write_parquet(new / CALLS)
        memory.reported.write_parquet(new / REPORTED)
        memory.seen.write_parquet(new / SEEN)
        lines = "".join(f"{to_line(header)}\n" for header in memory.headers)
        (new / HEADERS).write_text(lines, encoding="utf-8")
        with (new / WITHDRAWN).open("w", encoding="utf-8") as file:
            for row in withdrawn.select(fn.json_of(*withdrawn.columns).alias("line")).rows():
                file.write(f"{row['line']}\n")
        state = State(
            days=memory.days,
            unreadable=memory.unreadable,
            inputs=sorted(memory.inputs),
            gathered=memory.gathered.document(),
            horizon_us=memory.horizon_us,
            told_us=memory.told_us,
            rests=None if memory.rests is None else memory.rests.document(),
            begun=digest_of(memory.begun),
        )
        (new / BEGUN).write_text(memory.begun, encoding="utf-8")
        (new / STATE).write_text(f"{state.model_dump_json()}\n", encoding="utf-8")
