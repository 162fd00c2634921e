"""Write a log in the canonical form: JSON Lines, plain or compressed, or Parquet with its headers beside it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO, cast

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from oracle.errors import UsageError
from oracle.event_log import Header, to_line
from oracle.whole_files import whole_file
from spark_checks.output import whole_directory
from spark_checks.readers.inputs import HEADERS_FILE
from spark_checks.readers.load import ReadLog


def _form(path: Path) -> str:
    """Return the form that a file's name asks for; raises UsageError if it asks for none."""
    name = path.name.lower()
    if name.endswith(".jsonl.gz"):
        return "gzip"
    if name.endswith(".jsonl"):
        return "plain"
    if path.suffix in {"", ".parquet"}:
        return "parquet"
    raise UsageError(f"{path}: an event log is a .jsonl or .jsonl.gz file, or a directory (for Parquet)")


def check_target(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a target that has no known form, would replace an input, or is a directory with anything in it.

    Raises UsageError.
    """
    form = _form(path)
    for given in inputs:
        if path.exists() and given.exists() and path.samefile(given):
            raise UsageError(f"{path}: the output would replace an input")
    if form == "parquet" and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path}: is there already, and not an empty directory")


def _ordered(calls: DataFrame) -> DataFrame:
    return calls.orderBy("start_us", "qmgr", "conn", "seq")


def _write_headers(headers: Iterable[Header], file: TextIO) -> None:
    for header in headers:
        file.write(to_line(header) + "\n")


def _write_lines(log: ReadLog, file: TextIO) -> None:
    _write_headers(log.headers, file)
    lines = _ordered(log.calls).select(fn.to_json(fn.struct(*log.calls.columns)).alias("line"))
    for row in lines.toLocalIterator():
        file.write(row["line"] + "\n")


def write_log(log: ReadLog, path: Path) -> None:
    """Write a log whole or not at all, in the order of its calls' beginnings.

    Raises BadInputError if it cannot be written, UsageError for a name that asks for no known form.
    """
    form = _form(path)
    if form == "parquet":
        with whole_directory(path) as new:
            room = new / "calls"
            _ordered(log.calls).write.parquet(str(room), compression="zstd")
            for part in room.glob("*.parquet"):
                part.rename(new / part.name)
            for rest in room.iterdir():
                rest.unlink()
            room.rmdir()
            with (new / HEADERS_FILE).open("w", encoding="utf-8") as file:
                _write_headers(log.headers, file)
        return
    with whole_file(path) as new:
        if form == "plain":
            with new.open("w", encoding="utf-8") as file:
                _write_lines(log, file)
        else:
            with gzip.open(new, "wb") as packed, io.TextIOWrapper(cast("io.BytesIO", packed), "utf-8") as file:
                _write_lines(log, file)
