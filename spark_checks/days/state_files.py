"""The files of a state directory that show, without an engine, whether the next day can be audited."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oracle.errors import BadInputError, Place, UsageError
from oracle.text.mistakes import first_mistake
from spark_checks.output.destination import check_directory
from spark_checks.output.exchange import contents
from spark_checks.readers.detect import LISTINGS, Format, Source
from spark_checks.readers.inputs import HEADERS_FILE, find_sources

VERSION = 14
READ_VERSIONS = (10, 11, 12, 13, VERSION)
"""The versions of a state that can be read.

Version 10 has no unfinished captures. Before version 12 the findings have no mark (MARK in memory.py).
Before version 13 the facts of queues do not say when they may have been made. Before version 14 there are no numbers
of the calls that were read.
"""
CALLS, HEADERS, REPORTED, WITHDRAWN, STATE = "calls", "headers.jsonl", "reported", "withdrawn.jsonl", "state.json"
BEGUN, SEEN = "begun.json", "seen"
STATE_FILES = (CALLS, HEADERS, REPORTED, WITHDRAWN, SEEN, BEGUN, STATE)
REMEMBER_HOURS = 24
"""The default number of hours for which all calls are kept."""
_ANEW: Final = "give another directory for --state, and audit the days again from the first"
"""What to do about a state that cannot be read."""
_SAMPLE_BYTES = 2**20
_SIDE_INPUTS = {*LISTINGS, Format.MQSC, Format.MQSC_SCRIPT, Format.CONFIG_EVENTS}


class State(BaseModel):
    """The contents of `state.json`. Times are microseconds since 1970-01-01 UTC."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    version: int = VERSION
    """The version of the state's form."""
    days: int = Field(ge=1)
    """The number of days that were audited."""
    unreadable: int = Field(ge=0)
    """The number of records of all days that could not be read."""
    inputs: list[str]
    """The fingerprints of the files that were read (see `fingerprints`)."""
    gathered: list[tuple[Literal["calls", "moves"], str, str | None, dict[str, Any]]]
    """The facts of each queue by calls or moves: which of the two, queue manager, queue, and the facts by name."""
    horizon_us: int
    """The time from which on all calls were kept, by their ends."""
    told_us: int
    """The time up to which everything has been reported."""
    rests: dict[str, list[Any]] | None
    """The places from which the oracle can continue to follow queues, as spark_checks.replay.rests writes them."""
    begun: str = ""
    """The digest of `begun.json`; empty in a state of version 10, which has no such file."""


def read_state(directory: Path) -> State | None:
    """Return the header of the state of earlier days; None if there is no state yet.

    Raises UsageError if the directory holds other things, and BadInputError if it is damaged or of another version.
    """
    check_directory(directory, STATE_FILES)
    file = directory / STATE
    if not file.exists():
        if directory.exists() and contents(directory):
            raise BadInputError(f"the state is not whole; {_ANEW}", Place(str(file)))
        return None
    try:
        text = file.read_text(encoding="utf-8")
        version = json.loads(text)["version"]
        if not isinstance(version, int):
            raise TypeError(version)  # noqa: TRY301 - told with the other mistakes
        if version not in READ_VERSIONS:
            known = " or ".join(map(str, READ_VERSIONS))
            raise BadInputError(f"the state is of version {version}, not {known}; {_ANEW}", Place(str(file)))
        return State.model_validate_json(text)
    except ValidationError as error:
        mistake = first_mistake(error)
        raise damaged(file, mistake.about(mistake.member)) from error
    except OSError as error:
        raise damaged(file, str(error)) from error
    except RecursionError as error:
        raise damaged(file, "its values are nested too deeply") from error
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(file, "it does not name its version") from error


def begun_of(directory: Path, state: State) -> str:
    """Return the unfinished parts of captures. Raises BadInputError if they are damaged or of another version."""
    if not state.begun:
        return ""
    from spark_checks.readers.begun_captures import read_begun

    return read_begun(directory / BEGUN, state.begun)


def damaged(path: Path, why: str) -> BadInputError:
    """Return the error for a state of which a file or a directory cannot be read."""
    return BadInputError(f"the state is damaged: {why}; {_ANEW}", Place(str(path)))


def fingerprints(inputs: Iterable[Path]) -> dict[str, str]:
    """Return the files behind inputs by fingerprint, which is made of their size and their first and last mebibyte.

    Files that may be given on every day are left out: headers, and facts about the queues. Raises BadInputError as
    find_sources does.
    """
    found: dict[str, str] = {}
    for source in find_sources(inputs)[0]:
        if Path(source.path).name == HEADERS_FILE or source.format in _SIDE_INPUTS or _has_only_headers(source):
            continue
        digest = hashlib.sha256(str(source.size).encode())
        with Path(source.path).open("rb") as file:
            digest.update(file.read(_SAMPLE_BYTES))
            file.seek(max(0, source.size - _SAMPLE_BYTES))
            digest.update(file.read(_SAMPLE_BYTES))
        found[digest.hexdigest()] = source.name
    return found


def _has_only_headers(source: Source) -> bool:
    """Return whether a small event log has no calls, such as the one that says that the log is complete."""
    if source.format is not Format.EVENT_LOG or source.compressed or source.size > _SAMPLE_BYTES:
        return False
    return b'"call"' not in Path(source.path).read_bytes()


def refuse_known(known: Collection[str], files: Mapping[str, str]) -> None:
    """Raise UsageError if a file was read on an earlier day: its calls would count twice."""
    for fingerprint, path in files.items():
        if fingerprint in known:
            raise UsageError(f"{path}: was read on an earlier day, as the state says; leave it out")


def check_state(directory: Path, inputs: Iterable[Path]) -> None:
    """Raise UsageError or BadInputError for a state with which these inputs cannot be audited."""
    state = read_state(directory)
    if state is not None:
        refuse_known(state.inputs, fingerprints(inputs))
