"""A saved index: the calls of a log, laid out so that a question about a few calls reads few of them.

| file | what |
| --- | --- |
| `by_connection/` | all calls, in the order of their connections |
| `by_queue/` | the same, in the order of their queues |
| `keys/` | by value, the calls that show it as an identifier or digest |
| `moves/` | puts and gets in a few columns, with the ends of their units of work, in the order of their queues |
| `headers.jsonl` | the headers |
| `index.json` | its inputs, with size and time of each file, and counts |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from oracle.errors import BadInputError, Place, UsageError
from oracle.histories.event_log import COLUMNS, Event, parse_line, to_line
from oracle.mqi.constants import NULL_ID
from spark_checks.frames import Engine, Frame, union
from spark_checks.frames import functions as fn
from spark_checks.output.claims import claimed
from spark_checks.output.exchange import contents
from spark_checks.output.whole_directories import whole_directory
from spark_checks.questions.evidence import KEYS, Evidence, read_evidence
from spark_checks.questions.stock import moves_among
from spark_checks.readers.detect import Format
from spark_checks.readers.inputs import Inputs, files_of

BY_CONNECTION, BY_QUEUE, BY_KEY, MOVES = "by_connection", "by_queue", "keys", "moves"
HEADERS, INDEX = "headers.jsonl", "index.json"
INDEX_FILES: Final = (BY_CONNECTION, BY_QUEUE, BY_KEY, MOVES, HEADERS, INDEX)
_VERSION: Final = 1


def stamps(inputs: Iterable[Path]) -> list[list[Any]]:
    """Return the name, size and modification time of the files behind inputs: if these are the same, so is the log."""
    found = []
    for path in files_of(inputs):
        if isinstance(path, Path):
            status = path.stat()
            found.append([str(path.resolve()), status.st_size, status.st_mtime_ns])
    return sorted(found)


def recalled(engine: Engine, directory: Path, stamped: Sequence[Sequence[Any]]) -> Evidence | None:
    """Return the log of an index; None if there is no index of exactly these inputs.

    Raises UsageError for a directory that holds other things, BadInputError for a damaged index.
    """
    if not directory.exists():
        return None
    others = set(contents(directory)) - set(INDEX_FILES)
    if others:
        raise UsageError(
            f"{directory}: holds other things than an index, such as {min(others)}; name another directory"
        )
    file = directory / INDEX
    if not file.exists():
        return None
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        if said["version"] != _VERSION or said["inputs"] != list(map(list, stamped)):
            return None
        lines = (directory / HEADERS).read_text(encoding="utf-8").splitlines()
        records = [parse_line(line, Place(str(directory / HEADERS), number)) for number, line in enumerate(lines, 1)]
        tables = (BY_CONNECTION, BY_QUEUE, BY_KEY, MOVES)
        calls, by_queue, keys, moves = (_stored(engine, directory / name) for name in tables)
        headers = tuple(record for record in records if not isinstance(record, Event))
        formats = frozenset(map(Format, said["formats"]))
        first_us, last_us = said["bounds"]
        counts = said["records"], said["unreadable"]
        return Evidence(calls, by_queue, headers, formats, *counts, keys, moves, (first_us, last_us))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInputError(
            f"the index is damaged ({error}): remove it, and it is built again", Place(str(file))
        ) from error


def _stored(engine: Engine, directory: Path) -> Frame:
    return engine.parquet([str(path) for path in sorted(directory.glob("*.parquet"))])


def saved(evidence: Evidence, directory: Path, stamped: Sequence[Sequence[Any]]) -> None:
    """Write the index of a log, whole or not at all."""
    calls = evidence.calls.select(*COLUMNS)
    with whole_directory(directory) as new:
        calls.order_by("qmgr", "conn", "seq").write_parquet(new / BY_CONNECTION)
        calls.order_by("qmgr", "queue", "start_us").write_parquet(new / BY_QUEUE)
        _keys(calls).order_by("key").write_parquet(new / BY_KEY)
        moves_among(evidence, calls).order_by("qmgr", "queue", "start_us").write_parquet(new / MOVES)
        (new / HEADERS).write_text("".join(f"{to_line(header)}\n" for header in evidence.headers), encoding="utf-8")
        said = {
            "version": _VERSION,
            "inputs": list(map(list, stamped)),
            "formats": sorted(kind.value for kind in evidence.formats),
            "records": evidence.records,
            "unreadable": evidence.unreadable,
            "bounds": evidence.span,
        }
        (new / INDEX).write_text(json.dumps(said), encoding="utf-8")


def _keys(calls: Frame) -> Frame:
    """Return a row for each value of KEYS that a call shows, except null identifiers."""
    return union(
        [
            calls.where(fn.col(kind).is_not_null() & (fn.col(kind) != NULL_ID.hex())).select(
                fn.col(kind).alias("key"), fn.lit(kind).alias("kind"), "qmgr", "conn", "seq"
            )
            for kind in KEYS
        ]
    )


def indexed(engine: Engine, inputs: Inputs | Iterable[Path], directory: Path) -> tuple[Evidence, bool]:
    """Return a log from its index, and whether the index existed; otherwise read the inputs and make the index.

    Raises as read_evidence and recalled do, and UsageError if another command is writing the index.
    """
    given = Inputs.of(inputs)
    stamped = stamps(given.everything)
    found = recalled(engine, directory, stamped)
    if found is not None:
        return found, True
    with claimed(directory, INDEX_FILES):
        saved(read_evidence(engine, given), directory, stamped)
        made = recalled(engine, directory, stamped)
    if made is None:
        raise UsageError(f"{directory}: the inputs changed while their index was made; ask again")
    return made, False
