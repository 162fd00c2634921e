"""The ledger of a watch: what it remembers besides the state of the days. It is exchanged as a whole after each round.

| file | what |
| --- | --- |
| `watch.json` | the files read, the number of rounds, the time up to which calls were audited, and counts |
| `pending/` | the calls that are not audited yet: others that came before them may still arrive |
| `due/` | the calls of the last round, for a watch that was killed before their state was written |
| `findings/` | all reported findings that still hold |
| `connections/` | the names of all connections |
| `faults.jsonl` | the records that could not be read |
| `headers.jsonl` | the headers of all files |
| `begun.json` | the unfinished parts of captures |
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event, Header, parse_line, to_line
from spark_checks.frames import Engine, Frame

LEDGER, PENDING, DUE, FINDINGS, CONNECTIONS = "watch.json", "pending", "due", "findings", "connections"
FAULTS, HEADERS, BEGUN = "faults.jsonl", "headers.jsonl", "begun.json"
_VERSION: Final = 1
_FAULTS_KEPT: Final = 10_000
_ANEW: Final = "give another directory for --state, and the watch begins anew"
"""What to do about a state that cannot be read."""


@dataclass
class Ledger:
    """The contents of `watch.json`. Times are microseconds since 1970-01-01 UTC."""

    version: int = _VERSION
    """The version of the state's form."""
    rounds: int = 0
    """The number of rounds that have audited something."""
    files: dict[str, list[int]] = field(default_factory=dict)
    """The size in bytes, time of change in nanoseconds and last line of each file that was read, by its identity."""
    audited_us: int | None = None
    """The time up to which calls are audited, by their ends. None before the first round."""
    first_us: int | None = None
    """The time at which the first audited call began. None before the first round."""
    ended_us: int | None = None
    """The time at which the last audited call ended. None before the first round."""
    last_us: int | None = None
    """The time at which the last call that was read ended. None before any was read."""
    records: int = 0
    """The number of call records that were read."""
    audited: int = 0
    """The number of calls that were audited."""
    unreadable: int = 0
    """The number of records that could not be read."""
    late: int = 0
    """The number of calls that arrived after others that ended later had been audited."""
    final: bool = False
    """Whether the last round reported all held findings."""
    kept: int = 0
    """The number of calls that the state of the days keeps for the next round."""
    held: int = 0
    """The number of due calls that wait for more, so that kept calls are not judged again for a few."""
    rules: dict[str, list[Any]] = field(default_factory=dict)
    """By rule, how many records it judged, how many it could not judge, and what those lack."""
    found: dict[str, int] = field(default_factory=dict)
    """The number of reported findings that hold, by rule and verdict: `RULE VERDICT`."""

    def write(self, directory: Path) -> None:
        """Write the ledger into a directory."""
        (directory / LEDGER).write_text(json.dumps(asdict(self)), encoding="utf-8")


def read_ledger(directory: Path) -> Ledger:
    """Return the ledger of a watch; a new one if there was none.

    Raises BadInputError if it is damaged or of another version.
    """
    file = directory / LEDGER
    if not file.exists():
        return Ledger()
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        if said.get("version") != _VERSION:
            raise BadInputError(f"the state of the watch is not of version {_VERSION}; {_ANEW}", Place(str(file)))
        return Ledger(**said)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BadInputError(f"the state of the watch is damaged: {error}; {_ANEW}", Place(str(file))) from error


def stored(engine: Engine, directory: Path) -> Frame | None:
    """Return the rows of a directory of Parquet files; None if there are none."""
    files = sorted(str(path) for path in directory.glob("*.parquet"))
    return engine.parquet(files) if files else None


def read_headers(directory: Path) -> list[Header]:
    """Return the headers of all files read."""
    file = directory / HEADERS
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    records = [parse_line(line, Place(str(file), number)) for number, line in enumerate(lines, start=1)]
    return [record for record in records if not isinstance(record, Event)]


def write_headers(headers: list[Header], path: Path) -> None:
    """Write headers, each once."""
    path.write_text("".join(f"{line}\n" for line in dict.fromkeys(map(to_line, headers))), encoding="utf-8")


def read_faults(directory: Path) -> list[dict[str, Any]]:
    """Return the records that could not be read; only the first ones if there are very many."""
    file = directory / FAULTS
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write_faults(faults: list[dict[str, Any]], directory: Path) -> None:
    """Write the records that could not be read."""
    lines = (json.dumps(fault) + "\n" for fault in faults[:_FAULTS_KEPT])
    (directory / FAULTS).write_text("".join(lines), encoding="utf-8")
