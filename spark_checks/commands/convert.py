"""Write a log in the canonical form: JSON Lines, plain or compressed, or Parquet with its headers beside it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO, cast

from oracle.histories.event_log import Header, to_line
from oracle.text.whole_files import whole_file
from spark_checks.frames import Frame
from spark_checks.frames import functions as fn
from spark_checks.output.destination import form_of
from spark_checks.output.whole_directories import whole_directory
from spark_checks.readers.inputs import HEADERS_FILE
from spark_checks.readers.load import ReadLog


def _ordered(calls: Frame) -> Frame:
    return calls.order_by("start_us", "qmgr", "conn", "seq")


def _write_headers(headers: Iterable[Header], file: TextIO) -> None:
    for header in headers:
        file.write(to_line(header) + "\n")


def _write_lines(log: ReadLog, file: TextIO) -> None:
    _write_headers(log.headers, file)
    lines = _ordered(log.calls).select(fn.json_of(*log.calls.columns).alias("line"))
    for row in lines.rows():
        file.write(row["line"] + "\n")


def write_log(log: ReadLog, path: Path) -> None:
    """Write a log whole or not at all, in the order of its calls' beginnings.

    Raises BadInputError if it cannot be written, UsageError for a name that asks for no known form.
    """
    form = form_of(path)
    if form == "parquet":
        with whole_directory(path) as new:
            room = new / "calls"
            _ordered(log.calls).write_parquet(room)
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
