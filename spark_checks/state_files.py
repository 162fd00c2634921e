"""The files of a state directory, as far as they tell without Spark whether the next day can be audited."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from oracle.errors import BadInputError, Place, UsageError
from spark_checks.output import check_directory
from spark_checks.readers.detect import LISTINGS, Format
from spark_checks.readers.inputs import HEADERS_FILE, find_sources

VERSION = 7
CALLS, HEADERS, REPORTED, WITHDRAWN, STATE = "calls", "headers.jsonl", "reported", "withdrawn.jsonl", "state.json"
_FILES = (CALLS, HEADERS, REPORTED, WITHDRAWN, STATE)
_SAMPLE_BYTES = 2**20
_SIDE_INPUTS = {*LISTINGS, Format.MQSC, Format.CONFIG_EVENTS}


def read_state(directory: Path) -> dict[str, Any] | None:
    """Return what the state of earlier days says of itself, None if there is none yet.

    Raises UsageError if the directory holds other things, and BadInputError if it is damaged or of another version.
    """
    check_directory(directory, _FILES)
    file = directory / STATE
    if not file.exists():
        if directory.exists() and any(directory.iterdir()):
            raise BadInputError("the state is not whole", Place(str(file)))
        return None
    try:
        state: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if state["version"] != VERSION:
            raise BadInputError(f"the state is of version {state['version']}, not {VERSION}", Place(str(file)))
        frozenset(state["inputs"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(directory, error) from error
    return state


def damaged(directory: Path, error: Exception) -> BadInputError:
    """Return what is to be raised for a state that cannot be read."""
    return BadInputError(f"the state is damaged: {str(error).splitlines()[0]}", Place(str(directory / STATE)))


def fingerprints(inputs: Iterable[Path]) -> dict[str, str]:
    """Return by fingerprint the files behind inputs: of their size, their first and their last mebibyte.

    What may be given on every day, headers and what is known of the queues, is left out.
    Raises BadInputError as find_sources does.
    """
    found: dict[str, str] = {}
    for source in find_sources(inputs)[0]:
        if Path(source.path).name == HEADERS_FILE or source.format in _SIDE_INPUTS:
            continue
        digest = hashlib.sha256(str(source.size).encode())
        with Path(source.path).open("rb") as file:
            digest.update(file.read(_SAMPLE_BYTES))
            file.seek(max(0, source.size - _SAMPLE_BYTES))
            digest.update(file.read(_SAMPLE_BYTES))
        found[digest.hexdigest()] = source.path
    return found


def refuse_known(known: Collection[str], files: Mapping[str, str]) -> None:
    """Raise UsageError if a file was read on an earlier day: its calls would count twice."""
    for fingerprint, path in files.items():
        if fingerprint in known:
            raise UsageError(f"{path}: was read on an earlier day, as the state says")


def check_state(directory: Path, inputs: Iterable[Path]) -> None:
    """Raise UsageError or BadInputError for a state with which these inputs cannot be audited."""
    state = read_state(directory)
    if state is not None:
        refuse_known(state["inputs"], fingerprints(inputs))
